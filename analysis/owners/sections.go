package owners

import (
	"maps"
	"slices"
	"sync"

	"contend/analysis/cores"
	"contend/analysis/internal/column"
	"contend/format"
)

// learn finds out what threads do while they hold a lock. The rule needs no
// pattern: while a thread is inside, nobody else acquires the lock. A call
// site whose activities lie in stretches with waiters, and never (but for the
// tolerance) overlap another thread's acquisition, is inside; one sleep
// elsewhere that happens to overlap no acquisition is betrayed by the others at
// its call site.
func (ev *evidence) learn(lock format.ObjectID, waits lockWaits, busy []span) *section {
	s := &section{lock: lock, busy: busy, permits: ev.sym.Kind(lock) == format.KindSemaphore}
	var acquired sync.WaitGroup // a recording may be of one lock
	acquired.Go(func() { s.acquired, s.failed = ev.acquisitions(waits) })
	s.starts, s.recorded = waits.starts(), waits.recordedShare()
	ev.candidates(s, waits)
	acquired.Wait()
	for i := range s.acquired {
		s.shared = s.shared || ev.wait(&s.acquired[i]).Mode() == format.Shared
	}
	ev.judge(s)
	for _, i := range ev.had[lock] {
		note(&s.inside, callSite{stack: ev.at(i).stack}, true)
	}
	ev.takeInside(s)
	if len(s.strange) > 0 { // seldom
		slices.SortFunc(s.seen, anchor.compare)
		known := s.seen
		for at := range s.strange {
			ev.strangely(s, at, known)
		}
	}
	s.quiet = nil // at call sites they share with who waits names count
	var contested []anchor
	for at, inside := range s.inside {
		if !inside && !s.strange[at] && !ev.sym.Bare(at.stack) {
			contested = append(contested, ev.singly(s, at)...)
		}
	}
	s.contest(contested)
	slices.SortFunc(s.seen, anchor.compare)
	ev.usualHolds(s)
	ev.findHomes(s)
	return s
}

// takeInside takes the activities at call sites that are inside, and of those whose stack
// tells nothing the ones that speak for themselves.
func (ev *evidence) takeInside(s *section) {
	for at, inside := range s.inside {
		if !inside && !ev.sym.Bare(at.stack) {
			continue
		}
		for i := range ev.activitiesAt(at, s.lock).all {
			if ev.hadAnother(i, s.lock) {
				continue
			}
			d, t := ev.met(i)
			if inside || ev.within(s, t, &d) {
				s.seen = append(s.seen, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
			}
		}
	}
}

// hadAnother reports whether an activity tells of itself that its thread had another lock
// than that.
func (ev *evidence) hadAnother(i column.Ref, lock format.ObjectID) bool {
	if len(ev.had) == 0 || ev.IsWait(i) {
		return false
	}
	had := ev.deed(ev.find(i)).had()
	return had != format.NoObject && ev.same(had) != lock
}

// candidates asks about the call sites that threads known to use the lock were
// seen at inside a busy stretch of it, or at its beginning.
func (ev *evidence) candidates(s *section, waits lockWaits) {
	users, waited := ev.users(waits)
	s.users, s.quiet = len(users), users[waited:]
	asked := marked(&ev.doerMarks, len(ev.what))
	defer ev.doerMarks.Put(asked)
	for _, t := range users[:waited] {
		ev.seenBy(t, s, asked)
	}
	ev.quietly(s, asked)
	if ev.hasStrangers(s, waits) {
		ev.strangers(s, users, asked)
	}
}

// users returns the threads that waited for a lock, and after so many of them those that
// are only named as its owners, each once: in time that grows with the waits, however
// many threads there are.
func (ev *evidence) users(waits lockWaits) (users []format.ThreadID, waited int) {
	met := marked(&ev.threadMarks, ev.Threads())
	defer ev.threadMarks.Put(met)
	add := func(t format.ThreadID) {
		if int(t) < len(met.at) && !met.has(uint32(t)) { // else it did nothing, or is among them
			met.add(uint32(t))
			users = append(users, t)
		}
	}
	for i := range waits {
		add(waits[i].thread)
	}
	waited = len(users)
	for i := range waits {
		add(ev.what[waits[i].doer].prev())
	}
	return users, waited
}

// judge decides about the candidates, several at a time: one lock may have
// most of the activities of a trace.
func (ev *evidence) judge(s *section) {
	at := slices.Collect(maps.Keys(s.inside))
	inside := make([]bool, len(at))
	cores.Each(len(at), func(i int) {
		own := *s // each searches from where it found last
		inside[i] = ev.isInside(&own, at[i])
	})()
	for i := range at {
		note(&s.inside, at[i], inside[i])
	}
}

// isInside counts the activities at a call site that lie in busy stretches and
// those that overlap somebody else's acquisition. It stops at the first one too
// many, which decides the same: of a call site that has nothing to do with the
// lock, as most have, it sees little more than the tolerance allows.
func (ev *evidence) isInside(s *section, at callSite) bool {
	list := ev.activitiesAt(at, s.lock)
	most := max(tolerance*float64(list.n), 1)
	breaks := 0
	var f fits
	for i := range list.all {
		start, end, t := ev.spent(i)
		switch {
		case s.acquiredByOther(t, start, end):
			if breaks++; float64(breaks) > most { // even if all the others fit
				return false
			}
		case s.isBusy(end, end):
			d := activity{start: start, end: end}
			next, last := ev.next(s, end)
			f.follow(ev, s, &d, next, last)
			if s.isBusy(start, end) {
				f.count(t, last)
				continue
			}
			f.before.count(&d, t, next, last)
		}
	}
	if f.overtaken(s, list.n) && !ev.notified(list) && tolerated(breaks, f.soon+breaks) {
		return true
	}
	n := f.all()
	return n > 0 && tolerated(breaks, n+breaks) && (!f.byChance(s, list.n) || ev.sym.Bare(at.stack) || ev.takers(s.lock).of(at.stack).site >= 0)
}

// within reports whether an activity of a thread is inside. A stack that shows
// the runtime only is no call site: sleeps inside and elsewhere may look alike.
// Then each speaks for itself: nobody else took the lock meanwhile, and who
// takes it right afterwards names the thread.
func (ev *evidence) within(s *section, t format.ThreadID, d *activity) bool {
	if inside := s.inside[d.callSite()]; inside || !ev.sym.Bare(d.stack) {
		return inside || s.single[stint{d.start, t}]
	}
	next, last := ev.next(s, d.end)
	return last == t && d.promptly(next) && s.isBusy(d.end, d.end) && !s.acquiredByOther(t, d.start, d.end)
}
