package blame

import (
	"math"
	"math/bits"

	"contend/analysis"
	"contend/format"
)

// Rows numbers the combinations of keys that slices have, in the order in which
// they come. Most slices are like one of a few thousand before, which is found
// by what the keys look at, without asking them.
type Rows struct {
	keys   *Resolver
	by     []Key
	met    numbering
	looks  likeness    // all ones in what the keys look at
	recent []recentRow // by hash
	last   *recentRow  // that was asked for
	shift  int         // of a hash, to its place in recent
	missed int         // slices that had been forgotten, since it grew last
	names  int         // version of the symbols that what is remembered was found by
	bounds bounds      // of how many there are
	paths  bool        // the keys look at whole paths, which are not remembered
}

// recentRow is a slice that was met and its number, counting from 1.
type recentRow struct {
	like   likeness
	number int
}

// likeness is all that keys can look at, of the waiting and of the owner, in few
// words, since it is compared for each slice: two ids each, then the owner's
// cycle, kind and activity and the waiter's mode.
type likeness struct{ taken, asked, threads, chain, rest uint64 }

func likenessOf(lock format.ObjectID, w *analysis.Waiter, c *Charge) likeness {
	return likeness{
		taken:   uint64(c.Owner.Stack)<<32 | uint64(c.Owned),
		asked:   uint64(w.Stack)<<32 | uint64(lock),
		threads: uint64(c.Owner.Thread)<<32 | uint64(w.Thread),
		chain:   uint64(c.Last)<<32 | uint64(c.Blocked),
		rest:    uint64(uint32(c.Owner.Cycle))<<32 | uint64(c.Owner.Kind)<<16 | uint64(c.Owner.Did)<<8 | uint64(w.Mode),
	}
}

// only returns what a mask of ones leaves.
func (l likeness) only(m *likeness) likeness {
	return likeness{l.taken & m.taken, l.asked & m.asked, l.threads & m.threads, l.chain & m.chain, l.rest & m.rest}
}

// is reports whether two are the same, faster than == calls for.
func (l *likeness) is(o *likeness) bool {
	return (l.taken^o.taken)|(l.asked^o.asked)|(l.threads^o.threads)|(l.chain^o.chain)|(l.rest^o.rest) == 0
}

// add adds the ones of another mask.
func (l *likeness) add(o likeness) {
	*l = likeness{l.taken | o.taken, l.asked | o.asked, l.threads | o.threads, l.chain | o.chain, l.rest | o.rest}
}

func (l *likeness) hash() uint32 {
	h := l.taken*0x9E3779B97F4A7C15 ^ l.asked*0xC2B2AE3D27D4EB4F ^ l.threads*0x165667B19E3779F9 ^ l.chain*0xD6E8FEB86659FD93 ^ l.rest*0xA0761D6478BD642F
	return uint32((h ^ h>>32) * 0x9E3779B97F4A7C15 >> 32)
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
	r := &Rows{keys: resolver, by: by, met: numbering{width: len(by)}, recent: make([]recentRow, 1), shift: 32, bounds: boundless}
	r.last = &r.recent[0]
	for _, k := range by {
		r.looks.add(keys[k].kind.looks.ones(keys[k].side))
		r.paths = r.paths || keys[k].kind.looks&itsPath != 0
	}
	return r
}

// Len returns how many combinations there are.
func (r *Rows) Len() int { return r.met.count }

// IDs returns a combination, an id for each key. It is good until Of is called.
func (r *Rows) IDs(row int) []uint32 { return r.met.at(row) }

// Of returns the number of what a waiter for a lock and one of its owners have
// for each key, see Resolver.IDs.
func (r *Rows) Of(lock format.ObjectID, w *analysis.Waiter, c *Charge) int {
	if r.paths {
		return r.find(lock, w, c)
	}
	if v := r.keys.sym.Version(); v != r.names {
		clear(r.recent)
		r.names = v
	}
	like := likenessOf(lock, w, c).only(&r.looks)
	if r.last.like.is(&like) && r.last.number > 0 {
		return r.last.number - 1
	}
	hash := like.hash()
	if at := &r.recent[hash>>r.shift]; at.like.is(&like) && at.number > 0 {
		r.last = at
		return at.number - 1
	}
	rows := r.met.count
	row := r.find(lock, w, c)
	if row < rows {
		r.miss()
	}
	r.last = &r.recent[hash>>r.shift]
	*r.last = recentRow{like, row + 1}
	return row
}

// find asks the keys.
func (r *Rows) find(lock format.ObjectID, w *analysis.Waiter, c *Charge) int {
	ids := r.keys.IDs(r.by, lock, w, c)
	return r.met.of(r.reported(ids[:len(r.by)]))
}

// miss counts a slice that had been forgotten, and makes room for more where
// that happens again and again.
func (r *Rows) miss() {
	if r.missed++; r.missed < recentTimes*len(r.recent) || len(r.recent) >= 1<<recentMost {
		return
	}
	old := r.recent
	r.recent, r.missed = make([]recentRow, max(2*len(old), 1<<recentBits)), 0
	r.shift = 32 - bits.Len(uint(len(r.recent)-1))
	for i := range old {
		if old[i].number > 0 {
			r.recent[old[i].like.hash()>>r.shift] = old[i]
		}
	}
}

// Forget makes the numbering an empty one: its memory is bounded by what comes
// between two calls.
func (r *Rows) Forget() {
	r.met.forget()
	clear(r.recent)
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
	itsPath
)

// ones returns what a key of a side looks at as a mask of ones.
func (f fields) ones(of side) likeness {
	one := func(asked fields) uint32 {
		if f&asked != 0 {
			return math.MaxUint32
		}
		return 0
	}
	c := Charge{Last: format.ObjectID(one(itsLast))}
	if of != owner {
		w := analysis.Waiter{Thread: format.ThreadID(one(itsThread)), Stack: format.StackID(one(itsStack)), Mode: format.Mode(one(itsMode))}
		return likenessOf(format.ObjectID(one(itsLock)), &w, &c)
	}
	c.Owned, c.Blocked = format.ObjectID(one(itsLock)), format.ObjectID(one(itsBlocked))
	c.Owner = analysis.Owner{Kind: math.MaxUint8, Cycle: -1, Did: format.Activity(one(itsDoing)), Thread: format.ThreadID(one(itsThread)), Stack: format.StackID(one(itsStack))}
	return likenessOf(format.NoObject, &analysis.Waiter{}, &c)
}
