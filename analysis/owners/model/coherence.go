package model

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
)

// coherence compares when threads do something with when others get the lock. If they do it
// while they hold the lock, no other thread gets it in its course, and another one gets it
// promptly when it ends.
type coherence struct {
	n        float64                     // times in which threads waited
	broken   float64                     // of these, times in whose course the lock was acquired,
	expected float64                     // and how many are expected by chance
	ended    float64                     // times at whose end threads waited
	prompt   float64                     // of these, times after which the lock was acquired promptly,
	chance   float64                     // and how many are expected by chance
	users    map[format.ThreadID]float64 // of what known sites do not explain
}

// coherence counts over the times of an activity; unexplained leaves out those that activities
// at known sites explain. With rate ρ of acquisitions while threads wait, a time in which they
// wait for t is broken by chance with probability 1 - exp(-ρ t).
func (l *searched) coherence(a *Activity, unexplained bool) (c coherence) {
	if unexplained {
		c.users = map[format.ThreadID]float64{}
	}
	first, _ := slices.BinarySearchFunc(
		a.Times,
		l.from,
		func(t ThreadTime, at int64) int { return cmp.Compare(t.When.Start, at) },
	)
	for _, t := range a.Times[max(first-1, 0):] {
		if t.When.Start >= l.to {
			break
		}
		if t.When.End <= l.from {
			continue
		}
		waited := times.Within(l.busy, t.When)
		if waited <= 0 {
			continue
		}
		if unexplained {
			waited -= times.Within(l.explained, t.When)
			if float64(waited) < uncovered*float64(t.When.End-t.When.Start) {
				continue
			}
			c.users[t.Thread]++
		}
		c.n++
		c.expected += 1 - math.Exp(-l.rate*float64(waited))
		if l.acquiredBetween(t.When.Start+slack, t.When.End-slack) > 0 {
			c.broken++
			continue
		}
		if cover(l.busy, t.When.End) {
			c.ended++
			c.chance += max(promptLeast, 1-math.Exp(-l.rate*promptly))
			if l.acquiredBetween(t.When.End-slack, t.When.End+promptly) > 0 {
				c.prompt++
			}
		}
	}
	return c
}

// nats is the logarithm of how much likelier the counts are if the activity is inside a section.
// Broken times are Poisson with mean expected by chance, and with a mean of their own inside:
//
//	expected - broken + broken log(broken / expected)
//
// Prompt endings are binomial with probability chance / ended, and promptInside or more inside.
func (c *coherence) nats() (sum float64) {
	switch {
	case c.broken == 0:
		sum = c.expected
	case c.broken < c.expected:
		sum = c.expected - c.broken + c.broken*math.Log(c.broken/c.expected)
	}
	if c.ended >= fewEndings {
		chance := min(promptChance, c.chance/c.ended)
		inside := max(promptInside, chance)
		sum += max(worstPrompt, c.prompt*math.Log(inside/chance)+(c.ended-c.prompt)*math.Log((1-inside)/(1-chance)))
	}
	return sum
}

// inside reports whether an activity on a known path is inside the section: a part of the
// expected acquisitions stays away.
func (c *coherence) inside() bool { return c.broken < brokenByChance+brokenInside*c.expected }

// contradicts reports whether the counts speak against a silent site.
func (c *coherence) contradicts(idle bool) bool {
	if c.n == 0 || c.broken >= brokenShare*max(c.expected, brokenPerTime*c.n) ||
		c.ended >= fewEndings && c.prompt <= slowerBy*c.chance {
		return true
	}
	return idle && !(c.ended >= fewEndings && c.prompt > promptInside*c.ended) // threads with nothing to do
}

// addFromActivities makes silent sites of activities that are no part of known sections.
func (s *search) addFromActivities() {
	type candidate struct {
		activity *Activity
		nats     float64
		fit      coherence
		key      uint64
	}
	program := s.worker.group.program
	var list []candidate
	for _, a := range program.ActivitiesOf(s.target.ID) {
		if s.worker.stacks.innermost(a.Stack, false) >= 0 || a.What == Waits && a.Lock == s.target.ID ||
			a.Ns < s.target.waited/minShare ||
			placeless(program.Frames(a.Stack)) {
			continue
		}
		c := s.target.coherence(a, true)
		if c.contradicts(a.Idle) {
			continue
		}
		if b := c.nats(); b > silentNats {
			path := &s.worker.stacks.path
			if path.set(program.Frames(a.Stack), 0); len(path.suffix) > 0 {
				list = append(list, candidate{a, b, c, path.suffix[0]})
			}
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.nats, a.nats), cmp.Compare(a.key, b.key))
	})
	for _, x := range list[:min(len(list), moreSites-s.found)] {
		s.worker.group.addSilent(
			s.target.Lock,
			x.activity.Stack,
			s.worker.anchor(x.activity.Stack),
			max(1, x.fit.expected-x.fit.broken),
			x.fit.users,
		)
		s.found++
	}
}
