package owners

import (
	"sync"

	"contend/analysis/owners/model"
	"contend/format"
)

// Symbols is what owners are inferred from besides events. But for Class, several
// goroutines may ask.
type Symbols interface {
	Kind(format.ObjectID) format.LockKind
	Frames(format.StackID) []format.Frame
	Bare(format.StackID) bool           // no frame is of the application
	Caller(format.StackID) format.Frame // the innermost frame that is; of a bare stack its outermost
	// Application returns the frames of a stack from the innermost one of the
	// application on, outwards.
	Application(format.StackID) []format.Frame
	// Class returns a number for the class of a lock. Asking may give a class
	// its number, so nobody else may use the symbols meanwhile.
	Class(format.ObjectID) uint32
}

// evidence is what owners are inferred from, for a trace that recorded waits but not
// who held the locks. It is a model.Program.
type evidence struct {
	*Activities
	sym      Symbols
	shown    [][]model.Dump // by lock, by time
	class    []uint32       // by lock
	unlinked []Unlinked

	listing sync.Once
	deeds   map[uint32][]*model.Deed // by input
}

// Unlinked is a contended lock in a thread dump whose waiters no recorded wait
// knows: they still waited when the recording ended, or their waits are not
// recorded.
type Unlinked struct {
	Time    int64
	Lock    format.ObjectID // as the dump names it
	Owners  []format.Party
	Waiters []format.Party
	Counted bool // its waiters hang, and count as waiting, for as long as samples show them
}
