package waits

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"contend/format"
)

// LaneLimits bound lanes, so that they fit a page.
type LaneLimits struct {
	Spans   int // kept with their exact times: the longest
	Cells   int // of the sums of all others
	Bins    int // of time in these sums
	Threads int // with a lane of their own; the others share one
}

// LaneKey is what spans that are not kept are summed by. The lock is NoObject where there are
// too many combinations.
type LaneKey struct {
	Thread   format.ThreadID
	Lock     format.ObjectID
	State    State
	Activity format.Activity
}

// LaneCell is the thread-time of a key in one bin.
type LaneCell struct {
	Key LaneKey
	Bin int64 // it begins at Bin * BinNs of the trace's clock
	Ns  int64
}

// OtherThreads is the thread of a span or a sum of threads without a lane of their own.
const OtherThreads = ^format.ThreadID(0)

// LaneSums are the sums of the spans that are not kept, and what all spans come to.
type LaneSums struct {
	BinNs   int64
	Cells   []LaneCell                          // by thread, state and time, after Finish
	Threads map[format.ThreadID]*ThreadLaneSums // of all spans, kept or not
	Merged  int                                 // threads that OtherThreads stands for

	limits   LaneLimits
	sums     map[laneCellKey]int64
	lockless bool // keys leave out the lock
	merged   map[format.ThreadID]bool
	first    int64 // bins, if there are cells
	last     int64
	shift    uint // BinNs as a power of two
	whole    bool // Threads has all spans
}

type laneCellKey struct {
	key LaneKey
	bin int64
}

// ThreadLaneSums are the sums of all spans of one thread, in ns.
type ThreadLaneSums struct {
	First, Last int64 // the earliest and the latest instant of which anything is known
	WaitNs      int64
	HeldNs      int64 // holds, of locks that others waited for
	Spans       int64
}

// firstLaneBin is the initial length of bins, a power of two of ns: about a millisecond.
const firstLaneBin = 20

// NewBoundedLanes returns a collector of the whole trace that keeps the longest spans and sums
// the others.
func NewBoundedLanes(limits LaneLimits) *Lanes {
	l := NewLanes(math.MinInt64, math.MaxInt64, 0)
	l.Sums = &LaneSums{
		Threads: map[format.ThreadID]*ThreadLaneSums{},
		limits:  limits,
		sums:    map[laneCellKey]int64{},
		merged:  map[format.ThreadID]bool{},
		shift:   firstLaneBin,
	}
	return l
}

// boundedActivity adds what takes time: I/O, which no other call reports. Of a sample only
// the instant is of use: the thread was there.
func (l *Lanes) boundedActivity(ev *format.Event) {
	switch ev.Activity {
	case format.ActivityIO, format.ActivityFile, format.ActivitySocket, format.ActivityReady:
		if ev.End > ev.Time {
			l.makeRoom(format.NoTime)
			l.addSpan(acting(ev))
		}
	default:
		l.Sums.thread(ev.Thread).widen(ev.Time, max(ev.Time, ev.End))
	}
}

// makeRoom folds the shortest spans when there are twice as many as are kept, besides those
// that may go on. No later slice starts before earliest, in ns, or NoTime where that is unknown:
// a hold that ended before does not go on.
func (l *Lanes) makeRoom(earliest int64) {
	if l.Sums == nil || len(l.Spans) < 2*(l.Sums.limits.Spans+len(l.latestWait)+len(l.latestHold)) {
		return
	}
	if len(l.latestHold) > len(l.latestWait)+l.Sums.limits.Spans {
		maps.DeleteFunc(l.latestHold, func(_ holdKey, at int32) bool { return l.Spans[at].End < earliest })
	}
	open := make([]bool, len(l.Spans))
	for _, at := range l.latestWait {
		if at > 0 {
			open[at-1] = true
		}
	}
	for _, at := range l.latestHold {
		open[at] = true
	}
	l.fold(open)
}

