package locks

import (
	"slices"
	"strings"
)

// Kind is the kind of a resource.
type Kind string

// The kinds. A condition is an object whose notification threads wait for, and a resource is
// anything else.
const (
	KindPool      Kind = "pool"
	KindSemaphore Kind = "semaphore"
	KindQueue     Kind = "queue"
	KindLatch     Kind = "latch"
	KindResult    Kind = "result"
	KindCondition Kind = "condition"
	KindResource  Kind = "resource"
)

// kinds are the words in method names that show what a method waits for. The first kind with
// a match counts.
var kinds = []struct {
	kind  Kind
	words []string
}{
	{KindLatch, []string{"latch", "barrier", "phaser", "waitgroup", "errgroup"}},
	{KindResult, []string{"future", ".join", "joinall", "promise", "singleflight"}},
	{KindPool, []string{"pool"}},
	{KindSemaphore, []string{"semaphore", "sem_"}},
	{KindQueue, []string{"queue", "deque", "exchanger", "channel", "[chan", "[select"}},
}

// Words in the names of methods: of methods of the program that take an object of any pool, and of
// methods of libraries that wait.
var (
	borrows  = []string{"borrow", "checkout", "getconnection"}
	anything = []string{"wait", "cond", "park"}
)

// vague are classes that nearly all synchronizers use: their names do not show a kind.
var vague = strings.NewReplacer(
	"abstractqueuedsynchronizer",
	"",
	"abstractqueuedlongsynchronizer",
	"",
	"threadpoolexecutor",
	"",
	"forkjoinpool",
	"",
)

// kind returns the kind of a row, from the waiting method of the library, the method of the program
// that called it and, for pools, the caller of that.
func (r *Resource) kind() Kind {
	what, site := vague.Replace(strings.ToLower(r.What)), vague.Replace(strings.ToLower(r.Site))
	borrowed := int64(0)
	for _, c := range r.Callers {
		if hasAny(strings.ToLower(c.Sites[0]), borrows) {
			borrowed += c.WaitNs
		}
	}
	if hasAny(site, borrows) || 2*borrowed > r.Waited.WaitNs {
		return KindPool
	}
	for _, name := range []string{what, site} {
		for _, k := range kinds {
			if hasAny(name, k.words) {
				return k.kind
			}
		}
	}
	if hasAny(what, anything) {
		return KindCondition
	}
	return KindResource
}

// hasAny reports whether a name contains one of some words.
func hasAny(name string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}
