package renewal

// Recorders that leave short waits out show those who wait for what is long, and seldom
// who makes them wait: its own wait was short. By the gaps they show the lock would be
// free meanwhile. So a second model tells how much of a stretch was free, and the one that
// is learnt from gaps how the rest divides: whose section it was its length does not tell.
//
// The second one knows what threads ran into, and that a fair lock is free for no longer
// than a woken thread takes to run.

// muchFree is the part of the time of all stretches that must be free by the gaps, of those
// that threads ran into, for a second model to matter.
const muchFree = 0.2

// leavesFree reports whether so much is.
func (m *Model) leavesFree(d *Data) bool {
	s, free, all := m.Splitter(), int64(0), int64(0)
	var met Met
	for _, ns := range d.Met {
		s.meet(&Arrival{Site: -1, Length: ns, Busy: 1}, &met)
		free, all = free+met.Free, all+ns
	}
	for i := range d.Gaps {
		all += d.Gaps[i].Length
	}
	return share(free, all) >= muchFree
}

// ofFree is what that model is learnt from. Who leaves a fair pool leaves it others'
// that have permits, too, and waited shortly for them.
func (d *Data) ofFree() *Data {
	of := *d
	of.Shared, of.Before = true, d.Before.free()
	of.prompt, of.Fair = d.Fair, d.Fair && !d.Pool
	return &of
}

// promptly guesses of a fair lock: sections from all of the gaps after each site, and that
// a thread runs as soon as it may. Each gap has such a time in it, so that it is no longer
// than the shortest of them, and half of those as far as nothing tells: it is the same for
// all, and not learnt.
func (l *learner) promptly(median float64) {
	m := l.m
	for s, list := range l.bySite {
		if len(list) == 0 {
			continue
		}
		var own lattice
		for _, ns := range list {
			if c, ok := m.cell(ns); ok {
				own[c]++
			}
		}
		l.guess[s] = own.smoothed(1)
		m.hold[s] = l.guess[s]
	}
	wake := m.lognormal(max(median, leastWake*float64(m.unit)), 1)
	wake = wake.smoothed(1)
	m.wake, l.free = wake, &wake
}

// Split divides a gap, into p.
func (s *Splitter) Split(g *Gap, p *Parts) {
	s.split(g, p)
	if s.free != nil && s.free.m.prompt {
		s.free.split(g, &s.partsFree)
		p.free(&s.partsFree, g.Length)
	}
	if s.spare < 1 {
		s.scarce(g, p)
	}
}

// Meet divides the stretch after an arrival.
func (s *Splitter) Meet(a *Arrival, met *Met) {
	s.meet(a, met)
	if s.free != nil {
		s.free.meet(a, &s.metFree)
		met.free(&s.metFree, a.Length)
	}
	if s.spare < 1 {
		s.scarceMet(a, met)
	}
}

// owned makes parts of a stretch times as much, one after the other, and no more in all
// than there is.
type owned struct {
	times float64
	free  int64
}

func (o *owned) part(ns *int64) {
	*ns = min(int64(float64(*ns)*o.times), o.free)
	o.free -= *ns
}

// ownedAs begins with a stretch of which so much was free, and was so by another model.
func ownedAs(length, free, by int64) owned {
	return owned{share(length-by, length-free), length}
}

// free makes as much of a gap free as another model has it. The parts stay as they are
// to each other, as far as there are any.
func (p *Parts) free(by *Parts, length int64) {
	if p.Free == length {
		p.First, p.Free = by.First, by.Free
		copy(p.Others, by.Others)
		return
	}
	o := ownedAs(length, p.Free, by.Free)
	o.part(&p.First)
	for s := range p.Others {
		o.part(&p.Others[s])
	}
	p.Free = o.free
}

// free does the same of a stretch that threads ran into.
func (p *Met) free(by *Met, length int64) {
	if p.Free == length {
		p.Own, p.Free = by.Own, by.Free
		copy(p.First, by.First)
		copy(p.Others, by.Others)
		return
	}
	o := ownedAs(length, p.Free, by.Free)
	o.part(&p.Own)
	for s := range p.First {
		o.part(&p.First[s])
		o.part(&p.Others[s])
	}
	p.Free = o.free
}
