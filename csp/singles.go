package csp

import "contend/analysis"

// Singles implements analysis.SinglesVisitor. Most slices lie in the interval at hand:
// what owners caused in it is summed before it is added to the sums, which are many.
func (m *Meter) Singles(s *analysis.Singles) bool {
	if m.rec.Sampled() {
		return false
	}
	m.alike = append(m.alike[:0], make([]int64, len(s.Alike))...)
	for i := range s.Slices {
		one := &s.Slices[i]
		n := one.Len()
		m.wait += n * one.Length()
		if m.at.holds(one.Start, one.End) {
			m.last = max(m.last, one.End)
			m.alike[one.Alike] += n * one.Length()
			continue
		}
		m.addAlike(s)
		m.each(one.Start, one.End, func(i int32, lo, hi int64) { m.addShare(i, &s.Alike[one.Alike], n*(hi-lo)) })
	}
	m.addAlike(s)
	return true
}

// addAlike adds what was summed in the interval at hand.
func (m *Meter) addAlike(s *analysis.Singles) {
	for i, ns := range m.alike {
		if ns > 0 {
			m.addShare(m.at.number, &s.Alike[i], ns)
		}
	}
	clear(m.alike)
}

// addShare adds thread-time with one share in an interval.
func (m *Meter) addShare(i int32, a *analysis.Alike, ns int64) {
	lock, owner := m.charged(a.Lock, &a.Share)
	m.waits.add(i, lock, analysis.Owner{}, ns)
	m.causes.add(i, lock, owner, ns)
}
