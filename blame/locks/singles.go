package locks

import "contend/analysis"

// Singles implements analysis.SinglesVisitor.
func (c *Collector) Singles(s *analysis.Singles) bool {
	if c.rec.Sampled() {
		return false
	}
	c.alike = c.alike[:0]
	for i := range s.Alike {
		a := &s.Alike[i]
		at := c.find(a.Lock)
		c.alike = append(c.alike, at)
		c.sums[at].waitNs += a.Ns
		c.sums[at].known[a.Share.Direct.Prov] += a.Ns
	}
	for i := range s.Slices {
		one := &s.Slices[i]
		m := &c.sums[c.alike[one.Alike]]
		m.wall.AddRecorded(one.Start, one.End, s.NoEarlierStart)
		c.wall.AddRecorded(one.Start, one.End, s.NoEarlierStart)
		if one.Begins > 0 {
			c.begin(s, one, m)
		}
	}
	return true
}

// begin counts the waits that begin with a slice.
func (c *Collector) begin(s *analysis.Singles, one *analysis.Single, m *sum) {
	waiters, lock := s.Waiters(one), s.Alike[one.Alike].Lock
	for i := range waiters {
		if w := &waiters[i]; w.First {
			c.meet(w.Thread, lock, c.alike[one.Alike])
			m.begin(w, false)
		}
	}
}
