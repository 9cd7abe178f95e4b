package document

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame/locks"
)

// Ranked is one row of the ranking: all locks of one class and site, or one place where
// threads wait for a pool, queue, latch or result.
type Ranked struct {
	Kind    string `json:"kind"`            // lock, pool, queue, latch, result, condition, resource
	Class   string `json:"class,omitempty"` // of locks
	What    string `json:"what,omitempty"`  // of others: the method of the library that waits
	Site    string `json:"site,omitempty"`
	Locks   int    `json:"locks,omitempty"` // of that class and site
	WaitNs  int64  `json:"waitNs"`
	Waits   int64  `json:"waits"`
	Waiters int    `json:"waiters"`
	MaxNs   int64  `json:"maxNs"`
}

// RankedItem is a row with all that a screen shows of it.
type RankedItem struct {
	Ranked
	Of *Resource // of what is no lock; the fields below are of locks

	Name    string // of the lock with the most waiting
	Biggest int64  // waiting for that lock, ns
	Owners  []LockOwner
	Waiting []Site

	Provenance   Provenance
	*Uncertainty // of a single lock
}

// Others is the kind of the locks that are only counted, with their waiting, because there
// are too many.
const Others = "others"

// Waits returns all that threads wait for, what most thread-time is spent on first, but
// Others last: locks, and of other places those where several threads wait that surely have
// something to do.
func (a *Analyze) Waits() []RankedItem {
	list := lockWaits(a.Locks, a.Rest)
	for i := range a.Resources {
		if r := &a.Resources[i]; !r.Loop && r.Waiters > 1 {
			list = append(list, r.Ranked())
		}
	}
	last := func(w *RankedItem) int {
		if w.Kind == Others {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b RankedItem) int {
		return cmp.Or(cmp.Compare(last(&a), last(&b)), cmp.Compare(b.WaitNs, a.WaitNs))
	})
	return list
}

// Rank fills the ranked list: at most top rows, 0 means all.
func (a *Analyze) Rank(top int) {
	a.Ranked = []Ranked{}
	for _, w := range limit(a.Waits(), top) {
		a.Ranked = append(a.Ranked, w.Ranked)
	}
}

// Ranked returns the row of a lock.
func (l *Lock) Ranked() RankedItem { return newRankedLock("lock", l, 1, l.WaitNs) }

// Ranked returns the row of a place where threads wait for resources.
func (r *Resource) Ranked() RankedItem {
	return RankedItem{Of: r, Ranked: Ranked{Kind: r.Kind, What: r.What, Site: r.Site, WaitNs: r.WaitNs, Waits: r.Waits, Waiters: r.Waiters, MaxNs: r.MaxNs}}
}

// newRankedLock is the row of n locks, whose sums and whose biggest are given.
func newRankedLock(kind string, l *Lock, n int, biggest int64) RankedItem {
	return RankedItem{Ranked: Ranked{Kind: kind, Class: l.Class, Site: l.Site, Locks: n, WaitNs: l.WaitNs, Waits: l.Waits, Waiters: l.Waiters, MaxNs: l.MaxNs},
		Name: l.Lock, Biggest: biggest, Owners: l.Owners, Waiting: l.Waiting, Provenance: l.Provenance, Uncertainty: l.Uncertainty}
}

// lockWaits joins locks, which are by waiting, biggest first, and those that are
// described together.
func lockWaits(locks []Lock, rest []Rest) (groups []RankedItem) {
	at := map[[2]string]int{}
	add := func(l *Lock, n int, biggest int64) {
		key := [2]string{l.Class, cmp.Or(l.Site, l.Lock)}
		j, ok := at[key]
		if !ok {
			at[key] = len(groups)
			groups = append(groups, newRankedLock("lock", l, n, biggest))
			return
		}
		groups[j].add(l, n)
	}
	for i := range locks {
		add(&locks[i], 1, locks[i].WaitNs)
	}
	for i := range rest {
		r := &rest[i]
		if len(r.Waiting) == 0 { // identified by no site
			groups = append(groups, newRankedLock(Others, &r.Lock, r.Locks, r.Biggest))
			continue
		}
		add(&r.Lock, r.Locks, r.Biggest)
	}
	for i := range groups {
		groups[i].Owners = nameableOwners(groups[i].Owners)
	}
	return groups
}

