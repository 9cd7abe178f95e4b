package csp

import (
	"cmp"
	"slices"

	"contend/format"
)

// phaseSums are the numbers of a phase: its lock, its intervals, and the sums over these.
type phaseSums struct {
	lock        format.ObjectID
	first, last int32 // intervals
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
		out = append(out, Phase{Class: name[0], Lock: name[1], StartNs: m.begin(s.first), EndNs: m.end(s.last), WaitNs: s.ns, CSP: ratio(s.ns, s.running), Causes: []Cause{}, phaseSums: s})
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
	list := &ranking{top: m.o.Top, name: m.sym.LockName}
	for i := range m.waits.Rows {
		r := &m.waits.Rows[i]
		var s phaseSums // the last phase; none where it has no running time
		for _, w := range r.Cells {
			ran := m.running(w.Bin)
			switch p := ratio(w.Ns, ran); {
			case s.running > 0 && s.last == w.Bin-1 && p >= m.o.Threshold/2:
				s.last, s.ns, s.running = w.Bin, s.ns+w.Ns, s.running+ran
			case p >= m.o.Threshold:
				if s.running > 0 {
					list.add(s)
				}
				s = phaseSums{format.ObjectID(r.Key[0]), w.Bin, w.Bin, w.Ns, ran}
			}
		}
		if s.running > 0 {
			list.add(s)
		}
	}
	return list
}

// ranking keeps the largest phases of all it is given.
type ranking struct {
	top   int // how many; 0 means all
	found int
	list  []phaseSums
	name  func(format.ObjectID) string
}

// rankSlack is how many phases more than wanted are kept before the smallest
// are dropped: few enough to keep, and so many that they are seldom put in order.
const rankSlack = 1 << 12

func (r *ranking) add(s phaseSums) {
	r.found++
	r.list = append(r.list, s)
	if r.top > 0 && len(r.list) >= 2*r.top+rankSlack {
		r.largest()
	}
}

// largest puts the phases in order and drops those that are not wanted.
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
