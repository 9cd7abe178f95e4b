package csp

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// phaseSums are the lock of a phase, its first and last interval, and the sums over these.
type phaseSums struct {
	lock        format.ObjectID
	first, last int32
	ns, running int64
}

// phases returns the largest phases in order of waiting time, and the number of all phases.
func (m *Meter) phases() (out []Phase, found int) {
	list := m.findPhases()
	names := map[format.ObjectID][2]string{}
	for _, s := range list.largest() {
		name, ok := names[s.lock]
		if !ok {
			name = [2]string{m.sym.ClassName(s.lock), m.sym.LockName(s.lock)}
			names[s.lock] = name
		}
		out = append(out, Phase{
			Class:   name[0],
			Lock:    name[1],
			StartNs: m.begin(s.first),
			EndNs:   m.end(s.last),
			WaitNs:  s.ns,
			CSP:     analysis.Ratio(s.ns, s.running),
			Causes:  []Cause{},
			sums:    s,
		})
	}
	m.nameCauses(out)
	return out, list.found
}

// findPhases finds the phases of each lock:
//
//  1. a phase begins with an interval at or above the threshold;
//  2. it continues while the pressure is at least half the threshold, so that
//     noise around the threshold does not split it;
//  3. it ends with the last such interval.
func (m *Meter) findPhases() *ranking {
	list := &ranking{top: m.opts.Top, name: m.sym.LockName}
	for i := range m.waits.Rows {
		r := &m.waits.Rows[i]
		s, open := phaseSums{}, false // the current phase
		for _, w := range r.Cells {
			ran := m.running(w.Bin)
			switch p := analysis.Ratio(w.Ns, ran); {
			case open && s.last == w.Bin-1 && p >= m.opts.Threshold/2:
				s.last, s.ns, s.running = w.Bin, s.ns+w.Ns, s.running+ran
			case p >= m.opts.Threshold:
				if open {
					list.addPhase(s)
				}
				s, open = phaseSums{format.ObjectID(r.Key[0]), w.Bin, w.Bin, w.Ns, ran}, true
			}
		}
		if open {
			list.addPhase(s)
		}
	}
	return list
}

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
		return cmp.Or(cmp.Compare(r.name(a.lock), r.name(b.lock)), cmp.Compare(a.lock, b.lock))
	})
	if r.top > 0 {
		r.list = r.list[:min(len(r.list), r.top)]
	}
	return r.list
}
