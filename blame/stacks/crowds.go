package stacks

import (
	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// crowds are those who wait together in long queues, where samples tell each apart. A
// thousand threads that wait for one lock, each while a thousand others own it in turn,
// would be a million additions. So what each who waits is charged is summed once for
// all, by owner, and a sample gets what was added between when its waiter joined and when
// it left. To join or leave costs as much as there are samples of who does, and a change
// of owner costs as much as there are kinds of waiters, however many wait.
type crowds struct {
	each blame.Kinds // one by one; those whom folded samples do not tell apart are Builder.kinds

	of      map[who][]part
	in      map[who]int // who is there now, and of which kind
	charges map[charge]int
	sums    []sum
	there   map[ofKind]int // how many that are there now have a sample of a charge
	rest    []rest         // scratch

	// twice is how many in the crowd of a lock may wait there twice at a time, which counts
	// twice in the delay and once in the wall-time: they are added one by one, and not in.
	twice map[format.ObjectID]int
}

// who is what a sample tells of its waiter.
type who struct {
	thread format.ThreadID
	stack  format.StackID
	lock   format.ObjectID
}

// charge is what it tells besides.
type charge struct {
	lock  format.ObjectID
	owner analysis.Owner
	path  int32
}

// sum is what each who is there all the time has been charged.
type sum struct {
	ns    int64
	there int // how many that are there now have a sample of it
}

// part is one of somebody's samples, with the place of its sum.
type part struct{ sample, sum int }

type ofKind struct{ sum, kind int }

// rest is how many of a kind are added to a folded sample.
type rest struct {
	key Key
	n   int64
}

func (k *Key) who() who       { return who{k.Waiter, k.WaiterStack, k.Lock} }
func (k *Key) charge() charge { return charge{k.Lock, k.Owner, k.path} }

// gather begins to follow crowds.
func (b *Builder) gather() {
	b.crowds = &crowds{each: blame.NewKinds(func(m *analysis.Move) int { return int(m.Number) }),
		of: map[who][]part{}, in: map[who]int{}, charges: map[charge]int{}, there: map[ofKind]int{}, twice: map[format.ObjectID]int{}}
	for i := range b.samples {
		b.enter(i)
	}
}

// enter notes a new sample, which whoever is there has from now on.
func (b *Builder) enter(sample int) {
	c, key := b.crowds, &b.samples[sample].Key
	if key.folded {
		return
	}
	at, ok := c.charges[key.charge()]
	if !ok {
		at = len(c.sums)
		c.charges[key.charge()] = at
		c.sums = append(c.sums, sum{})
	}
	one, p := key.who(), part{sample, at}
	c.of[one] = append(c.of[one], p)
	if kind, ok := c.in[one]; ok {
		b.join(p, kind)
	}
}

// follow follows who joins a crowd or leaves it.
func (b *Builder) follow(m *analysis.Move) {
	if b.crowds == nil {
		b.gather()
	}
	c, one := b.crowds, who{m.Thread, m.Stack, m.Lock}
	c.each.Move(m)
	kind, in := c.in[one]
	switch {
	case in: // leaves, or is to be added one by one from now on
		delete(c.in, one)
		for _, p := range c.of[one] {
			b.leave(p, kind)
		}
	case !m.Leaves && !m.Twice:
		kind := b.kindOf(&m.Waiter)
		c.in[one] = kind
		for _, p := range c.of[one] {
			b.join(p, kind)
		}
	}
	switch {
	case m.Twice:
		c.twice[m.Lock]++
	case m.Leaves && !in:
		c.twice[m.Lock]--
	}
}

func (b *Builder) join(p part, kind int) {
	c := b.crowds
	b.samples[p.sample].addCrowd(-c.sums[p.sum].ns)
	c.sums[p.sum].there++
	c.there[ofKind{p.sum, kind}]++
}

func (b *Builder) leave(p part, kind int) {
	c := b.crowds
	b.samples[p.sample].addCrowd(c.sums[p.sum].ns)
	c.sums[p.sum].there--
	c.there[ofKind{p.sum, kind}]--
}

func (s *Sample) addCrowd(ns int64) {
	s.DelayNs += ns
	s.crowdNs += ns
}

// settle gives all who are still there what they were charged.
func (b *Builder) settle() {
	if b.crowds == nil {
		return
	}
	for one, kind := range b.crowds.in {
		for _, p := range b.crowds.of[one] {
			b.leave(p, kind)
		}
	}
	clear(b.crowds.in)
}

// addCrowd adds a slice of a crowd of n. Who has no sample of its own for it gets one, or
// is folded.
func (b *Builder) addCrowd(s *analysis.Slice, n int) {
	c, sh := b.crowds, &s.Shares[0]
	key := b.key(s.Lock, &analysis.Waiter{}, sh)
	at, met := c.charges[key.charge()]
	if c.twice[s.Lock] > 0 || (!met || c.sums[at].there < n) && !b.addKinds(key, s, at, met) {
		b.addEach(key, s)
		at, met = c.charges[key.charge()]
	}
	if met {
		c.sums[at].ns += sh.Ns
	}
}

// addKinds adds all who have no sample of their own to folded samples, unless some of
// these are not there yet: then it adds nobody.
func (b *Builder) addKinds(key Key, s *analysis.Slice, at int, met bool) bool {
	if !b.full() {
		return false
	}
	c := b.crowds
	c.rest = c.rest[:0]
	for _, k := range b.kinds.Of(s.Lock) {
		n := k.Len()
		if met {
			n -= c.there[ofKind{at, b.kindOf(&k.Waiter)}]
		}
		if n == 0 {
			continue
		}
		key.Waiter, key.WaiterStack = k.Thread, k.Stack
		to := b.fold(key)
		if _, ok := b.index[to]; !ok {
			return false
		}
		c.rest = append(c.rest, rest{to, int64(n)})
	}
	for i := range c.rest {
		ns := c.rest[i].n * s.Shares[0].Ns
		b.folded.ns += ns
		b.add(c.rest[i].key, s, ns, false)
	}
	return true
}

// addEach makes samples of those who have none, as long as they are told apart, and folds
// the others. Who may wait twice is added.
func (b *Builder) addEach(key Key, s *analysis.Slice) {
	c, ns := b.crowds, s.Shares[0].Ns
	for _, k := range c.each.Of(s.Lock) {
		key.Waiter, key.WaiterStack = k.Thread, k.Stack
		if _, in := c.in[key.who()]; !in {
			b.waiter(s, &k.Waiter, 1)
			continue
		}
		if _, ok := b.index[key]; ok {
			continue
		}
		if to := b.known(key, ns); to.folded {
			b.add(to, s, ns, false)
		} else {
			b.sample(to) // it has what is added from now on
		}
	}
}
