package locks

import (
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func symbols() *analysis.Symbols {
	return analysis.NewSymbols(
		&format.Event{Kind: format.KindObject, Object: 1, Class: "Cache", Hash: 0xa, LockKind: format.KindMonitor},
		&format.Event{Kind: format.KindObject, Object: 2, Class: "Cache", Hash: 0xb, LockKind: format.KindMonitor},
		&format.Event{
			Kind:     format.KindObject,
			Object:   3,
			Class:    "Journal",
			Name:     "the journal",
			LockKind: format.KindMonitor,
		},
	)
}

// slice is one whole wait, or with length 0 a further slice of one.
func slice(from, to int64, t format.ThreadID, l format.ObjectID, length int64) *analysis.Slice {
	o := analysis.Owner{Thread: 9, Prov: analysis.Likely(1)}
	return &analysis.Slice{
		Start:   from,
		End:     to,
		Lock:    l,
		Waiters: []analysis.Waiter{{Thread: t, First: length > 0, WaitNs: length}},
		Shares:  []analysis.Share{{Ns: to - from, Direct: o, Root: o, Hops: 1}},
	}
}

// collect sums what three threads waited for on three locks over 1000 ns of
// running time: two at once for Cache a (one of them in two slices), one for
// Cache b, one for the journal.
func collect(byClass bool) *Collector {
	c := New(byClass)
	c.Begin(symbols(), 0)
	c.Running(0, 100, 600)
	c.Running(100, 200, 400)
	for _, s := range []*analysis.Slice{
		slice(0, 30, 1, 1, 50), slice(30, 50, 1, 1, 0), slice(10, 50, 2, 1, 40),
		slice(60, 80, 3, 2, 20), slice(100, 101, 1, 3, 1),
	} {
		c.Slice(s)
	}
	return c
}

func known(ns int64) (k analysis.Known) {
	k.AddWaiting(analysis.Likely(1), ns)
	return k
}

func TestRowsByLockAndByClass(t *testing.T) {
	journal := Row{
		Lock:         "the journal",
		Class:        "Journal",
		Kind:         "monitor",
		Waits:        1,
		WaitNs:       1,
		WallNs:       1,
		MaxNs:        1,
		P50Ns:        1,
		P99Ns:        1,
		CSP:          0.001,
		Waiters:      1,
		ByProvenance: known(1),
	}
	byLock := []Row{
		{
			Lock:         "Cache@a",
			Class:        "Cache",
			Kind:         "monitor",
			Waits:        2,
			WaitNs:       90,
			WallNs:       50,
			MaxNs:        50,
			P50Ns:        40,
			P99Ns:        50,
			CSP:          0.09,
			Waiters:      2,
			ByProvenance: known(90),
		},
		{
			Lock:         "Cache@b",
			Class:        "Cache",
			Kind:         "monitor",
			Waits:        1,
			WaitNs:       20,
			WallNs:       20,
			MaxNs:        20,
			P50Ns:        20,
			P99Ns:        20,
			CSP:          0.02,
			Waiters:      1,
			ByProvenance: known(20),
		},
		journal}
	if diff := cmp.Diff(byLock, collect(false).Rows(), cmpopts.IgnoreUnexported(Row{}),
		cmpopts.IgnoreFields(Row{}, "ID")); diff != "" {
		t.Error(diff)
	}
	journal.Lock = "Journal"
	byClass := []Row{
		{
			Lock:         "Cache",
			Class:        "Cache",
			Kind:         "monitor",
			Waits:        3,
			WaitNs:       110,
			WallNs:       70,
			MaxNs:        50,
			P50Ns:        40,
			P99Ns:        50,
			CSP:          0.11,
			Waiters:      3,
			ByProvenance: known(110),
		},
		journal}
	if diff := cmp.Diff(byClass, collect(true).Rows(), cmpopts.IgnoreUnexported(Row{}),
		cmpopts.IgnoreFields(Row{}, "ID")); diff != "" {
		t.Error(diff)
	}
	want := Row{
		Waits:        4,
		WaitNs:       111,
		WallNs:       71,
		MaxNs:        50,
		P50Ns:        20,
		P99Ns:        50,
		CSP:          0.111,
		Waiters:      3,
		ByProvenance: known(111),
	}
	if diff := cmp.Diff(want, collect(false).Total(), cmpopts.IgnoreUnexported(Row{}),
		cmpopts.IgnoreFields(Row{}, "ID")); diff != "" {
		t.Error(diff)
	}
	golden.Equal(t, collect(true).RunningNs(), 1000, "running")
}

// A lock tried and got within the clock's resolution is a wait of length
// zero: it counts among the lengths, or the median would be of the others.
func TestWaitsOfLengthZeroHaveALength(t *testing.T) {
	c := New(false)
	c.Begin(symbols(), 0)
	for range 3 {
		c.Slice(&analysis.Slice{Start: 5, End: 5, Lock: 1, Waiters: []analysis.Waiter{{Thread: 1, First: true}}})
	}
	c.Slice(slice(10, 20, 1, 1, 10))
	if r := c.Rows()[0]; r.Waits != 4 || r.P50Ns != 0 || r.P99Ns != 10 {
		t.Errorf("%+v", r)
	}
}

// Sampled waits have no known length: no percentile is made up.
func TestSampledWaitsHaveNoPercentiles(t *testing.T) {
	var l format.List
	golden.Must(simulate.Run(simulate.Config{Scenario: "ping-pong", Threads: 3, Duration: 1e9}, nil, &l))(t)
	c := New(false)
	golden.Must(pass.Run(&l, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
	if r := c.Total(); r.WaitNs == 0 || r.Waits == 0 || r.MaxNs != 0 || r.P50Ns != 0 || r.P99Ns != 0 {
		t.Errorf("%+v", r)
	}
}

func TestNoWaits(t *testing.T) {
	c := New(true)
	c.Begin(symbols(), 0)
	if r := c.Total(); len(c.Rows()) != 0 || r.WaitNs != 0 || r.CSP != 0 {
		t.Errorf("%v, total %+v", c.Rows(), r)
	}
}

// On random runs: rows sum to the total and to the simulator's truth, by lock
// and by class; wall-time is no more than thread-time, pressure lies in [0, 1].
func TestRowsSumToTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l format.List
		truth := golden.Must(simulate.Run(golden.RandomProgram(t), &l, nil))(t)
		byLock, byClass := New(false), New(true)
		golden.Must(pass.Run(&l, analysis.Filter{From: format.NoTime, To: format.NoTime}, byLock, byClass))(t)
		for _, c := range []*Collector{byLock, byClass} {
			var sum Row
			for _, r := range c.Rows() {
				sum.Waits += r.Waits
				sum.WaitNs += r.WaitNs
				if r.WallNs > r.WaitNs || r.CSP < 0 || r.CSP > 1 || r.MaxNs > r.WaitNs || int64(r.Waiters) > r.Waits {
					t.Errorf("%+v", r)
				}
			}
			for n := range c.Rows() {
				if top := c.Top(n + 1); len(top) != n+1 ||
					!cmp.Equal(top, c.Rows()[:n+1], cmpopts.IgnoreUnexported(Row{})) {
					t.Errorf("the first %d rows: %+v", n+1, top)
				}
			}
			if total := c.Total(); sum.WaitNs != total.WaitNs || sum.Waits != total.Waits ||
				total.WaitNs != truth.WaitNs || total.Waits != truth.Waits || c.RunningNs() != truth.RunningNs {
				t.Errorf(
					"rows sum to %d waits of %d ns, total %+v, truth %d of %d",
					sum.Waits,
					sum.WaitNs,
					total,
					truth.Waits,
					truth.WaitNs,
				)
			}
		}
	})
}

// Any percentile of a row can be asked for, and those of a row without whole
// waits are 0.
func TestPercentiles(t *testing.T) {
	total := collect(false).Total()
	for q, want := range map[float64]int64{25: 1, 50: 20, 75: 40, 99.9: 50} {
		golden.Equal(t, total.Percentile(q), want, q, "% of the waits")
	}
	none := Row{}
	golden.Equal(t, none.Percentile(99), 0, "of no waits")
}
