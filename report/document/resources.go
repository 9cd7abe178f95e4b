package document

import "contend/blame/locks"

// Package locks defines the places where threads wait for resources or are idle, and who had these.
type (
	Resource     = locks.Resource
	ResourceKind = locks.Kind
	Holder       = locks.Holder
	Executor     = locks.Executor
)

// NonLockWaits are the waits for resources and of idle threads.
type NonLockWaits struct {
	ResourceTotal NonLockWait `json:"resourceTotal"`
	Resources     []Resource  `json:"resources"`
	IdleTotal     NonLockWait `json:"idleTotal"`
	Idle          []Resource  `json:"idle,omitempty"` // with --idle

	Omitted [2]int `json:"-"` // rows beyond the limit, of resources and of idle
}

// NewNonLockWaits lists the waits of a collector; top limits the rows, 0 means all.
func NewNonLockWaits(c *locks.Resources, idle bool, top int) NonLockWaits {
	b := NonLockWaits{ResourceTotal: c.Total(true), IdleTotal: c.Total(false)}
	b.Resources, b.Omitted[0] = newResources(c.Resources(), top)
	if idle {
		b.Idle, b.Omitted[1] = newResources(c.Idle(), top)
	}
	return b
}

func newResources(rows []Resource, top int) (out []Resource, omitted int) {
	out = append([]Resource{}, limit(rows, top)...)
	for i := range out {
		out[i].Callers, out[i].Users = limit(out[i].Callers, top), limit(out[i].Users, top)
	}
	return out, len(rows) - len(out)
}

// NewExecutors lists pools of workers; top limits them, and the places of each, 0 means all.
func NewExecutors(list []Executor, top int) []Executor {
	list = limit(list, top)
	for i := range list {
		list[i].Doing = limit(list[i].Doing, top)
	}
	return list
}
