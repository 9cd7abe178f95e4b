package stacks

import "contend/format"

// maxSamples is the number of samples before further ones are folded. A million locks, or
// threads that wait for each other in ever new chains, would make a million samples, of some
// three kilobytes each in a profile.
const maxSamples = 1 << 16

// maxInQueue is how many threads of one wait queue have samples of their own, the first
// ones: each costs a look-up whenever the lock changes hands.
const maxInQueue = 1 << 8

// folded is what further samples are summed by: the class of the lock and the stacks, without
// threads, and of a chain its two ends. With still more chains it is the end alone. No waiting
// is lost.
type folded struct {
	locks map[uint32]format.ObjectID // by class: the lock that stands for the others
	ns    int64
}

// cut is the number of a path whose hops are not kept.
const cut = -1

// full reports whether further kinds of waits are folded.
func (b *Builder) full() bool { return len(b.samples) >= b.most }

// FoldedNs is the waiting in folded samples, which do not name the lock.
func (b *Builder) FoldedNs() int64 { return b.folded.ns }

// Folded reports whether a sample is of many locks and threads.
func (s *Sample) Folded() bool { return s.Key.folded }

// known returns the key of the sample that the waiting with a key is added to.
func (b *Builder) known(key Key, ns int64) Key {
	if !b.full() {
		return key
	}
	if _, ok := b.index[key]; ok {
		return key
	}
	b.folded.ns += ns
	return b.fold(key)
}

// fold returns the key of the folded sample that stands for one.
func (b *Builder) fold(key Key) Key {
	key.folded = true
	key.Lock = b.ofClass(key.Lock)
	key = b.shown(key)
	if key.path > 0 {
		key.path = cut
	}
	if b.view == Chain && len(b.samples) >= 2*b.most {
		key.WaiterStack = format.NoStack
	}
	return key
}

// ofClass returns the lock that stands for all of its class.
func (b *Builder) ofClass(lock format.ObjectID) format.ObjectID {
	class := b.sym.Class(lock)
	first, ok := b.folded.locks[class]
	if !ok {
		if b.folded.locks == nil {
			b.folded.locks = map[uint32]format.ObjectID{}
		}
		first = lock
		b.folded.locks[class] = lock
	}
	return first
}
