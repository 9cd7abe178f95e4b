package locks

import (
	"cmp"
	"slices"
	"strings"

	"contend/analysis"
)

// minLikely is the least probability of an inferred owner that is named. Below it the reader
// would be sent to the wrong code twice of three times.
const minLikely = 0.35

// nameable reports whether the owner is known well enough to be named. Pseudo owners always are.
func (o *Owner) nameable() bool {
	likely, inferred := o.Provenance.Right()
	return !inferred || strings.HasPrefix(o.Site, "[") || 2*o.Provenance.InferredNs <= o.WaitNs || likely >= minLikely
}

// NameableOwners returns the owners of a lock. Those that are not known well enough to be named
// become one: the unknown owner.
func NameableOwners(list []Owner) []Owner {
	var named, rest []Owner
	for _, o := range list {
		if o.nameable() {
			named = append(named, o)
		} else {
			rest = append(rest, Owner{Site: analysis.PseudoOwner(analysis.OwnerUnknown, 0), WaitNs: o.WaitNs,
				Provenance: o.Provenance})
		}
	}
	if rest == nil {
		return list
	}
	return JoinOwners(named, rest)
}

// JoinOwners adds up the owners of two locks by their sites.
func JoinOwners(list, more []Owner) []Owner {
	return join(list, more, func(o *Owner) (string, *int64) { return o.Site, &o.WaitNs }, func(o, more *Owner) {
		o.Provenance.Merge(more.Provenance)
		o.SharePlusMinus = nil // that of one of them
		o.Callers = join(
			o.Callers,
			more.Callers,
			func(c *Callers) (string, *int64) { return strings.Join(c.Sites, between), &c.WaitNs },
			nil,
		)
		o.Doing = join(
			o.Doing,
			more.Doing,
			func(d *Doing) (string, *int64) { return d.What + between + d.Class, &d.WaitNs },
			func(d, more *Doing) {
				d.ByProvenance.AddAll(&more.ByProvenance)
				if more.Root.WaitNs > d.Root.WaitNs {
					d.Root = more.Root
				}
			},
		)
	})
}

// JoinSites adds up the waiters of two locks by their sites.
func JoinSites(list, more []Site) []Site {
	return join(
		list,
		more,
		func(s *Site) (string, *int64) { return s.Site, &s.WaitNs },
		func(s, more *Site) { s.Waits += more.Waits },
	)
}

// join adds the rows of a second list to those of the first with the same key, or after them,
// and sorts all by waiting. The function of gives the key and the waiting of a row; add adds
// its other sums.
func join[T any](list, more []T, of func(*T) (key string, waitNs *int64), add func(row, more *T)) []T {
	out := slices.Clone(list)
	for i := range more {
		key, ns := of(&more[i])
		at := slices.IndexFunc(out, func(row T) bool {
			have, _ := of(&row)
			return have == key
		})
		if at < 0 {
			out = append(out, more[i])
			continue
		}
		_, sum := of(&out[at])
		*sum += *ns
		if add != nil {
			add(&out[at], &more[i])
		}
	}
	slices.SortStableFunc(out, func(a, b T) int {
		_, x := of(&a)
		_, y := of(&b)
		return cmp.Compare(*y, *x)
	})
	return out
}
