package owners

import "contend/format"

// singly takes the activities at a place that lies inside one of several locks
// of a class, each by what it does to this one: nobody takes the lock in a way
// the thread would exclude, somebody waits at its end, and the next
// acquisition names the thread, or, where locks name nobody, comes promptly.
// As many must not fit by chance: the same activities moved in time are tried too.
// Waits for others of the class it returns, which others may contest.
func (ev *evidence) singly(s *section, at callSite) (contested []anchor) {
	if !ev.leadsThere(s, at) && !ev.tried(s, at) {
		return nil // what threads do just before they come ends when others do, too
	}
	ending := s.ending[at]
	found := ev.fitting(s, at, ending, 1/float64(overChance*ev.siblings(s.lock)))
	switch {
	case len(found) == 0:
		return nil
	case at.lock != format.NoObject && ev.class[at.lock] == ev.class[s.lock] && !s.permits && !s.shared:
		if s.recorded < nearlyAll && len(found) < timesPrompt*ev.justBefore(s, at) {
			return nil // others that got theirs in the same moment are mostly not recorded
		}
		return found
	}
	if s.permits && ev.asPrompt(s, found, ending) || s.shared && float64(len(found)) >= sure*float64(ending.n) { // the others went on when one was gone
		found = ev.unopposed(s, at)
	} else if !s.shared && !s.permits && s.recorded >= nearlyAll {
		found = ev.withFollowing(s, at, found)
	}
	s.take(found)
	return nil
}

// leadsThere reports whether a call site is known to be where the lock is had, or nothing
// is known of where it is.
func (ev *evidence) leadsThere(s *section, at callSite) bool {
	f := ev.takers(s.lock)
	return len(f.methods) == 0 || f.of(at.stack).site >= 0 || ev.taken(s, at)
}

// withFollowing adds to activities at a call site that are inside the others that follow an
// acquisition of the lock by their thread as soon as those do, twice over: they are, too,
// however long who comes next takes to wake up. What comes later may be inside another of
// the locks, which the thread took without waiting, and so may all of it where waits before
// that one are not recorded.
func (ev *evidence) withFollowing(s *section, at callSite, found []anchor) []anchor {
	known, lags := map[stint]bool{}, []int64(nil)
	for _, a := range found {
		known[stint{a.start, a.thread}] = true
		if at, ok := ev.follows(s, a.thread, a.start); ok {
			lags = append(lags, a.start-at)
		}
	}
	if len(lags) < fewestPrompt {
		return found
	}
	most := 2 * median(lags)
	for i := range ev.near(s, at, 0) {
		d, t := ev.met(i)
		if n := s.after(d.start + 1); n == 0 || s.acquired[n-1].time < d.start-most { // nobody got it so shortly before, mostly
			continue
		}
		if d.end <= d.start || known[stint{d.start, t}] || s.excluded(ev, t, d.start, d.end) {
			continue
		}
		if at, ok := ev.follows(s, t, d.start); ok && d.start-at <= most {
			found = append(found, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
		}
	}
	return found
}

// unopposed returns those of the activities at a call site during which nobody gets the
// lock who could not have it, too.
func (ev *evidence) unopposed(s *section, at callSite) (found []anchor) {
	for i := range ev.near(s, at, 0) {
		if d, t := ev.met(i); !s.excluded(ev, t, d.start, d.end) {
			found = append(found, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
		}
	}
	return found
}

// take notes what was seen inside, each activity by itself.
func (s *section) take(found []anchor) {
	s.seen = append(s.seen, found...)
	for _, a := range found {
		note(&s.single, stint{a.start, a.thread}, true)
	}
}

// asPrompt reports whether so many activities at a call site fit that all are inside.
// Those that follow an acquisition of their thread certainly are; how many of them fit
// is how many can, since who is woken may have to wait for a processor.
func (ev *evidence) asPrompt(s *section, found []anchor, ending *siteList) bool {
	follow, fit := 0, 0
	for i := range ending.all {
		d, t := ev.met(i)
		if _, ok := ev.follows(s, t, d.start); ok {
			follow++
		}
	}
	for i := range found {
		if _, ok := ev.follows(s, found[i].thread, found[i].start); ok {
			fit++
		}
	}
	most := 1.0
	if fit >= fewestPrompt {
		most = share(int64(fit), int64(follow))
	}
	return float64(len(found)) >= sure*most*float64(ending.n)
}

// follows returns when a thread got the lock, if that is what it did last before t.
func (ev *evidence) follows(s *section, t format.ThreadID, before int64) (at int64, ok bool) {
	list := ev.Of(t)
	for i := ev.before(list, before) - 1; i >= 0; i-- {
		d := ev.at(list.at(i))
		if d.end == d.start { // a sample
			continue
		}
		return d.end, d.lock == s.lock && s.acquiredBy(t, d.end)
	}
	return 0, false
}

// acquiredBy reports whether a thread got the lock at an instant.
func (s *section) acquiredBy(t format.ThreadID, at int64) bool {
	for i := s.after(at); i < len(s.acquired) && s.acquired[i].time == at; i++ {
		if s.acquired[i].thread == t {
			return true
		}
	}
	return false
}
