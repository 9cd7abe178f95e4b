package owners

import (
	"contend/format"
)

// Trusts are what is expected to be right of the owners of each lock, as far as they
// are inferred. What is expected of a whole recording says little of one lock in it:
// one of which dumps show every owner may stand beside another of which the model
// knows nothing.
//
// Locks of a kind that are waited for seldom are told together: what is claimed of them
// was learnt of all, and too little of each was held back to tell it from the others.
type Trusts struct {
	place []int32 // by lock: which of those told, counted from one; 0 where nothing is inferred
	list  []trusted

	rests []resting      // of those locks whose pools are not settled yet
	kinds map[*kin]int32 // where those of a kind are told together
}

// trusted is what is expected of a lock, or of locks of a kind.
type trusted struct {
	class uint32
	trust Calibration
}

// resting is what pools were charged, of one of those told.
type resting struct {
	kin *kin
	at  int32
	ns  [rests]int64
}

// often is how many acquisitions tell a lock from others of its kind.
const often = 100

// add counts what was charged of a lock.
func (t *Trusts) add(lock format.ObjectID, b *builder) {
	at := t.kinds[b.kin]
	if alone := len(b.s.acquired) >= often; alone || at == 0 {
		t.list = append(t.list, trusted{class: b.kin.class})
		at = int32(len(t.list))
		t.rests = append(t.rests, resting{b.kin, at, [rests]int64{}})
		if !alone {
			t.kinds[b.kin] = at
		}
	}
	t.place[lock] = at
	t.list[at-1].trust.add(&b.trust)
	r := &t.rests[int(at)-1-(len(t.list)-len(t.rests))]
	for i := range r.ns {
		r.ns[i] += b.pools[i].total
	}
}

// settle counts what is expected of the pools of some kinds.
func (t *Trusts) settle(kins []*kin) {
	expected := make(map[*kin]*[rests]settled, len(kins))
	for _, k := range kins {
		s := new([rests]settled)
		for i := range s {
			s[i] = k.pools[i].settled()
		}
		expected[k] = s
	}
	for i := range t.rests {
		r := &t.rests[i]
		for p, ns := range r.ns {
			if ns > 0 {
				t.list[r.at-1].trust[Estimated].settle(expected[r.kin][p].times(share(ns, r.kin.pools[p].total)))
			}
		}
	}
	t.rests = nil
	clear(t.kinds)
}

// Number returns how many are told.
func (t *Trusts) Number() int { return len(t.list) }

// At returns which of them tells of a lock, from 0 on; ok is false where none does.
func (t *Trusts) At(lock format.ObjectID) (at int, ok bool) {
	if t == nil || int(lock) >= len(t.place) || t.place[lock] == 0 {
		return 0, false
	}
	return int(t.place[lock]) - 1, true
}

// Select leaves of each so much waiting, by how its owners are known. Dumps of a lock say
// of a part of its waiting what they say of all.
func (t *Trusts) Select(ns [][Provenances]int64) {
	for i := range t.list {
		of := &t.list[i]
		if ns[i] == [Provenances]int64{} {
			of.trust = Calibration{}
		}
		for p := range of.trust {
			of.trust[p].cut(ns[i][p])
		}
	}
}

// All is what is expected of all locks together.
func (t *Trusts) All() (all Calibration) {
	for i := range t.list {
		all.add(&t.list[i].trust)
	}
	return all
}

// Of is what is expected of a lock, or of all of a class.
func (t *Trusts) Of(id uint32, class bool) (of Calibration) {
	at, ok := t.At(format.ObjectID(id))
	switch {
	case !class && ok:
		return t.list[at].trust
	case !class || t == nil:
		return of
	}
	for i := range t.list {
		if t.list[i].class == id {
			of.add(&t.list[i].trust)
		}
	}
	return of
}
