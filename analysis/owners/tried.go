package owners

import "contend/format"

// Who only ever tries a lock never waits for it, and no stack tells where it takes it. It
// may have one of several all the same while it waits for another lock. Those who wait for
// the one it has get it after that, and nobody does just before: two locks that one thread
// lets go of together are both got again within the same moment, in either order.

// tried reports whether that is so of waits at a call site for another lock: of most of
// those at whose end somebody waits, and of three times as many as chance would have it.
func (ev *evidence) tried(s *section, at callSite) bool {
	if !ev.mayBeTried(s, at) {
		return false
	}
	found := ev.fitting(s, at, s.ending[at], halfway)
	if len(found) == 0 {
		return false
	}
	return len(found) >= timesPrompt*ev.justBefore(s, at)
}

// justBefore counts the activities promptly before whose end another thread gets the lock.
func (ev *evidence) justBefore(s *section, at callSite) (n int) {
	for i := range ev.near(s, at, 0) {
		if start, end, t := ev.spent(i); s.acquiredByOther(t, end-(end-start)/promptPart, end) {
			n++
		}
	}
	return n
}

// mayBeTried reports whether waits at a call site can tell of that.
func (ev *evidence) mayBeTried(s *section, at callSite) bool {
	return at.lock != format.NoObject && !s.permits && !s.shared && ev.siblings(s.lock) > 1 && s.busyShare() >= leastBusy
}
