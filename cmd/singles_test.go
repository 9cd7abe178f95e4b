package cmd

import (
	"io"
	"slices"
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/blame/findings"
	"contend/blame/locks"
	"contend/blame/overview"
	"contend/csp"
	"contend/format"
	"contend/format/simulate/drawn"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// summing are the visitors that take slices together.
type summing struct {
	pivot, root *blame.Pivot
	locks       *locks.Collector
	about       *overview.Collector
	fine, last  *csp.Meter
	seen        *findings.Evidence
}

func newSumming() *summing {
	by := []blame.Key{blame.ByClass, blame.ByOwnerStack, blame.ByOwnerBlockedOn}
	return &summing{pivot: blame.New(by, false), root: blame.New([]blame.Key{blame.ByRootLock, blame.ByOwnerThread}, true),
		locks: locks.New(false), about: overview.New(overview.Options{}),
		fine: csp.New(csp.Options{IntervalNs: 1e6}), last: csp.New(csp.Options{IntervalNs: 1e9, Root: true}), seen: findings.NewEvidence()}
}

// The same visitors, who want slices one by one.
type (
	eachPivot    struct{ *blame.Pivot }
	eachLocks    struct{ *locks.Collector }
	eachAbout    struct{ *overview.Collector }
	eachMeter    struct{ *csp.Meter }
	eachEvidence struct{ *findings.Evidence }
)

func (eachPivot) Singles(*analysis.Singles) bool    { return false }
func (eachLocks) Singles(*analysis.Singles) bool    { return false }
func (eachAbout) Singles(*analysis.Singles) bool    { return false }
func (eachMeter) Singles(*analysis.Singles) bool    { return false }
func (eachEvidence) Singles(*analysis.Singles) bool { return false }

func (s *summing) together() []analysis.Visitor {
	return []analysis.Visitor{s.pivot, s.root, s.locks, s.about, s.fine, s.last, s.seen}
}

func (s *summing) oneByOne() []analysis.Visitor {
	return []analysis.Visitor{eachPivot{s.pivot}, eachPivot{s.root}, eachLocks{s.locks}, eachAbout{s.about}, eachMeter{s.fine}, eachMeter{s.last}, eachEvidence{s.seen}}
}

// results are what the visitors tell.
func (s *summing) results(tr *analysis.Trace) []any {
	out := []any{s.pivot.Table(), s.root.Table(), s.locks.Rows(), s.locks.Total(), s.about.Locks(), s.about.Inversions(), s.about.TotalNs()}
	for _, m := range []*csp.Meter{s.fine, s.last} {
		if series, err := m.Series(); err == nil {
			out = append(out, slices.Collect(series.Intervals()), series.Phases, series.WaitNs)
		}
	}
	return append(out, findings.Find(s.about, s.about.Locks(), s.seen, findings.Trace{Symbols: tr.Symbols}))
}

func compareSumming(t rapid.TB, run func(...analysis.Visitor) *analysis.Trace) {
	t.Helper()
	some, each := newSumming(), newSumming()
	tr := run(append(some.together(), each.oneByOne()...)...)
	if diff := cmp.Diff(each.results(tr), some.results(tr), cmpopts.IgnoreUnexported(blame.Table{}, blame.Row{}, locks.Row{}, csp.Phase{}, csp.Pressure{})); diff != "" {
		t.Errorf("one by one and together differ:\n%s", diff)
	}
}

// Whether slices are given together or one by one changes no sum.
func TestSlicesTogetherSumToTheSame(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	rapid.Check(t, func(t *rapid.T) {
		trace := drawn.Run(t)
		compareSumming(t, func(v ...analysis.Visitor) *analysis.Trace {
			tr, err := analysis.Run(trace, analysis.Filter{From: format.NoTime, To: format.NoTime}, v...)
			if err != nil {
				t.Fatal(err)
			}
			return tr
		})
	})
	for _, path := range []string{"../testdata/truth-8threads.jfr", "../testdata/derby-8clients.jfr"} {
		compareSumming(t, func(v ...analysis.Visitor) *analysis.Trace {
			res, err := (&traceOptions{paths: []string{path}}).run(&env{out: io.Discard, msg: io.Discard}, v...)
			if err != nil {
				t.Fatal(err)
			}
			return res.trace
		})
	}
}
