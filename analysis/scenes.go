package analysis

import (
	"encoding/binary"
	"slices"

	"contend/format"
)

// A Source that folds gives many instants at once, and tells once what those that
// show the same show: a scene. Scenes come again and again, also in later parts of
// the trace, where they have other numbers: a program has some few thousand ways to
// stand in line. What follows from one for those who wait in it is worked out
// when it is charged for the second time, and remembered.

// scene is what some instants show.
type scene struct {
	locks   []contendedLock
	idlers  []seenAside
	beside  []*sampledAside // what those sum up to
	charged bool            // once at least
	groups  []waiterGroup   // nil until it was charged twice, and where readers or a circle split the waiting
	blocked int             // threads in the groups

	sequels  []sequel // some that came
	replaced int      // of them, that made place for others
}

// waiterGroup is the threads of a scene that wait for one lock, and where that
// leads, on one path.
type waiterGroup struct {
	number  uint32 // from 1
	lock    format.ObjectID
	waiters []Waiter
	share   Share
}

// scenes finds those that were met before.
type scenes struct {
	parts map[string]uint32 // by what they show: numbers of trace-wide meaning
	known map[string]*scene // by the numbers of its parts
	met   int               // scenes asked for
	fresh int               // of these, those not met before
	spare int               // so many are not remembered, since few come again

	serial  uint64 // of what the source shows now
	numbers []uint32
	list    []*scene // by number of the source
	key     []byte
	text    []byte
}

// mostScenes and mostSceneParts bound what is remembered. Behind so many it begins
// again.
const (
	mostScenes     = 1 << 13
	mostSceneParts = 1 << 15
)

// Remembering is given up for a while when, of so many scenes, not one in
// sceneWorth was met before.
const (
	scenesTried = 1 << 12
	scenesSpare = 1 << 16
	sceneWorth  = 8
)

// open begins to take scenes of what a source shows.
func (c *scenes) open(shown *format.Shown) {
	if c.serial == shown.Serial && c.parts != nil {
		return
	}
	if c.parts == nil || len(c.known) > mostScenes || len(c.parts) > mostSceneParts {
		for _, sc := range c.known {
			sc.sequels = nil // else none of those from before is ever let go
		}
		c.parts, c.known = map[string]uint32{}, map[string]*scene{}
	}
	c.serial = shown.Serial
	c.numbers = append(c.numbers[:0], make([]uint32, len(shown.Parts))...)
	c.list = append(c.list[:0], make([]*scene, len(shown.Scenes))...)
}

// at returns a scene of the source; isNew says that the source has not shown it
// before, and nil that it is not remembered.
func (c *scenes) at(shown *format.Shown, number uint32) (sc *scene, isNew bool) {
	if sc = c.list[number]; sc != nil {
		return sc, false
	}
	if c.spare > 0 {
		c.spare--
		return nil, true
	}
	c.key = c.key[:0]
	for _, at := range shown.Scenes[number] {
		c.key = binary.LittleEndian.AppendUint32(c.key, c.number(shown, at))
	}
	c.met++
	if sc = c.known[string(c.key)]; sc == nil {
		c.fresh++
		sc = newScene(shown, number)
		c.known[string(c.key)] = sc
	}
	c.list[number] = sc
	if c.met == scenesTried {
		if c.met-c.fresh < c.met/sceneWorth {
			c.spare = scenesSpare
		}
		c.met, c.fresh = 0, 0
	}
	return sc, true
}

// number returns the number that a part has in the whole trace.
func (c *scenes) number(shown *format.Shown, at uint32) uint32 {
	if n := c.numbers[at]; n > 0 {
		return n
	}
	ev := &shown.Parts[at]
	c.text = format.AppendEvent(c.text[:0], ev, new(int64))
	n := c.parts[string(c.text)]
	if n == 0 {
		n = uint32(len(c.parts)) + 1
		c.parts[string(c.text)] = n
	}
	c.numbers[at] = n
	return n
}

// newScene copies what a source shows.
func newScene(shown *format.Shown, number uint32) *scene {
	sc := &scene{}
	for _, at := range shown.Scenes[number] {
		switch ev := &shown.Parts[at]; ev.Kind {
		case format.KindContention:
			sc.locks = append(sc.locks, contendedLock{ev.Object, slices.Clone(ev.Owners), slices.Clone(ev.Waiters)})
		default:
			sc.idlers = append(sc.idlers, asideOf(ev))
		}
	}
	return sc
}

// samples takes a stretch of instants.
func (p *pass) samples(all *format.Samples) {
	s := p.smp
	if s.scenes.serial != all.Serial {
		for i := range all.Parts {
			bound(&all.Parts[i])
		}
	}
	s.scenes.open(all.Shown)
	for i := range all.Ticks {
		t := all.Ticks[i]
		if wildly(t.Time) || wildly(t.Intended) || t.Weight > latest {
			p.wild += clampTick(&t, len(all.Scenes[t.Scene]))
		}
		s.instant(&t)
		sc, isNew := s.scenes.at(all.Shown, t.Scene)
		if isNew {
			for _, at := range all.Scenes[t.Scene] {
				p.names.use(&all.Parts[at])
				s.sees(&all.Parts[at])
			}
		}
		s.show(sc, all, t.Scene)
	}
	if all.Skipped != nil {
		s.skipped(all)
	}
	if !s.windowed {
		p.window()
	}
}

// skipped takes account of instants that were not read.
func (s *sampler) skipped(all *format.Samples) {
	b := all.Skipped
	s.samples += int(b.Ticks) - len(all.Ticks)
	s.threads = max(s.threads, int(b.Live))
	s.owned = s.owned || b.Holds&format.HoldsOwners != 0
	s.unowned = s.unowned || b.Holds&format.HoldsUnowned != 0
}

