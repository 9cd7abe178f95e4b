package stacks

import (
	"fmt"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// oneByOne is a builder that adds all who wait in a crowd to samples, for each slice.
type oneByOne struct {
	*Builder
	each blame.WaiterClasses
}

func (o *oneByOne) QueueChanged(m *analysis.QueueChange) { o.each.Change(m) }

func (o *oneByOne) QueueSlice(s *analysis.Slice, _ int) {
	o.end = max(o.end, s.End)
	for _, k := range o.each.OfLock(s.Lock) {
		o.waiter(s, &k.Waiter, 1)
	}
}

// told is what a builder tells, in its order.
func told(b *Builder) (list []string) {
	for i := range b.Samples() {
		s := &b.samples[i]
		list = append(list, fmt.Sprint(s.Key, " ", s.Waits, " waits, ", s.DelayNs, " ns, ", s.WallNs(), " of wall"))
	}
	return append(list, fmt.Sprint(b.FoldedNs(), " ns folded"))
}

// agree sums a trace in all views and says whether crowds are told as one by one.
func agree(t *testing.T, what string, list *format.List, most int) {
	for view := range Views {
		together := New(View(view), nil)
		apart := &oneByOne{
			New(View(view), nil),
			blame.NewWaiterClasses(func(m *analysis.QueueChange) int { return int(m.Number) }),
		}
		together.most, apart.most = most, most
		list.Rewind()
		golden.Must(pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, together, apart))(t)
		golden.Same(t, told(together), told(apart.Builder), what, Views[view], "at most", most)
	}
}

// Those who wait together are in the samples in which each is alone, in the same order,
// however many samples are told apart.
func TestCrowdsAreToldAsOneByOne(t *testing.T) {
	for i, scenario := range []string{"ping-pong", "convoy", "nested", "random", "reader-writer"} {
		var list format.List
		config := simulate.Config{
			Scenario: scenario,
			Threads:  80 - 5*i,
			Locks:    1 + i%3,
			Duration: 4e6,
			Period:   1e7,
			Handoff:  int64(1000 * i),
			Seed:     uint64(i + 1),
		}
		golden.Must(simulate.Run(config, &list, nil))(t)
		for _, most := range []int{20, 1000, maxSamples} {
			agree(t, scenario, &list, most)
		}
	}
}

// queued returns waits for one lock, of so many threads at a time and with so many stacks,
// which get it in order of arrival.
func queued(threads, stacks, waits int) (events []format.Event) {
	for i := range waits {
		from, to, thread := int64(max(0, i-threads)*10+1), int64(i*10+10), format.ThreadID(1+i%threads)
		events = append(
			events,
			format.Event{
				Kind:   format.KindWait,
				Thread: thread,
				Object: 1,
				Stack:  format.StackID(1 + i*7%stacks),
				Time:   from,
				End:    to,
			},
			format.Event{
				Kind:   format.KindTenure,
				Thread: thread,
				Object: 1,
				Stack:  format.StackID(1 + i%stacks),
				Time:   to,
				End:    to + 8,
			},
		)
	}
	return events
}

// A thread that waits for a lock twice at a time counts once of the wall, whether one
// of the waits is in a crowd or both are.
func TestWhoWaitsTwiceInACrowd(t *testing.T) {
	for _, after := range golden.Depth([]int64{0, 10}, []int64{0, 10, 333}, []int64{0, 3, 10, 180, 333}) {
		events := queued(40, 3, 400)
		for i, ev := range events {
			if ev.Kind == format.KindWait && i%26 == 0 && ev.End-ev.Time > 2*after {
				ev.Time, ev.End = ev.Time+after, ev.End-after/2
				events = append(events, ev)
			}
		}
		for _, most := range []int{50, maxSamples} {
			agree(t, fmt.Sprint(after, " ns later"), &format.List{Events: events}, most)
		}
	}
}

// Of a queue longer than maxInQueue those behind are folded, and no waiting is lost.
func TestALongQueueIsFolded(t *testing.T) {
	const waiting = maxInQueue + 100
	b := New(Site, nil)
	b.Begin(analysis.NewSymbols(), 0)
	move := func(thread int, leaves bool) {
		b.QueueChanged(
			&analysis.QueueChange{
				Waiter: analysis.Waiter{Thread: format.ThreadID(thread)},
				Lock:   1,
				Number: uint32(thread),
				Leaves: leaves,
			},
		)
	}
	pass := func(now int64, n int) {
		by := analysis.Owner{Kind: analysis.OwnerThread, Thread: waiting + 1, Stack: 1}
		b.QueueSlice(
			&analysis.Slice{
				Start:  now,
				End:    now + 7,
				Lock:   1,
				Shares: []analysis.Share{{Ns: 7, Direct: by, Root: by, Hops: 1}},
			},
			n,
		)
	}
	for thread := range waiting {
		move(thread+1, false)
	}
	pass(0, waiting)
	move(1, true)       // told apart
	move(waiting, true) // folded
	golden.AtMost(t, testing.AllocsPerRun(10, func() { pass(10, waiting-2) }), 0, "allocations")
	told, sum := 0, int64(0)
	for i := range b.Samples() {
		s := &b.Samples()[i]
		sum += s.DelayNs
		if !s.Folded() {
			told++
		}
	}
	if want := int64(7*waiting + 11*7*(waiting-2)); told != maxInQueue || len(b.Samples()) != told+1 || sum != want {
		t.Errorf("%d samples, %d of them of one thread, %d ns; want %d ns", len(b.Samples()), told, sum, want)
	}
	golden.Equal(t, b.FoldedNs(), int64(7*100+11*7*99))
}

// However few samples are told apart, all of the waiting is in them, each view has
// frames for each, and there are not many more.
func TestFoldedSamplesHoldAllWaiting(t *testing.T) {
	var list format.List
	golden.Must(
		simulate.Run(
			simulate.Config{Scenario: "random", Threads: 12, Locks: 8, Duration: 2e9, Seed: 5, Period: 1e6},
			nil,
			&list,
		),
	)(
		t,
	)
	sums := func(view View, most int) (waits, ns int64, b *Builder) {
		b = New(View(view), nil)
		b.most = most
		list.Rewind()
		golden.Must(pass.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, b))(t)
		for i := range b.Samples() {
			s := &b.samples[i]
			waits, ns = waits+s.Waits, ns+s.DelayNs
			if len(b.Frames(s)) == 0 {
				t.Errorf("%s: %+v has no frames", Views[view], s.Key)
			}
		}
		return waits, ns, b
	}
	for view := range Views {
		waits, ns, all := sums(View(view), maxSamples)
		fewer, less, few := sums(View(view), 20)
		if waits != fewer || ns != less || all.FoldedNs() != 0 || few.FoldedNs() == 0 || few.FoldedNs() >= ns {
			t.Errorf(
				"%s: %d waits of %d ns, %d of %d ns told of few, %d ns of them folded",
				Views[view],
				waits,
				ns,
				fewer,
				less,
				few.FoldedNs(),
			)
		}
		golden.AtMost(t, len(few.Samples()), len(all.Samples())/2, Views[view], "samples of", len(all.Samples()))
	}
}
