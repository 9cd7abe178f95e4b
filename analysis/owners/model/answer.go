package model

import (
	"cmp"
	"slices"

	"contend/format"
)

// Part is an interval of a gap, and the state that it is charged to.
type Part struct {
	Start, End int64
	State      State
	Thread     format.ThreadID // of Held; NoThread if no user of the site can be named
	Stack      format.StackID  // of Held
	Chance     float64         // the probability that this is right
}

// State is what a part of the waiting is charged to.
type State uint8

// The states.
const (
	Held State = iota
	Free
	Unknown
)

// Answer calls give for the parts of a lock's waiting, in order of time. They do not overlap.
//
// A state is charged with its posterior times the waiting, corrected by the factors of the
// check. Within a gap few states are charged: what is due to the others is carried over to
// later gaps (error diffusion), so that sums stay right and the parts few.
func (gr *Group) Answer(l *Lock, give func(Part)) {
	w := gr.worker()
	defer w.release()
	n := len(gr.sites) + 2
	a := answer{worker: w, due: make([]float64, n), right: make([]float64, n), give: give}
	if l.n >= fewWaits { // to clear the room for many is not free
		clear(w.shapes)
	}
	w.gaps(l, func(*gap) bool { return true }, func(g *gap) {
		if len(gr.sites) > 0 {
			if post := w.inferShape(g); post != nil {
				a.divide(g, post)
				return
			}
		}
		give(Part{Start: g.from, End: g.to, State: Unknown})
	})
}

// answer charges the waiting for one lock. States are numbered: the sites, then free, then the
// acquirer.
type answer struct {
	*worker
	due    []float64 // by state, ns: what has not been charged yet
	right  []float64 // by state, ns: the part of due that is expected to be right
	shares []share
	give   func(Part)
}

type share struct {
	state int
	ns    float64
	when  float64 // the mean of its cells
}

// divide divides a gap among the states.
func (a *answer) divide(g *gap, post *posterior) {
	area, all := g.waitedByCell()
	if all <= 0 {
		return
	}
	factor, free := a.group.factor, len(a.group.sites)
	ofOwn := 1.0
	if g.site >= 0 {
		ofOwn = factor[g.site]
	}
	var scale byCell // one over the sum of the corrected posterior
	for c := range cells {
		scale[c] = post.free[c]*factor[free] + post.own[c]*ofOwn
	}
	for s := range post.site {
		for c, p := range &post.site[s] {
			scale[c] += p * factor[s]
		}
	}
	for c := range cells {
		scale[c] = 1 / max(scale[c], 1e-12)
	}
	a.shares = a.shares[:0]
	add := func(state int, post *byCell, factor float64) {
		ns, right, when := 0.0, 0.0, 0.0
		for c := range cells {
			chance := post[c] * factor * scale[c]
			p := chance * area[c]
			ns += p
			when += p * float64(c)
			right += p * chance
		}
		a.due[state] += ns
		a.right[state] += right
		if ns > leastShare*all {
			a.shares = append(a.shares, share{state, ns, when / ns})
		}
	}
	for s := range post.site {
		add(s, &post.site[s], factor[s])
	}
	add(free, &post.free, factor[free])
	add(free+1, &post.own, ofOwn)
	a.charge(g, all)
}

// waitedByCell returns the waiting in each cell of a gap, and in all of it, in ns.
func (g *gap) waitedByCell() (area byCell, all float64) {
	for c := range cells {
		until := g.waited(g.from + int64(bounds[c+1]*float64(g.to-g.from)))
		if c == cells-1 {
			until = g.waited(g.to)
		}
		area[c], all = until-all, until
	}
	return area, all
}

// choose returns the states that are charged in a gap, by time, and what is due to them: those
// due leastPart of it, else the one due most.
func (a *answer) choose(all float64) (chosen []share, due float64) {
	chosen = a.shares[:0]
	best := a.shares[0]
	for _, s := range a.shares {
		if a.due[s.state] > a.due[best.state] {
			best = s
		}
		if a.due[s.state] >= leastPart*all {
			due += a.due[s.state]
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return append(chosen, best), a.due[best.state]
	}
	slices.SortStableFunc(chosen, func(a, b share) int { return cmp.Compare(a.when, b.when) })
	return chosen, due
}

// charge lays the shares of a gap out in time.
func (a *answer) charge(g *gap, all float64) {
	shares, due := a.choose(all)
	from, ns := g.from, 0.0
	for i, s := range shares {
		have, x, to := a.due[s.state], all, g.to
		if len(shares) > 1 {
			x = all * have / due
		}
		if ns += x; i < len(shares)-1 {
			to = g.when(ns)
		}
		chance := 0.0
		if have > 0 {
			chance = min(1, a.right[s.state]/have)
			a.right[s.state] -= a.right[s.state] * min(1, x/have)
		}
		a.due[s.state] -= x
		if to > from {
			a.part(g, s.state, from, to, chance)
			from = to
		}
	}
}

// part charges an interval of a gap to a state.
func (a *answer) part(g *gap, state int, from, to int64, chance float64) {
	free := len(a.group.sites)
	if state == free+1 {
		if until := g.acquirerWaits(to); until > from {
			p := Part{Start: from, End: until, Chance: chance, Thread: g.thread, Stack: g.stack}
			if p.Thread == format.NoThread {
				p.State = Unknown
			}
			a.give(p)
			from = until
		}
		if state = g.site; to > from && state < 0 { // another thread holds the lock, at an unknown site
			a.give(Part{Start: from, End: to, State: Unknown})
			return
		}
	}
	if to <= from {
		return
	}
	p := Part{Start: from, End: to, Chance: chance, State: Free}
	if state != free {
		p.State, p.Stack = Held, a.group.sites[state].stack
		if p.Thread = a.holder(g, state, from, to); p.Thread == format.NoThread {
			p.State = Unknown // all known users of the site are elsewhere
		}
	}
	a.give(p)
}

// holder returns the thread that most likely holds the lock at a site in [from, to): the user
// that was seen inside; else the last one to acquire it there that is not elsewhere; else the
// last one; else the commonest. It is never one that waits for the lock then; NoThread if
// there is no other.
func (w *worker) holder(g *gap, site int, from, to int64) format.ThreadID {
	threads := w.lock.users.threads
	if by := w.evidence.by[site]; by >= 0 && !w.lock.waiting(by, from, to) {
		return threads[by]
	}
	best, share := int32(noUser), 0.0
	for i := range min(w.recent.n[site], recentLen) {
		u := w.recent.last[site][(w.recent.n[site]-1-i)%recentLen]
		if w.lock.waiting(u, from, to) {
			continue
		}
		if !w.observer.elsewhere(g, u, site, from, to) {
			return threads[u]
		}
		if best < 0 {
			best, share = u, 1
		}
	}
	for u := range threads {
		if v := w.lock.users.of(int32(u))[site]; v > share && !w.lock.waiting(int32(u), from, to) {
			best, share = int32(u), v
		}
	}
	if best < 0 {
		return format.NoThread
	}
	return threads[best]
}
