package findings

import "contend/analysis"

// group is what is known of slices that are alike, see analysis.Group.
type group struct {
	lock    *lockSeen
	site    uint32 // of a waiter
	readers int64  // waiters that want to read, where the owner does too
	paused  bool   // the owner was stopped by a collection
}

// Stretch implements analysis.StretchVisitor.
func (v *Evidence) Stretch(s *analysis.Stretch) bool {
	v.clock.reach(s.End, v.locks)
	for i := range s.Groups {
		of := &s.Groups[i]
		g, known := v.groups.At(of.Number)
		if !known {
			v.learn(g, of)
		}
		ns := s.Length() * int64(len(of.Waiters))
		g.lock.spread.add(&v.clock, s.Start, s.End, ns, g.site)
		if g.paused {
			addTo(&g.lock.paused, of.Share.Direct.Prov, ns)
		}
		if g.readers > 0 {
			addTo(&g.lock.reads, of.Share.Direct.Prov, s.Length()*g.readers)
		}
	}
	return true
}

func (v *Evidence) learn(g *group, of *analysis.Group) {
	*g = group{lock: v.lock(of.Lock), site: v.sites.Waiter(of.Waiters[0].Stack)}
	switch o := &of.Share.Direct; o.Kind {
	case analysis.OwnerGCPause:
		g.paused = true
	case analysis.OwnerThread:
		if v.reading(o.Stack) != "" {
			g.readers = v.readersOf(of.Waiters)
		}
	}
}
