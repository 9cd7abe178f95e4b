package csp

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/format"
)

// ledger sums nanoseconds by interval, lock and owner, at 24 bytes a sum. A
// trace that comes in order of time adds to the same few sums for a while and
// then never again: those wait in a table of fixed size, the rest are in a
// list that is sorted and added up as it grows.
type ledger struct {
	recent  [ledgerSlots]posting
	entries []entry
	merged  int // entries up to here are sorted, each place once
	owners  map[analysis.Owner]uint32
	names   []analysis.Owner // by id
}

// ledgerSlots is the size of the table, a power of two.
const (
	ledgerBits  = 9
	ledgerSlots = 1 << ledgerBits
)

// mergeFrom is how many entries a list has before it is worth merging.
const mergeFrom = 1 << 12

// entry is a sum, or a part of one that is still to be added up.
type entry struct {
	interval int32
	lock     format.ObjectID
	owner    uint32 // id in the ledger's owners
	ns       int64
}

// posting is a sum that is being added to.
type posting struct {
	used     bool
	interval int32
	lock     format.ObjectID
	owner    analysis.Owner
	ns       int64
}

// add adds ns nanoseconds to a sum.
func (l *ledger) add(interval int32, lock format.ObjectID, owner analysis.Owner, ns int64) {
	h := (uint64(lock)<<32 | uint64(owner.Stack)) * 0x9e3779b97f4a7c15 // Fibonacci hashing
	p := &l.recent[h>>(64-ledgerBits)]
	if p.interval == interval && p.lock == lock && p.owner == owner && p.used {
		p.ns += ns
		return
	}
	l.settle(p)
	*p = posting{true, interval, lock, owner, ns}
}

// settle moves a posting to the list.
func (l *ledger) settle(p *posting) {
	if !p.used {
		return
	}
	p.used = false
	l.entries = append(l.entries, entry{p.interval, p.lock, l.id(p.owner), p.ns})
	if len(l.entries) >= max(2*l.merged, mergeFrom) {
		l.merge()
	}
}

func (l *ledger) id(o analysis.Owner) uint32 {
	id, ok := l.owners[o]
	if !ok {
		if l.owners == nil {
			l.owners = map[analysis.Owner]uint32{}
		}
		id = uint32(len(l.names))
		l.owners[o] = id
		l.names = append(l.names, o)
	}
	return id
}

// merge sorts the list and makes one entry of those of one sum.
func (l *ledger) merge() {
	slices.SortFunc(l.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.interval, b.interval), cmp.Compare(a.lock, b.lock), cmp.Compare(a.owner, b.owner))
	})
	n := 0
	for _, e := range l.entries {
		if n > 0 && l.entries[n-1].interval == e.interval && l.entries[n-1].lock == e.lock && l.entries[n-1].owner == e.owner {
			l.entries[n-1].ns += e.ns
			continue
		}
		l.entries[n] = e
		n++
	}
	l.entries, l.merged = l.entries[:n], n
}

// sums returns all sums in order of interval, lock and owner.
func (l *ledger) sums() []entry {
	for i := range l.recent {
		l.settle(&l.recent[i])
	}
	l.merge()
	return l.entries
}
