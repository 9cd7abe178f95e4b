package pass

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

// pressure is a visitor that sums waiting by kind of lock, and running time.
type pressure struct {
	totalOnly
	sym              *analysis.Symbols
	monitors, others int64
	waits, running   int64
}

func (p *pressure) Begin(sym *analysis.Symbols, _ int64) { p.sym = sym }

func (p *pressure) Running(_, _, ns int64) { p.running += ns }

func (p *pressure) Slice(s *analysis.Slice) {
	if p.sym.Object(s.Lock).Kind == format.KindMonitor {
		p.monitors += s.Ns()
	} else {
		p.others += s.Ns()
	}
	p.waits += s.Firsts()
}

const tickNs = 1000

// sampledRun makes a trace of instants with the given numbers of threads waiting for a
// monitor and for another lock. After every tenth comes a measurement.
func sampledRun(monitor, other []int, factor func(i int) float64) []format.Event {
	events := []format.Event{
		{Kind: format.KindSetting, Name: format.SettingPeriod, Value: "1000"},
		{Kind: format.KindSetting, Name: format.SettingCalibration, Value: format.CalibrationBlocked},
		{Kind: format.KindObject, Object: 1, Class: "L", LockKind: format.KindMonitor},
		{Kind: format.KindObject, Object: 2, Class: "R", LockKind: format.KindSynchronizer},
	}
	parties := func(from, n int) (out []format.Party) {
		for i := range n {
			out = append(out, format.Party{Thread: format.ThreadID(from + i)})
		}
		return out
	}
	measured := 0.0
	for i := range monitor {
		at := int64(1e6) + int64(i)*tickNs
		events = append(
			events,
			format.Event{Kind: format.KindTick, Time: at, Intended: at, Live: uint32(monitor[i] + other[i])},
		)
		for lock, n := range map[format.ObjectID]int{1: monitor[i], 2: other[i]} {
			if n > 0 {
				events = append(
					events,
					format.Event{
						Kind:    format.KindContention,
						Time:    at,
						Object:  lock,
						Waiters: parties(10*int(lock), n),
					},
				)
			}
		}
		measured += factor(i) * tickNs * float64(monitor[i])
		if i%10 == 9 || i == len(monitor)-1 {
			events = append(
				events,
				format.Event{Kind: format.KindBlocked, Time: at, Thread: 10, Weight: int64(measured)},
			)
			measured -= float64(int64(measured))
		}
	}
	return events
}

func pressureOf(t golden.Fatal, events []format.Event, f analysis.Filter) (*pressure, *analysis.Trace) {
	p := &pressure{}
	tr := golden.Must(Run(&format.List{Events: events}, f, p))(t)
	return p, tr
}

// Samples of monitors are scaled to what the runtime measured, those of other locks are
// not. A wait stays one wait whatever its factor.
func TestSampledMonitorsAreScaledToWhatWasMeasured(t *testing.T) {
	monitor, other := make([]int, 1000), make([]int, 1000)
	for i := range monitor {
		monitor[i], other[i] = 1+i%7, i%3
	}
	for _, factor := range []float64{0.3, 0.97, 1, 1.04, 3.7} {
		events := sampledRun(monitor, other, func(int) float64 { return factor })
		got, tr := pressureOf(t, events, open)
		plain, _ := pressureOf(t, append([]format.Event{events[0]}, events[2:]...), open)
		want := factor * float64(plain.monitors)
		golden.Within(t, float64(got.monitors)-want, -1e-4*want, 1e-4*want, factor, plain.monitors)
		golden.Equal(t, got.others, plain.others, factor)
		golden.Equal(t, got.waits, plain.waits, factor)
		if n := len(tr.Coverage.Warnings); n != 1 || tr.Coverage.Warnings[0].Code != "scaled" {
			t.Errorf("%g: warnings %v", factor, tr.Coverage.Warnings)
		}
	}
}

// byMonitor is a visitor that sums waiting by lock.
type byMonitor map[format.ObjectID]int64

func (b byMonitor) Begin(*analysis.Symbols, int64) {}

func (b byMonitor) Slice(s *analysis.Slice) { b[s.Lock] += s.Ns() }

