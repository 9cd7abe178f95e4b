package csp

import (
	"cmp"
	"maps"
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
// They come in order of waiting time.
func (m *Meter) phases() []Phase {
	byLock := map[format.ObjectID]map[int32]int64{}
	for c, ns := range m.waits {
		if byLock[c.lock] == nil {
			byLock[c.lock] = map[int32]int64{}
		}
		byLock[c.lock][c.interval] = ns
	}
	var out []Phase
	for lock, waits := range byLock {
		for _, r := range m.stretches(waits) {
			out = append(out, m.phase(lock, r[0], r[1], waits))
		}
	}
	m.nameCauses(out)
	slices.SortFunc(out, func(a, b Phase) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.StartNs, b.StartNs), cmp.Compare(a.Lock, b.Lock))
	})
	return out
}

// stretches returns the first and last interval of each phase of one lock.
func (m *Meter) stretches(waits map[int32]int64) (out [][2]int32) {
	inside := false
	last := int32(-2)
	for _, i := range slices.Sorted(maps.Keys(waits)) {
		p := ratio(waits[i], m.running[i])
		switch {
		case inside && i == last+1 && p >= m.o.Threshold/2:
			out[len(out)-1][1] = i
		case p >= m.o.Threshold:
			out = append(out, [2]int32{i, i})
			inside = true
		default:
			inside = false
		}
		last = i
	}
	return out
}

func (m *Meter) phase(lock format.ObjectID, first, last int32, waits map[int32]int64) Phase {
	p := Phase{Class: m.sym.ClassName(lock), Lock: m.sym.LockName(lock), lock: lock, first: first, last: last,
		StartNs: m.start + int64(first)*m.o.IntervalNs, EndNs: m.end(last)}
	running := int64(0)
	for i := first; i <= last; i++ {
		p.WaitNs += waits[i]
		running += m.running[i]
	}
	p.CSP = ratio(p.WaitNs, running)
	return p
}

// nameCauses adds to each phase the owner call chains that caused its waiting.
func (m *Meter) nameCauses(phases []Phase) {
	sums := make([]map[string]int64, len(phases))
	at := map[cell][]int{}
	for i := range phases {
		sums[i] = map[string]int64{}
		for j := phases[i].first; j <= phases[i].last; j++ {
			c := cell{j, phases[i].lock}
			at[c] = append(at[c], i)
		}
	}
	for c, ns := range m.causes {
		for _, i := range at[c.cell] {
			sums[i][m.sym.OwnerText(c.owner)] += ns
		}
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
