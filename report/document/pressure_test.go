package document

import (
	"testing"

	"contend/analysis"
	"contend/format"
)

// What an input hides of virtual threads may all be acquiring: so much more at most, or any
// amount where nothing bounds it.
func TestHiddenWaitingWidensPressure(t *testing.T) {
	tr := &analysis.Trace{RunningNs: 60, RunningHigh: 60}
	tr.Coverage.ByProvenance[analysis.ByTenure] = 30
	for _, c := range []struct {
		warning string
		hidden  int64
		high    float64
	}{
		{"damaged", 40, 0}, // says nothing of pressure
		{format.HiddenVirtual, 40, 0.7},
		{format.HiddenVirtual, 0, 1},
		{format.UnlistedThreads, 0, 1},
		{format.UnseenSites, 0, 1},
	} {
		p := NewCoverage(format.Stats{Warnings: []format.Warning{{Code: c.warning, Hidden: c.hidden}}}, tr).Pressure
		switch {
		case p == nil && c.high != 0:
			t.Errorf("%s of %d: no range", c.warning, c.hidden)
		case p != nil && (p.Low != 0.5 || p.High != c.high):
			t.Errorf("%s of %d: %v, want 0.5 to %v", c.warning, c.hidden, *p, c.high)
		}
	}
}
