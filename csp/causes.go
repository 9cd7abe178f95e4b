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
	ahead := map[format.ObjectID]*phasesOf{}
	for i := range phases {
		p := &phases[i]
		if ahead[p.lock] == nil {
			ahead[p.lock] = &phasesOf{m: m}
		}
		ahead[p.lock].list = append(ahead[p.lock].list, p)
	}
	for _, of := range ahead {
		slices.SortFunc(of.list, func(a, b *Phase) int { return cmp.Compare(a.first, b.first) })
	}
	m.shown = map[named]string{}
	causes := m.causes.sums()
	text := make([]string, len(m.causes.names))
	for c := range causes.all() {
		of := ahead[c.lock]
		if of == nil || !of.reaches(c.interval) {
			continue
		}
		if text[c.owner] == "" {
			text[c.owner] = m.sym.OwnerText(m.causes.names[c.owner])
		}
		if key := (named{c.lock, text[c.owner]}); m.Name != nil && m.shown[key] == "" {
			m.shown[key] = m.Name(c.lock, m.causes.names[c.owner])
		}
		of.add(c.interval, text[c.owner], c.ns)
	}
	for _, of := range ahead {
		of.end()
	}
}

// named is an owner of a lock, by its call chain.
type named struct {
	lock  format.ObjectID
	owner string
}

// phasesOf are the phases of a lock that are not over, in order of time, with
// the sums of the first one.
type phasesOf struct {
	m        *Meter
	list     []*Phase
	all, now map[string]int64 // over the phase, and over the interval at hand
	interval int32
	turns    turns
}

// reaches ends the phases before an interval, and reports whether it lies in
// the next one.
func (of *phasesOf) reaches(interval int32) bool {
	for len(of.list) > 0 && of.list[0].last < interval {
		of.end()
	}
	return len(of.list) > 0 && interval >= of.list[0].first
}

func (of *phasesOf) add(interval int32, owner string, ns int64) {
	if of.all == nil {
		of.all, of.now = map[string]int64{}, map[string]int64{}
	} else if interval != of.interval {
		of.turn()
	}
	of.interval = interval
	of.all[owner] += ns
	of.now[owner] += ns
}

func (of *phasesOf) turn() {
	of.turns.add(of.interval, of.now)
	clear(of.now)
}

// end ends the first phase.
func (of *phasesOf) end() {
	if len(of.list) == 0 {
		return
	}
	if of.all != nil {
		of.turn()
		p := of.list[0]
		p.Causes, p.Turns = largestCauses(of.all), of.turns.list(of.m)
		for i := range p.Causes {
			p.Causes[i].Shown = of.m.shown[named{p.lock, p.Causes[i].Owner}]
		}
		for i := range p.Turns {
			p.Turns[i].Cause.Shown = of.m.shown[named{p.lock, p.Turns[i].Cause.Owner}]
		}
	}
	of.list, of.all, of.turns = of.list[1:], nil, turns{}
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
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list[:min(len(list), topCauses)])
}
