package owners

import (
	"math/rand/v2"
	"testing"

	"contend/format"
)

// What is expected to be right is the same, to the last digit, however often it
// is asked for.
func TestExpectationsAreSummedInOneOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p pool
	for st := range 300 {
		p.add(format.StackID(st), r.Int64N(1e9), 0.5, 1, 1)
	}
	want := p.agreement(1)
	for range 50 {
		if got := p.agreement(1); got != want {
			t.Fatalf("%v, then %v", want, got)
		}
	}
}
