package analysis

import "contend/format"

// instant is one sampling instant with its contended locks.
type instant struct {
	valid      bool
	time       int64
	weight     int64
	live, idle uint32
	locks      []contendedLock
	idlers     []seenAside // those of the idle threads that are told
}

// contendedLock is a lock somebody waits for at a sampling instant.
type contendedLock struct {
	lock    format.ObjectID
	owners  []format.Party
	waiters []format.Party
}

// add makes room for one more lock, in memory that was used before if it can.
func (in *instant) add() *contendedLock {
	if n := len(in.locks); n < cap(in.locks) {
		in.locks = in.locks[:n+1]
	} else {
		in.locks = append(in.locks, contendedLock{})
	}
	return &in.locks[len(in.locks)-1]
}

func (l *contendedLock) set(lock format.ObjectID, owners, waiters []format.Party) {
	l.lock = lock
	l.owners = append(l.owners[:0], owners...)
	l.waiters = append(l.waiters[:0], waiters...)
}

// copy makes an instant equal to another one, but for the idle threads, which are
// charged as they come.
func (in *instant) copy(of *instant) {
	locks := in.locks[:0]
	*in = *of
	in.locks, in.idlers = locks, nil
	for i := range of.locks {
		l := &of.locks[i]
		in.add().set(l.lock, l.owners, l.waiters)
	}
}

// asideOf returns what an idle thread is seen doing.
func asideOf(ev *format.Event) seenAside {
	return seenAside{ev.Thread, ev.Stack, ev.Activity, ev.Resource}
}

// seenAside is what an idle thread is seen doing at a sampling instant.
type seenAside struct {
	thread   format.ThreadID
	stack    format.StackID
	activity format.Activity
	resource bool
}

// sampledAside is what such instants stand for, together.
type sampledAside struct {
	ns, waits int64
	last      int64 // the end of the instant before, which the next one continues
}
