package columns

import (
	"cmp"
	"math"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/blame/waits"
	"contend/format"
)

// lanes are what threads did over the whole recording: the longest spans with their exact times, and
// sums by bin of all others.
type lanes struct {
	Threads threadColumns `json:"threads"`
	Spans   spanColumns   `json:"spans"`
	Sums    sumColumns    `json:"sums"`
}

// threadColumns are the lanes, those of threads that waited most first.
type threadColumns struct {
	Name    []string `json:"name"`
	Group   []string `json:"group"`
	FirstNs []int64  `json:"firstNs"` // the earliest instant of which anything is known
	LastNs  []int64  `json:"lastNs"`
	WaitNs  []int64  `json:"waitNs"` // for locks
	HeldNs  []int64  `json:"heldNs"` // locks that others waited for
	Spans   []int64  `json:"spans"`  // how many the thread had, with the summed ones
	Merged  int      `json:"merged"` // threads that share the lane named [other]
}

// spanColumns are spans, thread by thread and in order of time.
type spanColumns struct {
	Count   []int32 `json:"count"`   // of each thread
	StartNs []int64 `json:"startNs"` // since the start of the thread's span before
	Ns      []int64 `json:"ns"`
	State   []int8  `json:"state"` // a waits.State
	Lock    []int32 `json:"lock"`  // -1 for none, or one that the page does not name
	Stack   []int32 `json:"stack"` // a node; -1 if unknown
	Site    []int32 `json:"site"`  // of a wait or a hold: a name; -1 for none
	Doing   []int32 `json:"doing"` // of a hold, or other activities: a name; -1 if unknown
	Known   []int8  `json:"known"` // of a hold: 0 recorded, 1 inferred, 2 unknown
	Right   []int8  `json:"right"` // of a hold: the percentage expected to be right
}

// sumColumns are rows by thread, lock and state, with a cell for each bin of time.
type sumColumns struct {
	BinNs  int64   `json:"binNs"`
	FromNs int64   `json:"fromNs"` // the start of the first bin
	Thread []int32 `json:"thread"`
	Lock   []int32 `json:"lock"`
	State  []int8  `json:"state"`
	Doing  []int32 `json:"doing"`
	Count  []int32 `json:"count"` // cells of each row
	Bin    []int32 `json:"bin"`   // since the row's cell before
	Part   []int32 `json:"part"`  // of the bin, in thousandths; more for a lane of several threads
}

// maxLaneNodes bounds how many frames the stacks of lanes add to the page: those of further spans
// are left out.
const maxLaneNodes = 20_000

// parts is what a bin of sums is divided into.
const parts = 1000

// laneBuilder converts finished lanes.
type laneBuilder struct {
	lanes   *lanes
	n       *numbering
	sym     *analysis.Symbols
	numbers map[format.ThreadID]int32
	nodes   int // in the table when the lanes began
	stacks  map[format.StackID]int32
}

// lanesOf converts the lanes of a content; nil where there are none.
func lanesOf(c *Content, n *numbering) *lanes {
	if c.Lanes == nil {
		return nil
	}
	b := laneBuilder{
		lanes:   emptyLanes(),
		n:       n,
		sym:     c.Trace.Symbols,
		numbers: map[format.ThreadID]int32{},
		nodes:   len(n.table.Stacks.Caller),
		stacks:  map[format.StackID]int32{},
	}
	b.addThreads(c.Lanes.Sums)
	b.addSpans(c.Lanes.Spans)
	b.addSums(c.Lanes.Sums)
	return b.lanes
}

// emptyLanes has no column that JSON writes as null.
func emptyLanes() *lanes {
	no := []int32{}
	none := []int8{}
	times := []int64{}
	texts := []string{}
	return &lanes{
		Threads: threadColumns{texts, texts, times, times, times, times, times, 0},
		Spans:   spanColumns{no, times, times, none, no, no, no, no, none, none},
		Sums:    sumColumns{0, 0, no, no, none, no, no, no, no},
	}
}

func (b *laneBuilder) addThreads(sums *waits.LaneSums) {
	t := &b.lanes.Threads
	t.Merged = sums.Merged
	ids := make([]format.ThreadID, 0, len(sums.Threads))
	for id := range sums.Threads {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(x, y format.ThreadID) int {
		p, q := sums.Threads[x], sums.Threads[y]
		return cmp.Or(
			-blame.CompareBool(x != waits.OtherThreads, y != waits.OtherThreads),
			cmp.Compare(q.WaitNs, p.WaitNs),
			cmp.Compare(q.HeldNs, p.HeldNs),
			cmp.Compare(x, y),
		)
	})
	for i, id := range ids {
		name := blame.OtherText
		group := blame.OtherText
		sum := sums.Threads[id]
		if id != waits.OtherThreads {
			name, group = b.sym.ThreadName(id), b.sym.Groups().Value(b.sym.Group(id))
		}
		t.Name, t.Group = append(t.Name, name), append(t.Group, group)
		t.FirstNs, t.LastNs = append(t.FirstNs, b.since(sum.First)), append(t.LastNs, b.since(sum.Last))
		t.WaitNs, t.HeldNs = append(t.WaitNs, sum.WaitNs), append(t.HeldNs, sum.HeldNs)
		t.Spans = append(t.Spans, sum.Spans)
		b.numbers[id] = int32(i)
	}
	b.lanes.Spans.Count = make([]int32, len(ids))
}

