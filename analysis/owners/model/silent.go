package model

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// Silent sites take the lock and never wait for it. What threads do there shows them: it
// lies where nobody gets the lock though somebody waits, in time that no known site
// explains, and when it ends somebody gets it promptly; or it is sampled far more while
// somebody waits than otherwise. No caller of a wait is one.

// minSearched is the waiting, in ns, below which no silent site of a lock is looked for. It
// bounds cost, not an answer: each search walks through all that threads did, and of
// 100,000 locks nearly all have less.
const minSearched = 2e6

// Silent adds silent sites to the class.
func (c *Class) Silent() {
	k := c.worker()
	defer k.release()
	if c.Permits {
		k.together()
	}
	c.unseen(k)
	s := silence{worker: k, sampledAt: map[uint64]bool{}}
	for _, l := range s.busiest() {
		s.lock = l
		s.place()
		s.cover()
		s.deeds()
		s.samples()
	}
	c.index()
}

// silent makes a site of a stack, from the frame at a place outwards, that takes a lock.
func (c *Class) silent(l *Lock, stack format.StackID, at int, n float64, users map[format.ThreadID]float64) {
	var p path
	var s *site
	if frames := c.program.Frames(stack); at < len(frames) {
		p.set(frames, at)
		known, ok := c.byKey[p.suffix[0]]
		switch {
		case ok && !c.sites[known].silent:
			return
		case ok:
			s = c.sites[known]
		default:
			s = &site{key: p.suffix[0], depth: len(frames) - at}
			c.byKey[s.key] = len(c.sites)
		}
	} else {
		s = &site{}
	}
	if !s.silent {
		s.stack, s.silent, s.users, s.of = stack, true, map[format.ThreadID]float64{}, map[*Lock]bool{}
		c.sites = append(c.sites, s)
	}
	s.of[l] = true
	s.n += n
	for _, t := range sortedThreads(users) {
		s.users[t] += users[t]
		s.more += users[t]
		if !slices.Contains(c.silentUsers, t) {
			c.silentUsers = append(c.silentUsers, t)
		}
	}
}

// taken returns the frame of a stack that a silent site is anchored at: the innermost
// method that is known to take such locks, though by another path; else the innermost
// frame that is not of the runtime.
func (k *worker) taken(stack format.StackID) int {
	frames := k.class.program.Frames(stack)
	k.path.set(frames, 0)
	for i, m := range k.path.method {
		if len(k.class.byMethod[m]) > 0 {
			return k.path.frame[i]
		}
	}
	return len(frames) - len(k.class.program.Application(stack))
}

// sortedThreads returns the threads by how often they are there.
func sortedThreads(users map[format.ThreadID]float64) (list []format.ThreadID) {
	for t := range users {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b format.ThreadID) int {
		return cmp.Or(cmp.Compare(users[b], users[a]), cmp.Compare(a, b))
	})
	return list
}

// unseen makes sites of the owners in dumps that are at no known one.
func (c *Class) unseen(k *worker) {
	type owner struct {
		stack  format.StackID
		thread format.ThreadID // of one without a stack
	}
	found := map[owner]map[format.ThreadID]float64{}
	for _, l := range c.Locks {
		clear(found)
		var order []owner
		for i := range l.Dumps {
			d := &l.Dumps[i]
			if d.Owner == format.NoThread || k.siteOf(d.Took) >= 0 || len(k.inside(d.Stack)) > 0 {
				continue
			}
			o := owner{stack: d.Stack}
			if d.Stack == format.NoStack {
				o.thread = d.Owner
			}
			if found[o] == nil {
				found[o] = map[format.ThreadID]float64{}
				order = append(order, o)
			}
			found[o][d.Owner]++
		}
		for _, o := range order {
			if len(c.sites) >= ownSites+2*moreSites {
				break
			}
			n := 0.0
			for _, v := range found[o] {
				n += v
			}
			c.silent(l, o.stack, k.taken(o.stack), n, found[o])
		}
	}
}

