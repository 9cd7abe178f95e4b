package document

import (
	"cmp"
	"slices"

	"contend/blame"
)

// Ranked is one row of the ranking in JSON.
type Ranked struct {
	Kind    string `json:"kind"`            // lock, pool, queue, latch, result, condition, resource, others
	Class   string `json:"class,omitempty"` // of locks
	What    string `json:"what,omitempty"`  // of others: the method of the library that waits
	Site    string `json:"site,omitempty"`
	Locks   int    `json:"locks,omitempty"` // of that class and site
	WaitNs  int64  `json:"waitNs"`
	Waits   int64  `json:"waits"`
	Waiters int    `json:"waiters"`
	MaxNs   int64  `json:"maxNs"`

	ReacquiredNs     int64 `json:"reacquiredNs,omitempty"` // as in Lock
	ReacquiredLowNs  int64 `json:"reacquiredLowNs,omitempty"`
	ReacquiredHighNs int64 `json:"reacquiredHighNs,omitempty"`
}

// Awaited is what threads wait for: all locks of one class and site, or one place where threads wait for a
// pool, queue, latch or result.
type Awaited struct {
	Ranked

	Of         *Resource // the place where threads wait for a resource; nil for locks
	Name       string    // of the lock with the most waiting
	Biggest    int64     // waiting for that lock, ns
	Owners     []Owner
	Waiting    []Site
	Provenance Provenance
	Error      *Uncertainty // of a single lock
}

// Others is the kind of the row of all locks beyond the bound, with their number and waiting.
const Others = "others"

// Awaited returns locks and resources in descending order of waiting, with Others last. It omits
// places where threads may be idle.
func (a *Analyze) Awaited() []Awaited {
	list := awaitedLocks(a.Locks, a.rest)
	for i := range a.Resources {
		if r := &a.Resources[i]; !r.MayBeIdle(a.ElapsedNs) {
			list = append(list, AwaitedPlace(r))
		}
	}
	slices.SortStableFunc(list, func(a, b Awaited) int {
		return cmp.Or(blame.CompareBool(a.Kind == Others, b.Kind == Others), cmp.Compare(b.WaitNs, a.WaitNs))
	})
	return list
}

// Rank fills the ranked list: at most top rows, 0 means all.
func (a *Analyze) Rank(top int) {
	a.Ranked = []Ranked{}
	for _, one := range limit(a.Awaited(), top) {
		a.Ranked = append(a.Ranked, one.Ranked)
	}
}

// Awaited returns the row of a lock.
func (l *Lock) Awaited() Awaited { return l.awaited("lock", 1, l.WaitNs) }

// awaited returns the row of n locks from their sums and the waiting for the most contended one.
func (l *Lock) awaited(kind string, n int, biggest int64) Awaited {
	return Awaited{
		Ranked: Ranked{
			Kind:             kind,
			Class:            l.Class,
			Site:             l.Site,
			Locks:            n,
			WaitNs:           l.WaitNs,
			Waits:            l.Waits,
			Waiters:          l.Waiters,
			MaxNs:            l.MaxNs,
			ReacquiredNs:     l.ReacquiredNs,
			ReacquiredLowNs:  l.ReacquiredLowNs,
			ReacquiredHighNs: l.ReacquiredHighNs,
		},
		Name:       l.Lock,
		Biggest:    biggest,
		Owners:     l.Owners,
		Waiting:    l.Waiting,
		Provenance: l.Provenance,
		Error:      l.Uncertainty,
	}
}

// AwaitedPlace returns the row of a place where threads wait for resources.
func AwaitedPlace(r *Resource) Awaited {
	row := Ranked{
		Kind:    r.Kind,
		What:    r.What,
		Site:    r.Site,
		WaitNs:  r.WaitNs,
		Waits:   r.Waits,
		Waiters: r.Waiters,
		MaxNs:   r.MaxNs,
	}
	return Awaited{Ranked: row, Of: r}
}

// awaitedLocks joins the rows of locks of one class and site. Its input is in descending order of
// waiting, with the joined rows last.
func awaitedLocks(single []Lock, rest []Awaited) (groups []Awaited) {
	rows := make([]Awaited, 0, len(single)+len(rest))
	for i := range single {
		rows = append(rows, single[i].Awaited())
	}
	at := map[[2]string]int{}
	for _, r := range append(rows, rest...) {
		key := [2]string{r.Class, cmp.Or(r.Site, r.Name)}
		j, joins := at[key]
		switch {
		case r.Kind == Others:
			groups = append(groups, r)
		case joins:
			groups[j].merge(&r)
		default:
			at[key] = len(groups)
			groups = append(groups, r)
		}
	}
	for i := range groups {
		groups[i].Owners = nameableOwners(groups[i].Owners)
	}
	return groups
}

// merge joins smaller locks. How many threads waited for any of them is not known: at least as
// many as for one.
func (g *Awaited) merge(o *Awaited) {
	g.Locks += o.Locks
	g.WaitNs += o.WaitNs
	g.Waits += o.Waits
	g.MaxNs, g.Waiters = max(g.MaxNs, o.MaxNs), max(g.Waiters, o.Waiters)
	g.ReacquiredNs += o.ReacquiredNs
	g.ReacquiredLowNs += o.ReacquiredLowNs
	g.ReacquiredHighNs += o.ReacquiredHighNs
	g.Error = nil
	g.Provenance.merge(o.Provenance)
	g.Owners = joinOwners(g.Owners, o.Owners)
	g.Waiting = joinSites(g.Waiting, o.Waiting)
}

// Right returns the expected accuracy of inferred owners; 1 if it is unknown.
func (g *Awaited) Right() float64 {
	if right, ok := g.Provenance.Right(); ok {
		return right
	}
	return 1
}
