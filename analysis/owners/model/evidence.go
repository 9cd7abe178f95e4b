package model

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// byCell is a factor or a probability by cell of a gap.
type byCell [cells]float64

// bounds of the cells, as parts of the gap: fine where the lock changes hands.
var bounds = [cells + 1]float64{0, 1. / 32, 1. / 4, 1. / 2, 3. / 4, 31. / 32, 1}

var ones = byCell{1, 1, 1, 1, 1, 1}

// perCell is one over the length of each cell, in parts of the gap.
var perCell = func() (per byCell) {
	for c := range cells {
		per[c] = 1 / (bounds[c+1] - bounds[c])
	}
	return per
}()

// overlap returns how far [from, to) and a cell overlap, in parts of the gap; not above 0 if they
// do not.
func overlap(c int, from, to float64) float64 {
	lo, hi := bounds[c], bounds[c+1]
	if from > lo {
		lo = from
	}
	if to < hi {
		hi = to
	}
	return hi - lo
}

// cellAt returns the cell of the gap in which an instant is.
func (g *gap) cellAt(at int64) int {
	part, c := float64(at-g.from)/float64(g.to-g.from), 0
	for c < cells-1 && part >= bounds[c+1] {
		c++
	}
	return c
}

// evidence is all that the posterior of a gap depends on besides the parameters. For each
// state and cell it has the likelihood of what is observed, up to a factor that all states share:
//
//	likelihood(state, cell) = product over observations x of P(x | state) / P(x | another state)
//
// can is different: it is the share of a site's users that could enter it in the cell, and
// scales the rate of entries.
type evidence struct {
	site            int // of the acquirer, or noSite
	acquired, ended bool
	length          float64 // ns

	previous int32     // the user that is recorded to have held the lock last, or noUser
	shown    bool      // a dump shows the owner in the gap
	passed   bool      // that is not the acquirer: it entered in the gap
	learning bool      // passed is left out
	mine     []float64 // by site: how often the previous owner enters, in shares of all users together

	can  []byCell // by site
	held []byCell // by site: the likelihood if the lock is held there
	own  byCell   // if the acquirer holds it still
	free byCell   // if it is free
	by   []int32  // by site: the user that was seen inside, or noUser
	seen []uint8  // by site: the cells in which it was, a bit each
}

// weigh sets the evidence of a gap.
func (w *worker) weigh(g *gap) {
	e := &w.evidence
	l := w.lock.Lock
	u := &w.lock.users
	e.reset(g, u)
	w.setPrevious(g)
	e.allow(g, u)
	for i := range g.arrivals {
		e.arrive(g, &g.arrivals[i], e.entering(u, g.arrivals[i].user))
	}
	for i := range g.seen {
		if x := &g.seen[i]; x.seen.What != Holds {
			e.observe(g, x, u)
		} else if x.seen.Lock == l.ID {
			e.recorded(g, x, u)
		}
	}
	e.leaveTogether()
	if !w.observer.hidden {
		i, _ := slices.BinarySearchFunc(
			l.Dumps,
			g.from,
			func(d Dump, t int64) int { return cmp.Or(cmp.Compare(d.Time, t), 1) },
		)
		for ; i < len(l.Dumps) && l.Dumps[i].Time < g.to; i++ {
			w.dump(g, &l.Dumps[i])
		}
	}
}

// scale multiplies a likelihood, within bounds that no sum leaves: hundreds of observations in one
// cell would leave those of a float64.
func scale(likelihood *float64, by float64) {
	*likelihood = min(max(*likelihood*by, 1/surest), surest)
}

// reset begins with a gap without evidence, except for users that are blocked during all of
// it.
func (e *evidence) reset(g *gap, u *users) {
	sites := u.sites
	e.can = slices.Grow(e.can[:0], sites)[:sites]
	e.held = slices.Grow(e.held[:0], sites)[:sites]
	e.by = slices.Grow(e.by[:0], sites)[:sites]
	e.site = g.site
	e.acquired = g.acquired
	e.ended = g.ended
	e.length = float64(g.to - g.from)
	e.own, e.free = ones, ones
	e.seen = append(e.seen[:0], make([]uint8, sites)...)
	e.shown = false
}

// allow sets who may enter each site, by what blocks users during all of the gap.
func (e *evidence) allow(g *gap, u *users) {
	for s := range e.can {
		v := u.total[s] - g.blocked[s]
		if e.previous >= 0 {
			v = e.mine[s]
		}
		e.can[s] = byCell{v, v, v, v, v, v}
		e.held[s] = ones
		e.by[s] = e.previous
	}
}

// setPrevious sets what the recorded previous owner of the acquisition at the end of a gap says: it is the
// one that entered the gap, if any thread did, and the last to do so. It enters sites as it uses them, as
// often as all users together: those that entered before it are not told apart from it. Where it is not the
// acquirer of the beginning, it did enter. While the model learns, that is left out: what is learned of
// durations would be that each gap has an entry, where short waits are not recorded.
func (w *worker) setPrevious(g *gap) {
	e := &w.evidence
	u := &w.lock.users
	mix := w.lock.mix
	e.previous, e.passed = noUser, false
	if g.previous == format.NoThread {
		return
	}
	e.previous = u.number(g.previous)
	e.passed = g.acquired && g.previous != g.thread && !e.learning
	e.mine = append(e.mine[:0], u.of(e.previous)...)
	if !w.group.knows(g.previous) {
		for s, x := range w.group.sites {
			if !x.silent {
				e.mine[s] *= unlikely
			}
		}
	}
	all := 0.0
	own := 0.0
	most := 0.0
	for s, v := range e.mine {
		all += mix[s] * min(1, u.total[s])
		own += mix[s] * v
		most = max(most, v)
	}
	as := max(1, min(all/max(own, impossible), 1/max(most, impossible)))
	for s := range e.mine {
		e.mine[s] *= as
	}
}