// together finds the semaphores of which threads hold permits together: what they do on the
// paths of its sites overlaps for much of the time. As of readers, what one does inside then
// goes on while another gets a permit.
func (k *worker) together() {
	for _, l := range k.class.Locks {
		k.load(l)
		var list []Time
		sum := int64(0)
		for _, d := range k.class.program.Deeds(l.ID) {
			if d.What == Waits || k.shown(d.Stack, false) < 0 {
				continue
			}
			for _, t := range d.Times {
				if k.users.number(t.Thread) >= 0 {
					list = append(list, t)
					sum += t.End - t.Start
				}
			}
		}
		all := union(list)
		l.many = sum > 0 && float64(sum) > overlapping*float64(all.in(math.MinInt64, math.MaxInt64))
	}
	k.lock = nil // its waits are others now
}

// silence looks for silent sites.
type silence struct {
	*worker
	lock      *busyLock
	found     int
	sampledAt map[uint64]bool // parts of the program that are sites
}

// taken is an acquisition.
type taken struct {
	time   int64
	thread format.ThreadID
	site   int // -1 where it is not known
}

// busyLock is one of the locks that are waited for most.
type busyLock struct {
	*Lock
	busy  stretches // when anybody waits
	got   []taken   // its acquisitions, by time
	long  int64     // how long somebody waits
	rate  float64   // acquisitions while somebody waits, per ns
	cover stretches // what known sites explain
}

// busiest returns the locks waited for most.
func (s *silence) busiest() (out []*busyLock) {
	list := slices.Clone(s.class.Locks)
	slices.SortStableFunc(list, func(a, b *Lock) int { return cmp.Compare(b.ns, a.ns) })
	for _, l := range list[:min(len(list), busyLocks)] {
		if l.ns < minSearched || l.ns < list[0].ns/100 {
			break
		}
		b := &busyLock{Lock: l}
		s.load(l)
		b.busy = whenWaited(s.waits)
		b.got = make([]taken, 0, len(s.ends))
		for _, i := range s.ends {
			if w := &s.waits[i]; !w.Failed {
				b.got = append(b.got, taken{w.End, w.Thread, s.siteOf(w.Stack)})
			}
		}
		b.long = b.busy.in(l.from, l.to)
		b.rate = float64(len(b.got)) / float64(max(1, b.long))
		out = append(out, b)
	}
	return out
}

// gets returns how often the lock was acquired between two instants.
func (b *busyLock) gets(from, to int64) int {
	return max(0, b.before(to)-b.before(from+1))
}

// before returns how often the lock was acquired before an instant.
func (b *busyLock) before(t int64) int {
	n, _ := slices.BinarySearchFunc(b.got, t, func(r taken, t int64) int { return cmp.Compare(r.time, t) })
	return n
}

// proof is how far what threads do speaks for that they hold a lock meanwhile.
type proof struct {
	n       float64 // times in which somebody waited
	broken  float64 // times in the course of which somebody got the lock
	expects float64 // so many would be by chance
	tried   float64 // times at the end of which somebody waited
	prompt  float64 // of those in which the lock was got just then
	chance  float64 // so many would be by chance
	users   map[format.ThreadID]float64
}

// prove holds the times of a deed against the lock.
func (s *silence) prove(d *Deed, uncovered bool) (p proof) {
	p.users = map[format.ThreadID]float64{}
	l := s.lock
	first, _ := slices.BinarySearchFunc(d.Times, l.from, func(t Time, at int64) int { return cmp.Compare(t.Start, at) })
	for _, t := range d.Times[max(first-1, 0):] {
		if t.Start >= l.to {
			break
		}
		if t.End <= l.from {
			continue
		}
		waited := l.busy.in(t.Start, t.End)
		if waited <= 0 {
			continue
		}
		if uncovered {
			if waited -= l.cover.in(t.Start, t.End); float64(waited) < 0.3*float64(t.End-t.Start) {
				continue
			}
		}
		p.n++
		p.users[t.Thread]++
		p.expects += 1 - math.Exp(-l.rate*float64(waited))
		if l.gets(t.Start+slack, t.End-slack) > 0 {
			p.broken++
			continue
		}
		if l.busy.at(t.End) {
			p.tried++
			p.chance += max(0.02, 1-math.Exp(-l.rate*promptly))
			if l.gets(t.End-slack, t.End+promptly) > 0 {
				p.prompt++
			}
		}
	}
	return p
}

