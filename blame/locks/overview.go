package locks

import (
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Options of an overview.
type Options struct {
	ByClass bool           // sum by class of lock
	Names   bool           // only the places by which locks are known are summed: see Named and OwnerPlace
	App     *regexp.Regexp // the program's own code, see blame.Resolver.App
}

// Overview is a visitor that sums by lock, owner and waiter. It allocates only for new combinations.
type Overview struct {
	blame.Charges // to the sums of owners
	keys          blame.Resolver
	sym           *analysis.Symbols
	owners        sums // by lock, site, callers and activity
	waiters       sums // by lock and site
	roots         map[partRoot]int64
	stackless     stackless
	trapped       blame.ByID[analysis.Known] // by deadlock, from 1
	orders        map[order]*ordered
	total         int64
	names         bool // see Options
}

// partRoot is a row of blocked owners, and the lock at the end of their chain of waits. Each lock of
// a chain has as many ends as locks after it, so ends are not part of the rows' keys.
type partRoot struct {
	part int32
	root format.ObjectID
}

// NewOverview returns an empty collector.
func NewOverview(o Options) *Overview {
	lock := blame.ByLock
	if o.ByClass {
		lock = blame.ByClass
	}
	by := []blame.Key{lock, blame.ByOwnerSite}
	if !o.Names {
		by = append(by, blame.ByOwnerCallers, blame.ByOwnerDoing)
	}
	c := &Overview{names: o.Names, roots: map[partRoot]int64{}, orders: map[order]*ordered{}}
	c.owners, c.waiters = newSums(&c.keys, by...), newSums(&c.keys, lock, blame.ByWaiterSite)
	c.Charges = blame.NewCharges(c.owners.rows, c.charge)
	c.keys.App(o.App)
	return c
}

// Begin implements analysis.Visitor.
func (c *Overview) Begin(sym *analysis.Symbols, _ int64) {
	c.sym = sym
	c.keys.Begin(sym)
}

// Slice implements analysis.Visitor. A wait of length zero has no owner.
func (c *Overview) Slice(s *analysis.Slice) {
	if len(s.Shares) > 0 {
		c.Charges.Slice(s)
	}
	for i := range s.Waiters {
		c.waiters.wait(s, &s.Waiters[i])
	}
}

// charge adds a share of waiting to the sums of its owner.
func (c *Overview) charge(row int, to blame.Charge) {
	sh, ns := &to.Shares[0], to.ThreadNs()
	c.owners.owe(row, sh.Direct.Prov, ns)
	if c.names {
		return
	}
	c.total += ns
	c.stackless.charge(int32(row), sh.Direct, ns)
	if sh.Root.Kind == analysis.OwnerDeadlock {
		c.trapped.Entry(int(sh.Root.Cycle)).AddWaiting(sh.Root.Prov, ns)
	}
	if sh.Path != nil {
		c.behind(partRoot{int32(row), sh.Last}, ns)
	}
	if o := c.order(to.Slice.Lock, sh, c.owners.id(int32(row), 1), to.Slice.Sample.Taken); o != nil {
		o.known.AddWaiting(sh.Direct.Prov, ns)
	}
}

// maxRoots bounds the sums by end of chain. Only the most frequent end of a lock is reported,
// but a million locks in long chains have tens of millions of ends. Later ones are left out.
const maxRoots = 1 << 20

// behind adds waiting to a row's sum by the end of its chain, unless there are too many ends.
func (c *Overview) behind(at partRoot, ns int64) {
	if _, known := c.roots[at]; known || len(c.roots) < maxRoots {
		c.roots[at] += ns
	}
}

// Took returns the acquisition site of a lock that a thread holds, see blame.Sites.Took.
func (c *Overview) Took(id format.StackID, lock format.ObjectID) string {
	return c.keys.Sites().Took(id, lock)
}

// TotalNs returns all waiting, in ns of thread-time.
func (c *Overview) TotalNs() int64 { return c.total }

// Trapped returns the waiting that a deadlock caused; deadlocks count from 1.
func (c *Overview) Trapped(cycle int) analysis.Known { return *c.trapped.Entry(cycle) }

// doingOf returns the activity in an id of the key owner-doing.
func doingOf(id uint32) blame.Doing {
	if blame.Pseudo(id) {
		return blame.DoingUnknown
	}
	return blame.DoingIn(id)
}
