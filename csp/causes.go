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

// nameCauses adds to each phase the owner call chains that caused its waiting, and the
// segments between changes of its main cause.
func (m *Meter) nameCauses(phases []Phase) {
	rows := map[format.ObjectID][]*cube.Row{} // of the locks with phases
	for i := range phases {
		rows[phases[i].sums.lock] = nil
	}
	for i := range m.causes.Rows {
		r := &m.causes.Rows[i]
		lock := format.ObjectID(r.Key[causedAt])
		if _, ok := rows[lock]; ok {
			rows[lock] = append(rows[lock], r)
		}
	}
	texts := map[uint32]string{}
	for i := range phases {
		m.nameCausesOf(&phases[i], rows[phases[i].sums.lock], texts)
	}
}

// nameCausesOf adds up the rows of one lock over a phase and over each of its intervals.
func (m *Meter) nameCausesOf(p *Phase, rows []*cube.Row, texts map[uint32]string) {
	type part struct {
		interval int32
		owner    string
		ns       int64
	}
	var parts []part
	ids := map[string]uint32{} // by owner: the first of its ids
	for _, r := range rows {
		id := r.Key[causedBy]
		if texts[id] == "" {
			texts[id], _ = m.causes.Text(causedBy, id)
		}
		at, _ := slices.BinarySearchFunc(
			r.Cells,
			p.sums.first,
			func(c cube.Cell, i int32) int { return cmp.Compare(c.Bin, i) },
		)
		for ; at < len(r.Cells) && r.Cells[at].Bin <= p.sums.last; at++ {
			if _, ok := ids[texts[id]]; !ok {
				ids[texts[id]] = id
			}
			parts = append(parts, part{r.Cells[at].Bin, texts[id], r.Cells[at].Ns})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.interval, b.interval) })
	var parted segments
	all, now := map[string]int64{}, map[string]int64{}
	for i, one := range parts {
		all[one.owner] += one.ns
		now[one.owner] += one.ns
		if i+1 == len(parts) || parts[i+1].interval != one.interval {
			parted.addInterval(one.interval, now)
			clear(now)
		}
	}
	p.Causes, p.Segments = largestCauses(all), parted.list(m)
	if m.OwnerLabel == nil {
		return
	}
	for i := range p.Causes {
		p.Causes[i].Label = m.OwnerLabel(p.sums.lock, ownerOf(ids[p.Causes[i].Owner]))
	}
	for i := range p.Segments {
		p.Segments[i].Cause.Label = m.OwnerLabel(p.sums.lock, ownerOf(ids[p.Segments[i].Cause.Owner]))
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
