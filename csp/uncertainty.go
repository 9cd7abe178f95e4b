package csp

import (
	"math"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/format"
)

// maxIntervalsOfConfidence is how many pressures of a series carry an interval: each costs
// about a fifth of a millisecond.
const maxIntervalsOfConfidence = 2000

// record adds a slice of a sampled trace to the series of its lock.
func (m *Meter) record(s *analysis.Slice, n int) {
	if !m.rec.Sampled() {
		return
	}
	if m.whole == bootstrap.NoSeries {
		m.whole = m.all.New()
	}
	m.all.Add(m.whole, s.Start, s.End, s.Length(), n)
	switch {
	case m.o.Root:
		for i := range s.Shares {
			sh := &s.Shares[i]
			m.rec.Add(m.seriesOf(sh.Last), s.Start, s.End, sh.Ns, n)
		}
	default:
		m.rec.Add(m.seriesOf(s.Lock), s.Start, s.End, s.Length(), n)
	}
}

func (m *Meter) seriesOf(l format.ObjectID) int {
	i, ok := m.series[l]
	if !ok {
		i = m.rec.New()
		m.series[l] = i
	}
	return i
}

// addIntervals adds 95 % intervals to the pressures of a sampled trace: first to the phases
// that are found in all of it, then to the locks of each measurement interval.
func (m *Meter) addIntervals(s *Series, found int) {
	if s.Sampled = m.rec.Sampled(); !s.Sampled {
		return
	}
	cells := m.rec.Finish()
	all := m.all.Finish()
	s.PlusMinus = half(all, m.whole, all.RatioOfAll)
	for i := range s.Phases[:min(len(s.Phases), maxIntervalsOfConfidence)] {
		p := &s.Phases[i]
		p.PlusMinus = m.half(cells.Window(p.StartNs, p.EndNs), p.lock)
	}
	left := maxIntervalsOfConfidence - found
	if m.o.Phases || left <= 0 {
		return
	}
	for iv := range s.Intervals() {
		window := cells.Window(iv.StartNs, iv.EndNs)
		for _, l := range iv.Locks[:min(len(iv.Locks), left)] {
			s.halves = append(s.halves, m.half(window, l.id))
		}
		if left = maxIntervalsOfConfidence - found - len(s.halves); left <= 0 {
			return
		}
	}
}

// half returns half of the 95 % interval of a lock's pressure; nil if there are too few
// samples.
func (m *Meter) half(c *bootstrap.Cells, lock format.ObjectID) *float64 {
	if i, ok := m.series[lock]; ok {
		return half(c, i, c.Ratio)
	}
	return nil
}

// half returns the same of a series, by an estimate of its ratio.
func half(c *bootstrap.Cells, series int, ratio func(num, den []int64) bootstrap.Estimate) *float64 {
	if series == bootstrap.NoSeries {
		return nil
	}
	e := ratio(c.Series(series), c.Series(bootstrap.Running))
	if e.Blocks == 0 || math.IsInf(e.Half, 1) {
		return nil
	}
	return &e.Half
}
