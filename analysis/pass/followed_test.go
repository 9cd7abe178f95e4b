package pass

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// Where a recorder followed some locks, those have the owners that are recorded, and are free between
// holds; the owners of others are inferred. The samples beside count all threads that run, so that
// nothing is doubtful about pressure.
func TestSomeLocksAreFollowed(t *testing.T) {
	followed := []format.Event{
		{Kind: format.KindSetting, Name: format.SettingTenures, Value: format.TenuresContended},
		{Kind: format.KindWait, Time: 100, End: 200, Thread: 2, Object: 1},
		{Kind: format.KindTenure, Time: 100, End: 180, Thread: 1, Object: 1},
		{Kind: format.KindWait, Time: 100, End: 200, Thread: 4, Object: 2, Owner: 3},
		tick(100, 100, 4, 0),
		tick(150, 150, 4, 0),
	}
	s, tr := run(t, followed, open)
	got := s.direct
	golden.Equal(t, got["t1"], int64(80), "the recorded owner")
	golden.Equal(t, got["handoff"], int64(20), "the lock that was followed is free after its last hold")
	known := tr.Coverage.ByProvenance
	golden.Equal(t, known[analysis.ByTenure], int64(100), "waiting with recorded owners")
	for _, w := range tr.Coverage.Warnings {
		if w.Code == format.CodeMixed {
			t.Errorf("doubtful: %s", w.Text)
		}
	}
}
