package compare

import (
	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// ownedBy is how right the owners of rows are expected to be. An owner that is inferred may be
// wrong, and the waiting is then that of another owner of the same lock.
type ownedBy struct {
	rows  []analysis.Known           // by row
	locks blame.ByID[analysis.Known] // by lock: all of its waiting
	pairs map[rowOfLock]struct{}     // which rows have waiting for which locks
	last  rowOfLock                  // the last pair added
	of    map[int][]format.ObjectID  // by row: its locks; nil until asked
}

type rowOfLock struct {
	row  int
	lock format.ObjectID
}

func newOwnedBy() *ownedBy {
	return &ownedBy{pairs: map[rowOfLock]struct{}{}, last: rowOfLock{row: -1}}
}

func (o *ownedBy) charge(row int, c *blame.Charge) {
	for len(o.rows) <= row {
		o.rows = append(o.rows, analysis.Known{})
	}
	lock := o.locks.Entry(int(c.Slice.Lock))
	for i := range c.Shares {
		sh := &c.Shares[i]
		o.rows[row].AddWaiting(sh.Direct.Prov, sh.Ns*int64(c.N))
		lock.AddWaiting(sh.Direct.Prov, sh.Ns*int64(c.N))
	}
	if pair := (rowOfLock{row, c.Slice.Lock}); pair != o.last {
		o.pairs[pair], o.last = struct{}{}, pair
	}
}

// wrong returns how much of the waiting of some rows and of their locks is expected to have a
// wrong owner, ns, and the part that the rows have. Of what other rows have, each of their lock's
// rows may get an equal part.
func (o *ownedBy) wrong(list []int) (all, own int64) {
	if o.of == nil {
		o.of = map[int][]format.ObjectID{}
		for pair := range o.pairs {
			o.of[pair.row] = append(o.of[pair.row], pair.lock)
		}
	}
	locks := map[format.ObjectID]struct{}{}
	for _, row := range list {
		if row >= len(o.rows) {
			continue
		}
		own += o.rows[row].Ns() - o.rows[row].Right()
		for _, l := range o.of[row] {
			locks[l] = struct{}{}
		}
	}
	for l := range locks {
		k := o.locks.Entry(int(l))
		all += k.Ns() - k.Right()
	}
	return max(all, own), own
}
