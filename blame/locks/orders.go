package locks

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// order is a pair of locks: a thread held outer while it waited for inner.
type order struct{ outer, inner format.ObjectID }

// ordered is the evidence for an order.
type ordered struct {
	site  uint32         // the first acquisition site of the outer lock
	known analysis.Known // the waiting for the outer lock in that time
}

// order returns the sum for the order of the first two locks of a path. It is nil if the path has one
// lock, if the owner of the outer one is not recorded, or in a deadlock, which is a finding of its
// own.
func (c *Overview) order(lock format.ObjectID, sh *analysis.Share, site uint32, sampled bool) *ordered {
	if sh.Path == nil || sh.Path.Lock == lock || sh.Root.Kind == analysis.OwnerDeadlock ||
		!c.recorded(lock, sh, sampled) {
		return nil
	}
	o := blame.Entry(c.orders, order{lock, sh.Path.Lock})
	if o.known.Ns() == 0 {
		o.site = site
	}
	return o
}

// recorded reports whether the trace records the owner and the lock with certainty. An inferred
// owner may be wrong, and a sample stands for more than its instant; both can reverse an
// order. A dump is exact, but it knows locks by addresses, which two locks of one class may
// exchange.
func (c *Overview) recorded(lock format.ObjectID, sh *analysis.Share, sampled bool) bool {
	switch sh.Direct.Prov {
	case analysis.Exact:
		return true
	case analysis.Sampled:
		return sampled && c.sym.Class(lock) != c.sym.Class(sh.Path.Lock)
	}
	return false
}

// Inversion is a pair of locks that were acquired in both orders, at different times.
type Inversion struct {
	Lock, Class string // of the held lock
	Other       string // the lock waited for
	Owner       string // the acquisition site of the held lock

	ByProvenance analysis.Known // the waiting for both locks
}

// Inversions returns the pairs of locks that were acquired in both orders, in descending order of
// waiting.
func (c *Overview) Inversions() (out []Inversion) {
	for k, there := range c.orders {
		back := c.orders[order{k.inner, k.outer}]
		if back == nil || k.outer > k.inner {
			continue
		}
		v := Inversion{
			Lock:         c.sym.LockName(k.outer),
			Class:        c.sym.ClassName(k.outer),
			Other:        c.sym.LockName(k.inner),
			Owner:        c.text(blame.ByOwnerSite, there.site),
			ByProvenance: there.known,
		}
		v.ByProvenance.AddAll(&back.known)
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b Inversion) int {
		return cmp.Or(
			cmp.Compare(b.ByProvenance.Ns(), a.ByProvenance.Ns()),
			cmp.Compare(a.Lock, b.Lock),
			cmp.Compare(a.Other, b.Other),
		)
	})
	return out
}
