package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// A method may take a permit and return with it, as those do that hand out connections:
// then what is done with it is done by its callers, and its stack leads through no method
// that takes one. Where threads had to wait the two ends of the wait tell it from what is
// done without. Who comes next does the latter just before it waits; what is done with a
// permit comes after, and before the wait there is something else.

// mostAround bounds the acquisitions that are asked: so many tell as much as all.
const mostAround = 1 << 10

// taken reports whether what threads do at a call site they do with a permit that they
// got from a method that has returned.
func (ev *evidence) taken(s *section, at callSite) bool {
	if !s.permits {
		return false
	}
	if s.around == nil {
		s.around = ev.around(s)
	}
	n := s.around[at]
	return n.after >= fewestPrompt && n.after >= timesPrompt*n.before
}

// around counts what threads did before they waited for a lock and once they had it.
func (ev *evidence) around(s *section) map[callSite]nextTo {
	found := map[callSite]nextTo{}
	for i := 0; i < len(s.acquired); i += 1 + len(s.acquired)/mostAround {
		a := &s.acquired[i]
		list := ev.Of(a.thread)
		n := ev.before(list, a.time)
		if at, ok := ev.longAt(list, n, 1); ok {
			found[at] = nextTo{found[at].after + 1, found[at].before}
		}
		for n--; n > 0 && !ev.isWaitFor(list.at(n), s.lock); n-- { // samples
		}
		if at, ok := ev.longAt(list, n-1, -1); ok {
			found[at] = nextTo{found[at].after, found[at].before + 1}
		}
	}
	return found
}

// longAt returns the call site of the first of a thread's activities from one on, in
// either direction, that is no sample.
func (ev *evidence) longAt(list Refs, n, step int) (at callSite, ok bool) {
	for ; n >= 0 && n < list.Len(); n += step {
		if d := ev.at(list.at(n)); d.end > d.start {
			return d.callSite(), true
		}
	}
	return callSite{}, false
}

// isWaitFor reports whether an activity is a wait for a lock.
func (ev *evidence) isWaitFor(i column.Ref, lock format.ObjectID) bool {
	return ev.IsWait(i) && ev.lockOf(i) == lock
}
