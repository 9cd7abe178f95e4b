package model

import (
	"slices"

	"contend/format"
)

// Part is a stretch of a gap, and who is charged with it.
type Part struct {
	Start, End int64
	State      State
	Thread     format.ThreadID // of Held; NoThread where no user of the site can be told
	Stack      format.StackID  // of Held
	Chance     float64         // how likely that is
}

// State is what a lock is in.
type State uint8

// The states.
const (
	Held State = iota
	Free
	Unknown
)

// recently is an acquisition that is known.
type recently struct {
	time int64
	user int32
	site int
}

// ring remembers the users that used each site last.
type ring struct {
	last [][ringLen]int32
	n    []int
}

const ringLen = 8

func (r *ring) reset(sites int) {
	r.last, r.n = make([][ringLen]int32, sites), make([]int, sites)
}

func (r *ring) add(site int, user int32) {
	if site >= 0 && user >= 0 && (r.n[site] == 0 || r.last[site][(r.n[site]-1)%ringLen] != user) {
		r.last[site][r.n[site]%ringLen] = user
		r.n[site]++
	}
}

// dues are what is still to be charged: what is likely in a gap, but too short a part of
// it, is charged in one that follows. By site, then free, then the acquirer.
type dues struct {
	ns    []float64
	right []float64 // of ns, what is expected to be right
}

// Answer calls give for the parts of a lock's waiting, in order of time. They do not overlap.
func (c *Class) Answer(l *Lock, give func(Part)) {
	w := c.worker()
	defer w.release()
	n := len(c.sites) + 2
	d := dues{make([]float64, n), make([]float64, n)}
	clear(w.known)
	w.gaps(l, func(*gap) bool { return true }, func(g *gap) {
		if len(c.sites) == 0 || !w.infer(l, g) {
			give(Part{Start: g.from, End: g.to, State: Unknown})
			return
		}
		w.divide(g, &d, give)
	})
}

// share is how long the waiting of a gap is likely one state's, and when.
type share struct {
	state int
	ns    float64
	when  float64 // ns weighted by the cell
}

// divide charges a gap.
func (k *worker) divide(g *gap, d *dues, give func(Part)) {
	free := len(k.class.sites)
	own := free + 1
	var area byCell
	all := 0.0 // waiting up to a cell
	for c := range cells {
		until := g.ns(g.from + int64(bounds[c+1]*float64(g.to-g.from)))
		if c == cells-1 {
			until = g.ns(g.to)
		}
		area[c], all = until-all, until
	}
	if all <= 0 {
		return
	}
	ofOwn := 1.0 // the factor of the acquirer
	if g.site >= 0 {
		ofOwn = k.class.factor[g.site]
	}
	shares := k.shares[:0]
	var scale byCell // what is said, corrected, is one again
	for c := range cells {
		z := k.post.free[c]*k.class.factor[free] + k.post.own[c]*ofOwn
		for s := range k.post.site {
			z += k.post.site[s][c] * k.class.factor[s]
		}
		scale[c] = area[c] / max(z, 1e-12)
	}
	add := func(state int, post *byCell, factor float64) {
		v, right, when := 0.0, 0.0, 0.0
		for c := range cells {
			p := post[c] * factor * scale[c]
			v += p
			when += p * float64(c)
			if area[c] > 0 {
				right += p * p / area[c]
			}
		}
		d.ns[state] += v
		d.right[state] += right
		if v > unlikely*all {
			shares = append(shares, share{state, v, when / v})
		}
	}
	for s := range k.post.site {
		add(s, &k.post.site[s], k.class.factor[s])
	}
	add(free, &k.post.free, k.class.factor[free])
	add(own, &k.post.own, ofOwn)
	k.shares = shares
	k.charge(g, d, shares, all, give)
}

