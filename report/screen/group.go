package screen

import (
	"cmp"
	"slices"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// group is the locks of one class that are known by one place in the program: to
// a reader they are one lock, or so many of them.
type group struct {
	document.Lock       // the sums; name, class and site are those of the biggest
	locks         int   // how many
	biggest       int64 // waiting for the biggest of them

	inferred, expected float64 // waiting whose owners are inferred, and what of it is expected to be right
}

// groupsOf joins locks, which are by waiting, biggest first, and those that are
// described together.
func groupsOf(locks []document.Lock, rest []document.Rest) (groups []group) {
	at := map[[2]string]int{}
	add := func(l *document.Lock, n int, biggest int64) {
		key := [2]string{l.Class, l.Site}
		if l.Site == "" {
			key[1] = l.Lock
		}
		j, ok := at[key]
		if !ok {
			at[key] = len(groups)
			groups = append(groups, group{Lock: *l, locks: n, biggest: biggest})
			groups[len(groups)-1].expect(l)
			return
		}
		groups[j].add(l, n)
	}
	for i := range locks {
		add(&locks[i], 1, locks[i].WaitNs)
	}
	for i := range rest {
		add(&rest[i].Lock, rest[i].Locks, rest[i].Biggest)
	}
	for i := range groups {
		groups[i].Owners = likelyOwners(groups[i].Owners)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.WaitNs, a.WaitNs) })
	return groups
}

// leastLikely is how likely an inferred owner is at least that is named. Below it the
// reader would be sent to the wrong code twice of three times.
const leastLikely = 0.35

// likelyOwners returns the owners with those together that are not likely enough to be
// named: they are not known.
func likelyOwners(list []document.LockOwner) []document.LockOwner {
	doubtful := func(o *document.LockOwner) bool {
		right, ok := o.Provenance.Right()
		return ok && text.Placed(o.Site) && 2*o.Provenance.InferredNs > o.WaitNs && right < leastLikely
	}
	var rest []document.LockOwner
	out := slices.DeleteFunc(slices.Clone(list), func(o document.LockOwner) bool {
		doubt := doubtful(&o)
		if doubt {
			rest = append(rest, document.LockOwner{Site: unknownOwner, WaitNs: o.WaitNs, Provenance: o.Provenance})
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
func (g *group) add(l *document.Lock, n int) {
	g.locks += n
	g.WaitNs += l.WaitNs
	g.Waits += l.Waits
	g.Failed += l.Failed
	g.MaxNs, g.Waiters = max(g.MaxNs, l.MaxNs), max(g.Waiters, l.Waiters)
	g.Uncertainty = nil
	g.expect(l)
	g.Owners = joinOwners(g.Owners, l.Owners)
	g.Waiting = slices.Clone(g.Waiting)
	for _, w := range l.Waiting {
		if i := slices.IndexFunc(g.Waiting, func(v document.Site) bool { return v.Site == w.Site }); i >= 0 {
			g.Waiting[i].WaitNs += w.WaitNs
			g.Waiting[i].Waits += w.Waits
		} else {
			g.Waiting = append(g.Waiting, w)
		}
	}
	slices.SortStableFunc(g.Waiting, func(a, b document.Site) int { return cmp.Compare(b.WaitNs, a.WaitNs) })
}

// expect adds what is expected to be right of a lock's owners that are inferred.
func (g *group) expect(l *document.Lock) {
	if right, ok := l.Provenance.Right(); ok {
		g.inferred += float64(l.Provenance.InferredNs)
		g.expected += right * float64(l.Provenance.InferredNs)
	}
}

// right is how much of what is inferred is expected to be right; 1 where nothing is said
// of it.
func (g *group) right() float64 {
	if g.inferred == 0 {
		return 1
	}
	return g.expected / g.inferred
}

// joinOwners adds up the owners at each site.
func joinOwners(list, more []document.LockOwner) []document.LockOwner {
	out := slices.Clone(list)
	for _, o := range more {
		i := slices.IndexFunc(out, func(p document.LockOwner) bool { return p.Site == o.Site })
		if i < 0 {
			out = append(out, o)
			continue
		}
		p := &out[i]
		p.WaitNs += o.WaitNs
		p.Provenance = addProvenance(p.Provenance, o.Provenance)
		p.Callers = joinBy(p.Callers, o.Callers, func(c document.Callers) string { return strings.Join(c.Sites, " < ") }, func(a, b document.Callers) document.Callers {
			return document.Callers{Sites: a.Sites, WaitNs: a.WaitNs + b.WaitNs}
		}, func(c document.Callers) int64 { return c.WaitNs })
		p.Doing = joinBy(p.Doing, o.Doing, func(d document.Doing) string { return d.What + " " + d.Class }, func(a, b document.Doing) document.Doing {
			return document.Doing{What: a.What, Class: a.Class, WaitNs: a.WaitNs + b.WaitNs}
		}, func(d document.Doing) int64 { return d.WaitNs })
	}
	slices.SortStableFunc(out, func(a, b document.LockOwner) int { return cmp.Compare(b.WaitNs, a.WaitNs) })
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

func addProvenance(a, b document.Provenance) document.Provenance {
	return document.Provenance{ExactNs: a.ExactNs + b.ExactNs, SampledNs: a.SampledNs + b.SampledNs, InferredNs: a.InferredNs + b.InferredNs,
		UnknownNs: a.UnknownNs + b.UnknownNs, RightNs: a.RightNs + b.RightNs}
}
