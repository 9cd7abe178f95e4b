package pass

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// namer records the class name of each slice's lock at the time of the call.
type namer struct {
	sym   *analysis.Symbols
	names []string
}

func (n *namer) Begin(sym *analysis.Symbols, _ int64) { n.sym = sym }

func (n *namer) Slice(s *analysis.Slice) { n.names = append(n.names, n.sym.ClassName(s.Lock)) }

func TestVisitorsSeeSymbolsOfTheirTime(t *testing.T) {
	const ticks = 3 * 1024
	var events []format.Event
	var want []string
	for i, name := range []string{"Old", "New"} {
		events = append(events, format.Event{Kind: format.KindObject, Object: 1, Class: name})
		for j := range ticks {
			at := int64(1000 + 10*(i*ticks+j))
			events = append(
				events,
				tick(at, at, 9, 1),
				sample(at, 1, 1, 2+j%2),
			) // no instant shows what the one before did
			want = append(want, name)
		}
	}
	want[ticks-1] = "New" // an instant is charged when the next one comes
	var n namer
	golden.Must(Run(&format.List{Events: events}, open, &n))(t)
	golden.Same(t, n.names, want, len(n.names), "slices, or names at other times than they were given", len(want))
}

// waitLog records the whole waits it receives.
type waitLog struct{ log []analysis.Waited }

func (*waitLog) Begin(*analysis.Symbols, int64) {}

func (*waitLog) Slice(*analysis.Slice) {}

func (v *waitLog) Wait(w *analysis.Waited) { v.log = append(v.log, *w) }

// A visitor that asks for whole waits receives those within the cut, by start, over any
// number of batches.
func TestWholeWaitsComeByStart(t *testing.T) {
	const n = 3 * 1024
	list := &format.List{}
	var want []analysis.Waited
	for i := range n {
		ev := waits(1+i%7, 1+i%3, int64(10*i), int64(10*i+i%40)) // of length zero, too
		_ = list.Write(&ev)
		if 1000 <= ev.Time && ev.End <= 10*n-500 {
			want = append(
				want,
				analysis.Waited{Thread: ev.Thread, Lock: ev.Object, Stack: ev.Stack, Start: ev.Time, End: ev.End},
			)
		}
	}
	var got waitLog
	golden.Must(Run(list, analysis.Filter{From: 1000, To: 10*n - 500}, &got))(t)
	golden.Same(t, got.log, want, "received", len(got.log), "waits, or others than the", len(want), "there are")
}

// after is a recorded wait that names the last owner.
func after(thread, lock int, from, to int64, prev int) format.Event {
	ev := waits(thread, lock, from, to)
	ev.Owner, ev.Stack = format.ThreadID(prev), format.StackID(thread)
	return ev
}

func asleep(thread, stack int, from, to int64) format.Event {
	return format.Event{
		Kind:     format.KindActivity,
		Activity: format.ActivitySleep,
		Thread:   format.ThreadID(thread),
		Stack:    format.StackID(stack),
		Time:     from,
		End:      to,
	}
}

func dump(at int64, lock, owner, stack int, waiters ...int) format.Event {
	ev := format.Event{
		Kind:   format.KindContention,
		Weight: format.EvidenceOnly,
		Time:   at,
		Object: format.ObjectID(lock),
	}
	if owner != 0 {
		ev.Owners = []format.Party{{Thread: format.ThreadID(owner), Stack: format.StackID(stack)}}
	}
	for _, w := range waiters {
		ev.Waiters = append(ev.Waiters, format.Party{Thread: format.ThreadID(w)})
	}
	return ev
}

func TestMain(m *testing.M) { golden.Main(m) }
