package sleeps

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
)

// The largest numbers of sleeps and acquisitions that verdicts use, the earliest ones, and of
// locks that a stack without an acquisition may be inside of, the most acquired ones.
const (
	maxSleepsTried   = 1 << 14
	maxAcquiresTried = 1 << 20
	maxSilentLocks   = 1 << 4
)

// candidates are the locks that sleeps with a stack may be inside of.
type candidates struct {
	groups []*lockGroup
	near   bool // the stack passes through the methods that acquire them
	tally  []tally
}

// tally is what sleeps with a stack have in common with the waits for a group of locks.
type tally struct {
	shared    bool    // the sleeping thread may be a reader
	conflicts int     // sleeps in which another thread acquired the lock that it may not acquire then
	expected  float64 // as many would be by chance, if the sleeps had nothing to do with the lock
	owned     int     // sleeps at whose end others wait, after the sleeping thread was the last to acquire the lock
	awaited   int     // sleeps without conflict at whose end another thread waits for the lock
	prompt    int     // of these, it gets the lock promptly
}

// A wait that goes on when a sleep ends is promptly over if what is left of it is at most a
// quarter of what was before. By chance that is the last fifth of each wait.
const (
	promptLeft   = 4
	promptChance = 1.0 / (promptLeft + 1)
)

// The evidence that verdicts need. By chance, 4 conflicts are expected and none is seen once in
// fifty times. The locks that a stack is held against may be many, so what sleeps and waits have
// in common counts if chance gives it once in a million times (surely), and makes a verdict
// uncertain once in three thousand times (maybe); these are natural logarithms.
const (
	minExpected = 4
	minPrompt   = 3
	surely      = 14
	maybe       = 8
)

// trial compares sleeps with the waits and acquisitions of other threads during them.
type trial struct {
	open     map[format.StackID]*candidates
	sleeps   []aSleep
	waits    map[format.ObjectID]*lockWaits
	until    int64                             // acquisitions are complete up to it
	acquired map[format.ThreadID][]acquiredOne // by thread, in order of time: locks of groups of several
}

// lockWaits are the acquisitions of a lock after a wait, and the conflicts among them by the
// mode of the holder.
type lockWaits struct {
	writers, readers []acquire
	by               [2]*conflicts
}

// acquiredOne is an acquisition as its thread sees it.
type acquiredOne struct {
	end  int64
	lock format.ObjectID
}

// aSleep is a sleep at a stack that may be inside.
type aSleep struct {
	start, end int64
	thread     format.ThreadID
	stack      format.StackID
}

func newTrial(all *owners.Activities, defs *analysis.Symbols, open map[format.StackID]*candidates) *trial {
	t := &trial{
		open:     open,
		waits:    map[format.ObjectID]*lockWaits{},
		acquired: map[format.ThreadID][]acquiredOne{},
	}
	t.addSilent(all, defs)
	t.addSleeps(all)
	t.addAcquires(all)
	return t
}

// addSilent gives the stacks without candidates the most acquired locks.
func (t *trial) addSilent(all *owners.Activities, defs *analysis.Symbols) {
	var groups []*lockGroup
	for _, c := range t.open {
		if len(c.groups) > 0 {
			continue
		}
		if groups == nil {
			for _, l := range all.MostWaited(maxSilentLocks) {
				shared := defs.Kind(l) == format.KindReadWriteLock
				groups = append(groups, &lockGroup{locks: []format.ObjectID{l}, shared: shared})
			}
		}
		c.groups = groups
	}
}

// addSleeps sets the sleeps to be tried, by start.
func (t *trial) addSleeps(all *owners.Activities) {
	for id := range all.Threads() {
		of := all.OfThread(format.ThreadID(id))
		for scan := all.Scan(of); scan.NextOther(); {
			o := scan.Activity()
			if o.What() != format.ActivitySleep || o.End <= o.Start || t.open[o.Stack] == nil {
				continue
			}
			t.sleeps = append(t.sleeps, aSleep{o.Start, o.End, format.ThreadID(id), o.Stack})
			if len(t.sleeps) >= 2*maxSleepsTried {
				t.sleeps = earliestSleeps(t.sleeps)
			}
		}
	}
	t.sleeps = earliestSleeps(t.sleeps)
}

func earliestSleeps(list []aSleep) []aSleep {
	slices.SortFunc(list, func(a, b aSleep) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.thread, b.thread))
	})
	return list[:min(len(list), maxSleepsTried)]
}

// addAcquires lists the acquisitions of the candidates after a wait.
func (t *trial) addAcquires(all *owners.Activities) {
	several := map[format.ObjectID]bool{} // locks of groups of several
	for _, c := range t.open {
		c.tally = make([]tally, len(c.groups))
		for i, g := range c.groups {
			c.tally[i].shared = g.shared
			for _, l := range g.locks {
				t.waits[l] = nil
				several[l] = several[l] || len(g.locks) > 1
			}
		}
	}
	t.until = math.MaxInt64
	n := 0
	for _, i := range all.Starts {
		w := all.Activity(i)
		of, asked := t.waits[w.Lock]
		if !asked || w.Failed() {
			continue
		}
		if n++; n > maxAcquiresTried {
			t.until = w.Start
			break
		}
		if of == nil {
			of = &lockWaits{}
			t.waits[w.Lock] = of
		}
		one := acquire{w.Start, w.End, w.Thread}
		if w.Mode() == format.Shared {
			of.readers = append(of.readers, one)
		} else {
			of.writers = append(of.writers, one)
		}
		if several[w.Lock] {
			t.acquired[w.Thread] = append(t.acquired[w.Thread], acquiredOne{w.End, w.Lock})
		}
	}
}

