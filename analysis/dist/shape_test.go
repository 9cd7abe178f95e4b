package dist

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBandsHoldEveryLength(t *testing.T) {
	got := of(0, 1, 1, 4, 10, 19, 20).Bands()
	want := []Band{{0, 1, 1}, {1, 2, 2}, {2, 5, 1}, {5, 10, 0}, {10, 20, 2}, {20, 50, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	many := &Dist{}
	for i := range int64(3 * few) {
		many.Add(i * i * i)
	}
	sum := int64(0)
	for _, b := range many.Bands() {
		sum += b.Count
	}
	if sum != many.Count() || of().Bands() != nil {
		t.Errorf("%d of %d lengths in bands", sum, many.Count())
	}
	if b := of(math.MaxInt64, 1<<62, 100*Longest).Bands(); len(b) == 0 || b[len(b)-1].Count != 2 {
		t.Errorf("lengths of centuries: %v", b)
	}
}

func TestCurveRises(t *testing.T) {
	d := &Dist{}
	for i := range int64(10_000) {
		d.Add(i * 31)
	}
	c := d.Curve()
	for i := 1; i < len(c); i++ {
		if c[i].Ns < c[i-1].Ns || c[i].Below <= c[i-1].Below {
			t.Fatalf("%v after %v", c[i], c[i-1])
		}
	}
	if c[0].Below != 0 || c[len(c)-1] != (Point{1, d.Max()}) || len(c) < 60 {
		t.Errorf("%d points from %v to %v", len(c), c[0], c[len(c)-1])
	}
	if of().Curve() != nil || len(of(5).Curve()) == 0 {
		t.Error("the curves of none and of one")
	}
}
