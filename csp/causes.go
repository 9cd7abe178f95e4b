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
// segments between changes of its main cause. The phases of a group are in order of time.
func (m *Meter) nameCauses(byGroup map[*lockGroup][]*Phase) {
	groupOf := map[format.ObjectID]*lockGroup{} // of the locks with phases
	for g := range byGroup {
		for _, lock := range g.locks {
			groupOf[lock] = g
		}
	}
	rows := map[*lockGroup][]*cube.Row{}
	for i := range m.causes.Rows {
		r := &m.causes.Rows[i]
		if g := groupOf[format.ObjectID(r.Key[causedAt])]; g != nil {
			rows[g] = append(rows[g], r)
		}
	}
	texts := map[uint32]string{}
	text := func(r *cube.Row) string {
		id := r.Key[causedBy]
		if texts[id] == "" {
			texts[id], _ = m.causes.Text(causedBy, id)
		}
		return texts[id]
	}
	for g, phases := range byGroup {
		m.nameGroupCauses(phases, rows[g], text)
	}
}

// causePart is waiting that one row of Meter.causes has in one interval of a phase.
type causePart struct {
	phase    *Phase
	row      int32 // of the group
	interval int32
	ns       int64
}

// nameGroupCauses does it for the phases of one group and the rows of its locks.
func (m *Meter) nameGroupCauses(phases []*Phase, rows []*cube.Row, text func(*cube.Row) string) {
	var parts []causePart
	for i, r := range rows {
		eachPhase(r.Cells, phases, func(p *Phase, cells []cube.Cell) {
			for _, c := range cells {
				parts = append(parts, causePart{p, int32(i), c.Bin, c.Ns})
			}
		})
	}
	// phases do not overlap: those of one phase follow each other
	slices.SortFunc(parts, func(a, b causePart) int {
		return cmp.Or(cmp.Compare(a.interval, b.interval), cmp.Compare(a.row, b.row))
	})
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].phase == parts[0].phase {
			n++
		}
		m.namePhaseCauses(parts[:n], rows, text)
		parts = parts[n:]
	}
}

// namePhaseCauses adds up the parts of one phase, over all of it and over each of its intervals.
func (m *Meter) namePhaseCauses(parts []causePart, rows []*cube.Row, text func(*cube.Row) string) {
	var parted segments
	all, now := map[string]int64{}, map[string]int64{}
	first := map[string]*cube.Row{} // by owner: the first of its rows
	for i, part := range parts {
		row := rows[part.row]
		owner := text(row)
		all[owner] += part.ns
		now[owner] += part.ns
		if first[owner] == nil {
			first[owner] = row
		}
		if i+1 == len(parts) || parts[i+1].interval != part.interval {
			parted.addInterval(part.interval, now)
			clear(now)
		}
	}
	p := parts[0].phase
	p.Causes, p.Segments = largestCauses(all), parted.list(m)
	if m.PlaceOf == nil {
		return
	}
	place := func(c *Cause) {
		r := first[c.Owner]
		c.Place = m.PlaceOf(format.ObjectID(r.Key[causedAt]), ownerOf(r.Key[causedBy]))
	}
	for i := range p.Causes {
		place(&p.Causes[i])
	}
	for i := range p.Segments {
		place(&p.Segments[i].Cause)
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
