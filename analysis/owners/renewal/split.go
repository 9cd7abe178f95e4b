package renewal

import (
	"math"
	"math/bits"
)

// Parts are the shares of a gap that each is expected to have, in ns.
type Parts struct {
	First  int64   // the section it begins with
	Free   int64   // nobody
	Others []int64 // by site: sections of threads that took the free lock

	// The part of First in which the first section is expected to last, and the
	// part of the rest in which it is expected to be over.
	SureFirst, SureRest float64
}

// split divides a gap by one model. Gaps it cannot tell apart are computed once, for
// one goroutine.
func (s *Splitter) split(g *Gap, p *Parts) {
	m := s.m
	*p = Parts{Others: zeros(p.Others, m.sites)}
	c, ok := m.cell(g.Length)
	if !ok {
		m.longest(g, p)
		return
	}
	most := m.most(g, c)
	least := m.least(g, c)
	held := heldCell(m.cell(g.Held))
	k := keyOf(g.Site, g.Group, c, most, least, g.Last).held(held / heldStep)
	e := s.parts[k]
	if e == nil {
		e = &Parts{Others: s.list()}
		if !m.near(g, c, least, most, held, e) {
			e.SureFirst = -1
		}
		s.parts[k] = e
	}
	if e.SureFirst < 0 {
		m.longest(g, p)
		return
	}
	p.SureFirst, p.SureRest = e.SureFirst, e.SureRest
	p.First = scaled(e.First, g.Length)
	p.Free = g.Length - p.First
	for i, ns := range e.Others {
		p.Others[i] = scaled(ns, g.Length)
		p.Free -= p.Others[i]
	}
}

// Splitter divides the gaps of one lock by a model.
type Splitter struct {
	m     *Model
	parts map[key]*Parts
	met   map[key]*Met
	long  map[key]*weights
	room  []int64 // for lists by site

	coarse, free *Splitter // nil as those of the model
	spare        float64   // so much of what is free by the model stays free
	partsFree    Parts     // scratch
	metFree      Met       // the same
}

// list returns zeros by site.
func (s *Splitter) list() []int64 {
	n := s.m.sites
	if len(s.room) < n {
		s.room = make([]int64, 64*n)
	}
	list := s.room[:n:n]
	s.room = s.room[n:]
	return list
}

// Splitter returns one for a goroutine.
func (m *Model) Splitter() *Splitter {
	if m == nil {
		return nil
	}
	return &Splitter{m: m, spare: 1, parts: map[key]*Parts{}, met: map[key]*Met{}, long: map[key]*weights{}, coarse: m.coarse.Splitter(), free: m.free.Splitter()}
}

// canon is the length gaps are divided as; see scaled.
const canon = 1 << 40

// scaled returns the part of a length that ns is of canon, rounded down.
func scaled(ns, length int64) int64 {
	h, l := bits.Mul64(uint64(ns), uint64(length))
	return int64(h<<24 | l>>40)
}

// zeros returns n zeros, in place of a list that is no longer needed.
func zeros(used []int64, n int) []int64 {
	used = list(used, n)
	clear(used)
	return used
}

// list returns n numbers to be written, in place of those that are no longer needed.
func list(used []int64, n int) []int64 {
	if cap(used) < n {
		return make([]int64, n)
	}
	return used[:n]
}

// Lasts reports whether the first section of a gap, whose thread is known to have the
// lock so long after it began, lasts until then rather than that the thread has it again.
func (s *Splitter) Lasts(g *Gap) bool {
	m := s.m
	c, ok := m.cell(g.Length)
	if !ok {
		first, _, others := m.jump(g.Site, m.tail(g.Length), m.barge/(1-m.barge), g.Last, g.Group)
		return first >= others
	}
	least, of := m.least(g, c), m.takings(taking{g.Last, g.Group})
	stays, again := 0.0, 0.0
	for d, p := range m.hold[g.Site][:c+1] {
		if d < least {
			again += p * of.held[c-d]
		} else {
			stays += p * m.rest(c-d, g.Last, g.Group)
		}
	}
	return stays >= again
}

