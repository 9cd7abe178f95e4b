package document

import (
	"contend/blame/locks"
	"contend/format"
)

// Resource is one place of the program where threads wait for resources. Times are ns.
type Resource struct {
	What string `json:"what"` // the outermost waiting method of the library, or the name that the runtime has for it
	Site string `json:"site"` // the method of the program that called it, with its line; "" if none did
	Loop bool   `json:"loop"` // the outermost method of a thread waits here, which may be idle
	Kind string `json:"kind"` // of what is waited for
	NonLockWait
	MaxNs   int64     `json:"maxNs"`   // longest wait; 0 when waits were only sampled
	Stack   Stack     `json:"stack"`   // the stack with most of the waiting
	Callers []Callers `json:"callers"` // in descending order; empty if no method of the program called the site
	// of a pool's objects, or of the tasks, while threads waited
	Holders []Holder `json:"holders,omitempty"`
	// the threads that ended waits, in descending order; some are unknown
	Users []User `json:"users,omitempty"`
}

// NonLockWait is waiting for resources, or of idle threads: no contention for a lock.
type NonLockWait struct {
	WaitNs  int64 `json:"waitNs"`
	Waits   int64 `json:"waits"`
	Waiters int   `json:"waiters"` // distinct threads
}

// User is a place of the program that ended waits or, if the place is unknown, the group of the
// threads.
type User struct {
	Site   string `json:"site,omitempty"`  // the method of the program, with its line
	Group  string `json:"group,omitempty"` // of threads
	WaitNs int64  `json:"waitNs"`          // of the waits they ended
}

// Holder is a place of the program whose threads had objects of a pool, or ran tasks, while others
// waited for an object or a result.
type Holder struct {
	Site    string  `json:"site"`            // that took the object, with its line; of a task, its outermost method
	Doing   string  `json:"doing,omitempty"` // what its threads did for most of the time of which that is known
	Threads float64 `json:"threads"`         // on average while others waited, from the first known holder on
	Shown   bool    `json:"shown"`           // methods of the object were on most of its stacks
}

// Executor is a pool of workers, and what these do.
type Executor struct {
	Pool    string  `json:"pool"`    // the group of its threads
	Workers int     `json:"workers"` // threads
	Busy    float64 `json:"busy"`    // of them, on average
	AllBusy float64 `json:"allBusy"` // the share of the time, or of the instants, at which none was idle
	// at which the workers were seen; 0 if their idle times are recorded
	Instants int      `json:"instants,omitempty"`
	Doing    []Holder `json:"doing"` // the places of the busy ones, in descending order; Shown is true
}

// NonLockWaits are the waits for resources and of idle threads.
type NonLockWaits struct {
	ResourceTotal NonLockWait `json:"resourceTotal"`
	Resources     []Resource  `json:"resources"`
	IdleTotal     NonLockWait `json:"idleTotal"`
	Idle          []Resource  `json:"idle,omitempty"` // with --idle

	omittedResources, omittedIdle int
}

// Omitted returns the numbers of rows beyond the limit.
func (b *NonLockWaits) Omitted() (resources, idle int) { return b.omittedResources, b.omittedIdle }

// HoldersOf returns the places that had the objects of a pool while threads waited with a stack.
type HoldersOf func(waiting []format.Frame) []locks.Holder

// NewNonLockWaits lists the waits of a collector, and who had the objects of pools; top limits the rows, 0 means all.
func NewNonLockWaits(c *locks.Resources, holders HoldersOf, idle bool, top int) NonLockWaits {
	b := NonLockWaits{
		ResourceTotal: NonLockWait(c.Total(true)),
		IdleTotal:     NonLockWait(c.Total(false)),
	}
	b.Resources, b.omittedResources = newResources(c.Resources(), holders, top)
	if idle {
		b.Idle, b.omittedIdle = newResources(c.Idle(), nil, top)
	}
	return b
}

func newResources(rows []locks.Resource, holders HoldersOf, top int) (out []Resource, omitted int) {
	out = []Resource{}
	for _, r := range limit(rows, top) {
		if holders != nil {
			r.Holders = holders(r.Stack)
		}
		out = append(out, Resource{
			What:        r.What,
			Site:        r.Site,
			Loop:        r.Loop,
			Kind:        string(r.Kind),
			NonLockWait: NonLockWait(r.Waited),
			MaxNs:       r.MaxNs,
			Stack:       NewStack(r.Stack),
			Callers:     mapped(limit(r.Callers, top), newCallers),
			Holders:     mapped(r.Holders, newHolder),
			Users:       mapped(limit(r.Users, top), newUser),
		})
	}
	return out, len(rows) - len(out)
}

func newHolder(h *locks.Holder) Holder { return Holder(*h) }

func newUser(u *locks.User) User { return User(*u) }

// MayBeIdle reports whether threads may have nothing to do at the place, in a trace of elapsed ns: in an
// outermost method, a single thread, or threads that each wait once, for most of the trace.
func (r *Resource) MayBeIdle(elapsed int64) bool {
	once := r.Waits <= int64(r.Waiters) && r.MaxNs > 0
	return r.Loop || r.Waiters < 2 || once && r.WaitNs/int64(r.Waiters) >= elapsed/2 && elapsed > 0
}

// NewExecutors lists pools of workers; top limits them, and the places of each, 0 means all.
func NewExecutors(list []locks.Executor, top int) []Executor {
	return mapped(limit(list, top), func(e *locks.Executor) Executor {
		return Executor{
			Pool:     e.Pool,
			Workers:  e.Workers,
			Busy:     e.Busy,
			AllBusy:  e.AllBusy,
			Instants: e.Instants,
			Doing:    mapped(limit(e.Doing, top), newHolder),
		}
	})
}
