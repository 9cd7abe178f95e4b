package sampled

import (
	"contend/format"
	"contend/format/column"
)

// instant is one sampling instant with its contended locks.
type instant struct {
	valid       bool
	time        int64
	weight      int64
	live, idle  uint32
	summed      bool // it is one sum of waits and no instant
	locks       []contendedLock
	idleThreads []idleState // the idle threads that the trace lists
}

// contendedLock is a lock with waiters at a sampling instant.
type contendedLock struct {
	lock    format.ObjectID
	owners  []format.Party
	waiters []format.Party
	links   bool  // the waiters stand for no time: they only show which locks owners wait for
	waits   int64 // of a sum: the number of waits, 0 if unknown
}

// addLock returns a place for one more lock, in memory used before if possible.
func (in *instant) addLock() *contendedLock { return column.Next(&in.locks) }

func (l *contendedLock) set(lock format.ObjectID, owners, waiters []format.Party, links bool) {
	l.lock = lock
	l.links = links
	l.waits = 0
	l.owners = append(l.owners[:0], owners...)
	l.waiters = append(l.waiters[:0], waiters...)
}

// copy copies an instant, except its idle threads, which are charged at once.
func (in *instant) copy(of *instant) {
	locks := in.locks[:0]
	*in = *of
	in.locks, in.idleThreads = locks, nil
	for i := range of.locks {
		l := &of.locks[i]
		to := in.addLock()
		to.set(l.lock, l.owners, l.waiters, l.links)
		to.waits = l.waits
	}
}

// idleState is the activity of an idle thread at a sampling instant.
type idleState struct {
	thread   format.ThreadID
	stack    format.StackID
	activity format.Activity
	resource bool
}

// idleSum is the time that sampling instants with one idle state stand for.
type idleSum struct {
	ns, waits int64
	last      int64 // the end of the latest instant; one that starts there continues the wait
}
