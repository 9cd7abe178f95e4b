package model

import (
	"math"
	"math/bits"
)

// worker is what one goroutine that works on a group keeps from gap to gap and from lock to
// lock. Each field is a machine of its own; the worker only connects them.
type worker struct {
	group    *Group
	stacks   stackIndex  // sites by stack
	lock     lockView    // the current lock: its waits and users
	cutter   cutter      // its gaps
	batch    []gap       // gaps that follow one another
	observed []*gap      // of these, those that are observed together
	observer observer    // what its users do in them
	recent   recentUsers // which of them acquired it last, by site

	evidence evidence              // of the current gap
	chain    chain                 // the hidden Markov chain through the gap
	post     posterior             // scratch of infer
	shapes   map[uint64]*posterior // by key: posteriors that gaps of the lock share; nil if no path explains them
	arena    []byCell              // to allocate from
	posts    []posterior           // the same
}

// worker returns one for the sites of the group as they are now. release keeps it for later,
// with its current waits.
func (gr *Group) worker() *worker {
	w, _ := gr.workers.Get().(*worker)
	if w == nil {
		w = &worker{group: gr}
		w.observer = observer{program: gr.program, stacks: &w.stacks, lock: &w.lock}
		w.cutter = cutter{lock: &w.lock, siteOf: w.acquired}
	}
	if n := len(gr.sites); w.stacks.group == nil || len(w.post.site) != n {
		w.stacks = newStackIndex(gr)
		w.lock.users.sites = -1 // not those of the sites
		w.chain.reset(gr)
		w.post.site = make([]byCell, n)
	}
	return w
}

func (w *worker) release() {
	w.observer.hidden = false
	w.group.workers.Put(w)
}

// gaps cuts the waiting for a lock into gaps and calls take for the wanted ones, in order of
// time. A gap is valid during the call only.
func (w *worker) gaps(l *Lock, wanted func(*gap) bool, take func(*gap)) {
	w.lock.load(w.group, l)
	w.observer.reset()
	w.recent.reset(len(w.group.sites))
	w.cutter.reset()
	n := 0
	flush := func() {
		w.observed = w.observed[:0]
		for i := range w.batch[:n] {
			if g := &w.batch[i]; !g.placed {
				w.observed = append(w.observed, g)
			}
		}
		w.observer.observe(w.observed)
		for i := range w.batch[:n] {
			w.recent.advance(w.batch[i].from)
			take(&w.batch[i])
		}
		w.recent.forget()
		n = 0
	}
	w.cutter.cut(func(g *gap) {
		if !wanted(g) {
			return
		}
		if n == len(w.batch) {
			w.batch = append(w.batch, gap{}) // most locks have few
		}
		to := &w.batch[n]
		blocked, seen := to.blocked[:0], to.seen[:0]
		*to = *g
		to.blocked, to.seen = append(blocked, w.cutter.start...), seen
		if n++; n == batchGaps {
			flush()
		}
	})
	flush()
}

// acquired notes the acquisition that ended a wait, and returns its site.
func (w *worker) acquired(by *Wait) int {
	s := w.stacks.siteOf(by.Stack)
	w.recent.pending = append(w.recent.pending, acquisition{by.End, by.Thread, by.user, s})
	return s
}

// Gaps whose evidence is alike are of one shape. A recording has many gaps and few shapes, so
// the posterior of one gap is used for all of its shape.

// shape is the evidence that some gaps of a lock share.
type shape struct {
	evidence evidence
	lock     int     // its number in the group
	n        float64 // gaps
}

// key is a hash that tells shapes apart: lengths to a quarter of an octave, likelihoods to a
// factor of two.
func (e *evidence) key() uint64 {
	h := uint64(hashSeed)
	add := func(v uint64) {
		h = (h ^ v) * hashPrime
		h ^= h >> 29
	}
	all := func(b *byCell) {
		v := uint64(0)
		for c := range b {
			v = bits.RotateLeft64(v, 11) ^ math.Float64bits(b[c])>>52
		}
		add(v)
	}
	v := uint64(e.site+1) << 3
	if e.acquired {
		v++
	}
	if e.ended {
		v += 2
	}
	if e.passed {
		v += 4
	}
	add(v)
	add(math.Float64bits(e.length) >> 50)
	all(&e.own)
	all(&e.free)
	for s := range e.can {
		all(&e.can[s])
		all(&e.held[s])
	}
	return h
}

// listShapes returns the shapes of every step-th gap of the group.
func (w *worker) listShapes(step int) (list []shape) {
	found, passed := map[uint64]int{}, 0
	list = make([]shape, 0, w.group.waits/step+1)
	for i, l := range w.group.locks {
		if last := passed + l.n; (passed+step-1)/step == (last+step-1)/step {
			passed = last // none of its gaps is looked at
			continue
		}
		clear(found)
		w.gaps(l, func(g *gap) bool { return (passed+g.number)%step == 0 }, func(g *gap) {
			w.weigh(g)
			key := w.evidence.key()
			at, ok := found[key]
			if !ok {
				at = len(list)
				found[key], list = at, append(list, shape{w.evidence, i, 0})
				s := &list[at]
				s.evidence.can = append(w.allot(), s.evidence.can...)
				s.evidence.held = append(w.allot(), s.evidence.held...)
				s.evidence.by = nil
				s.evidence.seen = nil
				s.evidence.mine = nil
			}
			list[at].n++
		})
		passed += l.n
	}
	return list
}

// infer returns the posterior of a gap of the current lock by its own evidence, nil if no path
// explains it. It is valid until the next call.
func (w *worker) infer(g *gap) *posterior {
	w.weigh(g)
	if !w.chain.infer(w.lock.Lock, &w.evidence, nil, &w.post) {
		return nil
	}
	return &w.post
}

// inferShape returns the posterior of a gap of the same shape.
func (w *worker) inferShape(g *gap) *posterior {
	if w.lock.n < fewWaits { // too few to share
		return w.infer(g)
	}
	w.weigh(g)
	key := w.evidence.key()
	p, ok := w.shapes[key]
	if !ok {
		if len(w.shapes) >= mostShapes || w.shapes == nil {
			w.shapes = map[uint64]*posterior{}
		}
		p = &take(&w.posts, 1, min(w.lock.n, 1<<8))[0]
		if p.site = w.allot()[:len(w.group.sites)]; !w.chain.infer(w.lock.Lock, &w.evidence, nil, p) {
			p = nil
		}
		w.shapes[key] = p
	}
	return p
}

// allot returns room for a value per site.
func (w *worker) allot() []byCell {
	n := len(w.group.sites)
	return take(&w.arena, n, min(2*n*w.group.waits, 1<<9))[:0]
}

// take cuts n values off an arena. Where it has fewer, it becomes one of room values.
func take[T any](arena *[]T, n, room int) []T {
	if len(*arena) < n {
		*arena = make([]T, max(n, room))
	}
	out := (*arena)[:n:n]
	*arena = (*arena)[n:]
	return out
}