// charge lays parts of a gap out in time: of the states that are likely in it, those
// that are owed most.
func (k *worker) charge(g *gap, d *dues, shares []share, all float64, give func(Part)) {
	owed, n := 0.0, 0
	for _, s := range shares {
		if d.ns[s.state] >= leastPart*all {
			shares[n] = s
			owed += d.ns[s.state]
			n++
		}
	}
	if n == 0 {
		best := 0
		for i := range shares {
			if d.ns[shares[i].state] > d.ns[shares[best].state] {
				best = i
			}
		}
		shares[0], n = shares[best], 1
		owed = max(d.ns[shares[0].state], 1)
	}
	shares = shares[:n]
	for i := 1; i < n; i++ { // by when, few
		for j := i; j > 0 && shares[j].when < shares[j-1].when; j-- {
			shares[j], shares[j-1] = shares[j-1], shares[j]
		}
	}
	own := len(k.class.sites) + 1
	from, ns := g.from, 0.0
	for i, s := range shares {
		have := d.ns[s.state]
		x := all * have / owed
		if n == 1 {
			x = all
		}
		ns += x
		to := g.when(ns)
		if i == n-1 {
			to = g.to
		}
		chance := 0.0
		if have > 0 {
			chance = min(1, d.right[s.state]/have)
			d.right[s.state] -= d.right[s.state] * min(1, x/have)
		}
		d.ns[s.state] -= x
		if to > from && s.state == own {
			if back := g.back(to); back > from {
				give(k.part(g, own, from, back, chance))
				from = back
			}
			if s.state = g.site; s.state < 0 && to > from { // it waits again: another thread holds the lock there
				give(Part{Start: from, End: to, State: Unknown})
				from = to
			}
		}
		if to > from {
			give(k.part(g, s.state, from, to, chance))
			from = to
		}
	}
}

// back returns when the acquirer waits for the lock again; until if it does not before.
func (g *gap) back(until int64) int64 {
	i := slices.IndexFunc(g.arrivals, func(w Wait) bool { return w.Thread == g.thread })
	if i < 0 {
		return until
	}
	return min(g.arrivals[i].Start, until)
}

// part says who is charged.
func (k *worker) part(g *gap, state int, from, to int64, chance float64) Part {
	p := Part{Start: from, End: to, Chance: chance}
	switch free := len(k.class.sites); state {
	case free:
		p.State = Free
	case free + 1:
		p.Thread, p.Stack = g.thread, g.stack
		if p.Thread == format.NoThread {
			p.State = Unknown
		}
	default:
		p.Stack = k.class.sites[state].stack
		if p.Thread = k.holder(g, state, from, to); p.Thread == format.NoThread {
			p.State = Unknown // all who are known to take it there are elsewhere
		}
	}
	return p
}

// holder returns the thread that most likely holds the lock at a site: who was seen
// there; else who used it last and is not known to be elsewhere.
func (k *worker) holder(g *gap, site int, from, to int64) format.ThreadID {
	if by := k.ev.by[site]; by >= 0 && !k.wait(by, from, to) {
		return k.users.threads[by]
	}
	best, share := int32(-1), 0.0
	for i := range min(k.recent.n[site], ringLen) {
		u := k.recent.last[site][(k.recent.n[site]-1-i)%ringLen]
		if k.wait(u, from, to) {
			continue
		}
		if !k.elsewhere(g, u, site, from, to) {
			return k.users.threads[u]
		}
		if best < 0 {
			best, share = u, 1
		}
	}
	for u := range k.users.threads {
		if v := k.users.of(int32(u))[site]; v > share && !k.wait(int32(u), from, to) {
			best, share = int32(u), v
		}
	}
	if best < 0 {
		return format.NoThread
	}
	return k.users.threads[best]
}

// elsewhere reports whether a thread does something over [from, to) that it does not do
// at a site, or not while it holds the lock.
func (k *worker) elsewhere(g *gap, user int32, site int, from, to int64) bool {
	calm := &k.calm[user]
	if calm.Start <= from && to <= calm.End {
		return false
	}
	var next int64
	k.doings, next = k.class.program.Doings(k.users.threads[user], format.NoObject, from+1, to, k.doings[:0])
	if len(k.doings) == 0 {
		*calm = Time{Start: from, End: next}
	}
	return slices.ContainsFunc(k.doings, func(d Doing) bool {
		return spans(&d, g) || !slices.ContainsFunc(k.inside(d.Stack), func(x within) bool { return x.site == site })
	})
}
