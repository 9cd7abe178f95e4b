package renewal

// Where waits are recorded only if they are long, hardly a gap is left in which what
// threads wait for could be seen from its beginning on: readers come while a writer's
// section is under way, and others while one is that had waited shortly itself. So a
// thread that came and had to wait ran into a section, of which as much is over as is
// still to come.

// noteMet takes the stretches from when the first thread came to the next
// acquisition.
func (l *learner) noteMet(stretches []int64) {
	for _, ns := range stretches {
		if c, ok := l.m.cell(ns); ok {
			l.met[c]++
		}
	}
}

// countMet expects of each such stretch what section was met, and counts it: the
// longer one is the likelier it is met, and so it stands for the fewer.
func (l *learner) countMet(hold []lattice) {
	m := l.m
	if l.met == (lattice{}) { // mostly
		return
	}
	all := &m.groups[0].mix
	var met lattice // by length: how many times as many sections were met as there are
	for c, n := range l.met {
		if n > 0 {
			m.endings(all, c, n, &met)
		}
	}
	mean := max(all.mean(), 1)
	for s, w := range m.mixes[0] {
		for d := 1; d < cells; d++ {
			hold[s][d] += w * m.hold[s][d] * met[d] * mean / float64(d)
		}
	}
}

// endings adds, for n stretches of c cells, how likely each is if the section that
// was met has so many, any part of which may be left.
func (m *Model) endings(all *lattice, c int, n float64, met *lattice) {
	var likely lattice
	sum, any := 0.0, 0.0
	for d := range likely {
		if d <= c {
			sum += m.rest(c-d, LastUnknown, 0)
		}
		likely[d] = sum
		any += all[d] * sum
	}
	if any <= 1e-300 {
		return
	}
	for d := range likely {
		met[d] += n * likely[d] / any
	}
}
