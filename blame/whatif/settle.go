package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// settling are inferred holds on their way to being consistent. A recording shows only the
// part of a hold during which others waited: where its owner did not wait itself, the start
// is the arrival of the first waiter, and where nothing shows the end, it equals the start.
type settling struct {
	holds      []hold
	threads    int
	semaphores []bool           // by lock
	usual      map[uint32]int64 // by section: the median length of the holds whose start and end are known
}

// repair is a rule by its name.
type repair struct {
	name  string
	apply func(*settling)
}

// repairs are the rules that make inferred holds consistent, in the order in which they apply:
// who the owner was and when it began while all starts are as recorded; then ends, because a
// start that moves needs the end of the hold before it; then starts; and at last what the
// moved times contradict.
//
// Beside each is what is lost without it, of 264 predictions of simulated programs that all
// rules together bring to 212 in range and 241 narrow ones, and of the 16 recordings of
// testdata, of which all replay as recorded.
var repairs = []repair{
	{"readers", (*settling).markShared},                  // 11 narrow
	{"no start in a wait", (*settling).startBeforeWaits}, // 1 recording
	{"ends", (*settling).limitEnds},                      // 17 in range
	{"starts", (*settling).extendStarts},                 // 3 recordings, 27 narrow
	{"one of two that touch", (*settling).mergeAdjacent}, // 20 narrow
	{"one order of locks", (*settling).endInversions},    // 25 in range, 32 narrow
	{"no end in a wait", (*settling).endBeforeWaits},     // 8 recordings, 16 in range, 22 narrow
}

// settle makes inferred holds consistent and returns them by start.
func (c *Collector) settle() []hold {
	s := settling{holds: c.holds, threads: len(c.threads), semaphores: c.semaphores()}
	for _, rule := range repairs {
		rule.apply(&s)
	}
	return s.holds
}

// byStart orders the holds by start.
func (s *settling) byStart() {
	slices.SortStableFunc(s.holds, func(a, b hold) int { return cmp.Compare(a.start, b.start) })
}

// markShared makes holds without a wait shared if all waits for the section are of readers.
func (s *settling) markShared() {
	readers, writers := map[uint32]bool{}, map[uint32]bool{}
	for i := range s.holds {
		if t := &s.holds[i]; t.waited() && t.mode == format.Shared {
			readers[t.section] = true
		} else if t.waited() {
			writers[t.section] = true
		}
	}
	for i := range s.holds {
		if t := &s.holds[i]; t.thread != unknown && !t.waited() && readers[t.section] && !writers[t.section] {
			t.mode = format.Shared
		}
	}
}

// threadLock is a thread and a lock.
type threadLock struct{ thread, lock int32 }

// startBeforeWaits moves the start of holds that are first seen during a wait of their thread
// for another lock to the begin of that wait: no thread acquires a lock while it waits.
func (s *settling) startBeforeWaits() {
	waits := s.waits()
	for i := range s.holds {
		t := &s.holds[i]
		if t.thread == unknown || t.waited() {
			continue
		}
		if w, ok := waitAt(waits[t.thread], t.start+1); ok && w.end > t.start {
			t.asked, t.start = w.start, w.start
		}
	}
}

// endBeforeWaits moves the end of holds that are last seen during a wait of their thread for
// another lock to the begin of that wait: no thread releases a lock while it waits. If they
// are not seen before it, the owner was another thread.
func (s *settling) endBeforeWaits() {
	waits := s.waits()
	for i := range s.holds {
		t := &s.holds[i]
		if t.thread == unknown {
			continue
		}
		_, within := waitAt(waits[t.thread], t.start)
		w, ok := waitAt(waits[t.thread], t.end-1)
		switch {
		case !t.waited() && (within || ok && w.start <= t.start || t.end == t.start):
			t.thread = unknown
		case ok && w.start > t.start:
			t.end = w.start
		}
	}
}

// waits returns the waits of each thread in order.
func (s *settling) waits() [][]span {
	waits := make([][]span, s.threads)
	for i := range s.holds {
		if t := &s.holds[i]; t.thread != unknown && t.waited() {
			waits[t.thread] = append(waits[t.thread], span{start: t.asked, end: t.start})
		}
	}
	for _, list := range waits {
		slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	}
	return waits
}

// waitAt returns the wait at an instant; false for none.
func waitAt(list []span, at int64) (w span, ok bool) {
	i, _ := slices.BinarySearchFunc(list, at, func(s span, at int64) int { return cmp.Compare(s.start, at) })
	if i == 0 || list[i-1].end <= at {
		return w, false
	}
	return list[i-1], true
}

// mergeAdjacent merges holds of a thread and a lock that follow each other at once without
// another owner in between: a waiter that arrives begins a new hold of the recording.
func (s *settling) mergeAdjacent() {
	s.byStart()
	last := map[threadLock]int{}
	of := make([]int, len(s.semaphores))
	out := s.holds[:0]
	for _, t := range s.holds {
		own := threadLock{t.thread, t.lock}
		if i, ok := last[own]; ok && !t.waited() && out[i].end >= t.start && t.thread != unknown &&
			(of[t.lock] == i || t.mode == format.Shared || s.semaphores[t.lock]) {
			out[i].end = max(out[i].end, t.end)
			continue
		}
		last[own], of[t.lock] = len(out), len(out)
		out = append(out, t)
	}
	s.holds = out
}

