package csp

import (
	"cmp"
	"slices"

	"contend/format"
)

// topCauses is how many call chains a phase names.
const topCauses = 5

// phases finds, for each lock, the stretches over which its pressure stays
// high:
//
//  1. a phase begins with an interval at or above the threshold;
//  2. it goes on while the pressure is at least half the threshold, so that
//     noise around the threshold does not chop it up;
//  3. it ends with the last interval that was.
//
// They come in order of waiting time. The waits, by interval and lock, are put
// in another order.
func (m *Meter) phases(byLock []entry) []Phase {
	slices.SortFunc(byLock, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.lock, b.lock), cmp.Compare(a.interval, b.interval))
	})
	var out []Phase
	for len(byLock) > 0 {
		n := 1
		for n < len(byLock) && byLock[n].lock == byLock[0].lock {
			n++
		}
		for _, stretch := range m.stretches(byLock[:n]) {
			out = append(out, m.phase(stretch))
		}
		byLock = byLock[n:]
	}
	m.nameCauses(out)
	slices.SortFunc(out, func(a, b Phase) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.StartNs, b.StartNs), cmp.Compare(a.Lock, b.Lock))
	})
	return out
}

// stretches cuts each phase out of the intervals of one lock, which are in
// order.
func (m *Meter) stretches(waits []entry) (out [][]entry) {
	from, inside := 0, false
	for i, w := range waits {
		p := ratio(w.ns, m.running[w.interval])
		switch {
		case inside && w.interval == waits[i-1].interval+1 && p >= m.o.Threshold/2:
			out[len(out)-1] = waits[from : i+1]
		case p >= m.o.Threshold:
			from, inside = i, true
			out = append(out, waits[i:i+1])
		default:
			inside = false
		}
	}
	return out
}

// phase sums consecutive intervals of one lock.
func (m *Meter) phase(waits []entry) Phase {
	lock, first, last := waits[0].lock, waits[0].interval, waits[len(waits)-1].interval
	p := Phase{Class: m.sym.ClassName(lock), Lock: m.sym.LockName(lock), lock: lock, first: first, last: last,
		StartNs: m.start + int64(first)*m.o.IntervalNs, EndNs: m.end(last)}
	running := int64(0)
	for _, w := range waits {
		p.WaitNs += w.ns
		running += m.running[w.interval]
	}
	p.CSP = ratio(p.WaitNs, running)
	return p
}

// nameCauses adds to each phase the owner call chains that caused its waiting.
func (m *Meter) nameCauses(phases []Phase) {
	sums := make([]map[string]int64, len(phases))
	at := map[format.ObjectID][]int{} // the phases of a lock, in order of time
	for i := range phases {
		sums[i] = map[string]int64{}
		at[phases[i].lock] = append(at[phases[i].lock], i)
	}
	causes := m.causes.sums()
	text := make([]string, len(m.causes.names))
	for _, c := range causes {
		list := at[c.lock]
		k, _ := slices.BinarySearchFunc(list, c.interval, func(i int, interval int32) int { return cmp.Compare(phases[i].last, interval) })
		if k == len(list) || phases[list[k]].first > c.interval {
			continue
		}
		if text[c.owner] == "" {
			text[c.owner] = m.sym.OwnerText(m.causes.names[c.owner])
		}
		sums[list[k]][text[c.owner]] += c.ns
	}
	for i := range phases {
		for owner, ns := range sums[i] {
			phases[i].Causes = append(phases[i].Causes, Cause{owner, ns})
		}
		slices.SortFunc(phases[i].Causes, func(a, b Cause) int {
			return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Owner, b.Owner))
		})
		phases[i].Causes = phases[i].Causes[:min(len(phases[i].Causes), topCauses)]
	}
}
