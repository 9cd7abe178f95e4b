package model

import (
	"math"
	"math/bits"
)

// Gaps are of one shape whose evidence is alike. A recording has many gaps and few shapes:
// what is worked out for one gap of a shape holds for all.

// mostShapes is how many shapes of a lock are kept at most. It bounds memory.
const mostShapes = 1 << 13

// shape is the evidence that some gaps of a lock share.
type shape struct {
	evidence
	lock int     // among those of the class
	n    float64 // gaps
}

// known is the answer to a shape; not ok if nothing explains it.
type known struct {
	posterior
	ok bool
}

// key is a number that tells shapes apart: lengths to a quarter of an octave, likelihoods
// to a factor of two.
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

// shapes returns those of every step-th gap of the class.
func (k *worker) shapes(step int) (list []shape) {
	found, passed := map[uint64]int{}, 0
	for i, l := range k.class.Locks {
		if last := passed + l.n; (passed+step-1)/step == (last+step-1)/step {
			passed = last // none of its gaps is looked at
			continue
		}
		clear(found)
		k.gaps(l, func(g *gap) bool { return (passed+g.number)%step == 0 }, func(g *gap) {
			k.weigh(l, g)
			key := k.ev.key()
			at, ok := found[key]
			if !ok {
				at = len(list)
				found[key], list = at, append(list, shape{k.ev, i, 0})
				s, sites := &list[at], len(k.ev.can)
				room := k.allot(2 * sites)
				s.can, s.held = room[:copy(room, s.can)], room[sites:][:copy(room[sites:], s.held)]
				s.by, s.seen = nil, nil
			}
			list[at].n++
		})
		passed += l.n
	}
	return list
}

// allot returns room for what is kept of a shape, of many at once.
func (k *worker) allot(n int) []byCell {
	if len(k.room) < n {
		k.room = make([]byCell, max(n, min(n*k.class.waits, 1<<9)))
	}
	out := k.room[:n:n]
	k.room = k.room[n:]
	return out
}

// infer leaves the posterior of a gap in k.post, which gaps of its shape share; false if
// nothing explains the evidence.
func (k *worker) infer(l *Lock, g *gap) bool {
	if l.n < fewWaits { // nothing to share
		return k.run(l, g, nil)
	}
	k.weigh(l, g)
	key := k.ev.key()
	p, ok := k.known[key]
	if !ok {
		if len(k.known) >= mostShapes || k.known == nil {
			k.known = map[uint64]known{}
		}
		k.post.site = k.allot(len(k.class.sites))
		p.ok = k.explain(l, nil)
		p.posterior = k.post
		k.known[key] = p
	}
	k.post = p.posterior
	return p.ok
}
