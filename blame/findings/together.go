package findings

import (
	"cmp"
	"slices"

	"contend/blame/locks"
)

// Locks of one class and site are one place of contention: data select one of them. Each may have
// less waiting than a finding needs, so findings are about all of them together.

// lockPlace is a class of locks with the site in their names, or, without a site, one lock.
type lockPlace struct{ class, site string }

// lockPlaces are the places of locks by their names.
type lockPlaces map[string]lockPlace

func placeOf(l *locks.Lock) lockPlace { return lockPlace{l.Class, cmp.Or(l.Site, l.Name)} }

func newLockPlaces(list []locks.Lock) lockPlaces {
	out := lockPlaces{}
	for i := range list {
		if _, known := out[list[i].Name]; !known { // the first has the most waiting of several with one name
			out[list[i].Name] = placeOf(&list[i])
		}
	}
	return out
}

// lockGroup is the locks of a place.
type lockGroup struct {
	lock locks.Lock // the one with most waiting, with the owners of all
	n    int        // how many they are
}

// grouped joins locks by their places. Locks for which apart is true are not joined with the
// others.
func grouped(list []locks.Lock, apart func(*locks.Lock) bool) (out []lockGroup) {
	type key struct {
		place lockPlace
		apart bool
	}
	at := map[key]int{}
	for i := range list {
		l := &list[i]
		k := key{placeOf(l), apart(l)}
		j, joins := at[k]
		if !joins {
			at[k] = len(out)
			out = append(out, lockGroup{*l, max(len(l.Of), 1)})
			continue
		}
		g := &out[j]
		g.n += max(len(l.Of), 1)
		g.lock.Owners = locks.JoinOwners(g.lock.Owners, l.Owners)
	}
	return out
}

// together joins the findings of one kind about locks of one place.
func (p lockPlaces) together(list []Finding) (out []Finding) {
	type key struct {
		place               lockPlace
		owner, site, thread string
	}
	at := map[key]int{}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.WaitNs, a.WaitNs) })
	for _, f := range list {
		of, known := p[f.Lock]
		if !known {
			of = lockPlace{f.Class, cmp.Or(f.Site, f.Lock)}
		}
		k := key{of, f.Owner, f.Site, f.Thread}
		i, joins := at[k]
		if !joins || f.Kind == HotStripe {
			at[k] = len(out)
			out = append(out, f)
			continue
		}
		g := &out[i]
		g.Locks = max(g.Locks, 1) + 1
		g.WaitNs += f.WaitNs
		g.ByProvenance.AddAll(&f.ByProvenance)
	}
	for i := range out {
		if f := &out[i]; f.Locks > 1 && f.Evidence != "" {
			f.Evidence = "of the one with most: " + f.Evidence
		}
	}
	return out
}
