package owners

import (
	"slices"

	"contend/format"
)

// A thread that does housekeeping may have a lock for long and never have to wait for
// it. Where the lock names its last owner that tells of it. Else nothing does, but that
// those who wait get the lock each time such a thread has done something.

// mostStrangers bounds the threads that are asked about: each lock is held against each.
const mostStrangers = 1 << 10

// hasStrangers reports whether threads may have had the lock that are not known to use it.
func (ev *evidence) hasStrangers(s *section, waits lockWaits) bool {
	if s.permits || len(waits) < fewestPrompt || ev.Threads() > mostStrangers || s.busyShare() < leastBusy {
		return false
	}
	return !slices.ContainsFunc(waits, func(w lockWait) bool {
		what := &ev.what[w.doer]
		return what.prev() != format.NoThread
	})
}

// strangers asks about the call sites of threads that are not among the users of a lock.
func (ev *evidence) strangers(s *section, users []format.ThreadID, asked *marks) {
	uses := make([]bool, ev.Threads())
	for _, t := range users {
		uses[t] = true
	}
	var others []format.ThreadID
	for t := range format.ThreadID(len(uses)) {
		if !uses[t] {
			others = append(others, t)
		}
	}
	for _, at := range ev.onlyAt(s, others, asked) {
		note(&s.strange, at, false)
	}
}

// quietly asks about the call sites of threads that are named as owners and never wait,
// also as those of strangers if nobody who waits is seen there.
func (ev *evidence) quietly(s *section, asked *marks) {
	for _, at := range ev.onlyAt(s, s.quiet, asked) {
		note(&s.strange, at, false)
		note(&s.inside, at, false)
	}
}

// onlyAt asks about the call sites of some threads and returns those that nobody who waits
// is seen at.
func (ev *evidence) onlyAt(s *section, threads []format.ThreadID, asked *marks) (sites []callSite) {
	of := section{lock: s.lock, busy: s.busy}
	for _, t := range threads {
		ev.seenBy(t, &of, asked)
	}
	for at := range of.inside {
		if _, known := s.inside[at]; !known {
			sites = append(sites, at)
		}
	}
	return sites
}

// strangely takes those of the activities at a call site that end when somebody gets the
// lock. Somebody must wait at the end of more than chance has it, and of those most must be
// followed promptly; or of nearly all, and nobody gets the lock meanwhile. Whoever is known
// to be inside meanwhile speaks against it: what a stranger does to a lock that the owner
// waits for ends just when others get this one, too.
func (ev *evidence) strangely(s *section, at callSite, known []anchor) {
	if !ev.mayBeStrange(s, at) {
		return
	}
	list := ev.activitiesAt(at, s.lock)
	if ev.notified(list) {
		return
	}
	ending := s.ending[at]
	if ending == nil || !exceeds(ending.n, list.n, s.busyShare()) {
		return
	}
	found := unopposedBy(known, ev.fitting(s, at, ending, sure))
	prompt := len(found) >= timesPrompt*(ending.n-len(found))
	if !prompt && !nearly(ending.n, list.n) {
		return
	}
	all := unopposedBy(known, ev.unopposed(s, at))
	if !prompt && !nearly(len(all), list.n) { // of several inside, only the last is followed by who waits
		return
	}
	s.take(all)
	s.strange[at] = true
}

// nearly reports whether n is nearly all of some activities.
func nearly(n, all int) bool { return float64(all-n) <= tolerance*float64(all) }

// unopposedBy leaves out what was done while others are known to have been inside.
func unopposedBy(known, found []anchor) []anchor {
	slices.SortFunc(found, anchor.compare)
	return alone(found, known)
}

// mayBeStrange reports whether that is asked of a call site.
func (ev *evidence) mayBeStrange(s *section, at callSite) bool {
	return !s.inside[at] && at.lock == format.NoObject && !ev.sym.Bare(at.stack)
}
