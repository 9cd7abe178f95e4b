package analysis

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"contend/format"
)

// section is what is known of the critical sections of one lock.
type section struct {
	lock     format.ObjectID
	acquired []acquisition // by time
	near     int           // what after returned last
	inside   map[place]bool
	holds    map[format.StackID]int64 // by acquisition site: how long it usually holds
	usual    int64                    // the same over all sites, 0 when unknown
	busy     []span
	seen     []anchor                // doings inside the section, by start
	sites    map[format.StackID]site // where a doing whose stack says nothing belongs
}

// acquisition is the end of a wait: the thread got the lock.
type acquisition struct {
	time   int64
	thread format.ThreadID
	wait   ref
}

func (ev *evidence) wait(a *acquisition) *wait { return ev.r.waits.at(a.wait) }

// anchor is a stretch over which the owner is known.
type anchor struct {
	start, end int64
	thread     format.ThreadID // NoThread: the lock was free
	stack      format.StackID
	prov       Provenance
}

// strays is the share of a place's doings that may overlap another thread's
// acquisition and still count as inside: a thread that wakes from a park is
// recorded a moment before it competes for the lock.
const strays = 0.05

// learn finds out what threads do while they hold a lock. The rule needs no
// pattern: while a thread is inside, nobody else acquires the lock. A place
// whose doings lie in stretches with waiters, and never (but for strays)
// overlap another thread's acquisition, is inside; one sleep elsewhere that
// happens to overlap no acquisition is betrayed by the others at its place.
func (ev *evidence) learn(lock format.ObjectID, waits []ref, busy []span) *section {
	s := &section{lock: lock, busy: busy, inside: map[place]bool{}, holds: map[format.StackID]int64{}}
	var acquired sync.WaitGroup // a recording may be of one lock
	acquired.Go(func() { s.acquired = ev.acquisitions(waits) })
	ev.candidates(s, waits)
	acquired.Wait()
	ev.judge(s)
	for at, inside := range s.inside {
		if !inside && !ev.sym.bare(at.stack) {
			continue
		}
		for _, i := range ev.r.places.at(at) {
			d, t := ev.doings.at(i), ev.doings.thread(i)
			if inside || ev.within(s, t, &d) {
				s.seen = append(s.seen, anchor{d.start, d.end, t, d.stack, Inferred})
			}
		}
	}
	slices.SortFunc(s.seen, func(a, b anchor) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.thread, b.thread)) })
	ev.usualHolds(s)
	ev.placeBare(s)
	return s
}

// acquisitions returns the ends of waits that got the lock, by time. Waits that begin in order
// mostly end so, too: each one is put where it belongs from behind, as long as
// that is near.
func (ev *evidence) acquisitions(waits []ref) []acquisition {
	const near = 64
	out, sorted := make([]acquisition, 0, len(waits)), true
	for _, i := range waits {
		w := ev.r.waits.at(i)
		if w.failed() {
			continue
		}
		a, at := acquisition{w.end, w.thread, i}, len(out)
		out = append(out, a)
		for ; at > 0 && out[at-1].time > a.time && len(out)-at < near; at-- {
			out[at] = out[at-1]
		}
		out[at] = a
		sorted = sorted && (at == 0 || out[at-1].time <= a.time)
	}
	if !sorted {
		slices.SortStableFunc(out, func(a, b acquisition) int { return cmp.Compare(a.time, b.time) })
	}
	return out
}

// candidates asks about the places that threads known to use the lock were
// seen at inside a busy stretch of it, or at its beginning.
func (ev *evidence) candidates(s *section, waits []ref) {
	users := make([]bool, len(ev.doings.byThread))
	for _, i := range waits {
		w := ev.r.waits.at(i)
		for _, t := range [...]format.ThreadID{w.thread, w.prev()} {
			if int(t) < len(users) { // else it did nothing
				users[t] = true
			}
		}
	}
	var last place
	for t, uses := range users {
		if !uses {
			continue
		}
		list := ev.doings.of(format.ThreadID(t))
		for _, b := range s.busy {
			n := ev.doings.before(list, b.start)
			for list = list[max(n-1, 0):]; len(list) > 0; list = list[1:] { // one may have begun before
				d := ev.doings.at(list[0])
				if d.start >= b.end {
					break
				}
				if d.end > max(d.start, b.start) && d.end <= b.end && d.lock != s.lock && d.stack != format.NoStack && d.place() != last {
					last = d.place()
					s.inside[last] = false
				}
			}
		}
	}
}

// judge decides about the candidates, several at a time: one lock may have
// most of the doings of a trace.
func (ev *evidence) judge(s *section) {
	at := slices.Collect(maps.Keys(s.inside))
	inside := make([]bool, len(at))
	onAllCores(len(at), func(i int) {
		own := *s // each searches from where it found last
		inside[i] = ev.isInside(&own, at[i])
	})()
	for i := range at {
		s.inside[at[i]] = inside[i]
	}
}

