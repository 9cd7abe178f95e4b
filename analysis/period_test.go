package analysis

import (
	"testing"

	"contend/format"
)

// A recorder that draws its instants by chance may take two close to each
// other: that is not its period, and what the others stand for is not cut to
// ten times as much.
func TestTheRecorderTellsItsPeriod(t *testing.T) {
	waiting := func(settings ...format.Event) int64 {
		events := append(settings, format.Event{Kind: format.KindThread, Thread: 1, Name: "w"}, format.Event{Kind: format.KindObject, Object: 1, Class: "L"})
		for _, at := range []int64{1000, 1001, 1100, 1200} {
			events = append(events, format.Event{Kind: format.KindTick, Time: at, Intended: at, Live: 1},
				format.Event{Kind: format.KindContention, Time: at, Object: 1, Waiters: []format.Party{{Thread: 1}}})
		}
		tr, err := Run(&format.List{Events: events}, Filter{From: format.NoTime, To: format.NoTime})
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for _, ns := range tr.Coverage.ByProvenance {
			sum += ns
		}
		return sum
	}
	told := waiting(format.Event{Kind: format.KindSetting, Name: format.SettingPeriod, Value: "100"})
	if guessed := waiting(); told != 250 || guessed < 200 {
		t.Errorf("%d ns of waiting, %d where the period is guessed", told, guessed)
	}
}
