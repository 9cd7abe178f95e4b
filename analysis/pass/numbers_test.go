package pass

import (
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/internal/record"
	"contend/format"
)

// An instant with a weight of less than the time to the next begins half way from the one
// before.
func TestWhereAWeighedInstantBegins(t *testing.T) {
	events := []format.Event{tick(100, 100, 2, 0), tick(110, 110, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)}
	for _, i := range []int{0, 1, 3} {
		events[i].Weight = 4
	}
	for to, want := range map[int64]int64{105: 0, 107: 2, 120: 4} {
		f := open
		f.To = to
		if s, _ := run(t, events, f); s.direct["t1"] != want {
			t.Errorf("up to %d: %v, want %d", to, s.direct, want)
		}
	}
}

// A warning names the class with most waits that match no rule. Waits without a lock have no
// class to name.
func TestWaitsThatNoRuleKnowsNameTheirClass(t *testing.T) {
	for object, want := range map[format.ObjectID]string{format.NoObject: "most have no recorded cause",
		1: "most of them on app.Latch"} {
		sym := analysis.NewSymbols(&format.Event{Kind: format.KindObject, Object: 1, Class: "app.Latch"})
		rec := record.New()
		rec.Unclear[object] = record.SomeWaits{N: 2, Ns: 3e6}
		got := unclassified(&record.Whole{Record: rec}, sym)
		if len(got) != 1 || !strings.Contains(got[0].Text, want) || strings.Contains(got[0].Text, "[unknown class]") {
			t.Errorf("lock %d: %v", object, got)
		}
	}
}
