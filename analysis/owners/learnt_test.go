package owners

import (
	"testing"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// What was learnt before of a call site holds for the class it was learnt of, by the
// number the site had then.
func TestWhatWasLearntIsFoundByCallSite(t *testing.T) {
	known := learnt{}
	var gaps []renewal.Gap
	for i := range 200 {
		gaps = append(gaps, renewal.Gap{Site: i % 2, Length: 1e6 + int64(i)*3e3})
	}
	known.add(1, []format.StackID{7, 8}, renewal.Learn(&renewal.Data{Gaps: gaps}, 2, []renewal.Mix{{1, 1}}).Learnt())
	sites, often := []format.StackID{9, 8, 7}, renewal.Mix{1, 2, 1}
	got := known.before(1, sites, often)
	if got == nil || got.Sites[0] != -1 || got.Sites[1] != 1 || got.Sites[2] != 0 {
		t.Errorf("%+v", got)
	}
	if known.before(2, sites, often) != nil {
		t.Error("of another class the same is known")
	}
}
