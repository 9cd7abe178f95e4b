package owners

import (
	"math/rand/v2"
	"testing"
)

// Few parts of a stretch are charged, none of them short, and in the long run
// each has its due.
func TestShortPartsAreChargedTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	var d dues
	var given, charged [6]int64
	pieces, whole, longest := 0, 0, int64(0)
	list := func(own int64, met, others []int64, free int64) [6]int64 {
		return [6]int64{own, met[0], met[1], others[0], others[1], free}
	}
	for range 5000 {
		length := 10_000 + rng.Int64N(10_000)
		own, free := length/200+rng.Int64N(9), rng.Int64N(1+length/5)
		met, others := []int64{length / 3, length / 90}, []int64{rng.Int64N(1 + length/100), 3}
		before := list(own, met, others, free)
		own, free = d.thin(own, met, others, free, func() int64 { return 1 << 40 })
		after := list(own, met, others, free)
		if sum(before[:]) != sum(after[:]) {
			t.Fatalf("%v became %v", before, after)
		}
		longest = max(longest, sum(before[:]))
		for i := range after {
			given[i] += before[i]
			charged[i] += after[i]
			if after[i] < 0 {
				t.Fatalf("%v became %v", before, after)
			}
		}
		for _, part := range []int64{own, sum(met), sum(others), free} {
			if part > 0 {
				pieces++
			}
			if part > 0 && part < sum(after[:])/leastPart {
				t.Fatalf("%v: a part of %d ns", after, part)
			}
		}
		whole += 4
	}
	if pieces > whole*3/4 {
		t.Errorf("%d pieces of %d", pieces, whole)
	}
	for i := range given {
		if off := given[i] - charged[i]; off > longest/leastPart*4 || off < -longest/leastPart*4 {
			t.Errorf("part %d: %d ns of %d", i, charged[i], given[i])
		}
	}
}

// A twentieth of a stretch is a part, a fiftieth is none until there are more.
func TestAFiftiethIsPutOff(t *testing.T) {
	var d dues
	whole := func() int64 { return 1000 }
	if own, _ := d.thin(50, nil, nil, 950, whole); own != 50 {
		t.Errorf("of a twentieth %d ns are charged", own)
	}
	if own, free := d.thin(20, nil, nil, 980, whole); own != 0 || free != 1000 {
		t.Errorf("of a fiftieth %d ns are charged", own)
	}
	if own, free := d.thin(20, nil, nil, 980, whole); own != 40 || free != 960 {
		t.Errorf("of two fiftieths %d ns are charged", own)
	}
}

// Who was seen elsewhere had the lock no longer, whatever was put off.
func TestTheFirstOwnerHasNoMoreThanIsLeftToIt(t *testing.T) {
	for _, c := range []struct{ due, own, free, room, want int64 }{
		{0, 900, 10, 1000, 910}, // it has what is too short
		{0, 900, 10, 905, 900},  // but it was gone
		{0, 900, 10, 850, 900},
		{30, 100, 800, 1000, 130}, // it has what was put off
		{30, 100, 800, 110, 110},
		{30, 100, 800, 90, 100},
	} {
		d := dues{own: [1]int64{c.due}}
		if own, free := d.thin(c.own, nil, nil, c.free, func() int64 { return c.room }); own != c.want || own+free != c.own+c.free {
			t.Errorf("%+v: %d and %d", c, own, free)
		}
	}
}
