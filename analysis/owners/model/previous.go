package model

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// The recorded previous owner of an acquisition held the lock at some time since the acquisition before. What it
// was seen doing meanwhile shows where: at a known site, or at a silent one that this file finds.

// turnover is the interval between two recorded acquisitions of a lock.
type turnover struct {
	from, to int64
	previous format.ThreadID // that held the lock last
	seen     format.StackID  // what it did last before to; NoStack if that is unknown
	seenAt   int64
}

// turnovers returns those of the current lock that have a recorded previous owner and threads waiting, by
// time, and calls other with the stacks of users while others held the lock last.
func (w *worker) turnovers(other func(format.StackID)) (list []turnover) {
	v, gr := &w.lock, w.group
	if !slices.ContainsFunc(v.waits, func(x Wait) bool { return x.Last != format.NoThread && !x.Failed }) {
		return nil
	}
	list = make([]turnover, 0, len(v.waits))
	users := make([]bool, len(v.users.threads))
	last, before := int64(math.MinInt64), format.NoThread
	for _, i := range v.byEnd {
		x := &v.waits[i]
		if x.Failed {
			continue
		}
		list = append(list, turnover{from: max(last, x.Start), to: x.End, previous: x.Last})
		if users[x.user] = true; x.Last != before && x.Last != format.NoThread {
			users[v.users.number(x.Last)], before = true, x.Last
		}
		last = x.End
	}
	near := 0
	observe := func(t format.ThreadID, at int64, stack format.StackID) {
		if u := v.users.number(t); u < 0 || !users[u] {
			return
		}
		near = firstUntil(list, at, near)
		i := near
		switch {
		case i == len(list) || at < list[i].from || placeless(gr.program.Frames(stack)):
		case list[i].previous == t:
			if list[i].seen == format.NoStack || list[i].seenAt < at {
				list[i].seen, list[i].seenAt = stack, at
			}
		case list[i].previous != format.NoThread:
			other(stack)
		}
	}
	for _, a := range gr.program.ActivitiesOf(v.ID) {
		if a.What == Leaves || a.What == Waits && a.Lock == v.ID {
			continue
		}
		for _, t := range a.Times {
			observe(t.Thread, t.When.Start+(t.When.End-t.When.Start)/2, a.Stack)
		}
	}
	gr.program.Samples(v.ID, v.from, v.to, mostSamples, observe)
	return list
}

// firstUntil returns the place of the first turnover that does not end before an instant. Instants are mostly asked
// for in order of time, so it is searched from a guess on, if it is not before that.
func firstUntil(list []turnover, at int64, guess int) int {
	lo, hi := 0, len(list)
	if guess > 0 && list[guess-1].to < at {
		lo = guess
		for step := 1; lo+step < hi; step *= 4 {
			if list[lo+step].to >= at {
				hi = lo + step
				break
			}
			lo += step + 1
		}
	}
	i, _ := slices.BinarySearchFunc(list[lo:hi], at, func(x turnover, at int64) int { return cmp.Compare(x.to, at) })
	return lo + i
}

// sitesOfPrevious makes silent sites of what previous owners did at no known site, at the locks with most
// waiting.
func (gr *Group) sitesOfPrevious(w *worker) {
	for _, l := range gr.mostWaited(previousLocks) {
		if len(gr.sites) >= ownSites+2*moreSites {
			break
		}
		w.lock.load(gr, l)
		w.findSitesOfPrevious(l)
	}
	w.lock.forgetUsers() // threads were counted as users of sites
	clear(w.stacks.through)
}

// countUser counts a thread that was seen to hold the lock at a site, and did not wait there, as a user of it.
func (gr *Group) countUser(site int, t format.ThreadID) {
	if site >= 0 && gr.sites[site].users[t] == 0 {
		gr.sites[site].users[t] = 1
		gr.sites[site].more++
	}
}

// knows reports whether a thread is known to use a site of the group.
func (gr *Group) knows(t format.ThreadID) bool { return gr.known[t] }

// methodUse is how often a method is on the stacks of the previous owner, and of other users.
type methodUse struct {
	name     format.Frame
	own      bool   // of the class of the lock
	suffix   uint64 // of the method on a stack
	previous float64
	others   float64
	stack    format.StackID
	frame    int
	users    map[format.ThreadID]float64
}

func (w *worker) findSitesOfPrevious(l *Lock) {
	gr := w.group
	class := gr.program.ClassName(l.ID)
	found, callers := map[uint64]*methodUse{}, w.callers()
	path := &w.stacks.path
	count := func(stack format.StackID, each func(m *methodUse, frame int)) {
		frames := gr.program.Frames(stack)
		path.set(frames, 0)
		for i, key := range path.method {
			f := &frames[path.frame[i]]
			if format.OfJDK(*f) && f.Class != class || callers[path.suffix[i]] {
				continue
			}
			m := found[key]
			if m == nil {
				m = &methodUse{
					name:   *f,
					own:    f.Class == class,
					suffix: path.suffix[i],
					users:  map[format.ThreadID]float64{},
				}
				found[key] = m
			}
			each(m, path.frame[i])
		}
	}
	list := w.turnovers(func(stack format.StackID) {
		count(stack, func(m *methodUse, _ int) { m.others++ })
	})
	for _, x := range list {
		if x.seen == format.NoStack {
			continue
		}
		if len(w.stacks.inside(x.seen)) > 0 {
			gr.countUser(w.stacks.innermost(x.seen, false), x.previous)
			continue
		}
		count(x.seen, func(m *methodUse, frame int) {
			m.previous++
			m.users[x.previous]++
			m.stack, m.frame = x.seen, frame
		})
	}
	for range 4 {
		var best *methodUse
		score := func(m *methodUse) float64 {
			if m.own {
				return 1.5 * m.previous
			}
			return m.previous
		}
		depth := func(m *methodUse) int { return len(gr.program.Frames(m.stack)) - m.frame }
		for _, m := range found {
			if callers[m.suffix] || m.previous < 2 || !m.own && m.previous < 3 || m.previous < 2*m.others {
				continue
			}
			if best == nil || cmp.Or(cmp.Compare(score(m), score(best)), cmp.Compare(depth(m), depth(best)),
				cmp.Compare(m.name.Class+m.name.Method, best.name.Class+best.name.Method)) > 0 {
				best = m
			}
		}
		if best == nil {
			return
		}
		path.set(gr.program.Frames(best.stack), 0)
		for i, frame := range path.frame {
			callers[path.suffix[i]] = callers[path.suffix[i]] || frame >= best.frame
		}
		gr.addSilent(l, best.stack, best.frame, best.previous, best.users)
		for key, m := range found {
			if m == best || m.stack == best.stack && m.previous > best.previous/2 || m.previous == best.previous {
				delete(found, key)
			}
		}
	}
}
