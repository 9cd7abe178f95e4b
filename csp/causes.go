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
	causes, texts := map[*Phase]*phaseCauses{}, map[uint32]string{}
	for i := range m.causes.Rows {
		r := &m.causes.Rows[i]
		id := r.Key[causedBy]
		eachPhase(r.Cells, byGroup[groupOf[format.ObjectID(r.Key[causedAt])]], func(p *Phase, cells []cube.Cell) {
			if texts[id] == "" {
				texts[id], _ = m.causes.Text(causedBy, id)
			}
			if causes[p] == nil {
				causes[p] = &phaseCauses{first: map[string]*cube.Row{}}
			}
			causes[p].count(texts[id], r, cells)
		})
	}
	for p, of := range causes {
		of.name(m, p)
	}
}

// phaseCauses are the parts of a phase's waiting by interval and owner.
type phaseCauses struct {
	parts []causePart
	first map[string]*cube.Row // by owner: the first of its rows
}

type causePart struct {
	interval int32
	owner    string
	ns       int64
}

func (o *phaseCauses) count(owner string, r *cube.Row, cells []cube.Cell) {
	if o.first[owner] == nil {
		o.first[owner] = r
	}
	for _, c := range cells {
		o.parts = append(o.parts, causePart{c.Bin, owner, c.Ns})
	}
}

// name adds up the parts over all of a phase and over each of its intervals.
func (o *phaseCauses) name(m *Meter, p *Phase) {
	parts := o.parts
	slices.SortFunc(parts, func(a, b causePart) int { return cmp.Compare(a.interval, b.interval) })
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
	label := func(c *Cause) {
		r := o.first[c.Owner]
		c.Label = m.OwnerLabel(format.ObjectID(r.Key[causedAt]), ownerOf(r.Key[causedBy]))
	}
	for i := range p.Causes {
		label(&p.Causes[i])
	}
	for i := range p.Segments {
		label(&p.Segments[i].Cause)
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
