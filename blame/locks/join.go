package locks

import (
	"cmp"
	"slices"
)

// JoinOwners adds up the owners of two locks by their sites, and what they did.
func JoinOwners(list, more []Owner) []Owner {
	return JoinRows(list, more, func(o *Owner) (string, *int64) { return o.Site, &o.WaitNs }, func(o, more *Owner) {
		o.ByProvenance.AddAll(&more.ByProvenance)
		o.Doing = JoinRows(
			o.Doing,
			more.Doing,
			func(d *Doing) (string, *int64) { return d.What + "\n" + d.Class, &d.WaitNs },
			func(d, more *Doing) {
				d.ByProvenance.AddAll(&more.ByProvenance)
				if more.Root.WaitNs > d.Root.WaitNs {
					d.Root = more.Root
				}
			},
		)
	})
}

// JoinRows adds the rows of a second list to those of the first with the same key, or after them,
// and sorts all by waiting. The function keyed gives the key and the waiting of a row; merge adds
// its other sums, and is nil if it has none.
func JoinRows[T any](list, more []T, keyed func(*T) (key string, waitNs *int64), merge func(row, more *T)) []T {
	out := slices.Clone(list)
	for i := range more {
		key, ns := keyed(&more[i])
		at := slices.IndexFunc(out, func(row T) bool {
			have, _ := keyed(&row)
			return have == key
		})
		if at < 0 {
			out = append(out, more[i])
			continue
		}
		_, sum := keyed(&out[at])
		*sum += *ns
		if merge != nil {
			merge(&out[at], &more[i])
		}
	}
	slices.SortStableFunc(out, func(a, b T) int {
		_, x := keyed(&a)
		_, y := keyed(&b)
		return cmp.Compare(*y, *x)
	})
	return out
}
