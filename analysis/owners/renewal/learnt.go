package renewal

import "math"

// Learnt is what was learnt of some locks, but for the last round: where to begin
// to learn of locks of the same kind in another recording. What is learnt there of
// the same gaps is the same.
type Learnt struct {
	grid
	state
	coarse *Learnt // that of the coarse model
	free   *Learnt // that of the model that tells what is free
}

// Before is what was learnt before of such locks, and the number each site had
// there, negative for none.
type Before struct {
	*Learnt
	Sites []int
}

// Learnt returns what has been learnt; nil where the model began with that of
// another one.
func (m *Model) Learnt() *Learnt {
	if m == nil || m.early.hold == nil {
		return nil
	}
	return &Learnt{m.grid, m.early, m.coarse.Learnt(), m.free.Learnt()}
}

// coarse returns the same for the coarse model.
func (b *Before) coarse() *Before {
	return b.of(func(l *Learnt) *Learnt { return l.coarse })
}

// free returns the same for the model that tells what is free.
func (b *Before) free() *Before {
	return b.of(func(l *Learnt) *Learnt { return l.free })
}

func (b *Before) of(part func(*Learnt) *Learnt) *Before {
	if b == nil || part(b.Learnt) == nil {
		return nil
	}
	return &Before{part(b.Learnt), b.Sites}
}

// alike is how much a round on top of what was learnt before may move between cells,
// or of a chance, for that to be learnt of locks that are like these.
const alike = 0.1

// state is what rounds change.
type state struct {
	hold         []lattice
	wake         lattice
	barge, again float64
	held         float64 // of arrivals
}

// state returns a copy.
func (l *learner) state() state {
	m := l.m
	return state{append([]lattice(nil), m.hold...), m.wake, m.barge, m.again, l.held}
}

// put makes it that of a state.
func (l *learner) put(s *state) {
	m := l.m
	copy(m.hold, s.hold)
	m.wake, m.barge, m.again, l.held = s.wake, s.barge, s.again, s.held
}

// begin takes what was learnt before in place of a first guess.
func (l *learner) begin(from *Before) {
	m := l.m
	for s, before := range from.Sites {
		if before >= 0 {
			m.hold[s] = from.hold[before].on(from.grid, m.grid)
		}
	}
	if l.free == nil {
		m.wake = from.wake.on(from.grid, m.grid)
	}
	if m.barge > 0 {
		m.barge, m.again, l.held = from.barge, from.again, from.held
	}
}

// on is a distribution in other cells.
func (l *lattice) on(from, to grid) lattice {
	if from == to {
		return *l
	}
	return l.rescaled(from, to).smoothed(1)
}

// rounds fits the model: in one round from what was learnt before, where that fits,
// else in all from a first guess.
func (l *learner) rounds(before *Before) {
	if before != nil && l.lastRound(before) {
		return
	}
	for range rounds - 1 {
		l.round()
	}
	l.m.early = l.state()
	l.round()
}

// lastRound does the last round from what was learnt before; false where that is of
// other locks than these.
func (l *learner) lastRound(before *Before) bool {
	guessed := l.state()
	l.begin(before)
	learnt := l.state()
	l.round()
	if l.moved(&learnt) > alike {
		l.put(&guessed)
		return false
	}
	return true
}

// moved is how much of the distributions has, of that of sections what most are of, or
// how far a chance, whichever is most.
func (l *learner) moved(from *state) float64 {
	m, sections := l.m, 0.0
	for s, w := range m.mixes[0] {
		sections += w * m.hold[s].apart(&from.hold[s])
	}
	return max(math.Abs(m.barge-from.barge), math.Abs(m.again-from.again), m.wake.apart(&from.wake), sections)
}

// apart is the part of a distribution that lies elsewhere in another one.
func (l *lattice) apart(o *lattice) (sum float64) {
	for i, p := range l {
		sum += math.Abs(p - o[i])
	}
	return sum / 2
}
