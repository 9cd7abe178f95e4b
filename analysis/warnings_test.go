package analysis

import (
	"strings"
	"testing"

	"contend/analysis/owners"
	"contend/format"
)

// Dumps that agree less than expected are a reason for doubt; dumps that agree more are not.
func TestOnlyDumpsThatAgreeLessAreADoubt(t *testing.T) {
	for code, agrees := range map[string]int64{"disagreement": 300, "modesty": 900} {
		c := &Trust{Seen: owners.Agreement{Dumps: 100, Asked: 1000, Agrees: agrees, Squares: 10000}}
		c.Known.Add(Likely(0.6), 1000)
		w := disagreement(c)
		if len(w) != 1 || w[0].Code != code || !strings.Contains(w[0].Text, "where it expects 60 % itself") {
			t.Errorf("%d of 1000 agree: %+v, want %s", agrees, w, code)
		}
	}
}

// A warning names the class with most waits that match no rule. Waits without a lock have no
// class to name.
func TestWaitsThatNoRuleKnowsNameTheirClass(t *testing.T) {
	defs := newDefinitions()
	for object, want := range map[format.ObjectID]string{format.NoObject: "without a word", 1: "most of them on app.Latch"} {
		defs.add(&format.Event{Kind: format.KindObject, Object: 1, Class: "app.Latch"})
		rec := newRecord()
		rec.unclear[object] = someWaits{n: 2, ns: 3e6}
		got := rec.unclassified(defs)
		if len(got) != 1 || !strings.Contains(got[0].Text, want) || strings.Contains(got[0].Text, "[unknown class]") {
			t.Errorf("lock %d: %v", object, got)
		}
	}
}
