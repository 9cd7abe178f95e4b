package gate

import (
	"math"
	"strings"
	"testing"

	"contend/blame/compare"
	"contend/format"
	"contend/golden"
)

// A change is one that chance makes one time in twenty: of an error that is well
// known, 1.64 times that.
func TestHowOftenARuleMayFailByChance(t *testing.T) {
	for times, want := range map[float64]Status{1.5: Pass, 1.8: Fail} {
		r, run := recorded(t, "csp(total) < +0% vs baseline")
		m, calls := *r.metric, 0
		of := func(value float64) compare.Rate {
			return compare.Rate{
				WaitNs: 1,
				Value:  value,
				Within: 0.03 / math.Sqrt(6),
				Spread: 0.03 / math.Sqrt2,
				Traces: 9,
			}
		}
		m.measure = func(*Rule, []*Run) map[string]measured {
			if calls++; calls == 1 { // the baseline
				return map[string]measured{"x": {rate: of(1)}}
			}
			return map[string]measured{"x": {rate: of(1 + times*0.01)}}
		}
		r.metric = &m
		golden.Equal(t, r.check([]*Run{run}, []*Run{run}).Status, want, "grown by", times, "of its errors")
	}
}

// What no sample in n shows is less than 3/n, and the doubt says so of either unit.
func TestWhatFewSamplesCannotTell(t *testing.T) {
	for rule, want := range map[string]string{
		"csp(total) < 1%":      "30 samples cannot show shares below 10 %: take at least 300",
		"waiting(total) < .01": "30 samples cannot show less than 0.1 threads on average: take at least 300",
	} {
		r, run := recorded(t, rule)
		run.Trace.Coverage.Samples = 30
		got := r.check([]*Run{run}, nil).Doubt
		golden.Holds(golden.Labelled(t, rule), got.Reason+": "+got.Hint, want)
	}
}

// Of several doubts about a rule the one that is reported is always the same: that of the
// first subject by name.
func TestTheDoubtOfTheFirstSubjectIsReported(t *testing.T) {
	for range 20 {
		r, run := recorded(t, "csp(*) < 1%")
		run.Trace.Coverage.Samples, run.Trace.RunningHigh = 30, 10*run.Trace.RunningNs
		m := *r.metric
		m.names, m.measure = nil, func(*Rule, []*Run) map[string]measured {
			out := map[string]measured{"a": {rate: compare.Rate{Value: 0.02}}}
			for _, name := range []string{"b", "c", "d", "e", "f"} {
				out[name] = measured{rate: compare.Rate{Value: 0.001}}
			}
			return out
		}
		r.metric = &m
		if got := r.check([]*Run{run}, nil).Doubt.Reason; !strings.HasPrefix(got, "the running time of threads") {
			t.Fatalf("%q", got)
		}
	}
}

// Two runs tell how much they vary, one does not.
func TestTheMeanOfTwoRunsHasAnError(t *testing.T) {
	alone := func(value float64) compare.Rate { return compare.Rate{Value: value, Within: math.Inf(1), Traces: 1} }
	if m := mean([]compare.Rate{alone(1), alone(3)}); m.Value != 2 || math.Abs(m.SE-1) > 1e-9 || m.DF != 1 {
		t.Errorf("%+v", m)
	}
	if m := mean([]compare.Rate{alone(1)}); m.Value != 1 || !math.IsInf(m.Half, 1) {
		t.Errorf("%+v", m)
	}
}

// A rest of most of an interval counts as one, a shorter one does not.
func TestTheRestBehindTheLastInterval(t *testing.T) {
	for rest, want := range map[int64]float64{4: 0.1, 6: 1} {
		p := newPeaks(10)
		p.End = 20 + rest
		highest, _ := p.highest(map[int32]int64{0: 1, 1: 1, 2: rest}, p.intervals(false), false)
		golden.Equal(t, highest, want, "a rest of", rest, "at most")
	}
}

// The highest interval differs from run to run by less than intervals do, of which those without waiting count.
func TestTheErrorOfTheHighestInterval(t *testing.T) {
	for end, want := range map[int64]float64{10: math.Inf(1), 20: 0.1541, 40: 0.0770} {
		p := newPeaks(10)
		p.End = end
		highest, deviation := p.highest(map[int32]int64{0: 2}, p.intervals(false), false)
		golden.Equal(t, highest, 0.2)
		if deviation != want && math.Abs(deviation-want) > 1e-4 {
			t.Errorf("of %d ns: %v, want %v", end, deviation, want)
		}
	}
}

// Of short intervals the tenth highest tells how far the highest may be from that of another run.
func TestTheErrorOfTheHighestShortInterval(t *testing.T) {
	p, waits := newPeaks(10), map[int32]int64{}
	p.End = 1000
	for bin := range int32(9) {
		waits[bin] = 10
	}
	_, deviation := p.highest(waits, p.intervals(false), false)
	golden.Equal(t, deviation, 0.5, "nine of them")
	waits[9], waits[50] = 8, 1
	_, deviation = p.highest(waits, p.intervals(false), false)
	golden.Within(t, deviation, 0.1, 0.14, "ten of them")
}

// A million intervals are kept, more are refused before they take the memory.
func TestIntervalsAreBounded(t *testing.T) {
	for at, tooMany := range map[int64]bool{1e6: false, 1.1e6: true} {
		p := newPeaks(1)
		if p.Running(at, at+1, 1); p.tooMany() != tooMany {
			t.Errorf("%d intervals: refused %v", at, p.tooMany())
		}
	}
}

// Two threads live for ten seconds, and one waits for the other in the fourth:
// 5 % of all running time, half of that second's.
func TestPeaksAreOfTheWorstInterval(t *testing.T) {
	const s = int64(1e9)
	for text, want := range map[string]Status{
		"csp(*) < 6%": Pass, "csp(*) < 4%": Fail,
		"waiting(*) < 0.11": Pass, "waiting(*) < 0.09": Fail, "waiting(total) < 0.09": Fail,
		"waiting(app.Lock) <= 0.1": Pass,
		"peak csp(*) per 1s < 51%": Pass, "peak csp(*) per 1s < 49%": Fail, "peak csp(total) per 500ms < 49%": Fail,
		"peak csp(app.Lock) per 10s < 6%": Pass, "peak csp(app.*) per 2s < 24%": Fail,
		"peak csp(app.*) per 2s < 26%":  Pass,
		"peak waiting(*) per 1s < 1.01": Pass, "peak waiting(*) per 1s < 0.99": Fail,
		"peak waiting(total) per 2s < 0.49": Fail,
	} {
		rule, run := recorded(
			t,
			text,
			format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Time: 3 * s, End: 4 * s},
			format.Event{Kind: format.KindTenure, Thread: 2, Object: 1, Time: 2 * s, End: 4 * s},
		)
		for name, v := range rule.metric.measure(rule, []*Run{run}) {
			golden.Equal(t, failIf(rule.above(v.rate.Value, rule.limit)), want, text, name, v.rate.Value)
		}
	}
}
