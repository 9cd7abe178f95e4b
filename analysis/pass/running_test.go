package pass

import (
	"fmt"
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/internal/times"
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

func (r *ran) Begin(_ *analysis.Symbols, start int64) { r.start = start }

func (r *ran) Slice(*analysis.Slice) {}

func (r *ran) Intervals() (from, length int64) { return r.start, r.asks }

func (r *ran) Ticks(_, _ int64) {}

func (r *ran) Running(from, to, ns int64) {
	r.calls++
	for at := from; at < to; {
		i := (at - r.start) / r.step
		for int64(len(r.ns)) <= i {
			r.ns = append(r.ns, 0)
		}
		edge := min(r.start+(i+1)*r.step, to)
		r.ns[i] += analysis.Spread(ns, from, to, at, edge)
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
			ev := format.Event{
				Thread: format.ThreadID(rapid.IntRange(1, 5).Draw(rt, "thread")),
				Time:   at("time"),
				Stack:  1,
			}
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
		if diff := cmp.Diff(fine.ns, coarse.ns); diff != "" || total != tr.RunningNs ||
			len(one.ns) > 0 && one.ns[0] != total {
			rt.Fatalf("%s\n%d ns, %v in one, %d in all", diff, total, one.ns, tr.RunningNs)
		}
	})
}

// A thousand changes of threads are delivered as one sum for each interval, and as one for
// all intervals in which none changes.
func TestRunningTimeComesByInterval(t *testing.T) {
	in := &format.List{Events: []format.Event{recorded(0, 20_000)}}
	for i := range int64(1000) {
		in.Events = append(
			in.Events,
			format.Event{
				Kind:     format.KindActivity,
				Activity: format.ActivitySleep,
				Thread:   format.ThreadID(i%9 + 1),
				Time:     10 * i,
				End:      10*i + 5,
			},
		)
	}
	v := &ran{asks: 2000, step: 2000}
	if golden.Must(Run(in, open, v))(t); v.calls != 7 || len(v.ns) != 10 {
		t.Errorf("%d calls for %d intervals, want 7 for 10", v.calls, len(v.ns))
	}
}

func TestSoManyIntervalsAreSummed(t *testing.T) {
	for end, want := range map[int64]int{1: 1, 10: 1, 11: 2, 10 << 20: 1 << 20, 10<<20 + 1: 1<<19 + 1} {
		golden.Equal(
			t,
			len(newIntervalSums(&ran{asks: 10}, times.Span{Start: 0, End: end}).part),
			want,
			"intervals up to",
			end,
		)
	}
}

func tellsIdle(how string) format.Event {
	return format.Event{Kind: format.KindSetting, Name: format.SettingIdle, Value: how}
}

func starts(thread int, at int64) format.Event {
	return format.Event{Kind: format.KindThreadStart, Thread: format.ThreadID(thread), Time: at}
}

// Two threads exclude each other for 30 s, and eight of a pool wait for the lock
// once, early, and then have nothing to do, which no event tells of.
func TestWhoIsNotSeenDoesNotRun(t *testing.T) {
	const s, ms = int64(1e9), int64(1e6)
	var events []format.Event
	events = append(events, recorded(0, 30*s))
	for at := int64(0); at < 30*s; at += 2 * ms {
		events = append(events, waits(1, 1, at, at+ms), waits(2, 1, at+ms, at+2*ms))
	}
	for i := range 8 {
		at := int64(i+1) * 10 * ms
		events = append(events, starts(10+i, at-ms), waits(10+i, 1, at, at+4*ms))
	}
	const waited = 30*s + 8*4*ms
	for _, c := range []struct {
		how      string
		sampled  bool
		low, top int64 // running time
		high     int64
	}{
		{"", false, 299 * s, 300 * s, 300 * s}, // all there was is in the trace
		{format.IdleEnded, false, 60*s - 10*ms, 60*s + 8*10*ms, 300 * s},
		{format.IdleEnded, true, 60*s - 10*ms, 60*s + 8*10*ms, 300 * s},
		{format.IdleLong, true, waited, waited + 100*ms, 300 * s}, // it may have slept between any two waits
	} {
		list := slices.Clone(events)
		if c.how != "" {
			list = append(list, tellsIdle(c.how))
		}
		if c.sampled {
			list = append(list, acts(format.ActivityRun, 1, s, s))
		}
		got, tr := run(t, list, open)
		golden.Within(t, got.running, c.low, c.top, c.how)
		golden.Equal(t, got.running, tr.RunningNs, c.how)
		golden.Within(t, tr.RunningHigh, tr.RunningNs, c.high, c.how)
		golden.AtLeast(t, tr.RunningHigh, c.high-s, c.how)
		golden.Equal(t, tr.RunningIsWide(), c.how != "", c.how, "between", tr.RunningNs, "and", tr.RunningHigh)
	}
}

