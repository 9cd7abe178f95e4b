package jfr

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"contend/decode/threaddump"
	"contend/format"
)

// A park that did not time out was ended by a call of LockSupport.unpark, which shows
// the thread that released the lock. Neither event names the other: they are matched
// when a chunk is read.

// unpark is one call of LockSupport.unpark.
type unpark struct {
	at      int64
	thread  format.ThreadID
	stack   format.StackID
	release release
}

// release is the operation that an unpark is part of: the release of a lock of some family,
// 0 for none. A thread that acquired a shared lock may pass it on to the next thread, and
// releases nothing.
type release struct {
	family   uint32
	mode     format.Mode
	passesOn bool
}

// endedPark is one park on a lock.
type endedPark struct {
	start, end int64
	thread     format.ThreadID
	lock       format.ObjectID
	stack      format.StackID
	family     uint32
	mode       format.Mode
	late       bool // it may have timed out, and is yet to be delivered
}

// unpark takes a call of LockSupport.unpark.
func (r *Reader) unpark(v *values, ev *format.Event) {
	stack := r.symbols.stack(v[slotStack])
	what, ok := r.symbols.ids.releases[stack]
	if !ok {
		what = r.symbols.releaseOf(r.symbols.ids.frames[stack])
		r.symbols.ids.releases[stack] = what
	}
	if what.family != 0 {
		calls := &r.evidence.unparks.calls
		calls.list = append(calls.list, unpark{ev.Time, r.symbols.thread(v[slotThread]), stack, what})
	}
}

// releaseOf finds in the frames the operation that an unpark is part of: the methods of the
// lock, after those shared by all locks. A condition's await releases its lock, nearly
// always a ReentrantLock.
func (s *resolver) releaseOf(frames []format.Frame) (what release) {
	for _, f := range frames {
		family := threaddump.FamilyOf(f.Class)
		switch {
		case strings.HasPrefix(f.Class, threaddump.QueuedSynchronizer) &&
			strings.HasSuffix(f.Class, threaddump.Conditions):
			family = "java.util.concurrent.locks.ReentrantLock"
		case strings.HasPrefix(f.Class, threaddump.QueuedSynchronizer) || f.Class == threaddump.LockSupport:
			family = ""
		}
		if what.family != 0 && s.ids.classes.List[what.family] != family {
			break
		}
		if family != "" {
			what.family = s.intern(family)
		}
		what.passesOn = what.passesOn || strings.HasPrefix(f.Method, "acquire")
		if strings.HasSuffix(f.Class, "$ReadLock") || strings.Contains(f.Method, "Read") {
			what.mode = format.Shared
		}
	}
	return what
}

// park takes a park on a lock.
func (r *Reader) park(ev *format.Event, class uint32) {
	r.evidence.unparks.parks = append(
		r.evidence.unparks.parks,
		endedPark{ev.Time, ev.End, ev.Thread, ev.Object, ev.Stack, r.symbols.family(class), ev.Mode, ev.Failed},
	)
}

// family returns the number of the family of a class.
func (s *resolver) family(class uint32) uint32 {
	id, ok := s.ids.families[class]
	if !ok {
		id = s.intern(threaddump.FamilyOf(s.ids.classes.List[class]))
		s.ids.families[class] = id
	}
	return id
}

// unparks collects the parks that ended in this chunk, and the unparks in it or in the
// one before that may have ended them.
type unparks struct {
	calls    twoChunks[unpark]
	parks    []endedPark
	reported bool // the setting that releases are recorded
}

// advance delivers the releases that ended the parks of this chunk, and makes room for
// the next one.
func (w *unparks) advance(queue *format.Queue) {
	if len(w.parks) > 0 {
		w.deliver(queue)
	}
	w.calls.advance()
	w.parks = w.parks[:0]
}

// promptly is how soon after a release the woken thread runs if a processor is free, ns.
const promptly = int64(1e6)

// maxTried bounds the unparks that are tried for one park.
const maxTried = 256

