package csp

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// entry is a sum, or a part of one that is still to be added up.
type entry struct {
	interval int32
	lock     format.ObjectID
	owner    uint32 // id in the aggregator's owners
	ns       int64
}

// compare orders entries by what they are sums of.
func (e entry) compare(other entry) int {
	return cmp.Or(cmp.Compare(e.interval, other.interval), cmp.Compare(e.lock, other.lock), cmp.Compare(e.owner, other.owner))
}

// aggregator sums nanoseconds by interval, lock and owner, at 24 bytes a sum.
// A trace that comes in order of time adds to the same few sums for a while
// and then never again: those being added to wait in a table of fixed size, and
// what leaves it goes to a list, which is sorted and added up when it has doubled.
type aggregator struct {
	recent  [recentSlots]recentEntry
	entries []entry
	full    int // entries from which on they are added up
	owners  map[analysis.Owner]uint32
	names   []analysis.Owner // by id
}

// recentSlots is the size of the table, a power of two.
const (
	recentBits  = 9
	recentSlots = 1 << recentBits
)

// addFrom is how many entries are added up at least. As the size of the table it is
// about time and memory, and changes no sum.
const addFrom = 1 << 14

// recentEntry is a sum that is being added to.
type recentEntry struct {
	used     bool
	interval int32
	lock     format.ObjectID
	owner    analysis.Owner
	ns       int64
}

// add adds ns nanoseconds to a sum.
func (a *aggregator) add(interval int32, lock format.ObjectID, owner analysis.Owner, ns int64) {
	h := (uint64(lock)<<32 | uint64(owner.Stack)) * 0x9e3779b97f4a7c15 // Fibonacci hashing
	e := &a.recent[h>>(64-recentBits)]
	if e.interval == interval && e.lock == lock && e.owner == owner && e.used {
		e.ns += ns
		return
	}
	a.flush(e)
	*e = recentEntry{true, interval, lock, owner, ns}
}

// flush moves a sum that is no longer added to to the list.
func (a *aggregator) flush(e *recentEntry) {
	if !e.used {
		return
	}
	e.used = false
	a.entries = append(a.entries, entry{e.interval, e.lock, a.id(e.owner), e.ns})
	if len(a.entries) >= max(a.full, addFrom) {
		a.addUp()
	}
}

func (a *aggregator) id(o analysis.Owner) uint32 {
	id, ok := a.owners[o]
	if !ok {
		if a.owners == nil {
			a.owners = map[analysis.Owner]uint32{}
		}
		id = uint32(len(a.names))
		a.owners[o] = id
		a.names = append(a.names, o)
	}
	return id
}

// addUp sorts the entries and makes one of those of one place.
func (a *aggregator) addUp() {
	slices.SortFunc(a.entries, entry.compare)
	kept := a.entries[:0]
	for _, e := range a.entries {
		if n := len(kept); n > 0 && kept[n-1].compare(e) == 0 {
			kept[n-1].ns += e.ns
			continue
		}
		kept = append(kept, e)
	}
	a.entries, a.full = kept, 2*len(kept)
}

// sums returns all sums in order of interval, lock and owner.
func (a *aggregator) sums() []entry {
	for i := range a.recent {
		a.flush(&a.recent[i])
	}
	a.addUp()
	return a.entries
}