// foldLast folds all but the spans that are kept, which those of merged threads are not.
func (l *Lanes) foldLast() {
	for i := range l.Spans {
		l.Sums.see(&l.Spans[i])
	}
	l.Sums.whole = true
	l.Sums.mergeThreads(l.Sums.limits.Threads)
	kept := l.Spans[:0]
	for i := range l.Spans {
		if s := &l.Spans[i]; l.Sums.merged[s.Thread] {
			l.Sums.add(s)
		} else {
			kept = append(kept, *s)
		}
	}
	l.Spans = kept
	l.latestWait = nil
	l.latestHold = nil
	l.fold(make([]bool, len(kept)))
	l.Sums.finish()
}

// fold sums the shortest spans, and keeps the open ones and of the others as many as the
// limit says.
func (l *Lanes) fold(open []bool) {
	var lengths [2][]int64
	for i := range l.Spans {
		if s := &l.Spans[i]; !open[i] {
			lengths[s.context()] = append(lengths[s.context()], s.End-s.Start)
		}
	}
	limit := l.Sums.limits.Spans
	cuts := [2]lengthCut{cutAt(lengths[0], limit-limit/contextShare), cutAt(lengths[1], limit/contextShare)}
	place := make([]int32, len(l.Spans))
	kept := l.Spans[:0]
	for i := range l.Spans {
		s := &l.Spans[i]
		if !open[i] && !cuts[s.context()].keeps(s.End-s.Start) {
			l.Sums.see(s)
			l.Sums.add(s)
			continue
		}
		place[i] = int32(len(kept))
		kept = append(kept, *s)
	}
	l.Spans, l.arrowTo = kept, l.arrowTo[:len(kept)]
	for thread, at := range l.latestWait {
		if at > 0 {
			l.latestWait[thread] = place[at-1] + 1
		}
	}
	for key, at := range l.latestHold {
		l.latestHold[key] = place[at]
	}
}

// contextShare: idle time and other activities, which are longer than waits, get this part of
// the spans that are kept.
const contextShare = 4

// context is 1 for a span that is neither a wait nor a hold, else 0.
func (s *LaneSpan) context() int {
	if s.State == Idle || s.State == Acting {
		return 1
	}
	return 0
}

// lengthCut says which spans are among the longest: all that are longer than the least, and
// as many of its length as fill the limit.
type lengthCut struct {
	least int64
	ties  int
}

// cutAt finds the cut that keeps so many of the lengths, which it sorts.
func cutAt(lengths []int64, limit int) lengthCut {
	if len(lengths) <= limit {
		return lengthCut{least: -1}
	}
	if limit == 0 {
		return lengthCut{least: math.MaxInt64}
	}
	slices.SortFunc(lengths, func(a, b int64) int { return cmp.Compare(b, a) })
	c := lengthCut{least: lengths[limit-1]}
	for c.ties < limit && lengths[limit-1-c.ties] == c.least {
		c.ties++
	}
	return c
}

// keeps reports whether a span is kept; each is asked for once.
func (c *lengthCut) keeps(ns int64) bool {
	if ns == c.least && c.ties > 0 {
		c.ties--
		return true
	}
	return ns > c.least
}

// thread returns the sums of a thread.
func (l *LaneSums) thread(id format.ThreadID) *ThreadLaneSums {
	t := l.Threads[id]
	if t == nil {
		t = &ThreadLaneSums{First: math.MaxInt64, Last: math.MinInt64}
		l.Threads[id] = t
	}
	return t
}

func (t *ThreadLaneSums) widen(from, to int64) { t.First, t.Last = min(t.First, from), max(t.Last, to) }

// see adds a span, which grows no more, to the sums of its thread.
func (l *LaneSums) see(s *LaneSpan) {
	if l.whole {
		return
	}
	t := l.thread(s.Thread)
	t.widen(s.Start, s.End)
	t.Spans++
	switch s.State {
	case Waiting:
		t.WaitNs += s.End - s.Start
	case Holding:
		t.HeldNs += s.End - s.Start
	}
}

// add sums a span, cut into bins.
func (l *LaneSums) add(s *LaneSpan) {
	if s.End <= s.Start {
		return
	}
	l.cover(s.Start, s.End)
	key := l.reduce(LaneKey{s.Thread, s.Lock, s.State, s.Activity})
	for at := s.Start; at < s.End; {
		bin := at >> l.shift
		end := min(s.End, (bin+1)<<l.shift)
		l.sums[laneCellKey{key, bin}] += end - at
		at = end
	}
	for len(l.sums) > 2*l.limits.Cells && l.shrink() {
	}
}

