package model

import (
	"cmp"
	"math"
	"slices"
)

// byCell is a factor or a share by cell of a gap.
type byCell [cells]float64

// bounds of the cells, as parts of the gap: fine where the lock changes hands.
var bounds = [cells + 1]float64{0, 1. / 32, 1. / 4, 1. / 2, 3. / 4, 31. / 32, 1}

func cellOf(part float64) int {
	c := 0
	for c < cells-1 && part >= bounds[c+1] {
		c++
	}
	return c
}

// evidence is what the answer of a gap depends on: the gap as the chain sees it, and what
// speaks for and against each state, as likelihoods.
type evidence struct {
	site            int // of the acquirer, -1 for none that is known
	acquired, ended bool
	length          float64 // ns

	can  []byCell // by site: the share of its users that may enter
	held []byCell // by site: for that it is held there
	own  byCell   // for that the acquirer holds it still
	free byCell   // for that it is free
	by   []int32  // by site: the user that was seen inside, -1 for none
	seen []uint8  // by site: the cells in which it was, a bit each
}

var ones = byCell{1, 1, 1, 1, 1, 1}

// weigh finds what speaks for and against each state.
func (k *worker) weigh(l *Lock, g *gap) {
	e, sites := &k.ev, len(k.class.sites)
	e.can, e.held, e.by = slices.Grow(e.can[:0], sites)[:sites], slices.Grow(e.held[:0], sites)[:sites], slices.Grow(e.by[:0], sites)[:sites]
	e.site, e.acquired, e.ended, e.length = g.site, g.acquired, g.ended, float64(g.to-g.from)
	e.own, e.free = ones, ones
	e.seen = append(e.seen[:0], make([]uint8, sites)...)
	for s := range e.can {
		v := k.users.total[s] - g.blocked[s]
		e.can[s], e.held[s], e.by[s] = byCell{v, v, v, v, v, v}, ones, -1
	}
	for i := range g.arrivals {
		k.arrive(g, &g.arrivals[i])
	}
	for i := range g.deeds {
		k.do(l, g, &g.deeds[i])
	}
	for s := range e.can {
		can, held := &e.can[s], &e.held[s]
		for c := range can {
			can[c] = max(0, min(1, can[c])) + nobodyKnown
			if c > 0 && can[c] < can[c-1] && e.seen[s]&(1<<c) == 0 { // users that wait have let go of it, unless one is seen inside
				held[c] *= max(unlikely, can[c]/can[c-1])
			}
		}
	}
	if !k.bare {
		k.dumps(l, g)
	}
}

// part is that of a cell in which [from, to) lies, and of [from, to) in the cell.
func (g *gap) overlap(c int, from, to float64) (ofCell, ofTime, ns float64) {
	o := min(to, bounds[c+1]) - max(from, bounds[c])
	if o <= 0 {
		return 0, 0, 0
	}
	return o / (bounds[c+1] - bounds[c]), o / (to - from), o * float64(g.to-g.from)
}

// within returns [from, to) as parts of the gap.
func (g *gap) within(from, to int64) (lo, hi float64) {
	length := float64(g.to - g.from)
	return max(0, float64(from-g.from)/length), min(1, float64(to-g.from)/length)
}

// arrive takes in that a thread waits from some instant on: it has not the lock.
func (k *worker) arrive(g *gap, w *Wait) {
	e := &k.ev
	lo, hi := g.within(w.Start, max(w.End, w.Start))
	mine := w.Thread == g.thread && g.site >= 0
	share := k.users.of(w.user)
	if lo <= 0 && hi >= 1 {
		for s, v := range share {
			for c := range e.can[s] {
				e.can[s][c] -= v
			}
		}
	} else {
		for c := range cells {
			if f, _, _ := g.overlap(c, lo, hi); f > 0 {
				for s, v := range share {
					e.can[s][c] -= f * v
				}
			}
		}
	}
	if mine {
		e.leave(g, lo, hi)
	}
}

