package owners

import (
	"math/rand/v2"
	"slices"
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
)

// A list of refs gives them back whatever the distances between them, and when it is
// joined to another one, and stops when it is told to.
func TestSiteListsKeepTheirRefs(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 9, 10_000} {
		var want []column.Ref
		lists, at, room := [2]siteList{}, column.Ref(0), chunkRoom{}
		for k := range lists {
			for range n {
				at += 1 + column.Ref(rng.Uint32N(1<<rng.Uint32N(18)))
				want = append(want, at)
				lists[k].add(at, &room)
			}
		}
		first, rest := lists[0], lists[1]
		first.join(&rest)
		if got := slices.Collect(first.all); !slices.Equal(got, want) || first.n != len(want) {
			t.Errorf("%d refs twice: got %d, counted %d", n, len(got), first.n)
		}
		seen := 0
		for range first.all {
			if seen++; seen == n {
				break
			}
		}
		if seen != n {
			t.Errorf("stopped at %d of %d", seen, n)
		}
	}
}

// However many threads are dealt out, and to however many, each is in one share, and
// no share has much more than the others.
func TestThreadsAreShared(t *testing.T) {
	for _, did := range [][]uint32{nil, {0, 0, 0}, {5}, {1, 1, 1, 1, 1, 1, 1, 1}, {100, 1, 1, 1}, {0, 0, 3, 0, 4, 0, 0}} {
		for n := 1; n <= 4; n++ {
			shares, next := (&store{count: did}).shares(n), format.ThreadID(0)
			for _, s := range shares {
				if s.from != next || s.to < s.from {
					t.Errorf("%v in %d: %v", did, n, shares)
				}
				next = s.to
			}
			if int(next) != len(did) || len(shares) > n+1 {
				t.Errorf("%v in %d: %v", did, n, shares)
			}
		}
	}
	if shares := (&store{count: []uint32{1, 1, 1, 1, 1, 1, 1, 1}}).shares(2); len(shares) != 2 || shares[0].to != 4 {
		t.Errorf("eight threads for two: %v", shares)
	}
}
