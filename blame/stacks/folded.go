package stacks

import "contend/format"

// maxSamples is how many samples are told apart. A million locks, or threads that
// wait for each other in ever new chains, would make as many, at some three
// kilobytes each in a profile.
const maxSamples = 1 << 16

// mostInQueue is how many threads that wait for one lock at the same time have samples of
// their own, the first of them: each costs a look-up whenever the lock changes hands.
const mostInQueue = 1 << 8

// folded sums what comes when there are so many samples: further kinds of waits
// are told by class of lock and by stacks, without threads, and of a chain by its
// two ends. Still more chains are told by what is at the end. No waiting is lost.
type folded struct {
	locks map[uint32]format.ObjectID // by class: the lock that stands for the others
	ns    int64
}

// cut is the number of hops that are not told.
const cut = -1

// full reports whether further kinds of waits are folded.
func (b *Builder) full() bool { return len(b.samples) >= b.most }

// FoldedNs is the waiting in samples that do not tell which lock it was for.
func (b *Builder) FoldedNs() int64 { return b.folded.ns }

// Folded reports whether a sample is of many locks and threads.
func (s *Sample) Folded() bool { return s.folded }

// known returns the key of the sample that waiting with a key goes to.
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
