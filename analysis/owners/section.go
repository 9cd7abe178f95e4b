package owners

import (
	"cmp"
	"maps"
	"slices"

	"contend/format"
)

// section is what is known of the critical sections of one lock.
type section struct {
	lock     format.ObjectID
	starts   sums          // when somebody began to wait
	acquired []acquisition // by time
	failed   []int64       // when those gave up who did, by time
	leaving  float64       // how often, per ns, waits for it may end without it, at most; 0 where that is not known
	recorded float64       // share of the waits for it that was recorded
	near     int           // what after returned last
	nearBusy int           // what busyUntil returned last
	nearSeen int           // what seenBefore returned last
	inside   map[callSite]bool
	ending   map[callSite]*siteList   // by call site that is not all inside: the activities at whose end somebody waits, unless they are few
	strange  map[callSite]bool        // of threads that never wait for it: whether some of what they do there is
	holds    map[format.StackID]int64 // by acquisition site: how long it usually holds
	usual    int64                    // the same over all sites, 0 when unknown
	busy     []span
	seen     []anchor // activities inside the section, by start
	single   map[stint]bool
	around   map[callSite]nextTo         // nil until it is asked for
	users    int                         // threads that waited for it or are named as its owners
	quiet    []format.ThreadID           // those of them that never waited
	permits  bool                        // several may hold it at once, whoever they are
	shared   bool                        // some of those who wait for it would share it
	homes    map[format.StackID]homeSite // where an activity whose stack says nothing belongs
}

// tolerance is the share of a call site's activities that may overlap another
// thread's acquisition and still count as inside: a thread that wakes from a
// park is recorded a moment before it competes for the lock.
const tolerance = 0.05

// halfway is how much of a stretch one is expected to have who has it where it begins
// and not where it ends.
const halfway = 0.5

// stint names an activity.
type stint struct {
	start  int64
	thread format.ThreadID
}

// nextTo is how often activities at a call site are the first after an acquisition of
// a lock by who waited, and the last before such a wait.
type nextTo struct{ after, before int }

// anchor is a stretch over which the owner is known.
type anchor struct {
	start, end int64
	thread     format.ThreadID // NoThread: the lock was free
	stack      format.StackID
	prov       Provenance
	did        format.Activity // all through the stretch
}

// compare puts anchors in order of time, the longest of one beginning first,
// and leaves no two that differ equal.
func (a anchor) compare(b anchor) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.thread, b.thread), cmp.Compare(b.end, a.end), cmp.Compare(a.stack, b.stack))
}

// homeSite is the call site of an acquisition to which activities belong whose
// stack shows the runtime only, because the recorder took none.
type homeSite struct {
	stack  format.StackID
	within int64 // ns; what begins so soon after an acquisition belongs to that one, whatever its site
}

// promptPart is the part of an activity, one in so many, that passes at most
// until what comes promptly after it: as if the activity had been all of a
// critical section.
const promptPart = 16

// promptly reports whether an acquisition at t comes promptly after the
// activity.
func (d *activity) promptly(t int64) bool { return t-d.end <= (d.end-d.start)/promptPart }

// Where nobody is named, so many acquisitions must have come promptly, and so
// many times as often as not.
const (
	fewestPrompt = 3
	timesPrompt  = 3
)

// doer returns what the wait is that an acquisition ended, but for thread and times.
func (ev *evidence) doer(a *acquisition) *doer { return &ev.what[a.number()] }

// wait returns the wait that an acquisition ended, but for its times.
func (ev *evidence) wait(a *acquisition) Wait {
	d := ev.doer(a)
	return Wait{Thread: a.thread, Lock: d.lock, Stack: d.stack, last: d.info}
}

// takers tells the stacks apart that lead through where locks of a class are taken,
// as far as that is known from who had to wait.
func (ev *evidence) takers(lock format.ObjectID) *family {
	ev.taking.Lock()
	defer ev.taking.Unlock()
	class := ev.class[lock]
	f := ev.takersOf[class]
	if f == nil {
		var met recent
		stacks := map[format.StackID]bool{}
		for _, l := range ev.locksOf(class) {
			for _, i := range ev.byLock[l] {
				if st := ev.deed(ev.find(i)).stack; !met.meets(uint32(st)) && st != format.NoStack {
					stacks[st] = true
				}
			}
		}
		f = newFamily(ev.sym, slices.Collect(maps.Keys(stacks)), anySite)
		f.fixed = true // several locks are learnt of at a time
		ev.takersOf[class] = f
	}
	return f
}

