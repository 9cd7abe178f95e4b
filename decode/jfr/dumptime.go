package jfr

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"contend/decode/threaddump"
	"contend/format"
)

// A thread dump inside a recording carries the time at which it was asked for.
// The threads stood still later: a millisecond usually, half a second at
// worst. When they did follows from what they were recorded doing: dumps wait
// until the waits around them are read, and get the instant that most of their
// threads agree with; or that of the operation of the VM, if it was recorded.

// stretch is a recorded wait of a thread, of any kind.
type stretch struct {
	start, end int64
	thread     format.ThreadID
	class      uint32 // of what it waited on; 0 when not told
	state      state
}

// state is what a thread was doing, as far as both recordings and dumps tell.
type state uint8

const (
	stateRuns state = iota
	stateEnters
	stateParks
	stateWaits
	stateSleeps
)

// standing is what a dump shows a thread doing.
type standing struct {
	thread format.ThreadID
	class  uint32
	state  state
}

// shownDump is a dump whose instant is not known yet.
type shownDump struct {
	asked   int64
	threads []standing
	locks   []format.Event // what it shows of locks, but for the time
	running []format.Party // threads that could run
}

// dumpTimes collects what tells when dumps were taken. Of each it holds what
// two chunks tell, since a wait is written when it ends.
type dumpTimes struct {
	stretches  twoChunks[stretch]
	operations twoChunks[int64] // when the VM took dumps
	dumps      twoChunks[shownDump]
}

// twoChunks lists what is of the chunk before, and then what is of this one.
type twoChunks[T any] struct {
	list   []T
	before int
}

// turn makes this chunk the one before.
func (c *twoChunks[T]) turn() {
	c.list = slices.Delete(c.list, 0, c.before)
	c.before = len(c.list)
}

// stateOf returns what a dump shows a thread doing. One that enters a monitor
// again after Object.wait is still in what the recording calls a wait. Who
// parks or sleeps on nothing shows it by its innermost frame.
func stateOf(t *threaddump.Thread) state {
	switch {
	case t.Wait == threaddump.Blocked && !t.Reenters():
		return stateEnters
	case t.Wait == threaddump.Parked:
		return stateParks
	case t.Wait != threaddump.NotWaiting:
		return stateWaits
	case t.State == "RUNNABLE" || len(t.Frames) == 0:
		return stateRuns
	case t.Frames[0].Method == "park":
		return stateParks
	}
	return stateSleeps
}

// note remembers a wait that was just decoded.
func (d *dumpTimes) note(ev *format.Event, class uint32, s state) {
	d.stretches.list = append(d.stretches.list, stretch{ev.Time, ev.End, ev.Thread, class, s})
}

// furthest is how long after it was asked for a dump may have been taken.
const furthest = int64(1e9)

// soon is how long after it was asked for it is looked for where it shows no lock: most are
// taken by then, and of all that waited since the fewer must be compared.
const soon = int64(10e6)

// likely is how long after it was asked for a dump is usually taken: of all
// instants that agree equally, one not further behind their first is chosen.
const likely = int64(5e5)

// Each wait is near to few dumps: so many times those of two chunks are
// compared at most, and dumps beyond that keep the time they carry.
const comparedTimes = 64

// turn delivers the dumps of the chunk before, or at the end of the input all,
// and makes room for the next chunk.
func (d *dumpTimes) turn(last bool, queue *format.Queue) {
	if last {
		d.dumps.before = len(d.dumps.list)
	}
	if d.dumps.before > 0 {
		d.date(queue)
	}
	d.stretches.turn()
	d.operations.turn()
	d.dumps.turn()
}

