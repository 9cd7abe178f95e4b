package table

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// No command states a pressure as exact, or to an interval of samples, where the running time that it
// is a share of is known in a range.
func TestAPressureHasTheRangeOfTheRunningTime(t *testing.T) {
	half := 0.00067
	cov := document.Coverage{
		Unit:     document.UnitNs,
		Running:  &document.Bounds{LowNs: 100, HighNs: 200},
		Pressure: &document.Shares{Low: 0.45, High: 0.9},
	}
	list := []document.Pressure{{Class: "L", Lock: "L", WaitNs: 90, CSP: 0.9, PlusMinus: &half}}
	d := &document.CSP{
		Sampled:   true,
		Intervals: []document.Interval{{EndNs: 100, RunningNs: 100, Locks: list}},
		Phases: []document.Phase{{
			Class:     "L",
			Lock:      "L",
			Locks:     1,
			EndNs:     100,
			WaitNs:    90,
			CSP:       0.9,
			PlusMinus: &half,
		}},
		Total:    document.Total{Waiting: document.Waiting{WaitNs: 90}, RunningNs: 100},
		Coverage: cov,
	}
	for _, chart := range []bool{false, true} {
		var out bytes.Buffer
		golden.OK(t, CSP(&out, d, Options{Chart: chart}))
		if strings.Contains(out.String(), "% ±") || !strings.Contains(out.String(), "45.0 to 90.1 %") {
			t.Errorf("%s", out.String())
		}
		if !strings.Contains(out.String(), "between 45.0 % and 90.0 %") {
			t.Errorf("%s", out.String())
		}
	}
}

// Tags of interval logs are named as locks are elsewhere, without addresses that tell nothing.
func TestTagsAreNamedAsLocks(t *testing.T) {
	d := &document.Hist{By: []string{"tag"}, Rows: []document.HistRow{
		{Keys: []string{"a.b.Ledger@7f6bbc0035a0"}},
		{Keys: []string{"a.b.Till@7f6c18003e70"}},
		{Keys: []string{"a.b.Till@7f6c18103e70"}},
		{Keys: []string{"requests"}},
	}}
	digits := d.TagDigits()
	for i, want := range []string{"Ledger", "Till @003e70", "Till @103e70", "requests"} {
		golden.Equal(t, tagCell(d.Rows[i].Keys[0], digits).Text, want, i)
	}
}

// A profile sums durations: they have units in every table.
func TestSumsOfProfilesAreDurations(t *testing.T) {
	golden.Equal(t, measureOf(document.Coverage{Unit: "delays"}).cell(198_531_710).Text, "199 ms", "delays")
	golden.Equal(t, measureOf(document.Coverage{Unit: "acquisitions"}).cell(1234).Text, "1,234", "acquisitions")
}

// A range of factors begins with the most likely, also where it may be a loss.
func TestAFactorBeginsWithTheMostLikely(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1.04, 1.71, "x 1.33 (1.04 to 1.71)"}, {0.85, 1.31, "x 1.06 (0.85 to 1.31)"}, {1.001, 1.002, "no change"},
		{1.5, 1.5, "x 1.50"}, {1.5, -1, "x 1.50 or more"},
	} {
		middle := math.Sqrt(c.low * max(c.high, 0))
		golden.Equal(t, throughput(c.low, c.high, &middle), c.want, c.low, c.high)
	}
	golden.Equal(t, throughput(0.85, 1.31, nil), "x 0.85 to 1.31", "bounds have no middle")
}