// leave takes in that the acquirer is seen elsewhere.
func (e *evidence) leave(g *gap, lo, hi float64) {
	for c := range cells {
		if _, _, ns := g.overlap(c, lo, hi); ns > shortestHold {
			e.own[c] = min(e.own[c], unlikely)
		}
	}
}

// do takes in what a user of the lock does.
func (k *worker) do(l *Lock, g *gap, d *deed) {
	if d.What == Sample && k.bare {
		return
	}
	e := &k.ev
	from, to := d.Start, d.End
	if d.What == Sample {
		from, to = from-slack, to+slack
	}
	in := d.in
	if d.What == Leaves && d.Lock == l.ID || spans(&d.Doing, g) {
		in = nil
	}
	lo, hi := g.within(from, to)
	thread := k.users.threads[d.user]
	if d.What == Holds {
		if d.Lock == l.ID {
			k.holds(g, d, lo, hi)
		}
		return
	}
	mine, inside := thread == g.thread && g.site >= 0, false
	share := k.users.of(d.user)
	for _, x := range in {
		inside = inside || x.site == g.site
	}
	for c := range cells {
		f, part, _ := g.overlap(c, lo, hi)
		if f == 0 {
			continue
		}
		if d.What == Sample {
			f = 1
		}
		for s, v := range share {
			e.can[s][c] -= f * v
		}
		for _, x := range in {
			e.can[x.site][c] += f * share[x.site]
			own := mine && x.site == g.site
			if !x.path || d.What == Waits && !own {
				continue // who waits for another lock may be past this one
			}
			m := math.Exp(onPath * part)
			if own {
				e.own[c] *= m
			}
			if d.What != Waits {
				e.held[x.site][c] *= m
				e.by[x.site] = d.user
				e.seen[x.site] |= 1 << c
			}
		}
	}
	if mine && !inside {
		e.leave(g, lo, hi)
	}
}

// holds takes in that a thread is recorded to hold the lock.
func (k *worker) holds(g *gap, d *deed, lo, hi float64) {
	e := &k.ev
	for c := range cells {
		f, _, _ := g.overlap(c, lo, hi)
		if f == 0 {
			continue
		}
		e.free[c] *= 1 - f*(1-unlikely)
		for _, x := range d.in {
			e.held[x.site][c] *= 1 + f*dumpPath
			e.by[x.site] = d.user
			if x.site == g.site && k.users.threads[d.user] == g.thread {
				e.own[c] *= 1 + f*dumpPath
			}
		}
	}
}

// dumps takes in what thread dumps show.
func (k *worker) dumps(l *Lock, g *gap) {
	e := &k.ev
	i, _ := slices.BinarySearchFunc(l.Dumps, g.from, func(d Dump, t int64) int { return cmp.Or(cmp.Compare(d.Time, t), 1) })
	for ; i < len(l.Dumps) && l.Dumps[i].Time < g.to; i++ {
		d := &l.Dumps[i]
		c := cellOf(float64(d.Time-g.from) / float64(g.to-g.from))
		if d.Owner == 0 {
			e.free[c] /= unlikely
			continue
		}
		e.free[c] *= unlikely
		user := int32(-1)
		if u, ok := k.users.index[d.Owner]; ok {
			user = u
		}
		shows := func(s int, m float64) {
			e.held[s][c] *= m
			e.by[s] = user
			if s == g.site && d.Owner == g.thread {
				e.own[c] *= m
			}
		}
		if s := k.siteOf(d.Took); d.Took != 0 && s >= 0 {
			shows(s, dumpPath)
			continue
		}
		if d.Stack == 0 {
			for s, x := range k.class.sites {
				if x.key == 0 && x.users[d.Owner] > 0 {
					shows(s, dumpPath)
				}
			}
		}
		for _, x := range k.inside(d.Stack) {
			if x.path {
				shows(x.site, dumpPath)
			} else {
				shows(x.site, math.Exp(onPath))
			}
		}
	}
}
