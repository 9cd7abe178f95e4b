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
	series int // in the recorder
}

// Stretch implements analysis.StretchVisitor.
func (m *Meter) Stretch(s *analysis.Stretch) bool {
	for i := range s.Groups {
		of := &s.Groups[i]
		g, known := m.groups.At(of.Number)
		if !known {
			m.learn(g, of)
		}
		n := int64(len(of.Waiters))
		m.wait += n * s.Length()
		if m.rec.Sampled() {
			m.rec.Add(g.series, s.Start, s.End, s.Length(), len(of.Waiters))
		}
		m.each(s.Start, s.End, func(i int32, lo, hi int64) { m.add(g, i, n*(hi-lo)) })
	}
	return true
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