func (w *unparks) deliver(queue *format.Queue) {
	parks, unparks := w.parks, slices.Clone(w.calls.list)
	slices.SortStableFunc(parks, func(a, b endedPark) int { return cmp.Compare(a.end, b.end) })
	slices.SortStableFunc(unparks, func(a, b unpark) int { return cmp.Compare(a.at, b.at) })
	found := match(parks, unparks, nil)
	if siteLocks := sitesOfLocks(parks, unparks, found); len(siteLocks) > 0 {
		found = match(parks, unparks, siteLocks)
	}
	again := triedAgain(parks)
	for i, at := range found {
		p := &parks[i]
		if p.late {
			queue.Push(
				format.Event{
					Kind:   format.KindWait,
					Time:   p.start,
					End:    p.end,
					Thread: p.thread,
					Object: p.lock,
					Stack:  p.stack,
					Mode:   p.mode,
					Failed: at < 0,
				},
			)
		}
		if at < 0 {
			continue
		}
		if !w.reported {
			w.reported = true
			queue.Push(
				format.Event{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesUnparks},
			)
		}
		u := &unparks[at]
		ev := format.Event{Kind: format.KindRelease, Time: u.at, Object: p.lock, Woken: p.thread}
		if !u.release.passesOn { // else no thread released it
			ev.Thread = u.thread
			ev.Mode = u.release.mode
			ev.Stack = u.stack
		}
		if next := again[i]; next > u.at {
			ev.Again = max(next-u.at, 0) // wild times may overflow
		}
		queue.Push(ev)
	}
}

// match finds the unpark that ended each park, -1 for none: of the same family, by
// another thread, preferring call sites that do not belong to another lock.
func match(parks []endedPark, unparks []unpark, siteLocks map[format.StackID]format.ObjectID) []int {
	found, used := make([]int, len(parks)), make([]bool, len(unparks))
	for i := range parks {
		at, other := wakes(&parks[i], unparks, used, siteLocks)
		if at < 0 {
			at = other
		}
		if found[i] = at; at >= 0 {
			used[at] = true
		}
	}
	return found
}

// wakes returns the unpark that ended a park, and the best of those at call sites that
// belong to another lock; -1 for none. Several unparks may be under way at once: of recent
// ones the first counts, because threads run in the order in which they are woken; of older
// ones, the last.
func wakes(
	p *endedPark,
	unparks []unpark,
	used []bool,
	siteLocks map[format.StackID]format.ObjectID,
) (found, other int) {
	found, other = -1, -1
	end := sort.Search(len(unparks), func(i int) bool { return unparks[i].at > p.end })
	for at := end - 1; at >= max(end-maxTried, 0) && unparks[at].at >= p.start; at-- {
		u, into := &unparks[at], &found
		if found >= 0 && u.at < p.end-promptly {
			break
		}
		if used[at] || u.thread == p.thread || u.release.family != p.family {
			continue
		}
		if lock := siteLocks[u.stack]; lock != format.NoObject && lock != p.lock {
			into = &other
		}
		if *into < 0 || u.at >= p.end-promptly {
			*into = at
		}
	}
	return found, other
}

// A call site belongs to one lock if at least minUnparks unparks of it release that lock,
// and at most one in maxOthers of them another.
const (
	maxOthers  = 4
	minUnparks = 5
)

// sitesOfLocks returns the call sites that release one lock nearly exclusively, with it.
func sitesOfLocks(parks []endedPark, unparks []unpark, found []int) map[format.StackID]format.ObjectID {
	type stackOfLock struct {
		stack format.StackID
		lock  format.ObjectID
	}
	count, all := map[stackOfLock]int{}, map[format.StackID]int{}
	for i, u := range found {
		if u >= 0 {
			count[stackOfLock{unparks[u].stack, parks[i].lock}]++
			all[unparks[u].stack]++
		}
	}
	siteLocks := map[format.StackID]format.ObjectID{}
	for a, n := range count {
		if n >= minUnparks && (all[a.stack]-n)*maxOthers <= all[a.stack] {
			siteLocks[a.stack] = a.lock
		}
	}
	return siteLocks
}

// triedAgain returns for each park, by end, when its thread parked again for the same
// acquisition because another thread was quicker; 0 if it did not.
func triedAgain(parks []endedPark) []int64 {
	const slack = int64(100e3)
	out, next := make([]int64, len(parks)), map[format.ThreadID]*endedPark{}
	for i := len(parks) - 1; i >= 0; i-- {
		p := &parks[i]
		if n := next[p.thread]; n != nil && n.lock == p.lock && n.stack == p.stack && n.start >= p.end &&
			n.start-p.end <= slack {
			out[i] = n.start
		}
		next[p.thread] = p
	}
	return out
}
