package document

import (
	"contend/analysis"
	"contend/blame/locks"
)

// Resource is one place of the program where threads wait for what others must
// give back, or where they are idle.
type Resource struct {
	What string `json:"what"` // the outermost method of the library that waits, or [select] and the like
	Site string `json:"site"` // the method of the program that called it; empty where none did
	Loop bool   `json:"loop"` // the thread's own outermost method waits here: it may have nothing to do
	Kind string `json:"-"`    // pool, queue, latch, result, condition, resource
	NonLockWait
	MaxNs int64 `json:"maxNs"` // longest wait; 0 when waits were only sampled
	Stack Stack `json:"stack"` // the one with most of the waiting

	Callers []Callers    `json:"callers"`         // by waiting; none where nothing of the program called the site
	Users   []locks.User `json:"users,omitempty"` // that ended waits, by waiting; absent where none is known
}

// NonLockWaits are what threads waited for that is no lock.
type NonLockWaits struct {
	ResourceTotal NonLockWait `json:"resourceTotal"`
	Resources     []Resource  `json:"resources"`
	IdleTotal     NonLockWait `json:"idleTotal"`
	Idle          []Resource  `json:"idle,omitempty"` // where it was asked for

	Omitted [2]int `json:"-"` // rows behind the limit, of resources and of idle
}

// NewNonLockWaits lists what a collector saw; top limits the rows, 0 means all.
func NewNonLockWaits(c *locks.Resources, sym *analysis.Symbols, idle bool, top int) NonLockWaits {
	b := NonLockWaits{ResourceTotal: c.Total(true), IdleTotal: c.Total(false)}
	b.Resources, b.Omitted[0] = newResources(c.Resources(), sym, top)
	if idle {
		b.Idle, b.Omitted[1] = newResources(c.Idle(), sym, top)
	}
	return b
}

func newResources(rows []locks.Resource, sym *analysis.Symbols, top int) (out []Resource, omitted int) {
	shown := limit(rows, top)
	out = make([]Resource, len(shown))
	for i, r := range shown {
		out[i] = Resource{r.What, r.Site, r.Loop, string(r.Kind), r.NonLockWait, r.MaxNs, NewStack(sym.Frames(r.Stack)), append([]Callers{}, limit(r.Callers, top)...), limit(r.Users, top)}
	}
	return out, len(rows) - len(shown)
}
