package csp

import (
	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/format"
)

// group is what the slices of one group are charged to.
type group struct {
	lock   format.ObjectID
	owner  analysis.Owner
	series int   // in the recorder
	ns     int64 // waiting in the interval at hand that is not added to the sums yet
}

// Stretch implements analysis.StretchVisitor.
func (m *Meter) Stretch(s *analysis.Stretch) bool {
	in := m.at.holds(s.Start, s.End)
	if in {
		m.last = max(m.last, s.End)
	}
	for i := range s.Groups {
		of := &s.Groups[i]
		g, known := m.groups.At(of.Number)
		if !known {
			m.addOpen()
			m.learn(g, of)
		}
		n := int64(len(of.Waiters))
		m.wait += n * s.Length()
		if m.rec.Sampled() {
			m.rec.Add(g.series, s.Start, s.End, s.Length(), len(of.Waiters))
		}
		if in {
			if g.ns == 0 {
				m.open = append(m.open, g)
			}
			g.ns += n * s.Length()
			continue
		}
		m.each(s.Start, s.End, func(i int32, lo, hi int64) { m.add(g, i, n*(hi-lo)) })
	}
	return true
}

// addOpen adds what was kept for the interval at hand, which many stretches lie in.
func (m *Meter) addOpen() {
	for _, g := range m.open {
		m.add(g, m.at.number, g.ns)
		g.ns = 0
	}
	m.open = m.open[:0]
}

func (m *Meter) add(g *group, i int32, ns int64) {
	m.waits.add(i, g.lock, analysis.Owner{}, ns)
	m.causes.add(i, g.lock, g.owner, ns)
}

func (m *Meter) learn(g *group, of *analysis.Group) {
	g.lock, g.owner = m.charged(of.Lock, &of.Share)
	g.series = bootstrap.NoSeries
	if m.rec.Sampled() {
		g.series = m.seriesOf(g.lock)
	}
}
