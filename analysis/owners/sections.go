package owners

import (
	"contend/format/workers"
	"slices"

	"contend/analysis/cores"
	"contend/analysis/internal/column"
	"contend/format"
)

// What threads do while they hold a lock is found out by a rule that needs no
// pattern: while a thread is inside, nobody else acquires the lock. A call
// site whose activities lie in stretches with waiters, and never (but for the
// tolerance) overlap another thread's acquisition, is inside; one sleep
// elsewhere that happens to overlap no acquisition is betrayed by the others at
// its call site.

// section returns what the waits for a lock tell, and the call sites to ask about.
func (ev *evidence) section(lock format.ObjectID, waits lockWaits, busy []span) *section {
	s := &section{lock: lock, busy: busy, permits: ev.sym.Kind(lock) == format.KindSemaphore}
	s.starts, s.recorded = waits.starts(), waits.recordedShare()
	var acquired workers.Group // a recording may be of one lock
	acquired.Go(func() { ev.acquire(s, waits) })
	ev.candidates(s, waits)
	acquired.Wait()
	return s
}

// learn finds out what threads do while they hold some locks.
func (ev *evidence) learn(all []*section) {
	c := &inquiry{ev: ev, all: all}
	c.judge()
	c.findEndings()
	ev.sortSites(all)
	cores.Each(len(all), func(i int) { ev.takeSeen(all[i]) })()
	ev.times = nil
}

// takeSeen takes what was done inside a section, now that its call sites are judged.
func (ev *evidence) takeSeen(s *section) {
	for _, i := range ev.had[s.lock] {
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
	s.leave()
	ev.usualHolds(s)
	ev.findHomes(s)
	s.ending = nil
}

// takeInside takes the activities at call sites that are inside, and of those whose stack
// tells nothing the ones that speak for themselves.
func (ev *evidence) takeInside(s *section) {
	for at, inside := range s.inside {
		if !inside && !ev.sym.Bare(at.stack) {
			continue
		}
		for i := range ev.near(s, at, 0) {
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

// judge decides about the call sites that are asked about.
func (c *inquiry) judge() {
	list := c.questions(func(s *section, ask func(callSite)) {
		for at := range s.inside {
			ask(at)
		}
	})
	c.divide(list)
	inside := make([][]bool, len(list))
	c.ask(list, func(l *asker, n int) { inside[n] = l.judge() })
	for n, q := range list {
		for which, s := range q.of {
			note(&c.all[s].inside, q.callSite, inside[n][which])
		}
	}
}

// judge counts the activities at a call site that lie in busy stretches and those that
// overlap somebody else's acquisition, of each section. It stops at the first one too
// many, which decides the same: of a call site that has nothing to do with the lock, as
// most have, it sees little more than the tolerance allows.
func (l *asker) judge() (inside []bool) {
	most := max(tolerance*float64(l.list.n), 1)
	answers := l.answers()
	l.each(func(which uint32, a *bout) bool {
		t := &answers[which]
		return t.counts(l.ev, a) || float64(t.breaks) <= most // even if all the others fit
	})
	for which := range answers {
		t := &answers[which]
		inside = append(inside, float64(t.breaks) <= most && t.inside(l))
	}
	return inside
}

// counts takes in an activity; false if it breaks the rule.
func (t *answer) counts(ev *evidence, a *bout) bool {
	s := &t.s
	if !t.doubts.add(s, a.thread, a.start, a.end) {
		t.breaks++
		return false
	}
	if !s.isBusy(a.end, a.end) {
		return true
	}
	d := activity{start: a.start, end: a.end}
	next, last := ev.next(s, d.end)
	t.follow(ev, s, &d, next, last)
	if s.isBusy(a.start, a.end) {
		t.count(a.thread, last)
	} else {
		t.before.count(&d, a.thread, next, last)
	}
	return true
}

// inside decides, when all activities at the call site are counted.
func (t *answer) inside(l *asker) bool {
	if t.tooMany(&t.s, l.list.n) {
		return false
	}
	if t.overtaken(&t.s, l.list.n) && !l.ev.notified(l.list) && tolerated(t.breaks, t.soon+t.breaks) {
		return true
	}
	n := t.all()
	return n > 0 && tolerated(t.breaks, n+t.breaks) &&
		(!t.byChance(&t.s, l.list.n) || l.ev.sym.Bare(l.stack) || l.ev.takers(t.s.lock).of(l.stack).site >= 0)
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
