package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ran sums running time by its own intervals, and asks for others.
type ran struct {
	asks, step, start int64
	ns                []int64
	calls             int
}

func (r *ran) Begin(_ *Symbols, start int64)   { r.start = start }
func (r *ran) Slice(*Slice)                    {}
func (r *ran) Intervals() (from, length int64) { return r.start, r.asks }
func (r *ran) Ticks(_, _ int64)                {}

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

// Coarse intervals sum what finer ones do, for any activities and any cut.
func TestRunningTimeOfAnyIntervals(t *testing.T) {
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
		step := rapid.Int64Range(1, 300).Draw(rt, "step") * 1e7
		fine, coarse, one := &ran{asks: 1e7, step: step}, &ran{asks: step, step: step}, &ran{step: 1 << 60}
		tr := golden.Must(Run(in, f, fine, coarse, one))(rt)
		total := int64(0)
		for _, ns := range coarse.ns {
			total += ns
		}
		if diff := cmp.Diff(fine.ns, coarse.ns); diff != "" || total != tr.RunningNs || len(one.ns) > 0 && one.ns[0] != total {
			rt.Fatalf("%s\n%d ns, %v in one, %d in all", diff, total, one.ns, tr.RunningNs)
		}
	})
}

// A thousand changes of threads are delivered as one sum for each interval, and as one for
// all intervals in which none changes.
func TestRunningTimeComesByInterval(t *testing.T) {
	in := &format.List{Events: []format.Event{recorded(0, 20_000)}}
	for i := range int64(1000) {
		in.Events = append(in.Events, format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: format.ThreadID(i%9 + 1), Time: 10 * i, End: 10*i + 5})
	}
	v := &ran{asks: 2000, step: 2000}
	if golden.Must(Run(in, open, v))(t); v.calls != 7 || len(v.ns) != 10 {
		t.Errorf("%d calls for %d intervals, want 7 for 10", v.calls, len(v.ns))
	}
}

func TestSoManyIntervalsAreSummed(t *testing.T) {
	for end, want := range map[int64]int{1: 1, 10: 1, 11: 2, 10 << 20: 1 << 20, 10<<20 + 1: 1<<19 + 1} {
		if r := newIntervalSums(&ran{asks: 10}, span{0, end}); len(r.part) != want {
			t.Errorf("%d intervals up to %d, want %d", len(r.part), end, want)
		}
	}
}

// What is outside of some spans is counted and listed alike.
func TestWithout(t *testing.T) {
	draw := func(rt *rapid.T, label string) []span {
		var all []span
		for range rapid.IntRange(0, 6).Draw(rt, label) {
			at := rapid.Int64Range(0, 50).Draw(rt, "at")
			all = append(all, span{at, at + rapid.Int64Range(1, 9).Draw(rt, "length")})
		}
		return unionOf(all)
	}
	rapid.Check(t, func(rt *rapid.T) {
		list, others, cut := draw(rt, "list"), draw(rt, "others"), span{10, 40}
		var left []span
		without(list, others, func(s span) { left = append(left, s) })
		want := int64(0)
		for at := cut.start; at < cut.end; at++ {
			if within(list, span{at, at + 1}) > within(others, span{at, at + 1}) {
				want++
			}
		}
		if listed, counted := within(left, cut), outside(list, others, cut); listed != want || counted != want {
			rt.Fatalf("%v without %v: %d listed and %d counted, want %d", list, others, listed, counted, want)
		}
	})
}