// date finds the instants of the dumps of the chunk before, as far as they show
// locks or threads that could run.
func (d *dumpTimes) date(queue *format.Queue) {
	asked := make([]int64, len(d.dumps.list))
	for i := range asked {
		asked[i] = d.dumps.list[i].asked
	}
	slices.Sort(asked)
	operations := slices.Sorted(slices.Values(d.operations.list))
	var searched []stateMatch
	for _, dump := range d.dumps.list[:d.dumps.before] {
		reach := furthest
		if len(dump.locks) == 0 {
			reach = soon
		}
		until := min(after(asked, dump.asked), plus(dump.asked, reach))
		at := after(operations, dump.asked-1)
		switch {
		case len(dump.locks) == 0 && len(dump.running) == 0:
		case at < until:
			dump.deliver(at, queue)
		default:
			searched = append(searched, stateMatch{from: dump.asked, until: until, dump: dump})
		}
	}
	d.search(searched, queue)
}

// search finds the instants that are not recorded.
func (d *dumpTimes) search(dumps []stateMatch, queue *format.Queue) {
	slices.SortStableFunc(dumps, func(a, b stateMatch) int { return cmp.Compare(a.from, b.from) })
	var waits []stretch
	for _, w := range d.stretches.list { // most are far from any
		next := sort.Search(len(dumps), func(i int) bool { return dumps[i].from >= w.end })
		if next > 0 && dumps[next-1].until > w.start {
			waits = append(waits, w)
		}
	}
	slices.SortFunc(waits, func(a, b stretch) int { return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.start, b.start)) })
	budget := comparedTimes * (len(waits) + 1)
	for i := range dumps {
		m := &dumps[i]
		m.budget = &budget
		for _, s := range m.dump.threads {
			m.add(s, waits)
		}
		m.dump.deliver(m.best(), queue)
	}
}

// deliver delivers what the dump shows of locks, and who could run.
func (s *shownDump) deliver(at int64, queue *format.Queue) {
	for _, ev := range s.locks {
		ev.Time = at
		queue.Push(ev)
	}
	for _, p := range s.running {
		queue.Push(format.Event{Kind: format.KindActivity, Activity: format.ActivityRunnable, Thread: p.Thread, Stack: p.Stack, Time: at, End: at})
	}
}

// after returns the first of some instants, which are in order, behind t.
func after(list []int64, t int64) int64 {
	if i, _ := slices.BinarySearch(list, t+1); i < len(list) {
		return list[i]
	}
	return math.MaxInt64
}

// stateMatch counts, over [from, until), how many threads do what a dump shows.
type stateMatch struct {
	dump        shownDump
	from, until int64
	changes     []change
	budget      *int
}

// change is how many threads more, or less, agree from an instant on.
type change struct {
	at int64
	by int
}

// add compares one thread of the dump. A thread that waits agrees during its
// waits of that kind, one that runs agrees outside of all; waits are by
// thread and start.
func (a *stateMatch) add(s standing, waits []stretch) {
	next := sort.Search(len(waits), func(i int) bool {
		return waits[i].thread > s.thread || waits[i].thread == s.thread && waits[i].start >= a.from
	})
	for i := max(next-1, 0); i < len(waits) && *a.budget > 0; i++ { // one may have begun before
		w := &waits[i]
		if w.thread > s.thread || w.thread == s.thread && w.start >= a.until {
			return
		}
		*a.budget--
		lo, hi := max(w.start, a.from), min(w.end, a.until)
		switch {
		case w.thread != s.thread || lo >= hi:
		case s.state == stateRuns:
			a.changes = append(a.changes, change{lo, -1}, change{hi, 1})
		case w.state == s.state && (s.class == 0 || s.class == w.class):
			a.changes = append(a.changes, change{lo, 1}, change{hi, -1})
		}
	}
}

// best returns an instant at which most agree: in the middle of the first
// such stretch, but not far behind its begin.
func (a *stateMatch) best() int64 {
	slices.SortFunc(a.changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	from, until, most, now, open := a.from, a.until, 0, 0, true
	for i := 0; i < len(a.changes); {
		at := a.changes[i].at
		for ; i < len(a.changes) && a.changes[i].at == at; i++ {
			now += a.changes[i].by
		}
		switch {
		case at == a.from || now > most:
			from, most, open = at, now, true
			until = a.until
		case open && now < most:
			until, open = at, false
		}
	}
	return from + min((until-from)/2, likely)
}