// The constants of lifetimes.go, which README gives as well.
func TestHowLongAThreadMayGoUnseen(t *testing.T) {
	const s, ms = int64(1e9), int64(1e6)
	if unseenFor != s || sampleFor != 20*ms || (&analysis.Trace{RunningNs: 100, RunningHigh: 105}).RunningIsWide() ||
		!(&analysis.Trace{RunningNs: 100, RunningHigh: 106}).RunningIsWide() {
		t.Error("they have changed")
	}
	sample := func(at int64) format.Event { return acts(format.ActivityRun, 1, at, at) }
	parks := func(from, to int64) format.Event { return acts(format.ActivityPark, 1, from, to) }
	begun := []format.Event{recorded(0, 100*s), starts(1, 0)}
	for i, c := range []struct {
		how  string
		more []format.Event
		want int64
	}{
		// nothing but its start is known
		{format.IdleEnded, nil, 0},
		// a park before would have shown; behind it nothing is known
		{format.IdleEnded, []format.Event{parks(10*s, 20*s)}, 10 * s},
		// who runs for so long would have been sampled
		{format.IdleEnded, []format.Event{parks(10*s, 20*s), sample(20 * s)}, 0},
		// up to the one that is followed by a long gap
		{format.IdleEnded, []format.Event{sample(s / 2), sample(s), sample(3 * s)}, s},
		// its life is known
		{format.IdleEnded, []format.Event{sample(s), {Kind: format.KindThreadEnd, Thread: 1, Time: 2 * s}}, 2 * s},
		// about the samples
		{format.IdleLong, []format.Event{sample(s), sample(s + 10*ms), sample(3 * s)}, 30*ms + 20*ms},
		// less what is known to be idle
		{format.IdleLong, []format.Event{sample(s), waits(1, 1, 2*s, 4*s), parks(s, s+5*ms)}, 20*ms - 5*ms + 2*s},
		// not sampled: nothing better is known
		{format.IdleLong, []format.Event{parks(10*s, 20*s), parks(30*s, 31*s)}, 10*s + 10*s},
		// another recorder tells all
		{"", []format.Event{parks(10*s, 20*s)}, 90 * s},
		// and so does who ended
		{format.IdleEnded, []format.Event{{Kind: format.KindThreadEnd, Thread: 1, Time: 90 * s}, parks(10*s, 20*s)},
			80 * s},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			list := slices.Concat(begun, c.more)
			if c.how != "" {
				list = append(list, tellsIdle(c.how))
			}
			if got, _ := run(t, list, open); got.running != c.want {
				t.Errorf("running %v, want %v", got.running, c.want)
			}
		})
	}
}

// What lies outside of the evidence of a thread is a range; a thread whose evidence is
// all idle is idle there.
func TestOutsideOfEvidenceIsARange(t *testing.T) {
	const s = int64(1e9)
	parks := func(from, to int64) format.Event { return acts(format.ActivityPark, 1, from, to) }
	for i, c := range []struct {
		events    []format.Event
		low, high int64
	}{
		{[]format.Event{starts(1, 0), parks(s, 2*s)}, s, 2 * s},
		{[]format.Event{parks(s, 2*s)}, 0, 0},
		{[]format.Event{parks(s/2, s), parks(2*s, 5*s/2)}, s, s}, // it ran between them
		{[]format.Event{parks(0, s), waits(1, 1, s, 2*s)}, s, 2 * s},
		{[]format.Event{waits(1, 1, s, 2*s)}, s, 3 * s},
		{[]format.Event{parks(s, 2*s), {Kind: format.KindThreadEnd, Thread: 1, Time: 3 * s}}, s, 2 * s},
	} {
		_, tr := run(t, append(c.events, recorded(0, 3*s), tellsIdle(format.IdleEnded)), open)
		golden.Equal(t, tr.RunningNs, c.low, i)
		golden.Equal(t, tr.RunningHigh, c.high, i)
	}
}

