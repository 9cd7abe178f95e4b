package waits

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"pgregory.net/rapid"
)

func symbols() *analysis.Symbols {
	frames := []format.Frame{{Class: "java.lang.Object", Method: "wait"}, {Class: "Shop", Method: "buy"}}
	return analysis.NewSymbols(
		&format.Event{Kind: format.KindThread, Thread: 1, Name: "worker-1"},
		&format.Event{Kind: format.KindThread, Thread: 2, Name: "worker-2"},
		&format.Event{Kind: format.KindStack, Stack: 1, Frames: frames},
		&format.Event{Kind: format.KindObject, Object: 1, Class: "Cache", Hash: 0xa},
		&format.Event{Kind: format.KindObject, Object: 2, Class: "Cache", Hash: 0xb})
}

// failer is what tests, benchmarks and checks of properties have.
type failer interface {
	Helper()
	Fatal(...any)
}

func newCollector(t failer, o Options) *Collector {
	t.Helper()
	return golden.Must(New(o))(t)
}

// collect gives three whole waits, one of them in two slices.
func collect(t failer, o Options) *Collector {
	c := newCollector(t, o)
	c.Begin(symbols(), 1000)
	for _, s := range []analysis.Slice{
		{Start: 1000, End: 1030, Lock: 1, Waiters: []analysis.Waiter{{Thread: 1, Stack: 1, First: true, WaitNs: 50}}},
		{Start: 1030, End: 1050, Lock: 1, Waiters: []analysis.Waiter{{Thread: 1, Stack: 1}}},
		{Start: 1100, End: 1110, Lock: 2, Waiters: []analysis.Waiter{{Thread: 2, Stack: 1, First: true, WaitNs: 10}}},
		{Start: 1200, End: 1200, Lock: 1, Waiters: []analysis.Waiter{{Thread: 2, Mode: format.Shared, First: true}}},
	} {
		c.Slice(&s)
	}
	return c
}

func TestRowsByEveryKey(t *testing.T) {
	for by, want := range map[string]string{
		"class":         "Cache:3:50",
		"lock":          "Cache@a:2:50 Cache@b:1:10",
		"waiter-method": "Shop.buy:2:50 [unknown stack]:1:0",
		"waiter-thread": "worker-1:1:50 worker-2:2:10",
		"waiter-group":  "worker-:3:50",
		"mode":          "exclusive:2:50 shared:1:0",
		"class, mode":   "Cache exclusive:2:50 Cache shared:1:0",
	} {
		c := collect(t, Options{By: by})
		var got []string
		for _, r := range c.Rows() {
			exact := r.Lengths.Exact
			got = append(got, fmt.Sprintf("%s:%d:%d", strings.Join(r.Keys, " "), exact.Count(), exact.Max()))
		}
		golden.Same(t, strings.Join(got, " "), want, "by", by)
		golden.Equal(t, c.Total().Waits(), 3, "by", by, "waits in total")
	}
}

func TestWrongKeys(t *testing.T) {
	for by, want := range map[string]string{"owner": "there are class, lock", "lock,lock": "twice", "": "no key"} {
		if _, err := New(Options{By: by}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", by, err)
		}
	}
}

func TestIntervalsHoldEveryWaitWhereItBegins(t *testing.T) {
	c := collect(t, Options{By: "lock", IntervalNs: 100})
	var got []string
	for _, iv := range c.Intervals() {
		got = append(got, fmt.Sprintf("%s %d-%d %d", iv.Tag, iv.Start, iv.End, iv.Lengths.Count()))
	}
	slices.Sort(got)
	want := []string{"Cache@a 1000-1100 1", "Cache@a 1200-1300 1", "Cache@b 1100-1200 1"}
	golden.Same(t, got, want)
}

func TestCorrectedStandsBesideExact(t *testing.T) {
	l := collect(t, Options{By: "class", ExpectedNs: 20}).Total()
	// 50 stands for 30 too; 10 is not later than expected, 0 neither.
	if l.Exact.Count() != 3 || l.Corrected.Count() != 4 || l.Corrected.Max() != 50 {
		t.Errorf("%d recorded, %d corrected", l.Exact.Count(), l.Corrected.Count())
	}
	golden.Equal(t, collect(t, Options{By: "class"}).Total().Corrected.Count(), 0, "corrected, none asked for")
}

// seen is a sample at one of the ticks 10, 20, 30 ...
func seen(at int64, first bool) *analysis.Slice {
	return &analysis.Slice{
		Start:   at - 5,
		End:     at + 5,
		Lock:    1,
		Waiters: []analysis.Waiter{{Thread: 1, First: first}},
		Sample:  analysis.Sample{Taken: true, Before: at - 10, First: at, Last: at, After: at + 10},
	}
}

