package blame

import (
	"cmp"
	"maps"
	"slices"

	"contend/analysis"
	"contend/format"
)

// Stays sum what each of those in crowds is charged, for whom rows tell threads apart. A
// thousand threads that wait for one lock, each while a thousand others own it in turn,
// would be a million rows to look up each time round. So what is charged is summed once
// for all who are there, by charge, and each has for each charge a pair of its own, which
// gets what was added between when it joined and when it left. Pairs are numbered in the
// order in which they come.
type Stays struct {
	number  func(*analysis.Move) int // of who waits
	who     map[stayer]int32         // places in stays
	stays   []stay
	at      map[format.ObjectID]*staying
	charges []chargeSum
	pairs   numbering // of a stay and a charge
	of      []int32   // by pair: the stay
	missing []int32   // scratch of meet
}

// stayer is who waits for a lock, in the numbers of kinds.
type stayer struct {
	lock   format.ObjectID
	number int
}

// stay is one who is in the crowd of a lock now and then.
type stay struct {
	analysis.Waiter
	stayer
	place int // in the list of its lock
	pairs []pairSum
}

// pairSum is what somebody was charged by one charge.
type pairSum struct {
	pair, charge int32
	since        int64 // what the charge had when it joined
	ns           int64 // of the times before
	waits        int32
}

// chargeSum is what each who is there all the time has been charged.
type chargeSum struct {
	ns    int64
	there int    // how many that are there now have a pair of it
	met   uint32 // all who joined up to this one do
}

// staying is who is in the crowd of a lock now.
type staying struct {
	list    []int32 // in the order of Kinds
	arrived analysis.Crowd[int32]
	beside  beside
}

// beside are the numbers of those in a crowd who are added one by one.
type beside map[uint32]bool

func (b *beside) set(number uint32) {
	if *b == nil {
		*b = beside{}
	}
	(*b)[number] = true
}

// take forgets one who leaves; false if it was none of them.
func (b beside) take(number uint32) bool {
	was := b[number]
	delete(b, number)
	return was
}

// newStays returns the stays of those whom a function tells apart, each of one thread.
func newStays(number func(*analysis.Move) int) *Stays {
	return &Stays{number: number, who: map[stayer]int32{}, at: map[format.ObjectID]*staying{}, pairs: numbering{width: 2}}
}

// join notes that somebody is there from now on.
func (s *Stays) join(m *analysis.Move) {
	key := stayer{m.Lock, s.number(m)}
	who, known := s.who[key]
	if !known {
		who = int32(len(s.stays))
		s.who[key] = who
		s.stays = append(s.stays, stay{Waiter: m.Waiter, stayer: key})
	}
	at := s.at[m.Lock]
	if at == nil {
		at = &staying{}
		s.at[m.Lock] = at
	}
	one := &s.stays[who]
	one.place = len(at.list)
	at.list = append(at.list, who)
	at.arrived.Join(m.Number, who)
	for i := range one.pairs {
		p := &one.pairs[i]
		sum := &s.charges[p.charge]
		p.since = sum.ns
		sum.there++
	}
}

// leave notes that somebody is there no longer. isNew is asked of each pair that was added
// to meanwhile whether the wait is new to it. It returns false of one beside.
func (s *Stays) leave(m *analysis.Move, isNew func(pair int, of format.ThreadID) bool) bool {
	at := s.at[m.Lock]
	if at.beside.take(m.Number) {
		return false
	}
	if m.Twice {
		at.beside.set(m.Number)
	}
	who := *at.arrived.Of(m.Number)
	at.arrived.Leave(m.Number)
	last := len(at.list) - 1
	one, moved := &s.stays[who], at.list[last]
	at.list[one.place], s.stays[moved].place = moved, one.place
	at.list = at.list[:last]
	s.settle(one, isNew)
	return true
}

func (s *Stays) settle(one *stay, isNew func(pair int, of format.ThreadID) bool) {
	for i := range one.pairs {
		p := &one.pairs[i]
		sum := &s.charges[p.charge]
		sum.there--
		if sum.ns == p.since {
			continue
		}
		if p.ns += sum.ns - p.since; isNew(int(p.pair), one.Thread) {
			p.waits++
		}
	}
}

// settleAll does so for all who are there.
func (s *Stays) settleAll(isNew func(pair int, of format.ThreadID) bool) {
	for _, at := range s.at {
		for _, who := range at.list {
			s.settle(&s.stays[who], isNew)
		}
	}
}

// each tells who is in crowds now, as when they joined, and who is beside.
func (s *Stays) each(joined func(m *analysis.Move, waiter int), beside func(m *analysis.Move)) {
	for _, lock := range slices.Sorted(maps.Keys(s.at)) {
		var moves []analysis.Move
		at := s.at[lock]
		for number, who := range at.arrived.Behind(0) {
			moves = append(moves, analysis.Move{Waiter: s.stays[who].Waiter, Lock: lock, Number: number})
		}
		for i := range slices.Backward(moves) {
			joined(&moves[i], s.number(&moves[i]))
		}
		for number := range at.beside {
			beside(&analysis.Move{Lock: lock, Number: number})
		}
	}
}

// add charges all who are in the crowd of a lock. Who has no pair yet gets one, of which met
// is told.
func (s *Stays) add(lock format.ObjectID, charge int, ns int64, met func(*analysis.Waiter)) {
	for len(s.charges) <= charge {
		s.charges = append(s.charges, chargeSum{})
	}
	sum := &s.charges[charge]
	if at := s.at[lock]; at != nil && sum.there < len(at.list) {
		s.meet(int32(charge), at, met)
	}
	sum.ns += ns
}

// meet makes the pairs of a charge that those who joined lately do not have, in the
// order of the list.
func (s *Stays) meet(charge int32, at *staying, met func(*analysis.Waiter)) {
	sum := &s.charges[charge]
	before := sum.met
	s.missing = s.missing[:0]
	for number, who := range at.arrived.Behind(before) {
		sum.met = max(sum.met, number)
		s.missing = append(s.missing, who)
	}
	slices.SortFunc(s.missing, func(a, b int32) int { return cmp.Compare(s.stays[a].place, s.stays[b].place) })
	for _, who := range s.missing {
		one, key := &s.stays[who], []uint32{uint32(who), uint32(charge)}
		pair := s.pairs.of(key)
		if pair < len(s.of) {
			continue // it is of an earlier stay
		}
		met(&one.Waiter)
		s.of = append(s.of, who)
		one.pairs = append(one.pairs, pairSum{pair: int32(pair), charge: charge, since: sum.ns})
		sum.there++
	}
}

// Len returns how many pairs there are.
func (s *Stays) Len() int { return len(s.of) }
