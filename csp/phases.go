package csp

import (
	"cmp"
	"maps"
	"slices"

	"contend/analysis"
	"contend/blame/cube"
	"contend/format"
)

// phaseSums are the locks of a phase, its first and last interval, and the sums over these.
type phaseSums struct {
	group       *lockGroup
	first, last int32
	ns, running int64

	most   format.ObjectID // the lock with most of the waiting
	mostNs int64
}

// lockGroup is the locks of one class and site: data select one of them, and together they are one
// place of contention. By class, it is all locks of the class.
type lockGroup struct {
	class, site string
	locks       []format.ObjectID
	rows        []*cube.Row // of the locks, in their order
}

// groups returns the contended locks by class and site, in order of their first rows.
func (m *Meter) groups() []*lockGroup {
	type key struct{ class, site string }
	var out []*lockGroup
	at := map[key]*lockGroup{}
	for i := range m.waits.Rows {
		r := &m.waits.Rows[i]
		lock := format.ObjectID(r.Key[0])
		k := key{class: m.sym.ClassName(lock)}
		if m.Site != nil && !m.opts.ByClass {
			k.site = m.Site(lock)
		}
		g := at[k]
		if g == nil {
			g = &lockGroup{class: k.class, site: k.site}
			at[k], out = g, append(out, g)
		}
		g.locks, g.rows = append(g.locks, lock), append(g.rows, r)
	}
	return out
}

// cells returns the waiting for all locks of a group by interval.
func (g *lockGroup) cells() []cube.Cell {
	if len(g.rows) == 1 {
		return g.rows[0].Cells
	}
	sums := map[int32]int64{}
	for _, r := range g.rows {
		for _, c := range r.Cells {
			sums[c.Bin] += c.Ns
		}
	}
	out := make([]cube.Cell, 0, len(sums))
	for _, bin := range slices.Sorted(maps.Keys(sums)) {
		out = append(out, cube.Cell{Bin: bin, Ns: sums[bin]})
	}
	return out
}

// phases returns the largest phases in order of waiting time, and the number of all phases.
func (m *Meter) phases() (out []Phase, found int) {
	list := m.findPhases()
	largest := list.largest()
	out = make([]Phase, 0, len(largest)) // there may be one for every other interval
	for _, s := range largest {
		out = append(out, Phase{
			Class:   s.group.class,
			Site:    s.group.site,
			StartNs: m.begin(s.first),
			EndNs:   m.end(s.last),
			WaitNs:  s.ns,
			CSP:     analysis.Ratio(s.ns, s.running),
			Causes:  []Cause{},
			sums:    s,
		})
	}
	byGroup := map[*lockGroup][]*Phase{}
	for i := range out {
		byGroup[out[i].sums.group] = append(byGroup[out[i].sums.group], &out[i])
	}
	for g, phases := range byGroup {
		slices.SortFunc(phases, func(a, b *Phase) int { return cmp.Compare(a.sums.first, b.sums.first) })
		m.countLocks(g, phases)
	}
	m.nameCauses(byGroup)
	return out, list.found
}

// countLocks adds to each phase of a group the number of its locks, and the one with most waiting.
func (m *Meter) countLocks(g *lockGroup, phases []*Phase) {
	for i, r := range g.rows {
		eachPhase(r.Cells, phases, func(p *Phase, cells []cube.Cell) {
			ns := int64(0)
			for _, c := range cells {
				ns += c.Ns
			}
			p.Locks++
			if p.Locks == 1 || ns > p.sums.mostNs {
				p.sums.mostNs, p.sums.most = ns, g.locks[i]
			}
		})
	}
	for _, p := range phases {
		if p.Lock = p.Class; !m.opts.ByClass {
			p.Lock = m.sym.LockName(p.sums.most)
		}
	}
}

// eachPhase calls f for each phase in which a row has cells. Phases and cells are in order of time,
// and phases do not overlap.
func eachPhase(cells []cube.Cell, phases []*Phase, f func(p *Phase, cells []cube.Cell)) {
	for len(cells) > 0 {
		next, _ := slices.BinarySearchFunc(phases, cells[0].Bin, func(p *Phase, bin int32) int {
			return cmp.Compare(p.sums.last, bin)
		})
		if phases = phases[next:]; len(phases) == 0 {
			return
		}
		p := phases[0]
		from, _ := slices.BinarySearchFunc(cells, p.sums.first, func(c cube.Cell, bin int32) int {
			return cmp.Compare(c.Bin, bin)
		})
		cells = cells[from:]
		n := 0
		for n < len(cells) && cells[n].Bin <= p.sums.last {
			n++
		}
		if n > 0 {
			f(p, cells[:n])
		}
		cells, phases = cells[n:], phases[1:]
	}
}

// findPhases finds the phases of the locks of each class and site:
//
//  1. a phase begins with an interval at or above the threshold;
//  2. it continues while the pressure is at least half the threshold, so that
//     noise around the threshold does not split it;
//  3. it ends with the last such interval.
//
// A last interval of less than half the length begins no phase, unless it is the only one: a wait
// of microseconds may be all that lies in it.
func (m *Meter) findPhases() *ranking {
	list := &ranking{top: m.opts.Top, name: m.sym.LockName}
	for _, g := range m.groups() {
		s, open := phaseSums{}, false // the current phase
		for _, w := range g.cells() {
			ran := m.running(w.Bin)
			switch p := analysis.Ratio(w.Ns, ran); {
			case open && s.last == w.Bin-1 && p >= m.opts.Threshold/2:
				s.last = w.Bin
				s.ns += w.Ns
				s.running += ran
			case p >= m.opts.Threshold && !m.stub(w.Bin):
				if open {
					list.addPhase(s)
				}
				s, open = phaseSums{group: g, first: w.Bin, last: w.Bin, ns: w.Ns, running: ran}, true
			}
		}
		if open {
			list.addPhase(s)
		}
	}
	return list
}

// stub reports whether an interval that is not the first has less than half the length of the
// others: the rest after the last whole one.
func (m *Meter) stub(i int32) bool { return i > 0 && 2*(m.end(i)-m.begin(i)) < m.opts.IntervalNs }

// ranking keeps the largest of the phases it is given.
type ranking struct {
	top   int // number of phases; 0 means all
	found int
	list  []phaseSums
	name  func(format.ObjectID) string
}

// rankSlack is the number of phases beyond top that are kept before the smallest are dropped:
// few enough to keep, and enough that sorting is rare.
const rankSlack = 1 << 12

func (r *ranking) addPhase(s phaseSums) {
	r.found++
	r.list = append(r.list, s)
	if r.top > 0 && len(r.list) >= 2*r.top+rankSlack {
		r.largest()
	}
}

// largest sorts the phases and drops those beyond top.
func (r *ranking) largest() []phaseSums {
	slices.SortFunc(r.list, func(a, b phaseSums) int {
		if a.ns != b.ns || a.first != b.first { // names cost more than numbers
			return cmp.Or(cmp.Compare(b.ns, a.ns), cmp.Compare(a.first, b.first))
		}
		return cmp.Or(
			cmp.Compare(r.name(a.group.locks[0]), r.name(b.group.locks[0])),
			cmp.Compare(a.group.locks[0], b.group.locks[0]),
		)
	})
	if r.top > 0 {
		r.list = r.list[:min(len(r.list), r.top)]
	}
	return r.list
}
