package blame

import (
	"math"

	"contend/analysis"
	"contend/format"
)

// Rows numbers the combinations of keys that slices have, in the order in which
// they come. Most slices are like one of a few thousand before, which is found
// by what the keys look at, without asking them.
type Rows struct {
	keys   *Resolver
	by     []Key
	index  map[fewIDs]int // where there are no more keys than that
	many   map[IDs]int
	ids    []IDs
	looks  likeness    // all ones in what the keys look at
	recent []recentRow // by hash
	shift  int         // of a hash, to its place in recent
	missed int         // slices that had been forgotten, since it grew last
}

// fewIDs are the first of IDs: a map of all of them takes several times as long.
type fewIDs [8]uint32

// recentRow is a slice that was met and its number, counting from 1.
type recentRow struct {
	like   likeness
	number int
}

// likeness is all that keys can look at, of the waiting and of the owner.
type likeness struct {
	thread, ownerThread format.ThreadID
	stack, ownerStack   format.StackID
	lock, owned         format.ObjectID
	last, blocked       format.ObjectID
	cycle               int32
	kind                analysis.OwnerKind
	did                 format.Activity
	mode                format.Mode
}

// The binary logarithms of how many slices are remembered, at first and at
// most. It is doubled when recentTimes as many had been forgotten again.
const (
	recentBits  = 11
	recentMost  = 17
	recentTimes = 8
)

// NewRows returns an empty numbering.
func NewRows(resolver *Resolver, by []Key) *Rows {
	r := &Rows{keys: resolver, by: by, index: map[fewIDs]int{}, many: map[IDs]int{}, shift: 32 - recentBits}
	for _, k := range by {
		r.looks.at(keys[k].side, keys[k].kind.looks)
	}
	return r
}

// Len returns how many combinations there are.
func (r *Rows) Len() int { return len(r.ids) }

// IDs returns a combination.
func (r *Rows) IDs(row int) *IDs { return &r.ids[row] }

// Of returns the number of what a waiter for a lock and one of its owners have
// for each key, see Resolver.IDs.
func (r *Rows) Of(lock format.ObjectID, w *analysis.Waiter, c Charge) int {
	if r.recent == nil {
		r.recent = make([]recentRow, 1<<recentBits)
	}
	like := r.likeness(lock, w, &c)
	hash := like.hash()
	at := &r.recent[hash>>r.shift]
	if at.number == 0 || at.like != like {
		rows := len(r.ids)
		row := r.number(r.keys.IDs(r.by, lock, w, c))
		if row < rows {
			r.miss()
		}
		r.recent[hash>>r.shift] = recentRow{like, row + 1}
		return row
	}
	return at.number - 1
}

// miss counts a slice that had been forgotten, and makes room for more where
// that happens again and again.
func (r *Rows) miss() {
	if r.missed++; r.missed < recentTimes*len(r.recent) || len(r.recent) >= 1<<recentMost {
		return
	}
	old := r.recent
	r.recent, r.missed = make([]recentRow, 2*len(old)), 0
	r.shift--
	for i := range old {
		if old[i].number > 0 {
			r.recent[old[i].like.hash()>>r.shift] = old[i]
		}
	}
}

// Forget makes the numbering an empty one: its memory is bounded by what comes
// between two calls.
func (r *Rows) Forget() {
	clear(r.index)
	clear(r.many)
	clear(r.recent)
	r.ids = r.ids[:0]
}

func (r *Rows) number(ids IDs) int {
	if len(r.by) > len(fewIDs{}) {
		return number(r, r.many, ids, ids)
	}
	return number(r, r.index, fewIDs(ids[:len(fewIDs{})]), ids)
}

// number finds ids in the index that is kept of them.
func number[K comparable](r *Rows, index map[K]int, key K, ids IDs) int {
	n, ok := index[key]
	if !ok {
		n = len(r.ids)
		index[key], r.ids = n, append(r.ids, ids)
	}
	return n
}

// likeness returns what the keys look at, zero in all else.
func (r *Rows) likeness(lock format.ObjectID, w *analysis.Waiter, c *Charge) likeness {
	m := &r.looks
	return likeness{
		thread: w.Thread & m.thread, ownerThread: c.Owner.Thread & m.ownerThread,
		stack: w.Stack & m.stack, ownerStack: c.Owner.Stack & m.ownerStack,
		lock: lock & m.lock, owned: c.Owned & m.owned,
		last: c.Last & m.last, blocked: c.Blocked & m.blocked,
		cycle: c.Owner.Cycle & m.cycle, kind: c.Owner.Kind & m.kind, did: c.Owner.Did & m.did, mode: w.Mode & m.mode,
	}
}

func (l *likeness) hash() uint32 {
	h := uint64(l.thread)*0x9E3779B97F4A7C15 ^ uint64(l.stack)*0xC2B2AE3D27D4EB4F ^ uint64(l.lock)*0x165667B19E3779F9 ^ uint64(l.last)*0x85EBCA77C2B2AE63
	h ^= uint64(l.ownerThread)*0x27D4EB2F165667C5 ^ uint64(l.ownerStack)*0xD6E8FEB86659FD93 ^ uint64(l.owned)*0xA0761D6478BD642F ^ uint64(l.blocked)*0xE7037ED1A0B428DB
	h ^= uint64(l.kind)<<40 ^ uint64(l.did)<<48
	return uint32((h ^ h>>29) * 0x9E3779B97F4A7C15 >> 32)
}

// fields are what a key looks at of a subject.
type fields uint8

const (
	itsThread fields = 1 << iota
	itsStack
	itsLock
	itsLast
	itsBlocked
	itsDoing
	itsMode
)

// at notes that a key of a side looks at some fields.
func (l *likeness) at(of side, f fields) {
	ones := func(asked fields) uint32 {
		if f&asked != 0 {
			return math.MaxUint32
		}
		return 0
	}
	l.last |= format.ObjectID(ones(itsLast))
	if of != owner {
		l.thread |= format.ThreadID(ones(itsThread))
		l.stack |= format.StackID(ones(itsStack))
		l.lock |= format.ObjectID(ones(itsLock))
		l.mode |= format.Mode(ones(itsMode))
		return
	}
	l.cycle, l.kind = -1, math.MaxUint8
	l.ownerThread |= format.ThreadID(ones(itsThread))
	l.ownerStack |= format.StackID(ones(itsStack))
	l.owned |= format.ObjectID(ones(itsLock))
	l.blocked |= format.ObjectID(ones(itsBlocked))
	l.did |= format.Activity(ones(itsDoing))
}