// locksOf returns the locks of a class.
func (ev *evidence) locksOf(class uint32) []format.ObjectID {
	if ev.ofClass == nil {
		ev.ofClass = map[uint32][]format.ObjectID{}
		for l, waits := range ev.byLock {
			if len(waits) > 0 {
				ev.ofClass[ev.class[l]] = append(ev.ofClass[ev.class[l]], format.ObjectID(l))
			}
		}
	}
	return ev.ofClass[class]
}

// next returns when the lock was acquired next after t, and who is said to
// have held it last: NoThread where nothing tells.
func (ev *evidence) next(s *section, t int64) (at int64, last format.ThreadID) {
	if i := s.after(t); i < len(s.acquired) {
		return s.acquired[i].time, ev.wait(&s.acquired[i]).prev()
	}
	return maxTime, format.NoThread
}

// after returns the index of the first acquisition at or after t.
func (s *section) after(t int64) int {
	s.near = nearby(s.near, len(s.acquired), func(i int) bool { return s.acquired[i].time < t })
	return s.near
}

// acquiredByOther reports whether another thread than t got the lock between
// lo and hi.
func (s *section) acquiredByOther(t format.ThreadID, lo, hi int64) bool {
	for i := s.after(lo + 1); i < len(s.acquired) && s.acquired[i].time < hi; i++ {
		if s.acquired[i].thread != t {
			return true
		}
	}
	return false
}

// isBusy reports whether somebody waited for the lock all through [lo, hi].
func (s *section) isBusy(lo, hi int64) bool {
	i := s.busyUntil(hi)
	return i < len(s.busy) && s.busy[i].start <= lo
}

// busyUntil returns the index of the first busy stretch that ends at t or
// after.
func (s *section) busyUntil(t int64) int {
	at := s.nearBusy
	if at < len(s.busy) && s.busy[at].end < t { // mostly one step at most, see fewSteps
		at++
	}
	if at > 0 && s.busy[at-1].end >= t || at < len(s.busy) && s.busy[at].end < t { // seldom
		at = nearby(at, len(s.busy), func(i int) bool { return s.busy[i].end < t })
	}
	s.nearBusy = at
	return at
}

// seenBefore returns how many of the activities inside began before t.
func (s *section) seenBefore(t int64) int {
	s.nearSeen = nearby(s.nearSeen, len(s.seen), func(i int) bool { return s.seen[i].start < t })
	return s.nearSeen
}

// usualHolds takes, for each acquisition site, the median time to the next
// acquisition where that one confirms that nobody else held the lock between.
func (ev *evidence) usualHolds(s *section) {
	by, all := map[format.StackID][]int64{}, []int64(nil)
	for i := 1; i < len(s.acquired); i++ {
		a, b := &s.acquired[i-1], &s.acquired[i]
		if b.doer&waitedAllAlong != 0 && ev.wait(b).prev() == a.thread {
			stack := ev.wait(a).Stack
			by[stack] = append(by[stack], b.time-a.time)
			all = append(all, b.time-a.time)
		}
	}
	for stack, list := range by {
		note(&s.holds, stack, median(list))
	}
	s.usual = median(all)
}

// hold returns how long a thread that got the lock with a stack usually holds
// it, in ns; 0 when unknown.
func (s *section) hold(stack format.StackID) int64 {
	if h, ok := s.holds[stack]; ok {
		return h
	}
	return s.usual
}

// median sorts the list; it is 0 for an empty one.
func median(list []int64) int64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// busyTime is the time in which somebody waited, in ns.
func (s *section) busyTime() (sum int64) {
	for _, b := range s.busy {
		sum += b.end - b.start
	}
	return sum
}

// busyShare is the share of all time in which somebody waited.
func (s *section) busyShare() float64 {
	n := len(s.busy)
	return float64(s.busyTime()) / float64(max(s.busy[n-1].end-s.busy[0].start, 1))
}

// note puts an entry into a map, which most locks of many have none of.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// waiterCounts counts the waits of a lock: some got it, and the others failed.
func (s *section) waiterCounts() waiterCounts {
	c := waiterCounts{starts: s.starts, ends: make(sums, 1, len(s.starts)), at: minTime}
	failed := s.failed
	for i := range s.acquired {
		for ; len(failed) > 0 && failed[0] <= s.acquired[i].time; failed = failed[1:] {
			c.ends = append(c.ends, failed[0])
		}
		c.ends = append(c.ends, s.acquired[i].time)
	}
	c.ends = append(c.ends, failed...)
	c.ends.add()
	return c
}
