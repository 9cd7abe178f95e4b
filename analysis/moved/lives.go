package moved

import "contend/format"

// site is a call site at which a class of lock is waited for.
type site struct {
	class uint32
	stack format.StackID
}

// addressUses are the uses of all addresses of one recording. If several recordings are
// read as one trace, their ids are disjoint ranges.
type addressUses struct {
	first format.ObjectID // the lowest id
	of    []addressUse    // by lock, less first
	sites map[site]int    // a lock waited for at each
}

// addWait adds a wait to the uses of its address. Locks of one class that are waited for with
// one stack are a family.
func (a *addressUses) addWait(w Wait, class uint32) {
	lock := int(w.Lock - a.first)
	for len(a.of) <= lock {
		a.of = append(a.of, addressUse{family: len(a.of)})
	}
	l := &a.of[lock]
	if l.waits == 0 {
		l.lock = w.Lock
		l.first = w.End
		l.last = w.End
	}
	l.first, l.last = min(l.first, w.End), max(l.last, w.End)
	if l.waits == 0 || l.stack != w.Stack {
		l.stack = w.Stack
		at := site{class, w.Stack}
		if other, ok := a.sites[at]; ok {
			a.join(other, lock)
		} else {
			a.sites[at] = lock
		}
	}
	l.waits++
	l.ns += w.End - w.Start
}

// root returns the lock that represents a family.
func (a *addressUses) root(l int) int {
	for a.of[l].family != l {
		a.of[l].family = a.of[a.of[l].family].family
		l = a.of[l].family
	}
	return l
}

func (a *addressUses) join(l, m int) {
	l, m = a.root(l), a.root(m)
	a.of[max(l, m)].family = min(l, m)
}

// families returns the families of several locks, by the lock that represents each.
func (a *addressUses) families() map[int]*family {
	sizes := map[int]int{}
	for l := range a.of {
		if a.of[l].waits > 0 {
			sizes[a.root(l)]++
		}
	}
	out := map[int]*family{}
	for l := range a.of {
		root := a.root(l)
		if a.of[l].waits == 0 || sizes[root] < 2 {
			continue
		}
		if out[root] == nil {
			out[root] = &family{uses: map[format.ObjectID]*addressUse{}}
		}
		out[root].uses[a.of[l].lock] = &a.of[l]
	}
	return out
}

// rate returns the number of collections per nanosecond.
func (a *addressUses) rate(pauses int) float64 {
	from, to := int64(0), int64(0)
	for i := range a.of {
		if l := &a.of[i]; l.waits > 0 {
			if from == 0 || l.first < from {
				from = l.first
			}
			to = max(to, l.last)
		}
	}
	return float64(pauses) / float64(max(to-from, 1))
}
