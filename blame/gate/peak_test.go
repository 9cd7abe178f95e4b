package gate

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// Two threads live for ten seconds, and one waits for the other in the fourth:
// 5 % of all running time, half of that second's.
func TestPeaksAreOfTheWorstInterval(t *testing.T) {
	const s = int64(1e9)
	list := &format.List{}
	for _, ev := range []format.Event{
		{Kind: format.KindThread, Thread: 1, Name: "a"}, {Kind: format.KindThread, Thread: 2, Name: "b"},
		{Kind: format.KindObject, Object: 1, Class: "app.Lock"}, {Kind: format.KindRecording, Time: 0, End: 10 * s},
		{Kind: format.KindThreadStart, Thread: 1, Time: 0}, {Kind: format.KindThreadStart, Thread: 2, Time: 0},
		{Kind: format.KindThreadEnd, Thread: 1, Time: 10 * s}, {Kind: format.KindThreadEnd, Thread: 2, Time: 10 * s},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: 3 * s, End: 4 * s},
		{Kind: format.KindTenure, Thread: 2, Object: 1, Time: 2 * s, End: 4 * s},
	} {
		golden.OK(t, list.Write(&ev))
	}
	for text, want := range map[string]Status{
		"csp(*) < 6%": Pass, "csp(*) < 4%": Fail,
		"waiting(*) < 0.11": Pass, "waiting(*) < 0.09": Fail, "waiting(total) < 0.09": Fail, "waiting(app.Lock) <= 0.1": Pass,
		"peak csp(*) per 1s < 51%": Pass, "peak csp(*) per 1s < 49%": Fail, "peak csp(total) per 500ms < 49%": Fail,
		"peak csp(app.Lock) per 10s < 6%": Pass, "peak csp(app.*) per 2s < 24%": Fail, "peak csp(app.*) per 2s < 26%": Pass,
		"peak waiting(*) per 1s < 1.01": Pass, "peak waiting(*) per 1s < 0.99": Fail, "peak waiting(total) per 2s < 0.49": Fail,
	} {
		rule, err := Parse(text)
		golden.OK(t, err)
		list.Rewind()
		run := NewRun(rule)
		if run.Trace, err = analysis.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, run.Visitors()...); err != nil {
			t.Fatal(err)
		}
		for name, v := range rule.metric.measure(&rule, []*Run{run}) {
			if got := failIf(rule.above(v.Value, rule.limit)); got != want {
				t.Errorf("%s: %s has %v: %s, want %s", text, name, v.Value, got, want)
			}
		}
	}
}
