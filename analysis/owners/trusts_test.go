package owners

import (
	"testing"

	"contend/format"
)

// Locks that are waited for often are told each by itself, others of a kind together; all
// together are what is expected of the whole.
func TestLocksWaitedForSeldomAreToldTogether(t *testing.T) {
	k, other := &kin{class: 7}, &kin{class: 8}
	trusts := &Trusts{place: make([]int32, 7), kinds: map[*kin]int32{}}
	add := func(lock format.ObjectID, k *kin, acquired int, right float64) {
		b := &builder{kin: k, s: &section{acquired: make([]acquisition, acquired)}, charging: &charging{}}
		b.trust[Inferred].Ns = 100
		b.trust[Inferred].expect(right, 100)
		b.pools[restWhole].add(format.StackID(lock), 100, 1, 1, 1)
		k.pools[restWhole].merge(&b.pools[restWhole])
		b.trust[Estimated].Ns = 100
		trusts.add(lock, b)
	}
	add(1, k, 50, 0.9)
	add(2, k, 200, 0.2)
	add(3, other, 50, 0.5)
	add(4, k, 50, 0.7)
	trusts.settle([]*kin{k, other})
	for lock, want := range map[uint32]float64{1: 0.8, 2: 0.2, 3: 0.5, 4: 0.8} {
		of := trusts.Of(lock, false)
		if share, ok := of[Inferred].Expected(); !ok || !near(share, want) {
			t.Errorf("lock %d: %.2f, want %.2f", lock, share, want)
		}
		if _, ok := of[Estimated].Expected(); !ok || of[Estimated].Right <= 0 {
			t.Errorf("lock %d: nothing is expected of its pools", lock)
		}
	}
	class := trusts.Of(7, true)
	if share, _ := class[Inferred].Expected(); !near(share, 0.6) || class[Inferred].Ns != 300 {
		t.Errorf("of the class %.2f of %d ns", share, class[Inferred].Ns)
	}
	all := trusts.All()
	pools := k.pools[restWhole].settled().right + other.pools[restWhole].settled().right
	if all[Inferred].Ns != 400 || !near(all[Estimated].Right, pools) {
		t.Errorf("%+v, pools %v", all, pools)
	}
	if of := trusts.Of(5, false); of != (Calibration{}) {
		t.Errorf("expected of a lock nothing is inferred of: %+v", of)
	}
}
