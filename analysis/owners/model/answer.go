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
	a := answer{worker: w, due: make([]float64, n), right: make([]float64, n), give: give, strata: gr.strataOf(l)}
	if l.n >= fewWaits { // to clear the room for many is not free
		clear(w.shapes)
	}
	choose := func(g *gap) bool {
		g.stratum, g.placed = a.strata.choose(g)
		return true
	}
	w.gaps(l, choose, func(g *gap) {
		if len(gr.sites) > 0 {
			if g.placed {
				if a.place(g) {
					return
				}
			} else if post := w.inferShape(g); post != nil {
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
	due      []float64 // by state, ns: what has not been charged yet
	right    []float64 // by state, ns: the part of due that is expected to be right
	surveyed []float64 // by state: the shares of a gap by the survey
	strata   strata
	shares   []share // of the current gap
	give     func(Part)
}

type share struct {
	state int
	ns    float64
	when  float64 // the mean of its cells
}

// divide divides a gap among the states: one part as the survey of the lock shows it, the rest by the
// posterior.
func (a *answer) divide(g *gap, post *posterior) {
	area, all := g.waitedByCell()
	if all <= 0 {
		return
	}
	byModel := a.bySurvey(g, post, &area)
	factor, ofOwn, scale := a.corrections(g, post)
	free := len(a.group.sites)
	a.shares = a.shares[:0]
	charge := func(state int, post *byCell, factor float64) {
		ns := 0.0
		right := 0.0
		when := 0.0
		for c := range cells {
			chance := post[c] * factor * scale[c]
			part := chance * area[c] * byModel
			ns += part
			when += part * float64(c)
			right += part * chance
		}
		chance := 0.0
		if ns > 0 {
			when /= ns
			chance = right / ns
		}
		if byModel < 1 {
			ns += (1 - byModel) * a.surveyed[state] * all
		}
		right = ns * a.expectedRight(g, state, chance)
		a.charge(state, ns, right, when, all)
		if g.stratum != nil {
			g.stratum.addCharge(state, ns, right, when)
		}
	}
	for s := range post.site {
		charge(s, &post.site[s], factor[s])
	}
	charge(free, &post.free, factor[free])
	charge(free+1, &post.own, ofOwn)
	if g.stratum != nil {
		g.stratum.addGap(all, &a.evidence)
	}
	a.layOut(g, all)
}

// charge adds what a state is charged in a gap, of which the part right is expected to be right.
func (a *answer) charge(state int, ns, right, when, all float64) {
	a.due[state] += ns
	a.right[state] += right
	if ns > leastShare*all {
		a.shares = append(a.shares, share{state, ns, when})
	}
}

// bySurvey sets surveyed for a gap, and returns the part of it that is left to the model: all where a dump
// shows the owner. What the site of the acquirer gets is its own hold as far as the model says so.
func (a *answer) bySurvey(g *gap, post *posterior, area *byCell) (byModel float64) {
	survey := &a.lock.survey
	if survey.n == 0 || a.evidence.shown {
		return 1
	}
	a.surveyed = append(survey.given(&a.evidence, a.surveyed), 0)
	if g.acquired && g.site >= 0 {
		own, again := 0.0, 0.0
		for c, ns := range area {
			own += post.own[c] * ns
			again += post.site[g.site][c] * ns
		}
		if own > 0 {
			part := a.surveyed[g.site] * own / (own + again)
			a.surveyed[g.site] -= part
			a.surveyed[len(post.site)+1] = part
		}
	}
	return 1 - survey.weight(float64(survey.n))
}

// corrections returns the factors of the check, that of the acquirer's hold, and, by cell, one over the sum of
// the posterior that they correct.
func (w *worker) corrections(g *gap, post *posterior) (factor []float64, ofOwn float64, scale byCell) {
	factor, ofOwn = w.group.factor, 1
	if g.site >= 0 {
		ofOwn = factor[g.site]
	}
	for c := range cells {
		scale[c] = post.free[c]*factor[len(post.site)] + post.own[c]*ofOwn
	}
	for s := range post.site {
		for c, p := range &post.site[s] {
			scale[c] += p * factor[s]
		}
	}
	for c := range cells {
		scale[c] = 1 / max(scale[c], 1e-12)
	}
	return factor, ofOwn, scale
}

// expectedRight returns the part of what a state is charged that is expected to be right: by the halves of
// the survey; where it has too few instants, by the model's own word and what that has reached.
func (a *answer) expectedRight(g *gap, state int, byModel float64) float64 {
	if state > len(a.group.sites) {
		state = g.site
	}
	right := byModel * reached
	if halves := a.lock.survey.right; halves != nil && state >= 0 {
		right = halves[state]
	}
	return right * (1 - doubtful*a.lock.estimated)
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

// choose leaves the states that are charged in a gap in a.shares, by time, with what is due to each in ns, and
// returns the sum: those due leastPart of the gap, else the one due most. Where the recorded previous owner
// entered in the gap, the last of them that hold the lock is a site.
func (a *answer) choose(g *gap, all float64) (sum float64) {
	most, entered := 0, noSite
	for i := range a.shares {
		s := &a.shares[i]
		s.ns = a.due[s.state]
		if s.ns > a.shares[most].ns {
			most = i
		}
		if s.state < len(a.group.sites) && (entered < 0 || s.ns > a.shares[entered].ns) {
			entered = i
		}
	}
	if a.evidence.passed {
		if entered < 0 {
			entered = len(a.shares)
			a.shares = append(a.shares, share{state: a.likeliestEntry(), when: cells})
		}
		a.shares[entered].ns = max(a.shares[entered].ns, leastShare*all)
		if a.shares[most].ns < leastPart*all {
			most = entered
		}
	}
	chosen := a.shares[:0]
	for i, s := range a.shares {
		if s.ns >= leastPart*all || i == most || a.evidence.passed && i == entered {
			chosen = append(chosen, s)
			sum += s.ns
		}
	}
	a.shares = chosen
	slices.SortStableFunc(chosen, func(x, y share) int {
		return cmp.Compare(a.position(x), a.position(y))
	})
	return sum
}

// position returns where in a gap a state is laid: an acquirer that others entered after comes first.
func (a *answer) position(s share) float64 {
	if a.evidence.passed && s.state > len(a.group.sites) {
		return -1
	}
	return s.when
}

// likeliestEntry returns the site that the recorded previous owner enters most.
func (a *answer) likeliestEntry() (site int) {
	most := 0.0
	for s, v := range a.evidence.mine {
		if v *= a.lock.mix[s]; v > most {
			site, most = s, v
		}
	}
	return site
}

// layOut lays the shares of a gap out in time.
func (a *answer) layOut(g *gap, all float64) {
	sum := a.choose(g, all)
	from, ns := g.from, 0.0
	for i, s := range a.shares {
		part, to := all, g.to
		if len(a.shares) > 1 {
			part = all * s.ns / sum
		}
		if ns += part; i < len(a.shares)-1 {
			to = g.when(ns)
		}
		chance := 0.0
		if have := a.due[s.state]; have > 0 {
			chance = min(1, a.right[s.state]/have)
			a.right[s.state] -= a.right[s.state] * min(1, part/have)
		}
		a.due[s.state] -= part
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
		if until := g.waitsFrom(g.thread, to); until > from {
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
	if state == free {
		a.give(p)
		return
	}
	p.State, p.Stack = Held, a.group.sites[state].stack
	if g.previous != format.NoThread {
		a.byPrevious(g, state, p)
		return
	}
	if p.Thread = a.holder(g, state, from, to); p.Thread != format.NoThread {
		a.give(p)
		return
	}
	// All known users of the site wait in some of the time: one of them may have held the lock before.
	if p.Thread = a.holder(g, state, from, from+1); p.Thread != format.NoThread {
		if p.End = g.waitsFrom(p.Thread, to); p.End > from {
			a.give(p)
			from = p.End
		}
	}
	if from < to {
		a.give(Part{Start: from, End: to, Chance: chance, State: Unknown})
	}
}

// byPrevious charges a part to the recorded previous owner, until it waits for the lock itself: it was the
// last to hold it, so that the lock is free then. Of a thread that is known to use no site, the line is unknown
// where all other users wait: those lines are theirs.
func (a *answer) byPrevious(g *gap, site int, p Part) {
	p.Thread = g.previous
	if !a.group.sites[site].silent && !a.group.knows(g.previous) {
		p.Stack = format.NoStack
	}
	rest := p
	if p.End = g.waitsFrom(g.previous, p.End); p.End > p.Start {
		a.give(p)
		rest.Start = p.End
	}
	if rest.Start < rest.End {
		a.give(Part{Start: rest.Start, End: rest.End, Chance: rest.Chance, State: Free})
	}
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
