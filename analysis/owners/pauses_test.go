package owners

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contend/format"
)

// A pause belongs to nobody; a collection is what the safepoint around it was
// for, and nothing is lost or counted twice.
func TestPausesAreNotTheOwners(t *testing.T) {
	recorded := []Pause{}
	for _, ev := range []format.Event{
		{Kind: format.KindPause, Time: 40, End: 50, Name: "safepoint PrintThreads"},
		{Kind: format.KindPause, Time: 12, End: 18, Name: "gc"},
		{Kind: format.KindPause, Time: 10, End: 20, Name: "safepoint G1CollectForAllocation"},
		{Kind: format.KindPause, Time: 45, End: 48, Name: "safepoint Exit"},
	} {
		recorded = append(recorded, newPause(&ev, ev.End))
	}
	ps := merge(recorded)
	cut := func(start, end int64, kind Kind) string {
		into := newOwned()
		ps.cut(Ownership{start, end, 1, Holder{kind, Inferred, none, 7, 3}}, into)
		var out []string
		into.Each(func(o *Ownership) {
			who := map[Kind]string{Thread: "owner", GCPause: "gc", Safepoint: "safepoint", Handoff: "free"}[o.Holder.Kind]
			if o.Holder.Kind != Thread && o.Holder.Thread != format.NoThread && o.Holder.Kind != Handoff {
				who += " of a thread"
			}
			out = append(out, fmt.Sprintf("%s %d-%d", who, o.Start, o.End))
		})
		return strings.Join(out, ", ")
	}
	for _, c := range []struct {
		start, end int64
		kind       Kind
		want       string
	}{
		{0, 100, Thread, "owner 0-10, gc 10-20, owner 20-40, safepoint 40-50, owner 50-100"},
		{15, 45, Thread, "gc 15-20, owner 20-40, safepoint 40-45"},
		{12, 14, Thread, "gc 12-14"},
		{20, 40, Thread, "owner 20-40"},
		{60, 70, Thread, "owner 60-70"},
		{0, 100, Handoff, "free 0-100"},
	} {
		if got := cut(c.start, c.end, c.kind); got != c.want {
			t.Errorf("%d-%d: %s, want %s", c.start, c.end, got, c.want)
		}
	}
}

// Many ownerships are cut as each of them is, whatever their order.
func TestOwnershipsAreCutTogetherAsEachIs(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		var recorded []Pause
		for at := int64(0); at < 1000; at += 1 + rng.Int64N(200) {
			recorded = append(recorded, Pause{at, at + 1 + rng.Int64N(20), GCPause})
		}
		ps := merge(recorded[rng.IntN(2)*len(recorded):]) // or none
		var list []Ownership
		for range rng.IntN(40) {
			start := rng.Int64N(1000)
			list = append(list, Ownership{start, start + 1 + rng.Int64N(100), 1, Holder{[]Kind{Thread, Handoff}[rng.IntN(2)], Inferred, none, 7, 3}})
		}
		each, all := newOwned(), newOwned()
		for _, o := range list {
			ps.cut(o, each)
		}
		ps.cutAll(list, all)
		if got, want := listed(all), listed(each); !slices.Equal(got, want) {
			t.Fatalf("%v\nwant %v", got, want)
		}
	}
}

func listed(c *Owned) (out []Ownership) {
	c.Each(func(o *Ownership) { out = append(out, *o) })
	return out
}