// over is the length of a section that is over.
var over = lattice{1}

// near divides a gap of so many cells, as one of canon; false if the model knows no such gap.
func (m *Model) near(g *Gap, c, least, most, held int, parts *Parts) bool {
	var rest lattice
	var weights lattice
	sum, first := 0.0, 0.0
	of := m.takings(taking{g.Last, g.Group})
	section := &over
	if g.Site >= 0 {
		section = &m.hold[g.Site]
	}
	for d, p := range section[:most+1] {
		if p == 0 || d < least {
			continue
		}
		w := p * m.rest(c-d, g.Last, g.Group)
		rest[c-d] = p
		if d < held {
			w = p * of.held[c-d]
			rest[c-d] = p * of.more[c-d]
		}
		weights[d] = w
		sum += w
		first += w * float64(d)
	}
	if sum <= 1e-300 || c == 0 {
		if parts.SureFirst = 0.5; g.Site >= 0 {
			parts.First = canon
		}
		return c == 0
	}
	unit := canon / float64(c)
	p := parts
	p.First = int64(first / sum * unit)
	p.SureFirst, p.SureRest = m.sure(&weights, sum, first/sum, c)
	p.Free = canon - p.First
	for s := range p.Others {
		ns := int64(taken(of.by[s], rest[:c+1]) / sum * unit)
		ns = min(ns, p.Free)
		p.Others[s] = ns
		p.Free -= ns
	}
	return true
}

// sure returns how much of the first cells, of which a section is expected to
// have so many, it has, and how much of the others it has not.
func (m *Model) sure(weights *lattice, sum, first float64, c int) (in, out float64) {
	rest := float64(c) - first
	for d, w := range weights[:c+1] {
		in += w * min(float64(d), first)
		out += w * min(float64(c-d), rest)
	}
	return in / max(sum*first, math.SmallestNonzeroFloat64), out / max(sum*rest, math.SmallestNonzeroFloat64)
}

// taking is what sections of a site take of a rest, by its length.
type taking struct {
	last  Last
	group int
}

// taken returns how many cells the sections of a site take, given what they do by
// its length of a rest whose length has a distribution, times how likely the gap
// is.
func taken(of *lattice, rest []float64) (sum float64) {
	if of == nil {
		return 0
	}
	for q, p := range rest {
		sum += p * of[q]
	}
	return sum
}

// takes is what sections take of a rest, by its length.
type takes struct {
	by   []*lattice // by site: how many cells, times how likely that is
	held lattice    // chance of such a rest in which somebody has the lock at some instant
	more lattice    // how many times as likely it is then that it has any section
}

// heldStep is how many cells are not told apart in that.
const heldStep = 4

// heldCell is the first cell in which nobody is known to have had the lock.
func heldCell(c int, _ bool) int {
	if c == 0 {
		return 0
	}
	return min((c/heldStep+1)*heldStep, cells)
}

