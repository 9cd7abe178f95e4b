package findings

import "contend/analysis"

// alike is what is known of slices that have a lock and its owner in common.
type alike struct {
	lock  *lockSeen
	free  bool // nobody had the lock
	reads bool // the owner did no more than read
}

// Singles implements analysis.SinglesVisitor.
func (v *Evidence) Singles(s *analysis.Singles) bool {
	v.alike = v.alike[:0]
	for i := range s.Alike {
		v.alike = append(v.alike, v.known(&s.Alike[i]))
	}
	moved := s.Moved()
	for i := range s.Slices {
		if moved {
			v.follow(s.Moves(i))
		}
		one := &s.Slices[i]
		a, waiters, prov := &v.alike[one.Alike], s.Waiters(one), s.Alike[one.Alike].Share.Direct.Prov
		ns := one.Len() * one.Length()
		v.clock.reach(one.End, v.locks)
		a.lock.spread.add(&v.clock, one.Start, one.End, ns, v.sites.Waiter(waiters[0].Stack))
		b := &a.lock.busy
		b.reach(one.Start, one.End, a.free, &a.lock.convoy)
		b.waited.add(prov, ns)
		if one.Begins > 0 {
			b.begin(waiters)
		}
		if a.reads {
			n := a.lock.crowd
			if !one.Crowd {
				n = v.readersOf(waiters)
			}
			addTo(&a.lock.reads, prov, one.Length()*n)
		}
	}
	return true
}

// follow counts those in a crowd who want to read.
func (v *Evidence) follow(moves []analysis.Move) {
	for i := range moves {
		m := &moves[i]
		if m.Twice || !v.reader(&m.Waiter) {
			continue
		}
		if m.Leaves {
			v.lock(m.Lock).crowd--
		} else {
			v.lock(m.Lock).crowd++
		}
	}
}

// known finds out what the slices of an owner have in common, and adds what is a sum.
func (v *Evidence) known(a *analysis.Alike) alike {
	o, l := &a.Share.Direct, v.lock(a.Lock)
	if o.Kind == analysis.OwnerGCPause {
		addTo(&l.paused, o.Prov, a.Ns)
	}
	return alike{lock: l, free: surelyFree(o, l.fair), reads: o.Kind == analysis.OwnerThread && v.reading(o.Stack) != ""}
}
