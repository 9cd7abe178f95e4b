package analysis

import "contend/format"

// Singles are slices of recorded waits that follow each other and have one share
// each, as most have. They are millions, of some dozen owners of some dozen locks at a
// time, so that what many have in common is given once: a visitor finds out for each
// owner, and not for each slice, where the waiting is summed.
type Singles struct {
	Alike          []Alike
	Slices         []Single // at least one
	NoEarlierStart int64    // see Slice
	waiters        []Waiter // of the batch
	moves          []Move   // of the batch
	moved          uint32   // of those, before the first of these slices
}

// Alike is a lock, and the share that slices have of waiting for it. Two of them may
// be the same.
type Alike struct {
	Lock  format.ObjectID
	Share Share // but for its length, which is that of the slice
	Ns    int64 // thread-time of all waiters of all the slices
}

// Single is one slice.
type Single struct {
	Start, End int64
	Alike      uint32 // the place of what it has in common with others
	Begins     uint32 // how many of its waiters are First
	Crowd      bool   // its waiters are all of a crowd, but the first not given, and none is First
	from, n    uint32 // its waiters
	moves      uint32 // of the batch, up to the slice
}

// SinglesVisitor is a Visitor that can take Singles, which are valid during the call
// only. Where it returns false, and has taken nothing, it gets their slices one by one;
// it says the same of all of a trace.
type SinglesVisitor interface {
	Singles(s *Singles) bool
}

// Length returns how long each of the waiters waited.
func (s *Single) Length() int64 { return s.End - s.Start }

// Len returns how many waiters a slice has.
func (s *Single) Len() int64 { return int64(s.n) }

// Waiters returns who waited in a slice; of a crowd only the one who joined it first.
func (s *Singles) Waiters(of *Single) []Waiter {
	to := of.from + of.n
	if of.Crowd {
		to = of.from + 1
	}
	return s.waiters[of.from:to:to]
}

// Moved reports whether anybody joined a crowd or left one: most traces have none.
func (s *Singles) Moved() bool { return s.Slices[len(s.Slices)-1].moves > s.moved }

// Moves returns who joined crowds and left them since the slice before one of the
// slices, given by its place.
func (s *Singles) Moves(slice int) []Move {
	from := s.moved
	if slice > 0 {
		from = s.Slices[slice-1].moves
	}
	return s.moves[from:s.Slices[slice].moves]
}

// slice makes the slice; its share lies in memory that is used again. Of a crowd it
// has the first waiter only.
func (s *Singles) slice(of *Single, share *[1]Share) Slice {
	a := &s.Alike[of.Alike]
	share[0] = a.Share
	share[0].Ns = of.Length()
	return Slice{Start: of.Start, End: of.End, Lock: a.Lock, Waiters: s.Waiters(of), Shares: share[:], NoEarlierStart: s.NoEarlierStart}
}

// singles are the Singles of a batch, one behind the other.
type singles struct {
	slices []Single
	alike  []Alike
	rows   []singlesRow
	moves  []Move
}

// singlesRow is where what the slices of one of them have in common begins.
type singlesRow struct {
	alike          int
	noEarlierStart int64
}

// begin begins the next Singles.
func (s *singles) begin(noEarlierStart int64) {
	s.rows = append(s.rows, singlesRow{len(s.alike), noEarlierStart})
}

// row returns the Singles of a number; its slices, so many, are those from one place on.
func (s *singles) row(number, from, n int, waiters []Waiter) Singles {
	alike := s.alike[s.rows[number].alike:]
	if number+1 < len(s.rows) {
		alike = s.alike[s.rows[number].alike:s.rows[number+1].alike]
	}
	out := Singles{Alike: alike, Slices: s.slices[from : from+n], NoEarlierStart: s.rows[number].noEarlierStart, waiters: waiters, moves: s.moves}
	if from > 0 {
		out.moved = s.slices[from-1].moves
	}
	return out
}

func (s *singles) clear() {
	s.slices, s.alike, s.rows, s.moves = s.slices[:0], s.alike[:0], s.rows[:0], s.moves[:0]
}

// alikes finds what a slice of the Singles in the making has in common with others
// before it. It forgets some of these: then the same is there once more.
type alikes struct {
	row   uint32 // which Singles, from 1
	slots [1 << alikeBits]struct{ row, at uint32 }
}

const alikeBits = 12 // several times as many as a batch has; with fewer, more is there twice

// of returns where a lock and a share of waiting for it are in the list of a batch.
func (a *alikes) of(s *singles, lock format.ObjectID, share *Share) uint32 {
	o := &share.Direct
	hash := uint64(lock)<<8 ^ uint64(o.Thread)<<32 ^ uint64(o.Stack)<<20 ^ uint64(o.Kind)
	slot := &a.slots[hash*0x9E3779B97F4A7C15>>(64-alikeBits)] // Fibonacci hashing
	if slot.row == a.row {
		if met := &s.alike[slot.at]; met.Lock == lock && met.Share.Path == share.Path && met.Share.Direct == *o {
			return slot.at // one path is followed to one end
		}
	}
	slot.row, slot.at = a.row, uint32(len(s.alike))
	s.alike = append(s.alike, Alike{Lock: lock, Share: *share})
	return slot.at
}
