package jfr

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"contend/decode/threaddump"
	"contend/format"
	"contend/format/column"
)

// The time of a thread dump in a recording is the time of its request. The threads stopped
// later: usually by a millisecond, at worst by half a second. Recorded waits date it. A
// dump is kept until the waits around it are read, and gets the instant that agrees with
// most of its threads, or the time of the VM operation if it was recorded.

// recordedWait is a wait of a thread, of any kind.
type recordedWait struct {
	start, end int64
	thread     format.ThreadID
	class      uint32 // of the object it waited on; 0 if unknown
	state      state
}

// state is a thread's activity, as far as recordings and dumps both show it.
type state uint8

const (
	stateRuns state = iota
	stateEnters
	stateParks
	stateWaits
	stateSleeps
)

// observation is the state of a thread in a dump.
type observation struct {
	thread   format.ThreadID
	class    uint32
	state    state
	idle     format.StackID // of an idle thread
	resource bool           // it waits for a pool, permit or queue
}

// undatedDump is a dump without a known instant yet.
type undatedDump struct {
	asked   int64
	threads []observation
	locks   []format.Event // its evidence of locks, without the time
	running []format.Party // threads that could run
}

// dumpTimes collects the evidence that dates thread dumps. It spans two chunks, since
// a wait is written when it ends.
type dumpTimes struct {
	waits      column.Column[recordedWait] // of this chunk
	before     column.Column[recordedWait] // of the chunk before
	operations twoChunks[int64]            // when the VM took dumps
	dumps      twoChunks[undatedDump]
}

// twoChunks is a list over the previous chunk and the current one.
type twoChunks[T any] struct {
	list   []T
	before int
}

// advance drops the chunk before, and makes this one the chunk before.
func (c *twoChunks[T]) advance() {
	c.list = slices.Delete(c.list, 0, c.before)
	c.before = len(c.list)
}

// stateOf returns the state of a thread in a dump. A thread that enters a monitor again after
// Object.wait is still in a wait by the recording. A park or sleep on no object shows by its
// innermost frame.
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

// addWait remembers a wait that was just decoded.
func (d *dumpTimes) addWait(ev *format.Event, class uint32, s state) {
	d.waits.Append(recordedWait{ev.Time, ev.End, ev.Thread, class, s})
}

// maxDelay is the longest time between the request for a dump and its instant, ns.
const maxDelay = int64(1e9)

// usualDelay replaces maxDelay for dumps without locks, in ns: it covers most of them, and
// fewer waits must be compared.
const usualDelay = int64(10e6)

// likely is the usual delay from request to dump, in ns. Among equally good instants, one
// at most this long after the first is chosen.
const likely = int64(5e5)

// comparedTimes bounds the work: on average, each wait of two chunks is compared with this
// many dumps. Further dumps keep the time that they have.
const comparedTimes = 64

// advance delivers the dumps of the chunk before, or at the end of the input all, and
// makes room for the next chunk.
func (d *dumpTimes) advance(last bool, queue *format.Queue) {
	if last {
		d.dumps.before = len(d.dumps.list)
	}
	if d.dumps.before > 0 {
		d.date(queue)
		d.idle(queue)
	}
	d.before, d.waits = d.waits, d.before
	d.waits.Reset()
	d.operations.advance()
	d.dumps.advance()
}

// date finds the instants of the dumps of the previous chunk, if they show locks or
// runnable threads.
func (d *dumpTimes) date(queue *format.Queue) {
	asked := make([]int64, len(d.dumps.list))
	for i := range asked {
		asked[i] = d.dumps.list[i].asked
	}
	slices.Sort(asked)
	operations := slices.Sorted(slices.Values(d.operations.list))
	var searched []stateMatch
	for _, dump := range d.dumps.list[:d.dumps.before] {
		reach := maxDelay
		if len(dump.locks) == 0 {
			reach = usualDelay
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
	var waits []recordedWait
	near := func(_ column.Ref, w *recordedWait) { // most waits are far from any dump
		next := sort.Search(len(dumps), func(i int) bool { return dumps[i].from >= w.end })
		if next > 0 && dumps[next-1].until > w.start {
			waits = append(waits, *w)
		}
	}
	d.before.Each(near)
	d.waits.Each(near)
	slices.SortFunc(waits, func(a, b recordedWait) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.start, b.start))
	})
	budget := comparedTimes * (len(waits) + 1)
	for i := range dumps {
		m := &dumps[i]
		m.budget = &budget
		for _, s := range m.dump.threads {
			m.compareThread(s, waits)
		}
		m.dump.deliver(m.best(), queue)
	}
}

// deliver delivers the locks of the dump and its threads that could run.
func (s *undatedDump) deliver(at int64, queue *format.Queue) {
	for _, ev := range s.locks {
		ev.Time = at
		queue.Push(ev)
	}
	for _, p := range s.running {
		queue.Push(
			format.Event{
				Kind:     format.KindActivity,
				Activity: format.ActivityRunnable,
				Thread:   p.Thread,
				Stack:    p.Stack,
				Time:     at,
				End:      at,
			},
		)
	}
}

// after returns the first of some ordered instants that is later than t.
func after(list []int64, t int64) int64 {
	if i, _ := slices.BinarySearch(list, t+1); i < len(list) {
		return list[i]
	}
	return math.MaxInt64
}

// stateMatch counts the threads whose recorded activity agrees with a dump, over [from,
// until).
type stateMatch struct {
	dump        undatedDump
	from, until int64
	changes     []change
	budget      *int
}

// change is how many threads more, or less, agree from an instant on.
type change struct {
	at int64
	by int
}

// compareThread compares one thread of the dump. A waiting thread agrees during its waits of that
// kind, a running one outside of all its waits; waits are ordered by thread and start.
func (a *stateMatch) compareThread(s observation, waits []recordedWait) {
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

// best returns an instant at which most threads agree: the middle of the first such
// interval, but at most likely after its start.
func (a *stateMatch) best() int64 {
	slices.SortFunc(a.changes, func(x, y change) int { return cmp.Compare(x.at, y.at) })
	from := a.from
	until := a.until
	most := 0
	now := 0
	open := true
	for i := 0; i < len(a.changes); {
		at := a.changes[i].at
		for ; i < len(a.changes) && a.changes[i].at == at; i++ {
			now += a.changes[i].by
		}
		switch {
		case at == a.from || now > most:
			from = at
			most = now
			open = true
			until = a.until
		case open && now < most:
			until, open = at, false
		}
	}
	return from + min((until-from)/2, likely)
}
