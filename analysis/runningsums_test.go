package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ran sums running time by interval, as it is delivered.
type ran struct {
	step, start int64
	ns          []int64
	calls       int
}

func (r *ran) Begin(_ *Symbols, start int64) { r.start = start }
func (r *ran) Slice(*Slice)                  {}

func (r *ran) Running(from, to, ns int64) {
	r.calls++
	for at := from; at < to; {
		i := (at - r.start) / r.step
		for int64(len(r.ns)) <= i {
			r.ns = append(r.ns, 0)
		}
		edge := min(r.start+(i+1)*r.step, to)
		r.ns[i] += Spread(ns, from, to, at, edge)
		at = edge
	}
}

// ranByInterval is ran as an IntervalVisitor.
type ranByInterval struct{ ran }

func (r *ranByInterval) Interval() int64 { return r.step }

// An IntervalVisitor receives the sums that a visitor of each change computes, for any
// activities and any cut.
func TestRunningTimeByIntervalIsThatOfEachInstant(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := &format.List{}
		add := func(ev format.Event) { in.Events = append(in.Events, ev) }
		at := func(label string) int64 { return rapid.Int64Range(0, 1000).Draw(rt, label) * 1e7 }
		for range rapid.IntRange(0, 3).Draw(rt, "recordings") {
			from := at("recording")
			add(format.Event{Kind: format.KindRecording, Time: from, End: from + at("recorded")})
		}
		for range rapid.IntRange(1, 30).Draw(rt, "events") {
			ev := format.Event{Thread: format.ThreadID(rapid.IntRange(1, 5).Draw(rt, "thread")), Time: at("time"), Stack: 1}
			ev.End = ev.Time + at("length")
			switch rapid.IntRange(0, 5).Draw(rt, "kind") {
			case 0:
				ev.Kind = format.KindThreadStart
			case 1:
				ev.Kind = format.KindThreadEnd
			case 2, 3:
				ev.Kind, ev.Object = format.KindWait, 1
			default:
				ev.Kind, ev.Activity = format.KindActivity, format.ActivitySleep
			}
			add(ev)
		}
		f := open
		if rapid.Bool().Draw(rt, "cut") {
			f.From, f.FromRel = at("from"), true
			f.To, f.ToRel = f.From+1+at("to"), true
		}
		step := rapid.Int64Range(1e7, 3e9).Draw(rt, "step")
		every, summed := &ran{step: step}, &ranByInterval{ran{step: step}}
		each, err := Run(&format.List{Events: in.Events}, f, every)
		if err != nil {
			rt.Fatal(err)
		}
		together := golden.Must(Run(in, f, summed))(rt)
		if diff := cmp.Diff(every.ns, summed.ns); diff != "" || each.RunningNs != together.RunningNs || each.RunningHigh != together.RunningHigh {
			rt.Fatalf("%s\n%d and %d ns in all", diff, each.RunningNs, together.RunningNs)
		}
	})
}

// A thousand changes of threads are delivered as one sum for each interval.
func TestRunningTimeComesByInterval(t *testing.T) {
	in := &format.List{}
	for i := range int64(1000) {
		in.Events = append(in.Events, format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: format.ThreadID(i%9 + 1), Time: 10 * i, End: 10*i + 20 + i%7},
			format.Event{Kind: format.KindWait, Thread: 10, Object: 1, Time: 10 * i, End: 10*i + 5})
	}
	v := &ranByInterval{ran{step: 2000}}
	golden.Must(Run(in, open, v))(t)
	if v.calls != 5 || len(v.ns) != 5 {
		t.Errorf("%d calls for %d intervals, want 5", v.calls, len(v.ns))
	}
}

// With more intervals than memory should hold, a visitor receives each change.
func TestSoManyIntervalsAreSummed(t *testing.T) {
	e := &emitter{out: newDispatcher(&Symbols{}, []Visitor{&ranByInterval{ran{step: 10}}})}
	for end, want := range map[int64]int{1: 1, 10: 1, 11: 2, 10 << 20: 1 << 20, 10<<20 + 1: 0} {
		n := 0
		if r := e.newRunningSums(span{0, end}, 5); r != nil {
			n = len(r.part)
		}
		if n != want {
			t.Errorf("%d intervals up to %d, want %d", n, end, want)
		}
	}
}
