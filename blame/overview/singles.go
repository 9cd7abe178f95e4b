package overview

import "contend/analysis"

// Singles implements analysis.SinglesVisitor: owners have sums only, and of waiters the
// first slice tells all.
func (c *Collector) Singles(s *analysis.Singles) bool {
	for i := range s.Alike {
		a := &s.Alike[i]
		c.total += a.Ns
		c.charge(a.Lock, &analysis.Waiter{}, &a.Share, a.Ns, false)
	}
	for i := range s.Slices {
		one := &s.Slices[i]
		if one.Begins == 0 {
			continue
		}
		for _, w := range s.Waiters(one) {
			if w.First {
				c.begin(s.Alike[one.Alike].Lock, &w)
			}
		}
	}
	return true
}
