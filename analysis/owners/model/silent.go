package model

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"contend/analysis/internal/times"
	"contend/format"
)

// A silent site is one at which the lock is acquired and no thread ever waits, such as that of
// a rare job that holds the lock for long. Its activities and samples show it: other threads
// wait meanwhile and none gets the lock, no known site explains that, and when an activity ends
// the lock is acquired promptly. A caller of a known site is never one.

// addSilentSites adds silent sites to the group. The threads that use semaphores may hold
// several permits at once.
func (gr *Group) addSilentSites(semaphores bool) {
	w := gr.worker()
	defer w.release()
	if semaphores {
		w.findPermits()
	}
	gr.sitesOfDumps(w)
	gr.sitesOfPrevious(w)
	s := search{worker: w, sampledAt: map[uint64]bool{}}
	for _, l := range s.busiest() {
		s.target = l
		s.placeStackless()
		s.markExplained()
		s.addFromActivities()
		s.addFromSamples()
	}
	for _, x := range gr.sites {
		for t := range x.users {
			gr.known[t] = true
		}
	}
}

// addSilent makes a silent site of a lock out of a stack, from frame number at outwards.
func (gr *Group) addSilent(l *Lock, stack format.StackID, at int, n float64, users map[format.ThreadID]float64) {
	var p path
	s := &site{}
	if frames := gr.program.Frames(stack); at < len(frames) {
		p.set(frames, at)
		if known, ok := gr.byKey[p.suffix[0]]; ok {
			if s = gr.sites[known]; !s.silent {
				return
			}
		} else {
			s.key, s.depth = p.suffix[0], len(frames)-at
			gr.byKey[s.key] = len(gr.sites)
		}
	}
	if !s.silent {
		s.stack = stack
		s.silent = true
		s.users = map[format.ThreadID]float64{}
		s.of = map[*Lock]bool{}
		gr.sites = append(gr.sites, s)
	}
	s.of[l] = true
	s.n += n
	byUse := slices.SortedFunc(maps.Keys(users), func(a, b format.ThreadID) int {
		return cmp.Or(cmp.Compare(users[b], users[a]), cmp.Compare(a, b))
	})
	for _, t := range byUse {
		s.users[t] += users[t]
		s.more += users[t]
		if !slices.Contains(gr.silentUsers, t) {
			gr.silentUsers = append(gr.silentUsers, t)
		}
	}
}

// anchor returns the number of the frame at which a silent site begins: the innermost method
// that is known to acquire such locks, by another path; else the innermost frame of the
// application.
func (w *worker) anchor(stack format.StackID) int {
	frames := w.group.program.Frames(stack)
	w.stacks.path.set(frames, 0)
	for i, m := range w.stacks.path.method {
		if slices.ContainsFunc(w.group.sites, func(s *site) bool { return s.method == m }) {
			return w.stacks.path.frame[i]
		}
	}
	return len(frames) - len(w.group.program.Application(stack))
}

// sitesOfDumps makes silent sites of the owners in dumps that are at no known site.
func (gr *Group) sitesOfDumps(w *worker) {
	type owner struct {
		stack  format.StackID
		thread format.ThreadID // of one without a stack
	}
	found := map[owner]map[format.ThreadID]float64{}
	for _, l := range gr.locks {
		clear(found)
		var order []owner
		for i := range l.Dumps {
			d := &l.Dumps[i]
			if d.Owner == format.NoThread || w.stacks.siteOf(d.Took) >= 0 {
				continue
			}
			if len(w.stacks.inside(d.Stack)) > 0 {
				gr.countUser(w.stacks.innermost(d.Stack, false), d.Owner)
				continue
			}
			o := owner{stack: d.Stack}
			if d.Stack == format.NoStack {
				o.thread = d.Owner
			}
			if found[o] == nil {
				found[o] = map[format.ThreadID]float64{}
				order = append(order, o)
			}
			found[o][d.Owner]++
		}
		for _, o := range order {
			if len(gr.sites) >= ownSites+2*moreSites {
				break
			}
			n := 0.0
			for _, v := range found[o] {
				n += v
			}
			gr.addSilent(l, o.stack, w.anchor(o.stack), n, found[o])
		}
	}
}

// findPermits finds the semaphores whose permits several threads hold at once: their
// activities on the paths of the sites overlap for much of the time. Threads then wait for
// permits as writers wait for readers: an activity inside continues while another thread gets
// one.
func (w *worker) findPermits() {
	for _, l := range w.group.locks {
		w.lock.load(w.group, l)
		var list []times.Span
		sum := int64(0)
		for _, a := range w.group.program.ActivitiesOf(l.ID) {
			if a.What == Waits || w.stacks.innermost(a.Stack, false) < 0 {
				continue
			}
			for _, t := range a.Times {
				if w.lock.users.number(t.Thread) >= 0 {
					list = append(list, t.When)
					sum += t.When.End - t.When.Start
				}
			}
		}
		all := times.Within(times.UnionOf(list), times.Span{Start: math.MinInt64, End: math.MaxInt64})
		l.permits = sum > 0 && float64(sum) > overlapping*float64(all)
	}
	w.lock.Lock = nil // load sets Wait.Shared by permits
}

