package csp

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/blame/cube"
	"contend/format"
)

// topCauses is how many call chains a phase names.
const topCauses = 5

// The columns of Meter.causes.
const (
	causedAt cube.Dim = iota
	causedBy
)

// nameCauses adds to each phase the owner call chains that caused its waiting, and where
// the culprit changes.
func (m *Meter) nameCauses(phases []Phase) {
	rows := map[format.ObjectID][]*cube.Row{} // by lock, of those that have phases
	for i := range phases {
		rows[phases[i].lock] = nil
	}
	for i := range m.causes.Rows {
		r := &m.causes.Rows[i]
		if lock := format.ObjectID(r.Key[causedAt]); len(phases) > 0 && has(rows, lock) {
			rows[lock] = append(rows[lock], r)
		}
	}
	texts := map[uint32]string{}
	for i := range phases {
		m.nameCausesOf(&phases[i], rows[phases[i].lock], texts)
	}
}

func has(rows map[format.ObjectID][]*cube.Row, lock format.ObjectID) bool {
	_, ok := rows[lock]
	return ok
}

// nameCausesOf adds up the rows of one lock over a phase and over each of its intervals.
func (m *Meter) nameCausesOf(p *Phase, rows []*cube.Row, texts map[uint32]string) {
	type part struct {
		interval int32
		owner    string
		ns       int64
	}
	var parts []part
	ids := map[string]uint32{} // of the first owner that is called so
	for _, r := range rows {
		id := r.Key[causedBy]
		if texts[id] == "" {
			texts[id], _ = m.causes.Text(causedBy, id)
		}
		at, _ := slices.BinarySearchFunc(r.Cells, p.first, func(c cube.Cell, i int32) int { return cmp.Compare(c.Bin, i) })
		for ; at < len(r.Cells) && r.Cells[at].Bin <= p.last; at++ {
			if _, ok := ids[texts[id]]; !ok {
				ids[texts[id]] = id
			}
			parts = append(parts, part{r.Cells[at].Bin, texts[id], r.Cells[at].Ns})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.interval, b.interval) })
	var turns turns
	all, now := map[string]int64{}, map[string]int64{}
	for i, one := range parts {
		all[one.owner] += one.ns
		now[one.owner] += one.ns
		if i+1 == len(parts) || parts[i+1].interval != one.interval {
			turns.add(one.interval, now)
			clear(now)
		}
	}
	p.Causes, p.Turns = largestCauses(all), turns.list(m)
	if m.Name == nil {
		return
	}
	for i := range p.Causes {
		p.Causes[i].Shown = m.Name(p.lock, ownerOf(ids[p.Causes[i].Owner]))
	}
	for i := range p.Turns {
		p.Turns[i].Cause.Shown = m.Name(p.lock, ownerOf(ids[p.Turns[i].Cause.Owner]))
	}
}

// ownerOf is an owner by its call chain alone.
func ownerOf(id uint32) analysis.Owner {
	if blame.Pseudo(id) {
		return blame.PseudoOwner(id)
	}
	return analysis.Owner{Stack: format.StackID(id)}
}

// largestCauses returns the first few of the sums.
func largestCauses(sums map[string]int64) []Cause {
	list := make([]Cause, 0, len(sums))
	for owner, ns := range sums {
		list = append(list, Cause{Owner: owner, WaitNs: ns})
	}
	slices.SortFunc(list, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Owner, b.Owner))
	})
	return slices.Clone(list[:min(len(list), topCauses)])
}