// takings returns what sections take of a rest.
func (m *Model) takings(t taking) *takes {
	if t.last != LastOther {
		t.group = 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if list, ok := m.takes[t]; ok {
		return list
	}
	of := &takes{by: make([]*lattice, m.sites)}
	for s := range of.by {
		if of.by[s] = m.takenBy(s, t); of.by[s] != nil {
			for q, cells := range of.by[s] {
				of.held[q] += cells
			}
		}
	}
	for q := 1; q < cells; q++ {
		of.held[q] /= float64(q)
		if any := m.rest(q, t.last, t.group) - m.straight(q, t.last); any > 0 {
			of.more[q] = min(of.held[q]/any, 1)
		}
	}
	if m.takes == nil {
		m.takes = map[taking]*takes{}
	}
	m.takes[t] = of
	return of
}

func (m *Model) takenBy(site int, t taking) *lattice {
	w, last, factor, around := m.mixes[0][site], 0.0, 1.0, &m.between
	switch t.last {
	case LastSame:
		factor = m.again
	case LastOther:
		factor, around, last = 1-m.again, &m.groups[t.group].before, m.mixes[t.group][site]
	}
	if w == 0 && last == 0 {
		return nil
	}
	surround, length := *around, m.hold[site]
	for i := range surround {
		surround[i] = factor * (w*around[i] + last*m.lastOne[i])
		length[i] *= float64(i)
	}
	if t.last != LastOther {
		for i := range surround {
			surround[i] = factor * w * around[i]
		}
	}
	out := &lattice{}
	out.convolve(&length, &surround)
	return out
}

// longest divides a gap longer than all cells, or one the model knows none of:
// one component makes up nearly all.
func (m *Model) longest(g *Gap, p *Parts) {
	k := m.tail(g.Length)
	n := m.barge / (1 - m.barge)
	first, free, others := m.jump(g.Site, k, n, g.Last, g.Group)
	free *= 1 - share(g.Held, g.Length)
	usual := int64(0)
	if g.Site >= 0 {
		usual = min(m.usual[g.Site], g.Length)
	}
	most := g.Length
	if g.Gone > 0 {
		usual, most = min(usual, g.Gone), g.Gone
		if !m.mayHaveBeenLong(g) {
			first = 0
		}
	}
	z := first + free + others
	rest := g.Length - usual
	p.First, p.SureRest = usual+int64(float64(most-usual)*first/z), 1-first/z
	if p.First = max(p.First, g.Least); p.First > 0 {
		p.SureFirst = min((float64(usual)+float64(p.First-usual)*first/z)/float64(p.First), 1)
	}
	p.Free = g.Length - p.First
	for s, w := range m.mixes[m.last(g.Last, g.Group)] {
		ns := min(int64(float64(rest)*n*w*m.far[s][k]/z), p.Free)
		p.Others[s] = ns
		p.Free -= ns
	}
}

// mayHaveBeenLong reports whether the first section of such a gap, whose thread was
// seen elsewhere before it ended, may have been nearly all of it: until then it was
// longer than all cells, and no more came after it than they hold.
func (g grid) mayHaveBeenLong(of *Gap) bool {
	_, short := g.cell(of.Gone)
	_, soon := g.cell(of.Length - of.Gone)
	return !short && soon
}

func (m *Model) mean(site int) int64 {
	sum := 0.0
	for i, p := range &m.hold[site] {
		sum += float64(i) * p
	}
	return int64(sum * float64(m.unit))
}

// Section returns, by site, how much of a stretch a section of a thread of a
// group is expected to take, the rest of which the lock is free.
func (s *Splitter) Section(group int, length int64, by []int64) []int64 {
	m := s.m
	by = zeros(by, m.sites)
	c, ok := m.cell(length)
	if !ok {
		c += m.tail(length)
	}
	k := keyOf(-1, group, c, 0, 0, 0)
	e := s.parts[k]
	if e == nil {
		e = &Parts{Others: s.list()}
		if ok {
			m.ending(group, c, e.Others)
		} else {
			m.endingLong(group, m.tail(length), e.Others)
		}
		s.parts[k] = e
	}
	for i, ns := range e.Others {
		by[i] = scaled(ns, length)
	}
	return by
}

// ending divides a stretch of c cells, as one of canon.
func (m *Model) ending(group, c int, by []int64) {
	sum, took := 0.0, make([]float64, m.sites)
	for s, w := range m.mixes[group] {
		for d, p := range m.hold[s][:c+1] {
			p *= w * m.direct[c-d]
			sum += p
			took[s] += p * float64(d)
		}
	}
	for s := range by {
		by[s] = int64(took[s] / max(sum*float64(c), math.SmallestNonzeroFloat64) * canon)
	}
}

// endingLong is ending for a class of long ones: one component makes up nearly
// all.
func (m *Model) endingLong(group, k int, by []int64) {
	sum := m.late[k]
	for s, w := range m.mixes[group] {
		sum += w * m.far[s][k]
	}
	for s, w := range m.mixes[group] {
		by[s] = int64(w * m.far[s][k] / sum * canon)
	}
}