// cover makes bins long enough for an interval.
func (l *LaneSums) cover(from, to int64) {
	first, last := from>>l.shift, (to-1)>>l.shift
	if len(l.sums) == 0 {
		l.first, l.last = first, last
	}
	l.first, l.last = min(l.first, first), max(l.last, last)
	for l.bins() > int64(max(l.limits.Bins, 1)) {
		l.coarsen()
	}
}

func (l *LaneSums) bins() int64 { return l.last - l.first + 1 }

// reduce leaves out of a key what there are too many of.
func (l *LaneSums) reduce(k LaneKey) LaneKey {
	if l.merged[k.Thread] {
		return LaneKey{Thread: OtherThreads, State: k.State, Activity: k.Activity}
	}
	if l.lockless {
		k.Lock = format.NoObject
	}
	return k
}

// fewestBins: below these, keys lose their locks before bins become longer.
const fewestBins = 60

// shrink makes fewer cells by losing what is missed least; false if nothing is left to lose.
func (l *LaneSums) shrink() bool {
	switch {
	case l.bins() > fewestBins:
		l.coarsen()
	case !l.lockless:
		l.lockless = true
		l.renew()
	case l.mergeThreads(l.limits.Threads):
	case l.bins() > 1:
		l.coarsen()
	default:
		return false
	}
	return true
}

// coarsen doubles the length of bins.
func (l *LaneSums) coarsen() {
	l.shift++
	l.first, l.last = l.first>>1, l.last>>1
	old := l.sums
	l.sums = make(map[laneCellKey]int64, len(old)/2)
	for at, ns := range old {
		l.sums[laneCellKey{at.key, at.bin >> 1}] += ns
	}
}

// renew sums by keys as they are reduced now.
func (l *LaneSums) renew() {
	old := l.sums
	l.sums = make(map[laneCellKey]int64, len(old)/2)
	for at, ns := range old {
		l.sums[laneCellKey{l.reduce(at.key), at.bin}] += ns
	}
}

// mergeThreads makes one lane of all threads but so many that waited or held most; false if
// there are no more.
func (l *LaneSums) mergeThreads(most int) bool {
	var own []format.ThreadID
	for id := range l.Threads {
		if !l.merged[id] {
			own = append(own, id)
		}
	}
	if len(own) <= most {
		return false
	}
	slices.SortFunc(own, func(a, b format.ThreadID) int {
		x, y := l.Threads[a], l.Threads[b]
		return cmp.Or(cmp.Compare(y.WaitNs+y.HeldNs, x.WaitNs+x.HeldNs), cmp.Compare(a, b))
	})
	for _, id := range own[most:] {
		l.merged[id] = true
	}
	l.renew()
	return true
}

// finish brings the sums within their limits and orders them.
func (l *LaneSums) finish() {
	for len(l.sums) > l.limits.Cells && l.shrink() {
	}
	l.BinNs, l.Merged = 1<<l.shift, len(l.merged)
	others := ThreadLaneSums{First: math.MaxInt64, Last: math.MinInt64}
	for id := range l.merged {
		t := l.Threads[id]
		others.widen(t.First, t.Last)
		others.WaitNs += t.WaitNs
		others.HeldNs += t.HeldNs
		others.Spans += t.Spans
		delete(l.Threads, id)
	}
	if l.Merged > 0 {
		l.Threads[OtherThreads] = &others
	}
	l.Cells = make([]LaneCell, 0, len(l.sums))
	for _, at := range slices.SortedFunc(maps.Keys(l.sums), func(a, b laneCellKey) int {
		return cmp.Or(
			cmp.Compare(a.key.Thread, b.key.Thread),
			cmp.Compare(a.key.State, b.key.State),
			cmp.Compare(a.key.Lock, b.key.Lock),
			cmp.Compare(a.key.Activity, b.key.Activity),
			cmp.Compare(a.bin, b.bin),
		)
	}) {
		l.Cells = append(l.Cells, LaneCell{at.key, at.bin, l.sums[at]})
	}
	l.sums, l.merged = nil, nil
}