// bits is the log of how much likelier what is seen is if the deed is inside a section.
func (p *proof) bits() (sum float64) {
	switch {
	case p.broken == 0:
		sum = p.expects
	case p.broken < p.expects:
		sum = p.expects - p.broken + p.broken*math.Log(p.broken/p.expects)
	}
	if p.tried > 2 {
		chance := min(0.95, p.chance/p.tried)
		inside := max(0.6, chance)
		sum += max(-4, p.prompt*math.Log(inside/chance)+(p.tried-p.prompt)*math.Log((1-inside)/(1-chance)))
	}
	return sum
}

// coherent reports whether a deed on a known path is inside.
func (p *proof) coherent() bool {
	return (1.4+p.expects-p.broken)/(2+p.expects) > 0.3
}

// place finds at which site a thread is that does something of which no stack is recorded,
// as of sleeps by JDK 25: at that where it took the lock last, if nobody gets the lock
// meanwhile; at none if others do.
func (s *silence) place() {
	for _, d := range s.class.program.Deeds(s.lock.ID) {
		if !placeless(s.class.program.Frames(d.Stack)) {
			continue
		}
		switch p := s.prove(d, false); {
		case p.broken >= 0.2*max(p.expects, 1):
			if _, ok := s.class.placed[d.Stack]; !ok {
				s.class.placed[d.Stack] = -1
			}
		case p.bits() > silentBits:
			if at := s.after(d); at >= 0 {
				s.class.placed[d.Stack] = at
			}
		}
	}
	clear(s.inner)
}

// after returns the site of which most acquisitions are followed by a deed before anybody
// else takes the lock; -1 for none.
func (s *silence) after(d *Deed) int {
	follows, rate := make([]float64, len(s.class.sites)), 0.0
	for _, t := range d.Times {
		n := s.lock.before(t.Start + 1)
		if n == 0 {
			continue
		}
		if last := s.lock.got[n-1]; last.thread == t.Thread && last.site >= 0 && s.lock.gets(last.time, t.End-slack) == 0 {
			follows[last.site]++
		}
	}
	best := -1
	for at, n := range follows {
		if of := s.class.sites[at].n; n > 1 && n/of > rate {
			best, rate = at, n/of
		}
	}
	return best
}

// cover notes what activities on known paths explain.
func (s *silence) cover() {
	l := s.lock
	for _, d := range s.class.program.Deeds(l.ID) {
		if d.What == Waits && d.Lock == l.ID || s.shown(d.Stack, false) < 0 {
			continue
		}
		if p := s.prove(d, false); p.n > 0 && p.coherent() {
			l.cover = append(l.cover, d.Times...)
		}
	}
	l.cover = union(l.cover)
}