// A thread that waits for locks may have waited before its first evidence and after its last, each time as long as
// ever.
func TestWaitsThatTheRecordingCutsOffAreInTheRange(t *testing.T) {
	const s = int64(1e9)
	for i, c := range []struct {
		events []format.Event
		high   int64
	}{
		{[]format.Event{waits(1, 1, 4*s, 5*s)}, 2 * s},
		{[]format.Event{waits(1, 1, 4*s, 5*s), acts(format.ActivityPark, 1, s/2, s), starts(2, 0)}, s/2 + s},
		{[]format.Event{waits(1, 1, 4*s, 5*s), starts(1, 0)}, s},
		{[]format.Event{acts(format.ActivityPark, 1, 4*s, 5*s)}, 0},
	} {
		_, tr := run(t, append(c.events, recorded(0, 10*s), tellsIdle(format.IdleEnded)), open)
		golden.Equal(t, tr.UnendedHigh, c.high, i)
		wait := tr.Coverage.ByProvenance.Ns()
		_, high := tr.Pressure(wait, 0)
		golden.Equal(t, high, analysis.Ratio(wait+c.high, tr.RunningNs+c.high), i)
	}
}

// Two chunks of one JVM two years apart.
func TestYearsBetweenChunksAreNoRunningTime(t *testing.T) {
	const s, years = int64(1e9), 2 * 365 * 86400 * int64(1e9)
	list := []format.Event{recorded(0, 10*s), recorded(years, years+10*s), tellsIdle(format.IdleEnded),
		waits(1, 1, s, 2*s), waits(1, 1, years+s, years+2*s), starts(1, 0), starts(2, 0)}
	if _, tr := run(t, list, open); tr.ElapsedNs != 20*s || tr.RunningHigh != 40*s || tr.RunningNs > 40*s {
		t.Errorf("running %d, at most %d, of %d", tr.RunningNs, tr.RunningHigh, tr.ElapsedNs)
	}
}

func recorded(from, to int64) format.Event {
	return format.Event{Kind: format.KindRecording, Time: from, End: to}
}

func acts(what format.Activity, thread int, from, to int64) format.Event {
	return format.Event{Kind: format.KindActivity, Activity: what, Thread: format.ThreadID(thread), Time: from, End: to}
}

// Two recordings of one JVM are an hour apart. What its threads did in between is unknown,
// except for recorded waits.
func TestTimeBetweenRecordingsIsNoRunningTime(t *testing.T) {
	const s, hour = int64(1e9), int64(3600e9)
	both := []format.Event{
		recorded(0, 10*s),
		recorded(hour, hour+10*s),
		acts(format.ActivityRun, 1, s, s),
		acts(format.ActivityRun, 2, hour+s, hour+s),
	}
	for _, c := range []struct {
		name    string
		more    []format.Event
		running int64
	}{
		{"two threads", nil, 4 * 10 * s},
		{"one sleeps into the second", []format.Event{acts(format.ActivitySleep, 1, 4*s, hour+3*s)},
			4*10*s - 6*s - 3*s},
		{"one waits into the second", []format.Event{waits(1, 1, 9*s, hour+s)}, 4*10*s + hour - 10*s},
		{"pieces of one recording", []format.Event{recorded(10*s, hour)}, 2 * (hour + 10*s)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, tr := run(t, slices.Concat(both, c.more), open)
			golden.Equal(t, got.running, c.running)
			golden.Equal(t, tr.Threads, 2)
		})
	}
}

// Waits recorded in one input add to the samples of a later one.
func TestRecordedWaitsBeforeTheFirstSampleCount(t *testing.T) {
	const s = int64(1e9)
	exact := []format.Event{recorded(0, 10*s), waits(1, 1, s, 3*s)}
	tick := func(at int64) []format.Event {
		return []format.Event{
			{Kind: format.KindTick, Time: at, Weight: s, Live: 2},
			{Kind: format.KindContention, Time: at, Object: 2, Waiters: []format.Party{{Thread: 2}}},
		}
	}
	sampled := slices.Concat(tick(20*s), tick(21*s))
	input := []format.Event{{Kind: format.KindSetting, Name: format.SettingInput, Value: "next"}}
	var got summed
	if _, err := Run(&format.List{Events: slices.Concat(exact, input, sampled)}, open, &got); err != nil ||
		got != summed(4*s) {
		t.Errorf("%d ns, want %d (%v)", got, 4*s, err)
	}
}

// summed is a visitor that sums waiting in any order.
type summed int64

func (*summed) Begin(*analysis.Symbols, int64) {}

func (n *summed) Slice(s *analysis.Slice) { *n += summed(s.Ns()) }
