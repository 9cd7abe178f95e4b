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
	c.unseen(k)
	s := silence{worker: k}
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

// silence looks for silent sites.
type silence struct {
	*worker
	lock  *busyLock
	found int
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
		for i := range s.waits {
			if w := &s.waits[i]; !w.Failed {
				b.got = append(b.got, taken{w.End, w.Thread, s.siteOf(w.Stack)})
			}
		}
		slices.SortFunc(b.got, func(a, b taken) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.thread, b.thread)) })
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

// sampled is how often a part of the program is sampled.
type sampled struct {
	in, out float64 // while somebody waits, and else
	stack   format.StackID
	at      int // the frame, of those of the path
	users   map[format.ThreadID]float64
}

// samples looks among what is sampled.
func (s *silence) samples() {
	c := s.class
	by, outer, n := s.parts()
	in, out := n[0], n[1]
	base := (in + 1) / (in + out + 2)
	odds := base / (1 - base)
	type candidate struct {
		key  uint64
		bits float64
	}
	var list []candidate
	for key, a := range by {
		if a.in < fewSamples || outer[key] {
			continue
		}
		p := a.in / (a.in + a.out)
		bits := a.in * math.Log(p/base)
		if a.out > 0 {
			bits += a.out * math.Log((1-p)/(1-base))
		}
		if p > base && bits > silentBits && a.in/(a.out+.5) > 3*odds {
			list = append(list, candidate{key, bits})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.bits, a.bits), cmp.Compare(a.key, b.key))
	})
	s.alone(by, outer, in)
	taken := map[uint64]bool{}
	for _, x := range list {
		a := by[x.key]
		frames := c.program.Frames(a.stack)
		s.path.set(frames, 0)
		at := a.at
		for at+1 < len(s.path.suffix) { // the outermost frame that is as good
			b := by[s.path.suffix[at+1]]
			if b == nil || outer[s.path.suffix[at+1]] || b.in/(b.out+.5) <= 0.7*a.in/(a.out+.5) || b.in >= 1.15*a.in+1 {
				break
			}
			at++
		}
		done := false
		for _, h := range s.path.suffix[at:] {
			done = done || taken[h]
		}
		taken[s.path.suffix[at]] = true
		if done {
			continue
		}
		part, frame := s.path.suffix[at], s.path.frame[at]
		if m := s.taken(a.stack); len(c.byMethod[methodOf(&frames[min(m, len(frames)-1)])]) > 0 {
			frame = m
		}
		if s.found >= moreSites || s.broken(part) {
			continue
		}
		c.silent(s.lock.Lock, a.stack, frame, 1+by[part].in/10, by[part].users)
		s.found++
	}
}

// alone takes the part of the program that nearly all samples show while somebody waits: who
// runs alone while the others wait has what they wait for, though it may do so at any time.
func (s *silence) alone(by map[uint64]*sampled, outer map[uint64]bool, all float64) {
	best, at := uint64(0), 0
	for key, a := range by { // the innermost of those that show nearly as much
		if a.in < fewSamples || a.in < mostlyAlone*all || outer[key] || s.uses(a.users) {
			continue
		}
		depth := len(s.class.program.Frames(a.stack)) - a.at
		if best == 0 || depth > at || depth == at && key < best {
			best, at = key, depth
		}
	}
	if best != 0 && s.found < moreSites {
		a := by[best]
		s.path.set(s.class.program.Frames(a.stack), 0)
		s.class.silent(s.lock.Lock, a.stack, s.path.frame[a.at], 1+a.in/10, a.users)
		s.found++
	}
}

// uses reports whether threads are known to wait for the lock.
func (s *silence) uses(threads map[format.ThreadID]float64) bool {
	s.load(s.lock.Lock)
	for t := range threads {
		if _, ok := s.users.index[t]; ok && !slices.Contains(s.class.silentUsers, t) {
			return true
		}
	}
	return false
}

// parts counts samples by part of the program, but for what known sites explain; outer are
// the callers of waits. n is how many samples there are while somebody waits, and else.
func (s *silence) parts() (by map[uint64]*sampled, outer map[uint64]bool, n [2]float64) {
	c := s.class
	by, outer = map[uint64]*sampled{}, map[uint64]bool{}
	l := s.lock
	for _, x := range c.sites {
		frames := c.program.Frames(x.stack)
		s.path.set(frames, min(len(frames)-x.depth, len(frames)))
		for i, h := range s.path.suffix {
			if i > 0 {
				outer[h] = true
			}
		}
	}
	for method := range c.byMethod {
		outer[method] = true
	}
	total := 0
	c.program.Runs(l.from, l.to, 1, func(format.ThreadID, int64, format.StackID) { total++ })
	c.program.Runs(l.from, l.to, max(1, total/mostSamples), func(t format.ThreadID, at int64, stack format.StackID) {
		if l.cover.at(at) {
			return
		}
		waited := l.busy.at(at)
		if waited {
			n[0]++
		} else {
			n[1]++
		}
		if s.shown(stack, false) >= 0 {
			return
		}
		s.path.set(c.program.Frames(stack), 0)
		for i, h := range s.path.suffix {
			a := by[h]
			if a == nil {
				a = &sampled{stack: stack, at: i, users: map[format.ThreadID]float64{}}
				by[h] = a
			}
			if waited {
				a.in++
			} else {
				a.out++
			}
			a.users[t]++
		}
	})
	return by, outer, n
}

// broken reports whether others get the lock between samples of one thread at a part of
// the program that follow each other.
func (s *silence) broken(part uint64) bool {
	l := s.lock
	last := map[format.ThreadID]int64{}
	times, expected := 0.0, 0.0
	s.class.program.Runs(l.from, l.to, 1, func(t format.ThreadID, at int64, stack format.StackID) {
		s.path.set(s.class.program.Frames(stack), 0)
		if !slices.Contains(s.path.suffix, part) {
			delete(last, t)
			return
		}
		if before, ok := last[t]; ok {
			expected += 1 - math.Exp(-l.rate*float64(at-before))
			if l.gets(before, at) > 0 {
				times++
			}
		}
		last[t] = at
	})
	return expected >= 3 && times > 0.3*expected
}
