package document

import (
	"math"
	"testing"

	"contend/analysis"
	"contend/golden"
)

// Thread dumps are a survey: four times as many halve the interval of a share, and few give none.
func TestSharesHaveTheIntervalOfTheirDumps(t *testing.T) {
	half := func(dumps int, share float64) *float64 {
		var l Lock
		l.Owners = []Owner{{Share: share}}
		l.surveyed(analysis.Agreement{Dumps: dumps, Waiters: int64(dumps), SquaredWaiters: int64(dumps)})
		return l.Owners[0].SharePlusMinus
	}
	if got := half(19, 0.5); got != nil {
		t.Errorf("an interval of %v by few dumps", *got)
	}
	golden.Equal(t, math.Round(1000**half(96, 0.5)), 98)  // 1.96 * sqrt(.25 / 100)
	golden.Equal(t, math.Round(1000**half(396, 0.5)), 49) // of four times as many
	golden.AtLeast(t, *half(96, 1), 0.01)                 // all dumps show it: so would many others
}
