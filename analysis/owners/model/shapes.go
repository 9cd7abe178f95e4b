package model

import (
	"math"
	"math/bits"
)

// Gaps whose evidence is alike are of one shape. A recording has many gaps and few shapes, so
// the posterior of one gap is used for all of its shape.

// shape is the evidence that some gaps of a lock share.
type shape struct {
	evidence
	lock int     // its number in the class
	n    float64 // gaps
}

// shapeCache has the posteriors of the shapes of a lock, nil for one that no path explains.
type shapeCache struct {
	known map[uint64]*posterior
	slab  []byCell // to allocate from
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

// allot returns room for n, out of a slab for many.
func (x *shapeCache) allot(n, many int) []byCell {
	if len(x.slab) < n {
		x.slab = make([]byCell, max(n, min(n*many, 1<<9)))
	}
	out := x.slab[:n:n]
	x.slab = x.slab[n:]
	return out
}

// listShapes returns the shapes of every step-th gap of the class.
func (k *worker) listShapes(step int) (list []shape) {
	found, passed := map[uint64]int{}, 0
	for i, l := range k.class.Locks {
		if last := passed + l.n; (passed+step-1)/step == (last+step-1)/step {
			passed = last // none of its gaps is looked at
			continue
		}
		clear(found)
		k.gaps(l, func(g *gap) bool { return (passed+g.number)%step == 0 }, func(g *gap) {
			k.weigh(l, g)
			key := k.evidence.key()
			at, ok := found[key]
			if !ok {
				at = len(list)
				found[key], list = at, append(list, shape{k.evidence, i, 0})
				s, sites := &list[at], len(k.evidence.can)
				room := k.shapes.allot(2*sites, k.class.waits)
				s.can, s.held = room[:copy(room, s.can)], room[sites:][:copy(room[sites:], s.held)]
				s.by, s.seen = nil, nil
			}
			list[at].n++
		})
		passed += l.n
	}
	return list
}

// infer returns the posterior of a gap by its own evidence, nil if no path explains it. It is
// valid until the next call.
func (k *worker) infer(l *Lock, g *gap) *posterior {
	k.weigh(l, g)
	if !k.chain.infer(l, &k.evidence, &k.room) {
		return nil
	}
	return &k.room
}

// inferShape returns the posterior of a gap of the same shape.
func (k *worker) inferShape(l *Lock, g *gap) *posterior {
	if l.n < fewWaits { // too few to share
		return k.infer(l, g)
	}
	k.weigh(l, g)
	key, x := k.evidence.key(), &k.shapes
	p, ok := x.known[key]
	if !ok {
		if len(x.known) >= mostShapes || x.known == nil {
			x.known = map[uint64]*posterior{}
		}
		p = &posterior{site: x.allot(len(k.class.sites), k.class.waits)}
		if !k.chain.infer(l, &k.evidence, p) {
			p = nil
		}
		x.known[key] = p
	}
	return p
}