// window tells the source which stretch of time the filter leaves, once it is known
// and instants outside of it are no longer needed to know the period. What an
// instant stands for reaches no further than so many periods.
func (p *pass) window() {
	s, f := p.smp, &p.e.filter
	w, ok := p.src.(format.Windower)
	if s.windowed = !ok || f.From == format.NoTime && f.To == format.NoTime; s.windowed || !p.e.begun || !s.told && !s.distances.full() {
		return
	}
	s.windowed = true
	far := reachCap * max(s.period, 1)
	w.Window(max(p.e.from, earliest+far)-far, min(p.e.to, latest-far)+far)
}

// show adds a scene to the instant at hand.
func (s *sampler) show(sc *scene, all *format.Samples, number uint32) {
	in := &s.next
	if sc != nil && in.scene == nil && len(in.locks) == 0 && len(in.idlers) == 0 {
		in.scene = sc
		return
	}
	in.unfold() // a second tick of the same time, or a scene that is not remembered
	for _, at := range all.Scenes[number] {
		if ev := &all.Parts[at]; ev.Kind == format.KindContention {
			in.add().set(ev.Object, ev.Owners, ev.Waiters)
		} else {
			in.idlers = append(in.idlers, asideOf(ev))
		}
	}
}

// remember keeps what follows from the scene that the graph was built of, which
// has one path from each lock.
func (s *sampler) remember(sc *scene) {
	if !sc.charged || !s.e.all || len(s.nodes) == 0 {
		sc.charged = true
		return
	}
	sc.blocked = len(s.nodes)
	sc.groups = make([]waiterGroup, 0, len(sc.locks))
	for rest := s.nodes; len(rest) > 0; {
		n, lock := 1, s.g.blocked[rest[0]].lock
		for n < len(rest) && s.g.blocked[rest[n]].lock == lock {
			n++
		}
		r := s.g.route(lock)
		s.groups++
		g := waiterGroup{number: s.groups, lock: lock, share: Share{Direct: r.direct, Root: r.root, Hops: r.hops, Last: r.last, Path: keepPath(r.path)}}
		for _, t := range rest[:n] {
			g.waiters = append(g.waiters, Waiter{Thread: t, Stack: s.g.blocked[t].stack, Mode: s.modes[t]})
		}
		sc.groups = append(sc.groups, g)
		rest = rest[n:]
	}
}

// renamed forgets what was remembered of groups, if some wait for a lock that is
// about to be called otherwise.
func (s *sampler) renamed(lock format.ObjectID) {
	if int(lock) >= len(s.g.owners) || s.groups == 0 {
		return
	}
	s.catchUp()
	s.booked = nil
	for _, sc := range s.scenes.known {
		sc.groups, sc.sequels = nil, nil
	}
	for _, in := range [...]*instant{&s.cur, &s.next} {
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

// sequel is the groups of a scene with the waits that begin with it, where another
// scene was charged before.
type sequel struct {
	before *scene
	groups []begun
}

// begun is the waiters of a group, and how many of their waits begin.
type begun struct {
	waiters []Waiter
	begins  int
}

// mostSequels is how many sequels a scene keeps.
const mostSequels = 4

// bookScene is book for a scene of which it is remembered what follows from it.
func (s *sampler) bookScene(sc *scene, lo, hi int64, seen Sample) {
	groups := s.sequel(sc)
	s.booked, s.bookedAt = sc, s.number
	lo, hi, ok := s.e.cut(lo, hi)
	if !ok {
		return
	}
	for i := range sc.groups {
		g, now := &sc.groups[i], &groups[i]
		s.e.slice = Slice{Start: lo, End: hi, Lock: g.lock, Sample: seen, Waiters: now.waiters, Group: g.number, begins: now.begins}
		s.e.one[0] = g.share
		s.e.one[0].Ns = hi - lo
		s.e.slice.Shares = s.e.one[:]
		s.e.emit()
	}
}

// sequel returns the groups of a scene as they follow the scene that was booked
// before, which may be none that is remembered.
func (s *sampler) sequel(sc *scene) []begun {
	before := s.booked
	if before == nil || s.bookedAt+1 != s.number || len(before.groups) == 0 {
		s.catchUp()
		return s.follow(sc)
	}
	for i := range sc.sequels {
		if sc.sequels[i].before == before {
			return sc.sequels[i].groups
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
	return now.groups
}

// catchUp notes which waits were seen at the last booking, if it was of a scene.
func (s *sampler) catchUp() {
	if s.booked == nil {
		return
	}
	for i := range s.booked.groups {
		g := &s.booked.groups[i]
		for j := range g.waiters {
			s.last[g.waiters[j].Thread] = lastSeen{s.bookedAt, g.lock, g.waiters[j].Stack}
		}
	}
}

// follow finds the waits that were not seen at the booking before.
func (s *sampler) follow(sc *scene) []begun {
	list := make([]begun, 0, len(sc.groups))
	for i := range sc.groups {
		g := &sc.groups[i]
		now := begun{waiters: g.waiters}
		for j := range g.waiters {
			w := &g.waiters[j]
			last := s.last[w.Thread]
			if last.tick+1 == s.number && last.lock == g.lock && last.stack == w.Stack {
				continue
			}
			if now.begins == 0 {
				now.waiters = slices.Clone(g.waiters)
			}
			now.waiters[j].First = true
			now.begins++
		}
		list = append(list, now)
	}
	return list
}

// sees notes whether samples show who owns locks.
func (s *sampler) sees(ev *format.Event) {
	switch {
	case ev.Kind != format.KindContention:
	case len(ev.Owners) > 0:
		s.owned = true
	default:
		s.unowned = true
	}
}