// usualLengths returns, by section, the median length of the holds whose start and end are
// known.
func (s *settling) usualLengths() map[uint32]int64 {
	lists := map[uint32][]int64{}
	for i := range s.holds {
		if t := &s.holds[i]; t.waited() && t.end > t.start {
			lists[t.section] = append(lists[t.section], t.end-t.start)
		}
	}
	usual := map[uint32]int64{}
	for section, list := range lists {
		slices.Sort(list)
		usual[section] = list[len(list)/2]
	}
	return usual
}

// never is the time of an event that does not come any more in the trace.
const never = math.MaxInt64

// following is the next events of a lock after a hold, or never: its next acquisition, its
// next acquisition after a wait, and the next exclusive one after a wait.
type following struct{ taken, got, exclusive int64 }

// limitEnds ends holds when their thread asks for the lock again, or a waiter gets it. Holds
// without a known end get the usual length of their section, and no more than until their
// thread asks for any lock.
func (s *settling) limitEnds() {
	s.byStart()
	s.usual = s.usualLengths()
	again, asks := map[threadLock]int64{}, slices.Repeat([]int64{never}, s.threads)
	next := slices.Repeat([]following{{never, never, never}}, len(s.semaphores))
	for i := len(s.holds) - 1; i >= 0; i-- {
		t := &s.holds[i]
		f := &next[t.lock]
		if t.end == t.start {
			t.end += s.usual[t.section]
			if t.mode == format.Exclusive {
				t.end = min(t.end, f.taken)
			}
			if t.thread != unknown {
				t.end = min(t.end, asks[t.thread])
			}
		}
		if t.thread != unknown {
			own := threadLock{t.thread, t.lock}
			if at, ok := again[own]; ok {
				t.end = min(t.end, at)
			}
			again[own], asks[t.thread] = t.asked, t.asked
		}
		switch {
		case s.semaphores[t.lock]: // others hold permits beside it
		case t.mode == format.Exclusive:
			t.end = min(t.end, f.got)
		default:
			t.end = min(t.end, f.exclusive)
		}
		t.end = max(t.end, t.start)
		f.before(t)
	}
}

// before makes a hold the next one of its lock.
func (f *following) before(t *hold) {
	f.taken = t.start
	if t.waited() {
		f.got = t.start
		if t.mode == format.Exclusive {
			f.exclusive = t.start
		}
	}
}

// order is an outer lock and one acquired inside it.
type order struct{ outer, inner int32 }

// orders counts the orders in which locks are acquired.
func (s *settling) orders() map[order]int {
	often := map[order]int{}
	s.nested(func(outer, inner *hold) { often[order{outer.lock, inner.lock}]++ })
	return often
}

// endInversions ends holds that seem to last while their thread acquires another lock, if the
// opposite order is more frequent: a program with both orders soon deadlocks.
func (s *settling) endInversions() {
	often := s.orders()
	s.nested(func(outer, inner *hold) {
		if often[order{outer.lock, inner.lock}] <= often[order{inner.lock, outer.lock}] {
			outer.end = max(min(outer.end, inner.asked), outer.start)
		}
	})
}

// nested calls f for each hold in which its thread acquires another lock.
func (s *settling) nested(f func(outer, inner *hold)) {
	open := map[int32][]int{} // by thread
	for i := range s.holds {
		t := &s.holds[i]
		if t.thread == unknown {
			continue
		}
		list := slices.DeleteFunc(open[t.thread], func(j int) bool { return s.holds[j].end <= t.asked })
		for _, j := range list {
			if s.holds[j].lock != t.lock {
				f(&s.holds[j], t)
			}
		}
		open[t.thread] = append(list, i)
	}
}

// maxRecent bounds the holds of a thread that are searched for one inside another: the search
// of all is too slow if a thread holds some lock throughout.
const maxRecent = 8

// extendStarts moves the start of holds without a wait to before the arrival of their first
// waiter: around the other holds of the thread if these locks are acquired in that order, else
// after them. None starts while others hold the lock.
func (s *settling) extendStarts() {
	often := s.orders()
	recent := make(
		[][]int32,
		s.threads,
	)
	free := make(
		[]int64,
		len(s.semaphores),
	)
	alone := make(
		[]int64,
		len(s.semaphores),
	)
	for i := range s.holds {
		t := &s.holds[i]
		if t.thread != unknown {
			if !t.waited() {
				since := t.start
				if t.mode == format.Exclusive {
					since = s.extended(t, recent[t.thread], max(t.end-s.usual[t.section], free[t.lock]), often)
				}
				switch {
				case s.semaphores[t.lock]:
				case t.mode == format.Exclusive:
					since = min(max(since, free[t.lock]), t.end)
				default:
					since = min(max(since, alone[t.lock]), t.end)
				}
				t.asked, t.start = since, since
			}
			recent[t.thread] = append(recent[t.thread], int32(i))
			recent[t.thread] = recent[t.thread][max(0, len(recent[t.thread])-maxRecent):]
		}
		free[t.lock] = max(free[t.lock], t.end)
		if t.mode == format.Exclusive {
			alone[t.lock] = max(alone[t.lock], t.end)
		}
	}
}

// extended returns the start of a hold, no earlier than since, given the recent holds of its
// thread.
func (s *settling) extended(t *hold, recent []int32, since int64, often map[order]int) int64 {
	inner := t.start
	for _, j := range slices.Backward(recent) {
		switch p := &s.holds[j]; {
		case p.end <= since:
		case p.end <= t.end && often[order{t.lock, p.lock}] > often[order{p.lock, t.lock}]:
			inner = min(inner, p.asked)
		case p.lock == t.lock || often[order{p.lock, t.lock}] == 0:
			since = max(since, p.end)
		default:
			since = max(since, p.start)
		}
	}
	return min(since, inner)
}