// unknownOwner is the owner that is not known.
var unknownOwner = analysis.PseudoOwner(analysis.OwnerUnknown, 0)

// nameableOwners returns the owners with those together that are not known well enough to be
// named: they are not known.
func nameableOwners(list []LockOwner) []LockOwner {
	var named, rest []LockOwner
	for _, o := range list {
		if likely, inferred := o.Provenance.Right(); inferred && Placed(o.Site) && !locks.Nameable(o.WaitNs, o.Provenance.InferredNs, likely) {
			rest = append(rest, LockOwner{Site: unknownOwner, WaitNs: o.WaitNs, Provenance: o.Provenance})
		} else {
			named = append(named, o)
		}
	}
	if rest == nil {
		return list
	}
	return joinOwners(named, rest)
}

// add joins a smaller lock, or n together. How many threads waited for any of them is not known:
// at least as many as for one.
func (g *RankedItem) add(l *Lock, n int) {
	g.Locks += n
	g.WaitNs += l.WaitNs
	g.Waits += l.Waits
	g.MaxNs, g.Waiters = max(g.MaxNs, l.MaxNs), max(g.Waiters, l.Waiters)
	g.Uncertainty = nil
	g.Provenance = addProvenance(g.Provenance, l.Provenance)
	g.Owners = joinOwners(g.Owners, l.Owners)
	g.Waiting = joinBy(g.Waiting, l.Waiting, func(s *Site) string { return s.Site }, func(s *Site) *int64 { return &s.WaitNs }, func(s, more *Site) { s.Waits += more.Waits })
}

// Right is how much of what is inferred is expected to be right; 1 where nothing is said
// of it.
func (g *RankedItem) Right() float64 {
	if right, ok := g.Provenance.Right(); ok {
		return right
	}
	return 1
}

// joinOwners adds up the owners at each site.
func joinOwners(list, more []LockOwner) []LockOwner {
	return joinBy(list, more, func(o *LockOwner) string { return o.Site }, func(o *LockOwner) *int64 { return &o.WaitNs }, func(o, more *LockOwner) {
		o.Provenance = addProvenance(o.Provenance, more.Provenance)
		o.Callers = joinBy(o.Callers, more.Callers, func(c *Callers) string { return strings.Join(c.Sites, " < ") }, func(c *Callers) *int64 { return &c.WaitNs }, nil)
		o.Doing = joinBy(o.Doing, more.Doing, func(d *Doing) string { return d.What + " " + d.Class }, func(d *Doing) *int64 { return &d.WaitNs }, nil)
	})
}

// joinBy adds the rows of a second list to those of the first with the same key, or after
// them, and sorts all by waiting. What else rows sum up, add adds.
func joinBy[T any](list, more []T, key func(*T) string, waitNs func(*T) *int64, add func(row, more *T)) []T {
	out := slices.Clone(list)
	for i := range more {
		m := &more[i]
		at := slices.IndexFunc(out, func(row T) bool { return key(&row) == key(m) })
		if at < 0 {
			out = append(out, *m)
			continue
		}
		*waitNs(&out[at]) += *waitNs(m)
		if add != nil {
			add(&out[at], m)
		}
	}
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(*waitNs(&b), *waitNs(&a)) })
	return out
}

func addProvenance(a, b Provenance) Provenance {
	return Provenance{ExactNs: a.ExactNs + b.ExactNs, SampledNs: a.SampledNs + b.SampledNs, InferredNs: a.InferredNs + b.InferredNs,
		UnknownNs: a.UnknownNs + b.UnknownNs, RightNs: a.RightNs + b.RightNs}
}
