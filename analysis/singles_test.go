package analysis

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"contend/format"
)

// heardTogether takes slices together where it can, and writes them down as heard does.
type heardTogether struct {
	heard
	t *testing.T
}

func (h *heardTogether) Singles(s *Singles) bool {
	ns := make([]int64, len(s.Alike))
	for i := range s.Slices {
		var share [1]Share
		one := s.slice(&s.Slices[i], &share)
		h.Slice(&one)
		ns[s.Slices[i].Alike] += one.Ns()
		if int64(s.Slices[i].Begins) != one.Firsts() || s.Slices[i].Len() != int64(len(one.Waiters)) {
			h.t.Errorf("%+v is told of %+v", s.Slices[i], one)
		}
	}
	for i := range s.Alike {
		if s.Alike[i].Ns != ns[i] {
			h.t.Errorf("the slices of an owner are %d ns, said to be %d", ns[i], s.Alike[i].Ns)
		}
	}
	return true
}

// Whoever takes slices together gets those that others get one by one, in the same
// order among all others, and with what they have in common.
func TestSinglesAreSlices(t *testing.T) {
	const calls = 5 * batchCalls
	random := rand.New(rand.NewPCG(1, 2))
	direct, each, some := heard{}, heard{}, heardTogether{t: t}
	d := newDispatcher(nil, []Visitor{&each, &some})
	waiters := make([]Waiter, 3)
	for i := range calls {
		at := int64(i)
		for j := range waiters {
			waiters[j] = Waiter{Thread: format.ThreadID(i + j), First: random.IntN(2) == 0}
		}
		share := Share{Ns: 7, Direct: Owner{Thread: format.ThreadID(random.IntN(9)), Stack: format.StackID(random.IntN(3))}, Hops: 1}
		s := Slice{Start: at, End: at + 7, Lock: format.ObjectID(random.IntN(9)), Waiters: waiters[:1+random.IntN(3)], Shares: []Share{share}}
		if random.IntN(9) == 0 {
			s.Shares[0].Path, s.Shares[0].Hops = d.hops.add(Hop{Thread: format.ThreadID(random.IntN(2))}), 2
		}
		direct.Slice(&s)
		if random.IntN(50) == 0 {
			book(d, &s)
			continue
		}
		d.single(s.Start, s.End, s.Lock, &s.Shares[0], s.Waiters, len(s.Waiters), 0)
		d.handOver()
	}
	d.close()
	if !reflect.DeepEqual(each, direct) || !reflect.DeepEqual(some.heard, direct) {
		t.Errorf("heard %d slices one by one and %d together, or others than the %d booked", len(each.log), len(some.log), len(direct.log))
	}
}
