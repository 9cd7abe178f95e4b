package document

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/blame/locks"
)

// RankedItem is one entry of the ranking: all locks of one class and site, or one place where
// threads wait for a pool, queue, latch or result.
type RankedItem struct {
	Kind string // lock, or of what is none: pool, queue, latch, result, condition, resource; of locks too many to name Others
	Lock        // of locks the sums, with name, class and site of the biggest; of others the sums and the site
	Of   *Resource

	Locks   int   // how many
	Biggest int64 // waiting for the biggest of them, ns

	inferred, expected float64 // waiting whose owners are inferred, and what of it is expected to be right
}

// Ranked is a RankedItem as machines read it, in the order of thread-time.
type Ranked struct {
	Kind    string `json:"kind"`
	Class   string `json:"class,omitempty"` // of locks
	What    string `json:"what,omitempty"`  // of others: the method of the library that waits
	Site    string `json:"site,omitempty"`
	Locks   int    `json:"locks,omitempty"` // of that class and site
	WaitNs  int64  `json:"waitNs"`
	Waits   int64  `json:"waits"`
	Waiters int    `json:"waiters"`
	MaxNs   int64  `json:"maxNs"`
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
			list = append(list, RankedItem{Kind: r.Kind(), Of: r,
				Lock: Lock{Site: r.Site, Waits: r.Waits, WaitNs: r.WaitNs, MaxNs: r.MaxNs, Waiters: r.Waiters}})
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
		r := Ranked{w.Kind, w.Class, "", w.Site, w.Locks, w.WaitNs, w.Waits, w.Waiters, w.MaxNs}
		if w.Of != nil {
			r.What = w.Of.What
		}
		a.Ranked = append(a.Ranked, r)
	}
}

// kinds are the words in method names that show what a method waits for. The first kind with
// a match counts.
var kinds = []struct {
	kind  string
	words []string
}{
	{"latch", []string{"latch", "barrier", "phaser", "waitgroup"}},
	{"result", []string{"future", ".join", "joinall", "promise"}},
	{"pool", []string{"pool", "semaphore", "sem_"}},
	{"queue", []string{"queue", "deque", "exchanger", "channel", "[chan", "[select"}},
}

// Words in the names of methods: of a program's that take an object of a pool, whatever that
// is made of, and of libraries' that wait for anything.
var (
	borrows  = []string{"borrow", "checkout", "getconnection"}
	anything = []string{"wait", "cond", "park"}
)

// vague are classes that nearly all synchronizers are made of: their names show nothing.
var vague = strings.NewReplacer("abstractqueuedsynchronizer", "", "abstractqueuedlongsynchronizer", "", "threadpoolexecutor", "", "forkjoinpool", "")

// Kind says of what kind a wait for no lock is, by the method of the library that waits, the
// one of the program that called it and, of pools, the caller of that.
func (r *Resource) Kind() string {
	what, site := vague.Replace(strings.ToLower(r.What)), vague.Replace(strings.ToLower(r.Site))
	has := func(name string, words []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	}
	borrowed := int64(0)
	for _, c := range r.Callers {
		if has(strings.ToLower(c.Sites[0]), borrows) {
			borrowed += c.WaitNs
		}
	}
	if has(site, borrows) || 2*borrowed > r.WaitNs {
		return "pool"
	}
	for _, name := range []string{what, site} {
		for _, k := range kinds {
			if has(name, k.words) {
				return k.kind
			}
		}
	}
	if has(what, anything) {
		return "condition"
	}
	return "resource"
}

// unknownOwner is the owner that is not known.
var unknownOwner = analysis.PseudoOwner(analysis.OwnerUnknown, 0)

// lockWaits joins locks, which are by waiting, biggest first, and those that are
// described together.
func lockWaits(locks []Lock, rest []Rest) (groups []RankedItem) {
	at := map[[2]string]int{}
	add := func(l *Lock, n int, biggest int64) {
		key := [2]string{l.Class, l.Site}
		if l.Site == "" {
			key[1] = l.Lock
		}
		j, ok := at[key]
		if !ok {
			at[key] = len(groups)
			groups = append(groups, RankedItem{Kind: "lock", Lock: *l, Locks: n, Biggest: biggest})
			groups[len(groups)-1].expect(l)
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
			groups = append(groups, RankedItem{Kind: Others, Lock: r.Lock, Locks: r.Locks, Biggest: r.Biggest})
			continue
		}
		add(&r.Lock, r.Locks, r.Biggest)
	}
	for i := range groups {
		groups[i].Owners = likelyOwners(groups[i].Owners)
	}
	return groups
}

// minLikely is how likely an inferred owner is at least that is named. Below it the
// reader would be sent to the wrong code twice of three times.
const minLikely = 0.35

// likelyOwners returns the owners with those together that are not likely enough to be
// named: they are not known.
func likelyOwners(list []LockOwner) []LockOwner {
	doubtful := func(o *LockOwner) bool {
		right, ok := o.Provenance.Right()
		return ok && Placed(o.Site) && 2*o.Provenance.InferredNs > o.WaitNs && right < minLikely
	}
	var rest []LockOwner
	out := slices.DeleteFunc(slices.Clone(list), func(o LockOwner) bool {
		doubt := doubtful(&o)
		if doubt {
			rest = append(rest, LockOwner{Site: unknownOwner, WaitNs: o.WaitNs, Provenance: o.Provenance})
		}
		return doubt
	})
	if rest == nil {
		return list
	}
	return joinOwners(out, rest)
}

