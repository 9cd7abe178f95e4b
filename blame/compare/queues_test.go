package compare

import (
	"maps"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
)

// oneByOne is a profile that hears of each who waits in a crowd, in each slice.
type oneByOne struct{ analysis.Visitor }

// sums are what the rows sum to, by their names.
func sums(r *rows) map[string]int64 {
	out := map[string]int64{}
	for i, name := range r.names {
		out[name] = r.ns[i]
	}
	return out
}

// Those who wait together are in the rows in which each is alone, and as many are looked
// at as there are kinds of them.
func TestCrowdsAreComparedAsOneByOne(t *testing.T) {
	for _, scenario := range []string{"ping-pong", "convoy", "nested", "random", "reader-writer"} {
		var list format.List
		golden.Must(simulate.Run(simulate.Config{Scenario: scenario, Threads: 70, Locks: 2, Duration: 4e6, Period: 1e7, Seed: 7}, &list, nil))(t)
		var together, apart Profile
		golden.Must(analysis.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, &together, oneByOne{&apart}))(t)
		all := func(p *Profile) map[string]int64 {
			out := sums(&p.sites)
			maps.Copy(out, sums(&p.owners))
			maps.Copy(out, sums(&p.chains))
			cells := p.finish()
			for _, ns := range cells.Series(p.total) {
				out["all"] += ns
			}
			for i, name := range p.sites.names {
				for _, ns := range cells.Series(p.sites.series[i]) {
					out["cells of "+name] += ns
				}
			}
			return out
		}
		if diff := cmp.Diff(all(&apart), all(&together)); diff != "" {
			t.Errorf("%s:\n%s", scenario, diff)
		}
	}
}

func TestACrowdIsComparedByKinds(t *testing.T) {
	const waiting = 2000
	var p Profile
	p.Begin(analysis.NewSymbols(), 0)
	for thread := range waiting {
		p.QueueChanged(&analysis.QueueChange{Waiter: analysis.Waiter{Thread: format.ThreadID(thread + 1)}, Lock: 1, Number: uint32(thread + 1)})
	}
	if kinds := p.kinds.Of(1); len(kinds) != 1 || kinds[0].Len() != waiting {
		t.Errorf("%d kinds of threads of one group that wait in one place", len(kinds))
	}
}
