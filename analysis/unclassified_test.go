package analysis

import (
	"strings"
	"testing"

	"contend/format"
)

// A thread may sleep without any lock being told: the class of no lock is no
// name to print.
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
