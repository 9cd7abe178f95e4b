package csp

import (
	"math"
	"slices"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/format"
)

// maxConfidence bounds the pressures of a series that have a confidence interval: each costs
// about 0.2 ms.
const maxConfidence = 2000

// record adds a slice of a sampled trace to the series of its lock.
func (m *Meter) record(s *analysis.Slice, n int) {
	if !m.rec.Sampled() {
		return
	}
	if m.allLocks == bootstrap.NoSeries {
		m.allLocks = m.coarse.New()
	}
	m.coarse.AddTime(m.allLocks, s.Start, s.End, s.Length(), n)
	switch {
	case m.opts.Root:
		for i := range s.Shares {
			sh := &s.Shares[i]
			m.rec.AddTime(m.seriesOf(sh.Last), s.Start, s.End, sh.Ns, n)
		}
	default:
		m.rec.AddTime(m.seriesOf(s.Lock), s.Start, s.End, s.Length(), n)
	}
}

// seriesOf returns the series of a lock, making it on first use.
func (m *Meter) seriesOf(l format.ObjectID) int {
	i, ok := m.series[l]
	if !ok {
		i = m.rec.New()
		m.series[l] = i
	}
	return i
}

// addConfidence adds 95 % intervals to the pressures of a sampled trace: first to the phases
// that are found in all of it, then to the locks of each measurement interval.
func (m *Meter) addConfidence(s *Series, found int) {
	s.Sampled = m.rec.Sampled()
	if !s.Sampled {
		return
	}
	cells := m.rec.Finish()
	all := m.coarse.Finish()
	if m.allLocks != bootstrap.NoSeries {
		s.PlusMinus = known(all.RatioOfAll(all.Series(m.allLocks), all.Series(bootstrap.Running)))
	}
	for i := range s.Phases[:min(len(s.Phases), maxConfidence)] {
		p := &s.Phases[i]
		p.PlusMinus = m.lockHalfWidth(cells.Window(p.StartNs, p.EndNs), p.sums.group.locks)
	}
	left := maxConfidence - found
	if m.opts.Phases || left <= 0 {
		return
	}
	for iv := range s.Intervals() {
		window := cells.Window(iv.StartNs, iv.EndNs)
		for _, l := range iv.Locks[:min(len(iv.Locks), left)] {
			s.halfWidths = append(s.halfWidths, m.lockHalfWidth(window, l.ids))
		}
		left = maxConfidence - found - len(s.halfWidths)
		if left <= 0 {
			return
		}
	}
}

// lockHalfWidth returns half of the 95 % interval of the pressure of some locks together; nil if
// there are too few samples.
func (m *Meter) lockHalfWidth(c *bootstrap.Cells, locks []format.ObjectID) *float64 {
	var sum []int64
	for _, lock := range locks {
		i, ok := m.series[lock]
		switch {
		case !ok:
		case sum == nil && len(locks) == 1:
			sum = c.Series(i)
		default:
			sum = added(sum, c.Series(i))
		}
	}
	if sum == nil {
		return nil
	}
	return known(c.Ratio(sum, c.Series(bootstrap.Running)))
}

// added adds a series to a sum, which may be nil.
func added(sum, series []int64) []int64 {
	if sum == nil {
		return slices.Clone(series)
	}
	for i, ns := range series {
		sum[i] += ns
	}
	return sum
}

// known returns half of the 95 % interval of an estimate; nil if there are too few samples.
func known(e bootstrap.Estimate) *float64 {
	if e.Blocks == 0 || math.IsInf(e.Half, 1) {
		return nil
	}
	return &e.Half
}
