package csp

import (
	"cmp"
	"slices"

	"contend/format"
)

// topCauses is how many call chains a phase names.
const topCauses = 5

// nameCauses adds to each phase the owner call chains that caused its
// waiting. The sums come in order of time: each lock has one phase at a time
// that is being added to.
func (m *Meter) nameCauses(phases []Phase) {
	ahead := map[format.ObjectID][]*Phase{} // the phases of a lock that are not over, in order of time
	for i := range phases {
		ahead[phases[i].lock] = append(ahead[phases[i].lock], &phases[i])
	}
	for _, list := range ahead {
		slices.SortFunc(list, func(a, b *Phase) int { return cmp.Compare(a.first, b.first) })
	}
	sums := map[format.ObjectID]map[string]int64{} // of the first phase ahead
	causes := m.causes.sums()
	text := make([]string, len(m.causes.names))
	for c := range causes.all() {
		list := ahead[c.lock]
		for len(list) > 0 && list[0].last < c.interval {
			list[0].Causes = largestCauses(sums[c.lock])
			clear(sums[c.lock])
			list = list[1:]
			ahead[c.lock] = list
		}
		if len(list) == 0 || c.interval < list[0].first {
			continue
		}
		if text[c.owner] == "" {
			text[c.owner] = m.sym.OwnerText(m.causes.names[c.owner])
		}
		if sums[c.lock] == nil {
			sums[c.lock] = map[string]int64{}
		}
		sums[c.lock][text[c.owner]] += c.ns
	}
	for lock, list := range ahead {
		if len(list) > 0 {
			list[0].Causes = largestCauses(sums[lock])
		}
	}
}

// largestCauses returns the first few of the sums.
func largestCauses(sums map[string]int64) []Cause {
	list := make([]Cause, 0, len(sums))
	for owner, ns := range sums {
		list = append(list, Cause{owner, ns})
	}
	slices.SortFunc(list, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Owner, b.Owner))
	})
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list[:min(len(list), topCauses)])
}
