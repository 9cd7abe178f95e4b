package blame

import (
	"contend/analysis"
	"contend/format"
)

// memo remembers the rows that shares of slices went to last, in a table of
// fixed size where a new entry takes the place of another: sampling meets the
// same few again and again, and a row's full key is long.
type memo struct {
	entries []memoEntry
	owners  bool // some key tells owner threads apart
	waiters bool // some key tells waiters apart
}

// memoSlots is the size of the table, a power of two; it takes 72 KB.
const (
	memoBits  = 11
	memoSlots = 1 << memoBits
)

// memoKey is all that the row of a share depends on, given the symbols.
type memoKey struct {
	owner  analysis.Owner
	waiter format.ThreadID
	stack  format.StackID
	lock   format.ObjectID
}

type memoEntry struct {
	key     memoKey
	row     int32  // counting from 1; 0 in an empty entry
	version uint32 // of the symbols
}

func newMemo(by []Key) memo {
	m := memo{entries: make([]memoEntry, memoSlots)}
	for _, k := range by {
		switch k {
		case ByOwnerThread, ByOwnerGroup:
			m.owners = true
		case ByClass, ByLock, ByOwnerStack, ByOwnerMethod, ByOwnerTask, ByOwnerRegion, ByOwnerOperation:
		default:
			m.waiters = true
		}
	}
	return m
}

// at returns the place of a share; its key reports whether it is that share's.
func (m *memo) at(s *analysis.Slice, owner analysis.Owner, version uint32) (e *memoEntry, known bool) {
	owner.Prov = analysis.Exact // no key asks for it
	if !m.owners {
		owner.Thread = format.NoThread
	}
	k := memoKey{owner: owner, lock: s.Lock}
	if m.waiters {
		k.waiter, k.stack = s.Thread, s.Stack
	}
	e = &m.entries[k.slot()]
	if e.key == k && e.version == version && e.row > 0 {
		return e, true
	}
	*e = memoEntry{key: k, version: version}
	return e, false
}

// slot spreads keys by Fibonacci hashing of their ids.
func (k *memoKey) slot() uint64 {
	h := uint64(k.waiter) | uint64(k.lock)<<32
	h = h*0x9e3779b97f4a7c15 ^ (uint64(k.owner.Stack) | uint64(k.owner.Thread)<<32)
	h = h*0x9e3779b97f4a7c15 ^ (uint64(k.stack) | uint64(k.owner.Kind)<<32)
	return h * 0x9e3779b97f4a7c15 >> (64 - memoBits)
}