// since returns an instant from the start of the page's time, which nothing lies before.
func (b *laneBuilder) since(t int64) int64 { return max(0, t-b.n.cube.Start) }

func (b *laneBuilder) addSpans(list []waits.LaneSpan) {
	order := make([]*waits.LaneSpan, 0, len(list))
	for i := range list {
		if list[i].End > b.n.cube.Start {
			order = append(order, &list[i])
		}
	}
	slices.SortStableFunc(order, func(x, y *waits.LaneSpan) int {
		return cmp.Compare(b.numbers[x.Thread], b.numbers[y.Thread])
	})
	to, before := &b.lanes.Spans, int64(0)
	for i, s := range order {
		if i == 0 || order[i-1].Thread != s.Thread {
			before = 0
		}
		start := b.since(s.Start)
		to.Count[b.numbers[s.Thread]]++
		to.StartNs, to.Ns = append(to.StartNs, start-before), append(to.Ns, b.since(s.End)-start)
		to.State, to.Lock = append(to.State, int8(s.State)), append(to.Lock, b.lock(s.Lock))
		to.Stack, to.Site = append(to.Stack, b.stack(s.Stack)), append(to.Site, b.site(s))
		to.Doing = append(to.Doing, b.doing(s))
		known, right := b.known(s)
		to.Known, to.Right = append(to.Known, known), append(to.Right, right)
		before = start
	}
}

// lock returns the number of a lock that the page names: a lane tells no more locks apart.
func (b *laneBuilder) lock(id format.ObjectID) int32 {
	if number, ok := b.n.dense[cube.Lock][uint32(id)]; ok && id != format.NoObject {
		return number
	}
	return -1
}

// stack returns the node of a stack, -1 if there is no room for it.
func (b *laneBuilder) stack(id format.StackID) int32 {
	frames := b.sym.Frames(id)
	if len(frames) == 0 {
		return -1
	}
	node, ok := b.stacks[id]
	if !ok {
		if node = -1; len(b.n.table.Stacks.Caller) < b.nodes+maxLaneNodes {
			node = b.n.stack(frames, "")
		}
		b.stacks[id] = node
	}
	return node
}

func (b *laneBuilder) site(s *waits.LaneSpan) int32 {
	switch s.State {
	case waits.Waiting:
		return b.n.name(b.n.sites.Names().Value(b.n.sites.Waiter(s.Stack)))
	case waits.Holding:
		return b.n.ownerSite(s.Stack, s.Lock)
	}
	return -1
}

// doing returns the name of what a thread was at besides waiting for a lock.
func (b *laneBuilder) doing(s *waits.LaneSpan) int32 {
	switch s.State {
	case waits.Holding:
		return b.n.doing(analysis.Owner{Kind: analysis.OwnerThread, Stack: s.Stack, Did: s.Activity})
	case waits.Waiting:
		return -1
	}
	return b.n.name(activityText(s.State, s.Activity))
}

func activityText(state waits.State, a format.Activity) string {
	if d := blame.RecordedDoing(a); state == waits.Acting && d != blame.DoingUnknown || a == format.ActivitySleep {
		return d.String()
	}
	return "idle"
}

// known returns how the owner of a hold is known, 0 recorded, 1 inferred, 2 unknown, and the
// percentage of it that is expected to be right.
func (b *laneBuilder) known(s *waits.LaneSpan) (known, right int8) {
	ns := s.Known.Ns()
	if s.State != waits.Holding || ns == 0 {
		return 0, 0
	}
	right = int8(math.Round(100 * float64(s.Known.Right()) / float64(ns)))
	switch s.Word {
	case analysis.Exact.Word(), analysis.Sampled.Word():
		return 0, right
	case analysis.Unknown.Word():
		return 2, right
	}
	return 1, right
}

func (b *laneBuilder) addSums(sums *waits.LaneSums) {
	to := &b.lanes.Sums
	to.BinNs = sums.BinNs
	first := int64(math.MaxInt64)
	for i := range sums.Cells {
		first = min(first, sums.Cells[i].Bin)
	}
	if len(sums.Cells) > 0 {
		to.FromNs = first*sums.BinNs - b.n.cube.Start
	}
	last := int64(0)
	for i := range sums.Cells {
		c := &sums.Cells[i]
		if i == 0 || sums.Cells[i-1].Key != c.Key {
			to.Thread, to.Lock = append(to.Thread, b.numbers[c.Key.Thread]), append(to.Lock, b.lock(c.Key.Lock))
			to.State = append(to.State, int8(c.Key.State))
			doing := int32(-1)
			if c.Key.State == waits.Idle || c.Key.State == waits.Acting {
				doing = b.n.name(activityText(c.Key.State, c.Key.Activity))
			}
			to.Doing, to.Count = append(to.Doing, doing), append(to.Count, 0)
			last = first
		}
		to.Count[len(to.Count)-1]++
		to.Bin = append(to.Bin, int32(c.Bin-last))
		to.Part = append(to.Part, int32(max(1, (c.Ns*parts+sums.BinNs/2)/sums.BinNs)))
		last = c.Bin
	}
}