// add joins a smaller lock, or n together. How many threads waited for any of them is not known:
// at least as many as for one.
func (g *RankedItem) add(l *Lock, n int) {
	g.Locks += n
	g.WaitNs += l.WaitNs
	g.Waits += l.Waits
	g.Failed += l.Failed
	g.MaxNs, g.Waiters = max(g.MaxNs, l.MaxNs), max(g.Waiters, l.Waiters)
	g.Uncertainty = nil
	g.expect(l)
	g.Owners = joinOwners(g.Owners, l.Owners)
	g.Waiting = slices.Clone(g.Waiting)
	for _, w := range l.Waiting {
		if i := slices.IndexFunc(g.Waiting, func(v Site) bool { return v.Site == w.Site }); i >= 0 {
			g.Waiting[i].WaitNs += w.WaitNs
			g.Waiting[i].Waits += w.Waits
		} else {
			g.Waiting = append(g.Waiting, w)
		}
	}
	slices.SortStableFunc(g.Waiting, func(a, b Site) int { return cmp.Compare(b.WaitNs, a.WaitNs) })
}

// expect adds what is expected to be right of a lock's owners that are inferred.
func (g *RankedItem) expect(l *Lock) {
	if right, ok := l.Provenance.Right(); ok {
		g.inferred += float64(l.Provenance.InferredNs)
		g.expected += right * float64(l.Provenance.InferredNs)
	}
}

// Right is how much of what is inferred is expected to be right; 1 where nothing is said
// of it.
func (g *RankedItem) Right() float64 {
	if g.inferred == 0 {
		return 1
	}
	return g.expected / g.inferred
}

// joinOwners adds up the owners at each site.
func joinOwners(list, more []LockOwner) []LockOwner {
	out := slices.Clone(list)
	for _, o := range more {
		i := slices.IndexFunc(out, func(p LockOwner) bool { return p.Site == o.Site })
		if i < 0 {
			out = append(out, o)
			continue
		}
		p := &out[i]
		p.WaitNs += o.WaitNs
		p.Provenance = addProvenance(p.Provenance, o.Provenance)
		p.Callers = joinBy(p.Callers, o.Callers, func(c Callers) string { return strings.Join(c.Sites, " < ") }, func(a, b Callers) Callers {
			return Callers{Sites: a.Sites, WaitNs: a.WaitNs + b.WaitNs}
		}, func(c Callers) int64 { return c.WaitNs })
		p.Doing = joinBy(p.Doing, o.Doing, func(d Doing) string { return d.What + " " + d.Class }, func(a, b Doing) Doing {
			return Doing{What: a.What, Class: a.Class, WaitNs: a.WaitNs + b.WaitNs}
		}, func(d Doing) int64 { return d.WaitNs })
	}
	slices.SortStableFunc(out, func(a, b LockOwner) int { return cmp.Compare(b.WaitNs, a.WaitNs) })
	return out
}

// joinBy joins two lists whose elements with one key are one, biggest first.
func joinBy[T any](list, more []T, key func(T) string, join func(T, T) T, ns func(T) int64) []T {
	out := slices.Clone(list)
	for _, m := range more {
		if i := slices.IndexFunc(out, func(v T) bool { return key(v) == key(m) }); i >= 0 {
			out[i] = join(out[i], m)
		} else {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(ns(b), ns(a)) })
	return out
}

func addProvenance(a, b Provenance) Provenance {
	return Provenance{ExactNs: a.ExactNs + b.ExactNs, SampledNs: a.SampledNs + b.SampledNs, InferredNs: a.InferredNs + b.InferredNs,
		UnknownNs: a.UnknownNs + b.UnknownNs, RightNs: a.RightNs + b.RightNs}
}

// Placed reports whether a site names a place in the program.
func Placed(site string) bool { return site != "" && site[0] != '[' }

// Resource is one place of the program where threads wait for what others must
// give back, or where they are idle.
type Resource struct {
	What string `json:"what"` // the outermost method of the library that waits, or [select] and the like
	Site string `json:"site"` // the method of the program that called it; empty where none did
	Loop bool   `json:"loop"` // the thread's own outermost method waits here: it may have nothing to do
	NonLockWait
	MaxNs int64 `json:"maxNs"` // longest wait; 0 when waits were only sampled
	Stack Stack `json:"stack"` // the one with most of the waiting

	Callers []Callers    `json:"callers"`         // by waiting; none where nothing of the program called the site
	Users   []locks.User `json:"users,omitempty"` // that ended waits, by waiting; absent where none is known
}

// Beside is what threads waited for that is no lock.
type Beside struct {
	ResourceTotal NonLockWait `json:"resourceTotal"`
	Resources     []Resource  `json:"resources"`
	IdleTotal     NonLockWait `json:"idleTotal"`
	Idle          []Resource  `json:"idle,omitempty"` // where it was asked for

	Omitted [2]int `json:"-"` // rows behind the limit, of resources and of idle
}

// NewBeside lists what a collector saw; top limits the rows, 0 means all.
func NewBeside(c *locks.Resources, sym *analysis.Symbols, idle bool, top int) Beside {
	b := Beside{ResourceTotal: c.Total(true), IdleTotal: c.Total(false)}
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
		out[i] = Resource{r.What, r.Site, r.Loop, r.NonLockWait, r.MaxNs, NewStack(sym.Frames(r.Stack)), append([]Callers{}, limit(r.Callers, top)...), limit(r.Users, top)}
	}
	return out, len(rows) - len(shown)
}