func TestSampledWaitsAreBounded(t *testing.T) {
	c := newCollector(t, Options{By: "lock", IntervalNs: 1000})
	c.Begin(symbols(), 0)
	for _, s := range []*analysis.Slice{seen(20, true), seen(30, false), seen(40, false), seen(60, true)} {
		c.Slice(s)
	}
	edge := seen(80, true)
	edge.Sample.Before, edge.Sample.After = format.NoTime, format.NoTime
	c.Slice(edge)
	l := c.Total()
	if l.Waits() != 3 || l.Exact.Count() != 0 || l.Open != 1 {
		t.Errorf("%d waits, %d open", l.Waits(), l.Open)
	}
	if l.AtLeast.Max() != 20 || l.AtLeast.Min() != 0 || l.AtMost.Max() != 40 || l.AtMost.Min() != 10 {
		t.Errorf(
			"at least %d to %d, at most %d to %d",
			l.AtLeast.Min(),
			l.AtLeast.Max(),
			l.AtMost.Min(),
			l.AtMost.Max(),
		)
	}
	var tags []string
	for _, iv := range c.Intervals() {
		tags = append(tags, iv.Tag)
	}
	slices.Sort(tags)
	golden.Same(t, tags, []string{"Cache@a:at-least", "Cache@a:at-most"})
}

// A wait that was going on before the cut, or goes on behind it, may have been
// longer than what the cut shows of it.
func TestSampledWaitsAtTheEdgesOfTheCutAreOpen(t *testing.T) {
	var events []format.Event
	for at := int64(0); at < 1000; at += 10 {
		events = append(
			events,
			format.Event{Kind: format.KindTick, Time: 1000 + at, Intended: 1000 + at, Live: 2},
			format.Event{
				Kind:    format.KindContention,
				Time:    1000 + at,
				Object:  1,
				Owners:  []format.Party{{Thread: 1}},
				Waiters: []format.Party{{Thread: 2}},
			},
		)
	}
	for _, c := range []struct{ from, to, most int64 }{
		{1500, format.NoTime, 1995 - 1500},
		{format.NoTime, 1500, 1500 - 995},
		{1403, 1507, 1510 - 1400}, // seen at both, which stand for time in the cut
	} {
		h := newCollector(t, Options{By: "lock"})
		golden.Must(pass.Run(&format.List{Events: events}, analysis.Filter{From: c.from, To: c.to}, h))(t)
		if l := h.Total(); l.Waits() != 1 || l.Open != 1 || l.AtMost.Max() != c.most {
			t.Errorf("from %d to %d: %d waits, %d open, at most %d", c.from, c.to, l.Waits(), l.Open, l.AtMost.Max())
		}
	}
}

// Of random runs, exact and sampled: every wait is in one row, and in one
// interval; a wait's least length is below its greatest.
func TestRowsAndIntervalsSumToTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var exact, sampled format.List
		config := golden.RandomProgram(t)
		truth := golden.Must(simulate.Run(config, &exact, &sampled))(t)
		by := strings.Join(rapid.Permutation(blame.Keys(blame.Lengths)).Draw(t, "keys")[:2], ",")
		for _, l := range []*format.List{&exact, &sampled} {
			c := newCollector(t, Options{By: by, IntervalNs: 7e6})
			golden.Must(pass.Run(l, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
			total, rows, parts := c.Total(), int64(0), int64(0)
			for _, r := range c.Rows() {
				rows += r.Lengths.Waits()
			}
			for _, iv := range c.Intervals() {
				if !strings.HasSuffix(iv.Tag, AtMostTag) {
					parts += iv.Lengths.Count()
				}
			}
			if rows != total.Waits() || parts != rows || total.AtLeast.Count() != total.AtMost.Count() {
				t.Errorf("%d in rows, %d in intervals, %d in total", rows, parts, total.Waits())
			}
			if l == &exact && total.Exact.Count() != truth.Waits {
				t.Errorf("%d waits, truth %d", total.Exact.Count(), truth.Waits)
			}
			if l == &sampled &&
				(total.Exact.Count() != 0 || total.AtLeast.Max() > total.AtMost.Max() ||
					total.AtLeast.Max() > config.Duration) {
				t.Errorf("at least %d, at most %d", total.AtLeast.Max(), total.AtMost.Max())
			}
		}
	})
}

// Once a row has its histogram a wait, or a sample that shows one, allocates nothing.
func TestNoAllocationPerWait(t *testing.T) {
	c := newCollector(t, Options{By: "class,waiter-method", ExpectedNs: 1000})
	c.Begin(symbols(), 0)
	whole := &analysis.Slice{Lock: 1, Waiters: []analysis.Waiter{{Thread: 1, Stack: 1, First: true, WaitNs: 5000}}}
	sampled := seen(20, true)
	for range 5000 {
		c.Slice(whole)
		c.Slice(sampled)
	}
	golden.Equal(t, testing.AllocsPerRun(1000, func() { c.Slice(whole); c.Slice(sampled) }), 0, "allocations")
}