// deeds looks among activities.
func (s *silence) deeds() {
	c := s.class
	type candidate struct {
		deed *Deed
		bits float64
		p    proof
		key  uint64
	}
	var list []candidate
	for _, d := range c.program.Deeds(s.lock.ID) {
		if s.shown(d.Stack, false) >= 0 || d.What == Waits && d.Lock == s.lock.ID || d.Ns < s.lock.long/100 || placeless(c.program.Frames(d.Stack)) {
			continue
		}
		p := s.prove(d, true)
		if p.n == 0 || p.broken >= 0.2*max(p.expects, 0.25*p.n) || p.tried >= 8 && p.prompt <= 0.8*p.chance {
			continue
		}
		if d.Idle && !(p.tried >= 5 && p.prompt > max(0.5*p.tried, 2*p.chance)) {
			continue // threads with nothing to do
		}
		if b := p.bits(); b > silentBits {
			s.path.set(c.program.Frames(d.Stack), 0)
			if len(s.path.suffix) > 0 {
				list = append(list, candidate{d, b, p, s.path.suffix[0]})
			}
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.bits, a.bits), cmp.Compare(a.key, b.key))
	})
	for _, x := range list {
		if s.found == moreSites {
			break
		}
		c.silent(s.lock.Lock, x.deed.Stack, s.taken(x.deed.Stack), max(1, x.p.expects-x.p.broken), x.p.users)
		s.found++
	}
}

// sampled is how often a part of the program is sampled: a frame with its callers.
type sampled struct {
	key     uint64
	in, out float64 // while somebody waits, and else
	bits    float64 // how much likelier that is inside a section
	stack   format.StackID
	at      int // the frame, of those of the path
	depth   int // frames to the outermost one
	users   map[format.ThreadID]float64
}

// samples takes what is sampled far more while somebody waits than otherwise, the most
// certain first, of those as certain the outermost.
func (s *silence) samples() {
	taken := map[uint64]bool{} // parts that are sites, those that call them, and callers of waits
	for _, x := range s.class.sites {
		frames := s.class.program.Frames(x.stack)
		s.path.set(frames, min(len(frames)-x.depth, len(frames)))
		for _, h := range s.path.suffix {
			taken[h] = true
		}
	}
	for _, a := range s.parts() {
		frames := s.class.program.Frames(a.stack)
		s.path.set(frames, 0)
		part := s.path.suffix[a.at:]
		if s.found >= moreSites || taken[a.key] || slices.ContainsFunc(part, func(h uint64) bool { return s.sampledAt[h] }) {
			continue
		}
		frame := s.path.frame[a.at]
		for _, h := range part {
			taken[h] = true
		}
		s.sampledAt[a.key] = true
		s.class.silent(s.lock.Lock, a.stack, frame, 1+a.in/10, a.users)
		s.found++
	}
}

// parts returns the parts of the program that samples speak for, but for what known sites
// explain.
func (s *silence) parts() (list []*sampled) {
	by, in, out := map[uint64]*sampled{}, 0.0, 0.0
	l, total, number := s.lock, 0, 0
	s.class.program.Runs(l.from, l.to, func(format.ThreadID, int64, format.StackID) { total++ })
	step := max(1, total/mostSamples)
	s.class.program.Runs(l.from, l.to, func(t format.ThreadID, at int64, stack format.StackID) {
		if number++; number%step != 0 || l.cover.at(at) {
			return
		}
		waited := l.busy.at(at)
		if waited {
			in++
		} else {
			out++
		}
		if s.shown(stack, false) >= 0 {
			return
		}
		s.path.set(s.class.program.Frames(stack), 0)
		for i, h := range s.path.suffix {
			a := by[h]
			if a == nil {
				a = &sampled{key: h, stack: stack, at: i, depth: len(s.path.suffix) - i, users: map[format.ThreadID]float64{}}
				by[h] = a
			}
			if a.users[t]++; waited {
				a.in++
			} else {
				a.out++
			}
		}
	})
	base := (in + 1) / (in + out + 2)
	for _, a := range by {
		p := a.in / (a.in + a.out)
		a.bits = a.in * math.Log(p/base)
		if a.out > 0 {
			a.bits += a.out * math.Log((1-p)/(1-base))
		}
		if a.bits > silentBits && a.in/(a.out+.5) > 3*base/(1-base) {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *sampled) int {
		return cmp.Or(cmp.Compare(b.bits, a.bits), cmp.Compare(a.depth, b.depth), cmp.Compare(a.key, b.key))
	})
	return list
}
