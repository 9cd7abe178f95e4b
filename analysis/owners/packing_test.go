package owners

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/format"
)

// Ownerships come back in order of time as they were put, however they are mixed.
func TestOwnershipsArePacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 1 << 16, 200_000} {
		all, owned := make([]Ownership, n), newOwned()
		at := int64(-1e9)
		for i := range all {
			if r.IntN(1000) == 0 {
				at = int64(r.IntN(1e12)) - 5e11 // another lock
			}
			at += int64(r.IntN(1e6))
			h := Holder{Kind: Kind(r.IntN(6)), Prov: Provenance(r.IntN(6)), Thread: format.ThreadID(r.IntN(30)), Stack: format.StackID(r.IntN(60))}
			if r.IntN(100) == 0 {
				h.Thread, h.Stack, h.Did = MaxID, MaxID, format.ActivityReady
			}
			all[i] = Ownership{at, at + 1 + int64(r.IntN(1e7)), format.ObjectID(1 + r.IntN(20)), h}
		}
		all = append(all, Ownership{minTime, maxTime / 2, MaxID, Holder{Kind: Nobody}})
		for i := 0; i < len(all); {
			k := min(len(all)-i, 1+r.IntN(5000))
			if k == 1 {
				owned.Add(all[i])
			} else {
				owned.AddAll(all[i : i+k])
			}
			i += k
		}
		var got []Ownership
		for batch := range owned.Ordered() {
			got = append(got, batch...)
		}
		slices.SortStableFunc(all, func(a, b Ownership) int { return cmp.Compare(a.Start, b.Start) })
		if !slices.Equal(got, all) {
			t.Fatalf("%d: %d came back, or others", n, len(got))
		}
		same := 0
		owned.Each(func(o *Ownership) { same++ })
		if same != len(all) || n > 100 && owned.Threads < 6 {
			t.Errorf("%d visited, threads below %d", same, owned.Threads)
		}
	}
}
