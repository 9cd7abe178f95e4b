package moved

import "contend/format"

// Wait is a wait for a lock, under the lock's address at its end.
type Wait struct {
	Lock       format.ObjectID
	Stack      format.StackID
	Start, End int64 // ns
}

// Waits calls a function with each wait, in any order, as often as it is called.
type Waits func(func(Wait))

// addressUse is the recorded use of one address.
type addressUse struct {
	lock        format.ObjectID
	first, last int64 // ends of waits
	waits       int
	ns          int64
	stack       format.StackID // of the latest wait
	family      int            // a lock of the same family, or itself
}

// waitEnd is the end of a wait at an address.
type waitEnd struct {
	at   int64
	lock format.ObjectID
}
