package moved

import "contend/format"

// Wait is a wait for a lock, under the address the lock had when it ended.
type Wait struct {
	Lock       format.ObjectID
	Stack      format.StackID
	Start, End int64 // ns
}

// Waits calls a function with each wait, in any order, as often as asked.
type Waits func(func(Wait))

// life is what the recording shows of one address.
type life struct {
	lock        format.ObjectID
	first, last int64 // ends of waits
	waits       int
	ns          int64
	stack       format.StackID // of the wait before
	family      int            // a lock of the same family, or itself
}

// waitEnd says which address was waited for, and when that ended.
type waitEnd struct {
	at   int64
	lock format.ObjectID
}
