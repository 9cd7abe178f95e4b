package analysis

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// callLog records the calls it receives.
type callLog struct {
	totalOnly
	log       []any
	ticks, ns int64
}

func (h *callLog) Begin(*Symbols, int64)      {}
func (h *callLog) Running(from, to, ns int64) { h.log = append(h.log, [3]int64{from, to, ns}) }
func (h *callLog) Ticks(n, ns int64)          { h.ticks, h.ns = h.ticks+n, h.ns+ns }
func (h *callLog) Slice(s *Slice)             { h.log = append(h.log, kept(s)) }

func kept(s *Slice) Slice {
	own := *s
	own.Shares, own.Waiters = copied(s.Shares), copied(s.Waiters)
	for i := range own.Shares {
		var hops []Hop
		for h := own.Shares[i].Path; h != nil; h = h.Next {
			hops = append(hops, *h)
		}
		own.Shares[i].Path = PathOf(hops...)
	}
	return own
}

func copied[T any](list []T) []T { return append([]T(nil), list...) }

// The caller reuses its slices, like the emitter.
func TestVisitorsReceiveCallsInOrder(t *testing.T) {
	for parts, many := range map[int][]int{ // of the longest slice, and calls
		1:              {0, 1, batchCalls - 1, batchCalls, 4 * batchCalls},
		batchParts / 4: {0, 1, 8, 300}, // some sixteen are a batch
	} {
		for _, calls := range many {
			t.Run(fmt.Sprintf("%d calls, %d parts", calls, parts), func(t *testing.T) {
				random := rand.New(rand.NewPCG(1, uint64(calls)))
				var direct, passed callLog
				d := newDispatcher(nil, []Visitor{&passed})
				shares, waiters := make([]Share, parts), make([]Waiter, parts)
				for i := range calls {
					at := int64(i)
					s := Slice{Start: at, End: at + 1, Shares: shares[:random.IntN(min(parts, 40)+1)], Waiters: waiters[:random.IntN(parts+1)]}
					var path *Hop
					for j := range s.Shares {
						s.Shares[j] = Share{Ns: at, Hops: j, Path: path}
						path = d.hops.add(Hop{Thread: format.ThreadID(i), Lock: format.ObjectID(j), Next: path})
					}
					for j := range s.Waiters {
						s.Waiters[j].Thread = format.ThreadID(i + j)
					}
					switch random.IntN(3) {
					case 0:
						direct.Slice(&s)
						d.slice(&s, len(s.Waiters))
					case 1:
						direct.Running(at, 2, 3)
						d.running(at, 2, 3)
					case 2:
						direct.Ticks(1, at)
						d.tick(at)
					}
				}
				d.wait()
				golden.Same(t, passed, direct, "received", len(passed.log), "calls, or others than the", len(direct.log), "booked")
			})
		}
	}
}

// pair is one of two visitors. In its first slice it waits for the other's first slice.
type pair struct {
	started, other chan struct{}
	slices         int
	alone          bool // the other received nothing
}

func (p *pair) Begin(*Symbols, int64) {}
func (p *pair) Slice(*Slice) {
	if p.slices++; p.slices > 1 {
		return
	}
	close(p.started)
	select {
	case <-p.other:
	case <-time.After(time.Minute):
		p.alone = true
	}
}

func TestVisitorsRunConcurrently(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("there is one processor")
	}
	a, b := make(chan struct{}), make(chan struct{})
	both := []*pair{{started: a, other: b}, {started: b, other: a}}
	d := newDispatcher(nil, []Visitor{both[0], both[1]})
	for range 2 * batchCalls {
		d.slice(&Slice{}, 0)
	}
	d.wait()
	if both[0].alone || both[1].alone {
		t.Error("a visitor received nothing while another one ran")
	}
}

// namer records the class name of each slice's lock at the time of the call.
type namer struct {
	sym   *Symbols
	names []string
}

func (n *namer) Begin(sym *Symbols, _ int64) { n.sym = sym }
func (n *namer) Slice(s *Slice)              { n.names = append(n.names, n.sym.ClassName(s.Lock)) }

func TestVisitorsSeeSymbolsOfTheirTime(t *testing.T) {
	const ticks = 3 * batchCalls
	var events []format.Event
	var want []string
	for i, name := range []string{"Old", "New"} {
		events = append(events, format.Event{Kind: format.KindObject, Object: 1, Class: name})
		for j := range ticks {
			at := int64(1000 + 10*(i*ticks+j))
			events = append(events, tick(at, at, 9, 1), sample(at, 1, 1, 2+j%2)) // no instant shows what the one before did
			want = append(want, name)
		}
	}
	want[ticks-1] = "New" // an instant is charged when the next one comes
	var n namer
	golden.Must(Run(&format.List{Events: events}, open, &n))(t)
	golden.Same(t, n.names, want, len(n.names), "slices, or names at other times than they were given", len(want))
}

// waitLog records the whole waits it receives.
type waitLog struct{ log []Waited }

func (*waitLog) Begin(*Symbols, int64) {}
func (*waitLog) Slice(*Slice)          {}
func (v *waitLog) Wait(w *Waited)      { v.log = append(v.log, *w) }

// A visitor that asks for whole waits receives those within the cut, by start, over any
// number of batches.
func TestWholeWaitsComeByStart(t *testing.T) {
	const n = 3 * batchCalls
	list := &format.List{}
	var want []Waited
	for i := range n {
		ev := waits(1+i%7, 1+i%3, int64(10*i), int64(10*i+i%40)) // of length zero, too
		_ = list.Write(&ev)
		if 1000 <= ev.Time && ev.End <= 10*n-500 {
			want = append(want, Waited{Thread: ev.Thread, Lock: ev.Object, Stack: ev.Stack, Start: ev.Time, End: ev.End})
		}
	}
	var got waitLog
	golden.Must(Run(list, Filter{From: 1000, To: 10*n - 500}, &got))(t)
	golden.Same(t, got.log, want, "received", len(got.log), "waits, or others than the", len(want), "there are")
}

// after is a recorded wait that names the last owner.
func after(thread, lock int, from, to int64, prev int) format.Event {
	ev := waits(thread, lock, from, to)
	ev.Owner, ev.Stack = format.ThreadID(prev), format.StackID(thread)
	return ev
}

func sleeps(thread, stack int, from, to int64) format.Event {
	return format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: format.ThreadID(thread), Stack: format.StackID(stack), Time: from, End: to}
}

func dump(at int64, lock, owner, stack int, waiters ...int) format.Event {
	ev := format.Event{Kind: format.KindContention, Weight: format.EvidenceOnly, Time: at, Object: format.ObjectID(lock)}
	if owner != 0 {
		ev.Owners = []format.Party{{Thread: format.ThreadID(owner), Stack: format.StackID(stack)}}
	}
	for _, w := range waiters {
		ev.Waiters = append(ev.Waiters, format.Party{Thread: format.ThreadID(w)})
	}
	return ev
}

func TestMain(m *testing.M) { golden.Main(m) }
