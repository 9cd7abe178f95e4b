// Package gotrace reads execution traces of Go 1.22 and later, written by runtime/trace,
// net/http/pprof and the flight recorder. It delivers the goroutines that waited for locks,
// how long, and the goroutines that woke them. It refuses older formats, which do not
// record all of that.
//
// A lock has no address in such a trace. Locks are distinguished by the sites that use them
// (sites.go) and by contradictions (several.go), which needs the whole trace: waits for
// locks, and the releases that ended them, are kept until its end; other events are
// delivered at once. This is done here, although it looks at owners, because locks must
// have ids and names before any event refers to them. Package analysis/owners infers the
// owners.
//
// Files:
//
//	doc.go        this page
//	reader.go     Reader
//	input.go      the bytes read, and versions
//	damage.go     the end of a damaged trace
//	goroutines.go goroutines and their states
//	waits.go      waits, until their lock is known
//	regions.go    regions and tasks
//	stacks.go     call stacks
//	sites.go      which sites use one lock
//	points.go     what happens to a lock, in order
//	several.go    locks that are several
//	rwmutex.go    the two halves of an RWMutex
//	closing.go    the end: open intervals, names
package gotrace
