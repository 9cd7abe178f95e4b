package renewal

import "math"

// Arrival is a stretch in which threads began to wait for a lock that was
// taken, some time after the last acquisition that is known.
type Arrival struct {
	Site    int   // of the last acquisition; -1 when there is none
	Elapsed int64 // since it, when the first thread began to wait
	Length  int64 // from then to the next acquisition
	Held    int64 // somebody had it so long after the first one came
	Last    Last
	Group   int
	Busy    float64 // share of all time in which the lock is taken
}

// Met says how a stretch is expected to divide that threads ran into.
type Met struct {
	Own    int64   // the section that began with the last known acquisition
	First  []int64 // by site: another one, which had the lock when the first thread came
	Free   int64
	Others []int64

	// As of Parts; the first section is the one that was met.
	SureFirst, SureRest float64

	cells []float64 // by site, of First: scratch
}

// meet divides the stretch after an arrival by one model. A section that is met is
// likely to be a long one: by its length, and as much of it is over as is still to
// come.
func (s *Splitter) meet(a *Arrival, met *Met) {
	m := s.m
	c, ok := m.cell(a.Length)
	if !ok && s.coarse != nil {
		s.coarse.meet(a, met)
		return
	}
	met.First, met.Others = list(met.First, m.sites), list(met.Others, m.sites)
	if !ok || c == 0 {
		s.meetLong(a, met)
		return
	}
	e, _ := m.cell(a.Elapsed)
	held := heldCell(m.cell(a.Held))
	k := keyOf(a.Site, a.Group, c, min(e, cells), 0, a.Last).held(held / heldStep)
	all := s.met[k]
	if all == nil {
		all = &Met{First: s.list(), Others: s.list(), cells: met.cells}
		if !m.meet(a, c, held, all) {
			all.SureFirst = -1
		}
		met.cells, all.cells = all.cells, nil
		s.met[k] = all
	}
	if all.SureFirst < 0 {
		s.meetLong(a, met)
		return
	}
	met.Own, met.SureFirst, met.SureRest = scaled(all.Own, a.Length), all.SureFirst, all.SureRest
	met.Free = a.Length - met.Own
	for i := range met.First {
		met.First[i], met.Others[i] = scaled(all.First[i], a.Length), scaled(all.Others[i], a.Length)
		met.Free -= met.First[i] + met.Others[i]
	}
}

// beyond returns the chance that a section of a site is longer than each cell.
func (m *Model) beyond(s int) (out lattice) {
	sum := 0.0
	for k := range m.far[s] {
		sum += m.far[s][k]
	}
	for d := cells - 1; d >= 0; d-- {
		out[d] = sum + m.hold[s][d]/2
		sum += m.hold[s][d]
	}
	return out
}

// meanCells is the mean length of all sections, in cells.
func (m *Model) meanCells() (sum float64) {
	for s, w := range m.mixes[0] {
		for d, p := range &m.hold[s] {
			sum += w * p * float64(d)
		}
		for k, p := range &m.far[s] {
			sum += w * p * float64(int(cells)<<k)
		}
	}
	return max(sum, 1)
}

// meetLong divides a stretch longer than all cells, or one the model knows none
// of: one component makes up nearly all.
func (s *Splitter) meetLong(a *Arrival, met *Met) {
	met.SureFirst, met.SureRest = 1, 1
	p := s.longs(a)
	if met.Own, met.Free = 0, a.Length; p.sum <= 0 {
		clear(met.First)
		clear(met.Others)
		return
	}
	part := func(of float64) int64 {
		if of == 0 { // often
			return 0
		}
		ns := min(int64(float64(a.Length)*of/p.sum), met.Free)
		met.Free -= ns
		return ns
	}
	met.Own = part(p.own)
	for s := range p.first {
		met.First[s] = part(p.first[s])
		met.Others[s] = part(p.other[s])
	}
}

// heldParts is how finely it is told until when somebody had the lock in a long
// stretch: as in one of all cells.
const heldParts = cells / heldStep

func share(part, whole int64) float64 { return float64(part) / float64(max(whole, 1)) }

// weights say how likely each makes up all of a long stretch.
type weights struct {
	own, sum     float64
	first, other []float64 // by site
}

// longs computes weights it knows none of: those depend on the class of the
// stretch, on that of all since the acquisition, and on the cells until threads
// came.
func (s *Splitter) longs(a *Arrival) *weights {
	m := s.m
	e, _ := m.cell(a.Elapsed)
	k := keyOf(a.Site, a.Group, m.tail(a.Length), min(e, cells), m.tail(a.Elapsed+a.Length), a.Last).held(int(heldParts * share(a.Held, a.Length)))
	p := s.long[k]
	if p == nil {
		p = new(weights)
		*p = m.weigh(a)
		s.long[k] = p
	}
	return p
}

func (m *Model) weigh(a *Arrival) (p weights) {
	gone := m.gone(a)
	met := 1 - gone + gone*a.Busy // who waits met somebody: all else comes after it
	k := m.tail(a.Length)
	width := float64(int(cells) << k)
	n := m.barge / (1 - m.barge)
	if a.Site >= 0 {
		p.own = m.far[a.Site][m.tail(a.Elapsed+a.Length)] / width
	}
	free := met * m.late[k] * (1 + n) / width * (1 - math.Floor(heldParts*share(a.Held, a.Length))/heldParts)
	p.sum = p.own + free
	list := make([]float64, 2*m.sites)
	p.first, p.other = list[:m.sites], list[m.sites:]
	mean := m.average
	for s, w := range m.mixes[m.last(a.Last, a.Group)] {
		p.first[s] = gone * a.Busy * w * m.farther[s][k] / mean
		p.other[s] = met * n * w * m.far[s][k] / width
		p.sum += p.first[s] + p.other[s]
	}
	return p
}
