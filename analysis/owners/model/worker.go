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
	batch    []gap       // gaps that are observed together
	observer observer    // what its users do in them
	recent   recentUsers // which of them acquired it last, by site

	evidence evidence             // of the current gap
	chain    chain                // the hidden Markov chain through the gap
	post     posterior            // scratch of infer
	shapes   map[uint64]posterior // by key: posteriors that gaps of the lock share; without sites if no path explains them
	cached   posterior            // the current one
	arena    []byCell             // to allocate from
}

// worker returns one for the sites of the group as they are now. release keeps it for later,
// with its current waits.
func (c *Group) worker() *worker {
	k, _ := c.workers.Get().(*worker)
	if k == nil {
		k = &worker{group: c}
		k.observer = observer{program: c.program, stacks: &k.stacks, lock: &k.lock}
		k.cutter = cutter{lock: &k.lock, siteOf: k.acquired}
	}
	if n := len(c.sites); k.stacks.group == nil || len(k.post.site) != n {
		k.stacks = newStackIndex(c)
		k.lock.users.sites = -1 // not those of the sites
		k.chain.reset(c)
		k.post.site = make([]byCell, n)
	}
	return k
}

func (k *worker) release() {
	k.observer.hidden = false
	k.group.workers.Put(k)
}

// gaps cuts the waiting for a lock into gaps and calls take for the wanted ones, in order of
// time. A gap is valid during the call only.
func (k *worker) gaps(l *Lock, wanted func(*gap) bool, take func(*gap)) {
	k.lock.load(k.group, l)
	k.observer.reset()
	k.recent.reset(len(k.group.sites))
	k.cutter.reset()
	n := 0
	flush := func() {
		k.observer.observe(k.batch[:n])
		for i := range k.batch[:n] {
			k.recent.advance(k.batch[i].from)
			take(&k.batch[i])
		}
		k.recent.forget()
		n = 0
	}
	k.cutter.cut(func(g *gap) {
		if !wanted(g) {
			return
		}
		if n == len(k.batch) {
			k.batch = append(k.batch, gap{}) // most locks have few
		}
		to := &k.batch[n]
		blocked, seen := to.blocked[:0], to.seen[:0]
		*to = *g
		to.blocked, to.seen = append(blocked, k.cutter.start...), seen
		if n++; n == batchGaps {
			flush()
		}
	})
	flush()
}

// acquired notes the acquisition that ended a wait, and returns its site.
func (k *worker) acquired(w *Wait) int {
	s := k.stacks.siteOf(w.Stack)
	k.recent.pending = append(k.recent.pending, acquisition{w.End, w.Thread, w.user, s})
	return s
}

// Gaps whose evidence is alike are of one shape. A recording has many gaps and few shapes, so
// the posterior of one gap is used for all of its shape.

// shape is the evidence that some gaps of a lock share.
type shape struct {
	evidence
	lock int     // its number in the group
	n    float64 // gaps
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
	v := uint64(e.site+1) << 2
	if e.acquired {
		v++
	}
	if e.ended {
		v += 2
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
func (k *worker) listShapes(step int) (list []shape) {
	found, passed := map[uint64]int{}, 0
	for i, l := range k.group.locks {
		if last := passed + l.n; (passed+step-1)/step == (last+step-1)/step {
			passed = last // none of its gaps is looked at
			continue
		}
		clear(found)
		k.gaps(l, func(g *gap) bool { return (passed+g.number)%step == 0 }, func(g *gap) {
			k.weigh(g)
			key := k.evidence.key()
			at, ok := found[key]
			if !ok {
				at = len(list)
				found[key], list = at, append(list, shape{k.evidence, i, 0})
				s := &list[at]
				s.can, s.held, s.by, s.seen = append(k.allot(), s.can...), append(k.allot(), s.held...), nil, nil
			}
			list[at].n++
		})
		passed += l.n
	}
	return list
}

// infer returns the posterior of a gap of the current lock by its own evidence, nil if no path
// explains it. It is valid until the next call.
func (k *worker) infer(g *gap) *posterior {
	k.weigh(g)
	if !k.chain.infer(k.lock.Lock, &k.evidence, nil, &k.post) {
		return nil
	}
	return &k.post
}

// inferShape returns the posterior of a gap of the same shape.
func (k *worker) inferShape(g *gap) *posterior {
	if k.lock.n < fewWaits { // too few to share
		return k.infer(g)
	}
	k.weigh(g)
	key := k.evidence.key()
	p, ok := k.shapes[key]
	if k.cached = p; !ok {
		if len(k.shapes) >= mostShapes || k.shapes == nil {
			k.shapes = map[uint64]posterior{}
		}
		if k.cached.site = k.allot()[:len(k.group.sites)]; !k.chain.infer(k.lock.Lock, &k.evidence, nil, &k.cached) {
			k.cached.site = nil
		}
		k.shapes[key] = k.cached
	}
	if k.cached.site == nil {
		return nil
	}
	return &k.cached
}

// allot returns room for a value per site, out of an arena for many.
func (k *worker) allot() []byCell {
	n := len(k.group.sites)
	if len(k.arena) < n {
		k.arena = make([]byCell, max(n, min(2*n*k.group.waits, 1<<9)))
	}
	out := k.arena[:0:n]
	k.arena = k.arena[n:]
	return out
}
