package csp

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// aggregator sums nanoseconds by interval, lock and owner, at some 8 bytes a sum.
// A trace that comes in order of time adds to the same few sums for a while
// and then never again:
//
//  1. those being added to wait in a table of fixed size;
//  2. what leaves it goes to a list, which is sorted, added up and packed when
//     it is full;
//  3. packed lists of like length are joined, so that there are few of them
//     and an entry is packed again a logarithmic number of times.
type aggregator struct {
	recent  [recentSlots]recentEntry
	entries []entry   // not packed yet
	lists   []*packed // each more than twice as long as the next
	owners  map[analysis.Owner]uint32
	names   []analysis.Owner // by id
}

// recentSlots is the size of the table, a power of two.
const (
	recentBits  = 9
	recentSlots = 1 << recentBits
)

// packFrom is how many entries are packed at a time. As the size of the table it is
// about time and memory, and changes no sum.
const packFrom = 1 << 14

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
	if len(a.entries) >= packFrom {
		a.pack()
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

// pack empties the list of entries.
func (a *aggregator) pack() {
	if len(a.entries) == 0 {
		return
	}
	slices.SortFunc(a.entries, entry.compare)
	list, sum := &packed{}, a.entries[0]
	for _, e := range a.entries[1:] {
		if e.compare(sum) == 0 {
			sum.ns += e.ns
			continue
		}
		list.add(sum)
		sum = e
	}
	list.add(sum)
	a.entries = a.entries[:0]
	a.lists = append(a.lists, list)
	for n := len(a.lists); n > 1 && a.lists[n-2].n <= 2*a.lists[n-1].n; n-- {
		a.joinLast()
	}
}

// joinLast makes one of the last two lists.
func (a *aggregator) joinLast() {
	n := len(a.lists)
	a.lists = append(a.lists[:n-2], join(a.lists[n-2], a.lists[n-1]))
}

// sums returns all sums in order of interval, lock and owner.
func (a *aggregator) sums() *packed {
	for i := range a.recent {
		a.flush(&a.recent[i])
	}
	a.pack()
	for len(a.lists) > 1 {
		a.joinLast()
	}
	if len(a.lists) == 0 {
		return &packed{}
	}
	return a.lists[0]
}
