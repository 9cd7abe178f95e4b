package findings

import (
	"strings"
	"testing"

	"contend/blame"
)

// A lock that the JVM has while a class is initialised can be neither given back nor taken
// in another order.
func TestInitialisationIsNoLockOfTheProgram(t *testing.T) {
	const class = "initialisation of shop.Catalog"
	for k := range kinds {
		f, lock := Finding{Kind: Kind(k), Class: class}, Finding{Kind: Kind(k), Class: "shop.Cart"}
		if lock.Title() != kinds[k].title || lock.Remedy() != kinds[k].remedy {
			t.Errorf("%s of another lock: %q, %q", kinds[k].name, lock.Title(), lock.Remedy())
		}
		if strings.Contains(f.Remedy(), " lock") || strings.Contains(f.Title(), "holding the lock") || !strings.Contains(f.Remedy(), "initialised") {
			t.Errorf("%s: %q, %q", kinds[k].name, f.Title(), f.Remedy())
		}
		if f := (Finding{Kind: Kind(k), Class: "sync.Once"}); kinds[k].doing != blame.DoingUnknown && !strings.Contains(f.Remedy(), "what runs once") {
			t.Errorf("%s: %q", kinds[k].name, f.Remedy())
		}
		if evidence := k >= int(AsleepHolding) && k <= int(DescheduledHolding); evidence != strings.HasSuffix(f.Title(), " holding up the "+class) {
			t.Errorf("%s is %q", kinds[k].name, f.Title())
		}
	}
}