// entering returns what a user has of those that may enter each site: nil for all users but the
// previous owner, where it is recorded.
func (e *evidence) entering(u *users, user int32) []float64 {
	switch {
	case e.previous < 0:
		return u.of(user)
	case e.previous == user:
		return e.mine
	}
	return nil
}

// arrive adds that a user waits for the lock: it does not hold it, and enters no site.
func (e *evidence) arrive(g *gap, w *Wait, share []float64) {
	lo, hi := g.parts(w.Start, max(w.End, w.Start))
	if lo <= 0 && hi >= 1 {
		for s, v := range share {
			for c := range e.can[s] {
				e.can[s][c] -= v
			}
		}
	} else {
		for c := range cells {
			if f := overlap(c, lo, hi) * perCell[c]; f > 0 {
				for s, v := range share {
					e.can[s][c] -= f * v
				}
			}
		}
	}
	if w.Thread == g.thread && g.site >= 0 {
		e.leave(lo, hi)
	}
}

// leave adds that the acquirer is seen outside of its section.
func (e *evidence) leave(lo, hi float64) {
	for c := range cells {
		if overlap(c, lo, hi)*e.length > shortestHold {
			e.own[c] = min(e.own[c], unlikely)
		}
	}
}

// observe adds what a user does. It enters only sites that its stack leads through, and is
// likelier on the path of a site, by e to the power of onPath, if it is inside. That factor
// is spread over the cells by the time that the user spends in each, so that the whole
// activity counts once.
func (e *evidence) observe(g *gap, x *sighting, u *users) {
	from, to := x.seen.Start, x.seen.End
	if x.seen.What == Sample {
		from, to = from-slack, to+slack
	}
	acquirer := u.threads[x.user] == g.thread && g.site >= 0
	share := e.entering(u, x.user)
	lo, hi := g.parts(from, to)
	for c := range cells {
		o := overlap(c, lo, hi)
		if o <= 0 {
			continue
		}
		ofCell := o * perCell[c]
		if x.seen.What == Sample {
			ofCell = 1
		}
		for s, v := range share {
			e.can[s][c] -= ofCell * v
		}
		for _, at := range x.in {
			if share != nil {
				e.can[at.site][c] += ofCell * share[at.site]
			}
			own := acquirer && at.site == g.site
			if !at.path || x.seen.What == Waits && !own {
				continue // a thread that waits for another lock may be past this one
			}
			likelier := math.Exp(onPath * o / (hi - lo))
			if own {
				scale(&e.own[c], likelier)
			}
			if x.seen.What != Waits && (e.previous < 0 || x.user == e.previous) {
				scale(&e.held[at.site][c], likelier)
				e.by[at.site] = x.user
				e.seen[at.site] |= 1 << c
			}
		}
	}
	if acquirer && !slices.ContainsFunc(x.in, func(at within) bool { return at.site == g.site }) {
		e.leave(lo, hi)
	}
}

// recorded adds that a user is recorded to hold the lock.
func (e *evidence) recorded(g *gap, x *sighting, u *users) {
	lo, hi := g.parts(x.seen.Start, x.seen.End)
	for c := range cells {
		f := overlap(c, lo, hi) * perCell[c]
		if f <= 0 {
			continue
		}
		scale(&e.free[c], 1-f*(1-unlikely))
		for _, at := range x.in {
			scale(&e.held[at.site][c], 1+f*dumpPath)
			e.by[at.site] = x.user
			if at.site == g.site && u.threads[x.user] == g.thread {
				scale(&e.own[c], 1+f*dumpPath)
			}
		}
	}
}

// leaveTogether bounds the shares that can enter. Where fewer users can than a cell before,
// some of those that may have been inside have left: the site is held no longer with as much
// probability, unless a user is seen inside.
func (e *evidence) leaveTogether() {
	for s := range e.can {
		can := &e.can[s]
		held := &e.held[s]
		before := 0.0
		for c, v := range can {
			if v = max(v, 0); v > 1 {
				v = 1
			}
			if v += nobodyKnown; v < before && e.seen[s]&(1<<c) == 0 {
				held[c] *= max(unlikely, v/before)
			}
			can[c], before = v, v
		}
	}
}

func (w *worker) dump(g *gap, d *Dump) {
	e, c := &w.evidence, g.cellAt(d.Time)
	e.shown = true
	if d.Owner == 0 {
		scale(&e.free[c], 1/unlikely)
		return
	}
	scale(&e.free[c], unlikely)
	user := w.lock.users.number(d.Owner)
	shows := func(s int, likelier float64) {
		scale(&e.held[s][c], likelier)
		e.by[s] = user
		if s == g.site && d.Owner == g.thread {
			scale(&e.own[c], likelier)
		}
	}
	if s := w.stacks.siteOf(d.Took); d.Took != 0 && s >= 0 {
		shows(s, dumpPath)
		return
	}
	if d.Stack == 0 {
		for s, x := range w.group.sites {
			if x.key == 0 && x.users[d.Owner] > 0 {
				shows(s, dumpPath)
			}
		}
	}
	for _, at := range w.stacks.inside(d.Stack) {
		if at.path {
			shows(at.site, dumpPath)
		} else {
			shows(at.site, math.Exp(onPath))
		}
	}
}
