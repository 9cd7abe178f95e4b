package blame

import (
	"contend/analysis"
	"contend/format"
)

// groups is what a pivot remembers of slices that are alike, see analysis.Slice.Group:
// their row, where no key tells waiters apart.
type groups struct {
	rows analysis.ByGroup[int]
	last []int // by lock: the row that its last slice was charged to, from 1; 0 when there are several, or none
}

// lastOf returns the place of the row that the last slice of a lock was charged to.
func (g *groups) lastOf(lock format.ObjectID) *int {
	for len(g.last) <= int(lock) {
		g.last = append(g.last, 0)
	}
	return &g.last[lock]
}

// addGroup is add for all waiters of a slice of a group, which has one share.
func (p *Pivot) addGroup(s *analysis.Slice) {
	sh := &s.Shares[0]
	row, known := p.groups.rows.At(s.Group)
	if !known {
		*row = p.row(s.Lock, &s.Waiters[0], ChargeOf(s.Lock, sh, p.root))
	}
	last := p.groups.lastOf(s.Lock)
	r := &p.rows[*row]
	r.Add(s, sh.Ns, len(s.Waiters), p.charged(sh).Prov)
	p.rec.Add(r.series, s.Start, s.End, sh.Ns, len(s.Waiters))
	if same := *last == *row+1; same && known && s.Firsts() == 0 {
		return // all were counted there
	}
	*last = *row + 1
	for i := range s.Waiters {
		w := &s.Waiters[i]
		if w.First || !known {
			p.waits.Begin(w)
		}
		if p.waits.IsNew(*row, w.Thread) {
			r.Waits++
		}
	}
}
