package analysis

import (
	"slices"

	"contend/format"
)

// What follows from a scene for those who wait in it is worked out when it is charged
// for the second time: the paths from their locks, and which waits begin with it when
// it comes after a scene that it came after before.

// book charges what cur shows over [lo, hi).
func (s *sampler) book(lo, hi, running int64, seen *Sample) {
	s.number++
	if seen.Before == format.NoTime {
		s.number++ // nobody saw any wait go on from the booking before
	}
	if s.known != nil {
		s.bookScene(s.known, lo, hi, running, seen)
		return
	}
	s.e.run(lo, hi, running)
	s.catchUp()
	s.booked = nil
	s.bookGraph(lo, hi, seen)
}

// remember keeps what follows from the scene that the graph was built of, which
// has one path from each lock.
func (s *sampler) remember(sc *scene) {
	if !sc.charged || !s.e.all || len(s.nodes) == 0 {
		sc.charged = true
		return
	}
	sc.blocked = len(s.nodes)
	sc.groups = make([]Group, 0, len(sc.locks))
	for rest := s.nodes; len(rest) > 0; {
		n, lock := 1, s.g.blocked[rest[0]].lock
		for n < len(rest) && s.g.blocked[rest[n]].lock == lock {
			n++
		}
		r := s.g.route(lock)
		s.groups++
		g := Group{Number: s.groups, Lock: lock, Share: Share{Direct: r.direct, Root: r.root, Hops: r.hops, Last: r.last, Path: keepPath(r.path)}}
		for _, t := range rest[:n] {
			g.Waiters = append(g.Waiters, Waiter{Thread: t, Stack: s.g.blocked[t].stack, Mode: s.modes[t]})
		}
		sc.groups = append(sc.groups, g)
		rest = rest[n:]
	}
}

// renamed forgets what was remembered of groups: a thread or a lock is called
// otherwise now.
func (s *sampler) renamed() {
	if s.groups == 0 {
		return
	}
	s.catchUp()
	s.booked = nil
	for _, sc := range s.scenes.known {
		sc.groups, sc.sequels = nil, nil
	}
	for _, in := range [...]*instant{s.cur, s.next} {
		if in.scene != nil {
			in.scene.groups, in.scene.sequels = nil, nil
		}
	}
	s.stale, s.known = s.stale || s.known != nil, nil
}

// keepPath returns a path that stays good.
func keepPath(path *Hop) *Hop {
	var hops []Hop
	for h := path; h != nil; h = h.Next {
		hops = append(hops, *h)
	}
	return PathOf(hops...)
}

// mostSequels is how many sequels a scene keeps; others are worked out again.
const mostSequels = 4

// bookScene is book for a scene of which it is remembered what follows from it.
func (s *sampler) bookScene(sc *scene, lo, hi, running int64, seen *Sample) {
	now := s.sequel(sc)
	s.booked, s.bookedAt = sc, s.number
	if lo, hi, ok := s.e.cut(lo, hi); ok {
		s.e.bookStretch(lo, hi, running, seen, now)
	}
}

// sequel returns the groups of a scene as they follow the scene that was booked
// before, which may be none that is remembered.
func (s *sampler) sequel(sc *scene) *Waiting {
	before := s.booked
	if before == nil || s.bookedAt+1 != s.number || len(before.groups) == 0 {
		s.catchUp()
		return s.follow(sc)
	}
	for i := range sc.sequels {
		if sc.sequels[i].before == before {
			return sc.sequels[i].now
		}
	}
	s.catchUp()
	now := sequel{before, s.follow(sc)}
	if len(sc.sequels) < mostSequels {
		sc.sequels = append(sc.sequels, now)
	} else {
		sc.sequels[sc.replaced%mostSequels] = now
		sc.replaced++
	}
	return now.now
}

// catchUp notes which waits were seen at the last booking, if it was of a scene.
func (s *sampler) catchUp() {
	if s.booked == nil {
		return
	}
	for i := range s.booked.groups {
		g := &s.booked.groups[i]
		for j := range g.Waiters {
			s.last[g.Waiters[j].Thread] = lastSeen{s.bookedAt, g.Lock, g.Waiters[j].Stack}
		}
	}
}

// follow finds the waits that were not seen at the booking before.
func (s *sampler) follow(sc *scene) *Waiting {
	s.first = s.first[:0]
	ends := make([]int32, 0, len(sc.groups))
	for i := range sc.groups {
		g := &sc.groups[i]
		for j := range g.Waiters {
			w := &g.Waiters[j]
			last := s.last[w.Thread]
			if last.tick+1 != s.number || last.lock != g.Lock || last.stack != w.Stack {
				s.first = append(s.first, Begun{int32(j), w.Thread})
			}
		}
		ends = append(ends, int32(len(s.first)))
	}
	s.waitings++
	return &Waiting{Groups: sc.groups, Begins: int64(len(s.first)), first: slices.Clone(s.first), ends: ends, number: s.waitings}
}
