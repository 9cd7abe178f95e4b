package moved

import "contend/format"

// site is where a lock is waited for.
type site struct {
	class uint32
	stack format.StackID
}

// lives are all addresses of one recording. Of several that are read as one
// trace, the locks of each have ids of their own, one behind the other.
type lives struct {
	first format.ObjectID // none has a lower id
	of    []life          // by lock, less first
	sites map[site]int    // a lock that was waited for there
}

// meet adds a wait to the life of its lock. Locks of one class that are waited
// for in one stack are of one family.
func (a *lives) meet(w Wait, class uint32) {
	lock := int(w.Lock - a.first)
	for len(a.of) <= lock {
		a.of = append(a.of, life{family: len(a.of)})
	}
	l := &a.of[lock]
	if l.waits == 0 {
		l.lock, l.first, l.last = w.Lock, w.End, w.End
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

// root returns the lock that stands for a family.
func (a *lives) root(l int) int {
	for a.of[l].family != l {
		a.of[l].family = a.of[a.of[l].family].family
		l = a.of[l].family
	}
	return l
}

func (a *lives) join(l, m int) {
	l, m = a.root(l), a.root(m)
	a.of[max(l, m)].family = min(l, m)
}

// families returns those of several locks, by the lock that stands for each.
func (a *lives) families() map[int]*family {
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
			out[root] = &family{lives: map[format.ObjectID]*life{}}
		}
		out[root].lives[a.of[l].lock] = &a.of[l]
	}
	return out
}

// rate returns how many collections there are in a nanosecond.
func (a *lives) rate(pauses int) float64 {
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
