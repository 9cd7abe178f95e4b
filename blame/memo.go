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
	threads bool // some key tells owner threads apart
	stacks  bool // some key tells waiter stacks apart
}

// memoSlots is the size of the table, a power of two; it takes 80 KB.
const memoSlots = 1 << 11

// memoKey is all that the row of a share depends on, given the symbols, and
// the waiter: its waits are counted by row.
type memoKey struct {
	owner  analysis.Owner
	waiter format.ThreadID
	stack  format.StackID
	lock   format.ObjectID
}

type memoEntry struct {
	key     memoKey
	row     int32  // counting from 1; 0 in an empty entry
	serial  uint32 // of the waiter's last wait that the row has counted
	version uint32 // of the symbols
}

func newMemo(by []Key) memo {
	m := memo{entries: make([]memoEntry, memoSlots)}
	for _, k := range by {
		switch k {
		case ByOwnerThread, ByOwnerGroup:
			m.threads = true
		case ByWaiterStack, ByWaiterMethod, ByWaiterOperation, ByTask, ByRegion:
			m.stacks = true
		}
	}
	return m
}

// at returns the place of a share; its key tells whether it is that share's.
func (m *memo) at(s *analysis.Slice, owner analysis.Owner, version uint32) (e *memoEntry, known bool) {
	owner.Prov = analysis.Exact // no key asks for it
	if !m.threads {
		owner.Thread = format.NoThread
	}
	k := memoKey{owner: owner, waiter: s.Thread, lock: s.Lock}
	if m.stacks {
		k.stack = s.Stack
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
	return h * 0x9e3779b97f4a7c15 >> 53
}