type search struct {
	worker    *worker
	target    *searched
	found     int
	sampledAt map[uint64]bool // suffixes that are silent sites
}

// searched is a lock at which silent sites are looked for.
type searched struct {
	*Lock
	busy      []times.Span  // when threads wait
	waited    int64         // how long, ns
	acquired  []acquisition // acquisitions after a wait, by time
	rate      float64       // of these, per ns of busy
	explained []times.Span  // activities at known sites
}

// mostWaited returns the locks with most waiting, in descending order.
func (gr *Group) mostWaited(most int) []*Lock {
	list := slices.Clone(gr.locks)
	slices.SortStableFunc(list, func(a, b *Lock) int { return cmp.Compare(b.ns, a.ns) })
	return list[:min(len(list), most)]
}

func (s *search) busiest() (out []*searched) {
	list := s.worker.group.mostWaited(busyLocks)
	for _, l := range list {
		if l.ns < minSearched || l.ns < list[0].ns/minShare {
			break
		}
		v := &s.worker.lock
		v.load(s.worker.group, l)
		b := &searched{Lock: l, busy: waiting(v.waits), acquired: make([]acquisition, 0, len(v.waits))}
		for _, i := range v.byEnd {
			if w := &v.waits[i]; !w.Failed {
				b.acquired = append(b.acquired, acquisition{w.End, w.Thread, w.user, s.worker.stacks.siteOf(w.Stack)})
			}
		}
		b.waited = times.Within(b.busy, times.Span{Start: l.from, End: l.to})
		b.rate = float64(len(b.acquired)) / float64(max(1, b.waited))
		out = append(out, b)
	}
	return out
}

// acquiredBefore returns how often the lock was acquired before an instant.
func (l *searched) acquiredBefore(t int64) int {
	n, _ := slices.BinarySearchFunc(l.acquired, t, func(r acquisition, t int64) int { return cmp.Compare(r.time, t) })
	return n
}

// acquiredBetween returns how often the lock was acquired between two instants.
func (l *searched) acquiredBetween(from, to int64) int {
	return max(0, l.acquiredBefore(to)-l.acquiredBefore(from+1))
}

// placeStackless finds the sites of activities without a useful stack, such as sleeps by JDK 25: each
// is at the site where its thread acquired the lock last, if no other thread gets the lock
// meanwhile, and at none if others do.
func (s *search) placeStackless() {
	for _, a := range s.worker.group.program.ActivitiesOf(s.target.ID) {
		if !placeless(s.worker.group.program.Frames(a.Stack)) {
			continue
		}
		switch c := s.target.coherence(a, false); {
		case c.broken >= brokenShare*max(c.expected, 1):
			if _, ok := s.worker.group.placed[a.Stack]; !ok {
				s.worker.group.placed[a.Stack] = noSite
			}
		case c.nats() > silentNats:
			if at := s.follows(a); at >= 0 {
				s.worker.group.placed[a.Stack] = at
			}
		}
	}
	clear(s.worker.stacks.through)
}

// follows returns the site of whose acquisitions most are followed by an activity of the same
// thread before another one gets the lock; noSite if none is.
func (s *search) follows(a *Activity) int {
	n := make([]float64, len(s.worker.group.sites))
	rate := 0.0
	best := noSite
	for _, t := range a.Times {
		before := s.target.acquiredBefore(t.When.Start + 1)
		if before == 0 {
			continue
		}
		if last := s.target.acquired[before-1]; last.thread == t.Thread && last.site >= 0 &&
			s.target.acquiredBetween(last.time, t.When.End-slack) == 0 {
			n[last.site]++
		}
	}
	for at, n := range n {
		if of := s.worker.group.sites[at].n; n > 1 && n/of > rate {
			best, rate = at, n/of
		}
	}
	return best
}

// markExplained notes the activities on known paths that are inside: what happens meanwhile needs
// no silent site.
func (s *search) markExplained() {
	l := s.target
	for _, a := range s.worker.group.program.ActivitiesOf(l.ID) {
		if a.What == Waits && a.Lock == l.ID || s.worker.stacks.innermost(a.Stack, false) < 0 {
			continue
		}
		if c := l.coherence(a, false); c.n > 0 && c.inside() {
			for _, t := range a.Times {
				l.explained = append(l.explained, t.When)
			}
		}
	}
	l.explained = times.UnionOf(l.explained)
}
