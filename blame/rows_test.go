package blame

import (
	"math/rand/v2"
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
)

// Whatever slices came before, a row is that of what the keys say: none looks
// at more than its row in the table tells.
func TestRowsAreThoseOfTheirKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := func() uint32 { return r.Uint32N(4) }
	for k := range keys {
		var direct, named Resolver
		sym := symbols()
		direct.Begin(sym)
		named.Begin(sym)
		by := []Key{Key(k), Key(r.IntN(len(keys)))}
		rows := NewRows(&named, by)
		for range 2000 {
			w := analysis.Waiter{Thread: format.ThreadID(few()), Stack: format.StackID(few()), Mode: format.Mode(few() & 1)}
			c := Charge{Owner: analysis.Owner{Kind: analysis.OwnerKind(few()), Cycle: int32(few()), Did: format.Activity(few()), Thread: format.ThreadID(few()), Stack: format.StackID(few())},
				Owned: format.ObjectID(few()), Blocked: format.ObjectID(few()), Last: format.ObjectID(few())}
			c.share = &analysis.Share{Direct: c.Owner, Root: c.Owner, Hops: 1, Last: c.Last}
			lock := format.ObjectID(few())
			want := direct.IDs(by, lock, &w, &c)
			if got := rows.IDs(rows.Of(lock, &w, &c)); !slices.Equal(got, want[:2]) {
				t.Fatalf("%v of lock %d, %+v, %+v: %v, want %v", by, lock, w, c, got, want[:2])
			}
		}
	}
}
