package blame

import (
	"contend/analysis"
	"contend/format"
)

// Rows numbers the combinations of keys that slices have, in the order in which
// they come. Most slices are like one of a few thousand before, which is found
// by what the keys look at, without asking them.
type Rows struct {
	keys   *Resolver
	by     []Key
	index  map[IDs]int
	ids    []IDs
	looks  [sides]fields
	recent []recentRow // by hash
}

// recentRow is a slice that was met and its number, counting from 1.
type recentRow struct {
	like   likeness
	number int
}

// likeness is all that the keys look at.
type likeness struct {
	waiting, owner subject
	kind           analysis.OwnerKind
	cycle          int32
}

// recentBits is the binary logarithm of how many slices are remembered.
const recentBits = 11

// NewRows returns an empty numbering.
func NewRows(resolver *Resolver, by []Key) *Rows {
	r := &Rows{keys: resolver, by: by, index: map[IDs]int{}}
	for _, k := range by {
		r.looks[keys[k].side] |= keys[k].kind.looks
	}
	r.looks[waiter] |= r.looks[ofLock]
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
	at := &r.recent[like.hash()>>(32-recentBits)]
	if at.number == 0 || at.like != like {
		*at = recentRow{like, r.number(r.keys.IDs(r.by, lock, w, c)) + 1}
	}
	return at.number - 1
}

func (r *Rows) number(ids IDs) int {
	n, ok := r.index[ids]
	if !ok {
		n = len(r.ids)
		r.index[ids], r.ids = n, append(r.ids, ids)
	}
	return n
}

func (r *Rows) likeness(lock format.ObjectID, w *analysis.Waiter, c *Charge) (like likeness) {
	like.waiting = waitingFor(lock, w, c).only(r.looks[waiter])
	if r.looks[owner] != 0 {
		like.kind, like.cycle = c.Owner.Kind, c.Owner.Cycle
		if like.kind == analysis.OwnerThread {
			like.owner = owning(c).only(r.looks[owner])
		}
	}
	return like
}

func (l *likeness) hash() uint32 {
	return l.waiting.hash() ^ l.owner.hash()*0x85EBCA77 ^ uint32(l.kind)<<27
}

func (s *subject) hash() uint32 {
	h := uint32(s.thread)*0x9E3779B1 ^ uint32(s.stack)*0xC2B2AE3D ^ uint32(s.lock)*0x27D4EB2F ^ uint32(s.last)*0x165667B1 ^ uint32(s.blocked)*0x85EBCA6B
	return (h ^ h>>15) * 0x9E3779B1
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

// only leaves what is looked at.
func (s subject) only(f fields) (out subject) {
	if f&itsThread != 0 {
		out.thread = s.thread
	}
	if f&itsStack != 0 {
		out.stack = s.stack
	}
	if f&itsLock != 0 {
		out.lock = s.lock
	}
	if f&itsLast != 0 {
		out.last = s.last
	}
	if f&itsBlocked != 0 {
		out.blocked = s.blocked
	}
	if f&itsDoing != 0 {
		out.did = s.did
	}
	if f&itsMode != 0 {
		out.mode = s.mode
	}
	return out
}