// isInside counts the doings at a place that lie in busy stretches and those
// that overlap somebody else's acquisition. It stops at the first one too many,
// which decides the same: of a place that has nothing to do with the lock, as
// most have, it sees little more than the share that strays allows.
func (ev *evidence) isInside(s *section, at place) bool {
	list := ev.r.places.at(at)
	most := strays * float64(len(list))
	fits, breaks := 0, 0
	var before overtaken
	for _, i := range list {
		t := ev.doings.thread(i)
		d := ev.doings.at(i)
		switch {
		case s.acquiredByOther(t, d.start, d.end):
			if breaks++; float64(breaks) > most { // even if all the others fit
				return false
			}
		case s.isBusy(d.start, d.end):
			if _, last := ev.next(s, d.end); last == format.NoThread || last == t {
				fits++
			}
		case s.isBusy(d.end, d.end):
			next, last := ev.next(s, d.end)
			before.count(&d, t, next, last)
		}
	}
	fits += before.fits()
	return fits > 0 && float64(breaks) <= strays*float64(fits+breaks)
}

// within reports whether a doing of a thread is inside. A stack that shows the
// runtime only is no place: sleeps inside and elsewhere may look alike. Then
// each speaks for itself: nobody else took the lock meanwhile, and who takes
// it right afterwards names the thread.
func (ev *evidence) within(s *section, t format.ThreadID, d *doing) bool {
	if inside := s.inside[d.place()]; inside || !ev.sym.bare(d.stack) {
		return inside
	}
	next, last := ev.next(s, d.end)
	return last == t && d.soon(next) && s.isBusy(d.end, d.end) && !s.acquiredByOther(t, d.start, d.end)
}

// overtaken counts doings that began before anybody waited for the lock and
// ended while somebody did. Where few wait, that is how owners are met: they
// are at it already. But a thread may as well have been elsewhere.
type overtaken struct {
	named, others int // whom the next acquisition names as the last owner: the thread, or another one
	soon, late    int // where it names nobody: whether it came right after
}

// soonPart is the part of a doing that passes at most until what comes soon
// after it: as if the doing had been all of a critical section.
const soonPart = 16

// soon reports whether an acquisition at t comes soon after the doing.
func (d *doing) soon(t int64) bool { return t-d.end <= (d.end-d.start)/soonPart }

// Where nobody is named, so many must have come soon, and so many times as
// often as not.
const (
	fewestSoon = 3
	timesSoon  = 3
)

func (o *overtaken) count(d *doing, t format.ThreadID, next int64, last format.ThreadID) {
	switch {
	case last == t:
		o.named++
	case last != format.NoThread:
		o.others++
	case d.soon(next):
		o.soon++
	default:
		o.late++
	}
}

// fits returns how many speak for the place being inside; none unless they
// clearly outnumber the others.
func (o *overtaken) fits() (n int) {
	if o.named > o.others {
		n += o.named
	}
	if o.soon >= fewestSoon && o.soon >= timesSoon*o.late {
		n += o.soon
	}
	return n
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
	lo, hi := 0, len(s.acquired)
	for step, at := 1, s.near; at < hi; step *= 2 { // who asks mostly goes forward in time
		if s.acquired[at].time >= t {
			hi = at
			break
		}
		lo, at = at+1, at+step
	}
	if lo == 0 {
		lo = s.backTo(t, hi)
	}
	i, _ := slices.BinarySearchFunc(s.acquired[lo:hi], t, func(a acquisition, t int64) int { return cmp.Compare(a.time, t) })
	s.near = lo + i
	return s.near
}

// backTo steps backwards from hi to an acquisition before t.
func (s *section) backTo(t int64, hi int) int {
	for step := 1; ; step *= 2 {
		at := hi - step
		if at < 0 {
			return 0
		}
		if s.acquired[at].time < t {
			return at + 1
		}
	}
}

func (s *section) acquiredByOther(t format.ThreadID, lo, hi int64) bool {
	for i := s.after(lo + 1); i < len(s.acquired) && s.acquired[i].time < hi; i++ {
		if s.acquired[i].thread != t {
			return true
		}
	}
	return false
}

func (s *section) isBusy(lo, hi int64) bool {
	i, _ := slices.BinarySearchFunc(s.busy, hi, func(b span, t int64) int { return cmp.Compare(b.end, t) })
	return i < len(s.busy) && s.busy[i].start <= lo
}

// usualHolds takes, for each acquisition site, the median time to the next
// acquisition where that one confirms that nobody else held the lock between.
func (ev *evidence) usualHolds(s *section) {
	by, all := map[format.StackID][]int64{}, []int64(nil)
	for i := 1; i < len(s.acquired); i++ {
		a, b := &s.acquired[i-1], &s.acquired[i]
		if w := ev.wait(b); w.prev() == a.thread && w.start <= a.time { // somebody waited all along
			stack := ev.wait(a).stack
			by[stack] = append(by[stack], b.time-a.time)
			all = append(all, b.time-a.time)
		}
	}
	for stack, list := range by {
		s.holds[stack] = median(list)
	}
	s.usual = median(all)
}

func (s *section) hold(stack format.StackID) int64 {
	if h, ok := s.holds[stack]; ok {
		return h
	}
	return s.usual
}

func median(list []int64) int64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}
