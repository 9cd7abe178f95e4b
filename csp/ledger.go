package csp

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// ledger sums nanoseconds by interval, lock and owner, at some 8 bytes a sum.
// A trace that comes in order of time adds to the same few sums for a while
// and then never again:
//
//  1. those being added to wait in a table of fixed size;
//  2. what leaves it goes to a list, which is sorted, added up and packed when
//     it is full;
//  3. packed lists of like length are joined, so that there are few of them
//     and an entry is packed again a logarithmic number of times.
type ledger struct {
	recent  [ledgerSlots]posting
	entries []entry   // not packed yet
	lists   []*packed // each more than twice as long as the next
	owners  map[analysis.Owner]uint32
	names   []analysis.Owner // by id
}

// ledgerSlots is the size of the table, a power of two.
const (
	ledgerBits  = 9
	ledgerSlots = 1 << ledgerBits
)

// packFrom is how many entries are packed at a time.
const packFrom = 1 << 14

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
	if len(l.entries) >= packFrom {
		l.pack()
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

// pack empties the list of entries.
func (l *ledger) pack() {
	if len(l.entries) == 0 {
		return
	}
	slices.SortFunc(l.entries, entry.compare)
	list, sum := &packed{}, l.entries[0]
	for _, e := range l.entries[1:] {
		if e.compare(sum) == 0 {
			sum.ns += e.ns
			continue
		}
		list.add(sum)
		sum = e
	}
	list.add(sum)
	l.entries = l.entries[:0]
	l.lists = append(l.lists, list)
	for n := len(l.lists); n > 1 && l.lists[n-2].n <= 2*l.lists[n-1].n; n-- {
		l.joinLast()
	}
}

// joinLast makes one of the last two lists.
func (l *ledger) joinLast() {
	n := len(l.lists)
	l.lists = append(l.lists[:n-2], join(l.lists[n-2], l.lists[n-1]))
}

// sums returns all sums in order of interval, lock and owner.
func (l *ledger) sums() *packed {
	for i := range l.recent {
		l.settle(&l.recent[i])
	}
	l.pack()
	for len(l.lists) > 1 {
		l.joinLast()
	}
	if len(l.lists) == 0 {
		return &packed{}
	}
	return l.lists[0]
}
