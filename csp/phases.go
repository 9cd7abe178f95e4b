package csp

import (
	"cmp"
	"slices"

	"contend/format"
)

// stretch is the numbers of a phase: its lock, its intervals, and the sums over these.
type stretch struct {
	lock        format.ObjectID
	first, last int32 // intervals
	ns, running int64
}

// phases returns the largest phases in order of waiting time, and the number of all phases.
func (m *Meter) phases() (out []Phase, found int) {
	list := m.stretches()
	found = len(list)
	slices.SortFunc(list, func(a, b stretch) int {
		if a.ns != b.ns || a.first != b.first { // names cost more than numbers
			return cmp.Or(cmp.Compare(b.ns, a.ns), cmp.Compare(a.first, b.first))
		}
		return cmp.Or(cmp.Compare(m.sym.LockName(a.lock), m.sym.LockName(b.lock)), cmp.Compare(a.lock, b.lock))
	})
	if m.o.Top > 0 {
		list = list[:min(len(list), m.o.Top)]
	}
	for _, s := range list {
		out = append(out, Phase{Class: m.sym.ClassName(s.lock), Lock: m.sym.LockName(s.lock), StartNs: m.begin(s.first), EndNs: m.end(s.last), WaitNs: s.ns, CSP: ratio(s.ns, s.running), Causes: []Cause{}, stretch: s})
	}
	m.nameCauses(out)
	return out, found
}

// stretches finds the phases of each lock:
//
//  1. a phase begins with an interval at or above the threshold;
//  2. it continues while the pressure is at least half the threshold, so that
//     noise around the threshold does not split it;
//  3. it ends with the last such interval.
func (m *Meter) stretches() (list []stretch) {
	for i := range m.waits.Rows {
		r := &m.waits.Rows[i]
		var s stretch // the last phase; none where it has no running time
		for _, w := range r.Cells {
			ran := m.running(w.Bin)
			switch p := ratio(w.Ns, ran); {
			case s.running > 0 && s.last == w.Bin-1 && p >= m.o.Threshold/2:
				s.last, s.ns, s.running = w.Bin, s.ns+w.Ns, s.running+ran
			case p >= m.o.Threshold:
				if s.running > 0 {
					list = append(list, s)
				}
				s = stretch{format.ObjectID(r.Key[0]), w.Bin, w.Bin, w.Ns, ran}
			}
		}
		if s.running > 0 {
			list = append(list, s)
		}
	}
	return list
}