// conflictsOf returns the acquisitions of a lock that exclude a holder; nil without any.
func (t *trial) conflictsOf(lock format.ObjectID, shared bool) *conflicts {
	of, mode := t.waits[lock], 0
	if of == nil {
		return nil
	}
	if shared {
		mode = 1
	}
	if of.by[mode] == nil {
		list := slices.Clone(of.writers)
		if !shared {
			list = append(list, of.readers...)
		}
		of.by[mode] = newConflicts(list)
	}
	return of.by[mode]
}

// lockOf returns the lock of a group that a sleeping thread may hold: of several, the one that it
// acquired last, as far as its waits show; NoObject if they show none.
func (t *trial) lockOf(s *aSleep, g *lockGroup) format.ObjectID {
	if len(g.locks) == 1 {
		return g.locks[0]
	}
	list := t.acquired[s.thread]
	n, _ := slices.BinarySearchFunc(list, s.start+1, func(a acquiredOne, t int64) int { return cmp.Compare(a.end, t) })
	for i := n - 1; i >= 0; i-- {
		if _, found := slices.BinarySearch(g.locks, list[i].lock); found {
			return list[i].lock
		}
	}
	return format.NoObject
}

// verdicts returns the verdict on each stack.
func (t *trial) verdicts() map[format.StackID]sleepSite {
	for i := range t.sleeps {
		s := &t.sleeps[i]
		if s.end > t.until {
			continue
		}
		of := t.open[s.stack]
		for j, g := range of.groups {
			if c := t.conflictsOf(t.lockOf(s, g), g.shared); c != nil {
				of.tally[j].compare(s, c)
			}
		}
	}
	out := make(map[format.StackID]sleepSite, len(t.open))
	for stack, c := range t.open {
		out[stack] = c.verdict()
	}
	return out
}

// compare holds a sleep against the acquisitions that exclude a holder. Before the first and after
// the last of these it shows nothing.
func (t *tally) compare(s *aSleep, c *conflicts) {
	next, all := c.from(s.start), c.span()
	if next == len(c.list) || s.end <= all.Start {
		return
	}
	if all.Start <= s.start && s.end <= all.End {
		t.expected += c.chance(s.end-s.start) * c.others(s.thread)
	}
	switch one := &c.list[next]; {
	case one.end < s.end:
		t.conflicts++
	case one.start < s.end:
		t.awaited++
		if (one.end-s.end)*promptLeft <= s.end-one.start {
			t.prompt++
		}
		if next == 0 || c.list[next-1].thread == s.thread {
			t.owned++
		}
	}
}

// verdict joins the tallies of a stack: it is inside if it is inside of one lock, and outside if
// it is outside of one and no thread waited for another until a sleep ended.
func (c *candidates) verdict() sleepSite {
	outside := false
	unclear := false
	awaited := false
	owned := 0
	conflicts := 0
	for i := range c.tally {
		t := &c.tally[i]
		is := t.verdict(c.near)
		if is == sleepInside {
			return sleepInside
		}
		outside, unclear = outside || is == sleepOutside, unclear || is == sleepMayBeInside && t.likely(c.near)
		awaited = awaited || is == sleepMayBeInside && t.awaited > 0
		owned, conflicts = owned+t.owned, conflicts+t.conflicts
	}
	switch {
	case !c.near && owned >= minPrompt && owned > Contradicted*conflicts:
		return sleepInside
	case unclear, c.near && (awaited || !outside):
		return sleepMayBeInside
	}
	return sleepOutside
}

// verdict returns whether sleeps are inside a section of one group of locks.
//
// They are inside if others got a lock promptly when a sleep ended for which they had waited
// before, far more often than by chance; if the stack passes through the method that acquires
// the lock, also if the sleeping thread was the last to acquire it and others waited until its
// sleep ended, or if there is hardly ever a conflict where chance would give many. A reader is
// only known by the latter: others may read together with it.
//
// They are outside if there are about as many conflicts as by chance, and waits do not end
// promptly as well. Else the stack may stand for sleeps of both kinds.
func (t *tally) verdict(near bool) sleepSite {
	few, related := t.conflicts*Contradicted, t.related()
	switch {
	case !t.shared && t.prompt >= minPrompt && few <= t.prompt && related > surely:
		return sleepInside
	case near && !t.shared && t.owned > few:
		return sleepInside
	case near && t.awaited > 0 && t.expected >= minExpected && float64(few) <= t.expected:
		return sleepInside
	case near && related > maybe && float64(t.conflicts) < Contradicted*t.promptBeyondChance():
		return sleepMayBeInside
	case t.conflicts > 0 && 2*float64(t.conflicts) >= t.expected:
		return sleepOutside
	}
	return sleepMayBeInside
}

// likely reports whether sleeps without a verdict may well be inside.
func (t *tally) likely(near bool) bool {
	return t.related() > maybe && (near || t.conflicts*Contradicted <= t.prompt)
}

// promptBeyondChance returns how many more waits end promptly than by chance.
func (t *tally) promptBeyondChance() float64 {
	return float64(t.prompt) - promptChance*float64(t.awaited)
}

// related bounds the probability that sleeps without a relation to the lock are as this tally
// has them: it is at most exp of the negative result. That waits end promptly is bounded by
// Chernoff, and none of the expected conflicts has the probability of Poisson.
func (t *tally) related() (sum float64) {
	if t.prompt < minPrompt {
		return 0
	}
	if t.conflicts == 0 {
		sum = t.expected
	}
	n, p := float64(t.awaited), float64(t.prompt)/float64(t.awaited)
	if p <= promptChance {
		return sum
	}
	sum += n * p * math.Log(p/promptChance)
	if p < 1 {
		sum += n * (1 - p) * math.Log((1-p)/(1-promptChance))
	}
	return sum
}