// Waiting of a thread that samples miss goes to the monitors it was sampled at; that of a
// thread without samples goes to all monitors.
func TestMissingWaitingGoesToTheThreadsMonitors(t *testing.T) {
	const ticks = 400
	events := []format.Event{
		{Kind: format.KindSetting, Name: format.SettingPeriod, Value: "1000"},
		{Kind: format.KindSetting, Name: format.SettingCalibration, Value: format.CalibrationBlocked},
		{Kind: format.KindObject, Object: 1, Class: "Slow", LockKind: format.KindMonitor},
		{Kind: format.KindObject, Object: 2, Class: "Quick", LockKind: format.KindMonitor},
	}
	for i := range ticks {
		at := int64(1e6) + int64(i)*tickNs
		events = append(
			events,
			format.Event{Kind: format.KindTick, Time: at, Intended: at, Live: 5},
			format.Event{Kind: format.KindContention, Time: at, Object: 1, Waiters: []format.Party{{Thread: 1}}},
			format.Event{
				Kind:    format.KindContention,
				Time:    at,
				Object:  2,
				Waiters: []format.Party{{Thread: 2}, {Thread: 3}},
			},
		)
		if i%10 == 9 {
			for thread, share := range map[format.ThreadID]int64{1: 15, 2: 10, 3: 10, 4: 3} {
				events = append(
					events,
					format.Event{Kind: format.KindBlocked, Time: at, Thread: thread, Weight: share * tickNs},
				)
			}
		}
	}
	got := byMonitor{}
	golden.Must(Run(&format.List{Events: events}, open, got))(t)
	for lock, want := range map[format.ObjectID]int64{1: ticks*tickNs*15/10 + ticks*tickNs/10,
		2: 2*ticks*tickNs + ticks*tickNs*2/10} {
		golden.Within(t, got[lock]-want, -want/100, want/100)
	}
}

// The end of a truncated trace, after the last measurement, is scaled like the rest.
func TestTheEndOfACutTraceIsScaledAsTheRest(t *testing.T) {
	monitor, other := make([]int, 1000), make([]int, 1000)
	for i := range monitor {
		monitor[i] = 4
	}
	events := sampledRun(monitor, other, func(int) float64 { return 1.5 })
	cut := events[:len(events)-11] // nine ticks behind the last measurement but one
	got, _ := pressureOf(t, cut, open)
	if want := 1.5 * 4 * tickNs * 995; float64(got.monitors) < 0.99*want || float64(got.monitors) > 1.01*want {
		t.Errorf("%d ns, want about %.0f", got.monitors, want)
	}
}

// Whatever was measured, waiting is at most running time in any cut, and cuts add up.
func TestScaledWaitingIsWithinRunningTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "ticks")
		count := rapid.SliceOfN(rapid.IntRange(0, 5), n, n)
		factors := rapid.SliceOfN(rapid.Float64Range(-2, 40), n, n).Draw(t, "factors")
		events := sampledRun(
			count.Draw(t, "monitor"),
			count.Draw(t, "other"),
			func(i int) float64 { return factors[i] },
		)
		if rapid.Bool().Draw(t, "both are monitors") {
			events[3].LockKind = format.KindMonitor
		}
		for i := range events {
			if events[i].Kind == format.KindBlocked {
				events[i].Thread = format.ThreadID(rapid.SampledFrom([]int{10, 11, 12, 20, 21, 30}).Draw(t, "measured"))
			}
		}
		at := int64(1e6) + rapid.Int64Range(0, int64(n)*tickNs).Draw(t, "cut")
		whole, _ := pressureOf(t, events, open)
		before, _ := pressureOf(t, events, analysis.Filter{From: format.NoTime, To: at})
		after, _ := pressureOf(t, events, analysis.Filter{From: at, To: format.NoTime})
		for _, p := range []*pressure{whole, before, after} {
			golden.AtMost(t, p.monitors+p.others, p.running, "waiting", p.monitors, "+", p.others, "running")
		}
		if before.monitors+after.monitors != whole.monitors || before.others+after.others != whole.others ||
			before.running+after.running != whole.running {
			t.Fatalf("%+v and %+v, together %+v", before, after, whole)
		}
	})
}

// Impossible measurements do no harm.
func TestWildMeasurements(t *testing.T) {
	for _, weight := range []int64{-1 << 63, -1, 0, 1<<63 - 1} {
		events := sampledRun([]int{1, 2, 0, 3}, []int{0, 0, 0, 1}, func(int) float64 { return 1 })
		for range 3 {
			events = append(events, format.Event{Kind: format.KindBlocked, Time: weight, Weight: weight})
		}
		p, _ := pressureOf(t, events, open)
		golden.Within(t, p.monitors, 0, 7*tickNs*16, weight)
	}
}
