package moved

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// Found is the locks found to have moved.
type Found struct {
	Same     map[format.ObjectID]format.ObjectID // by joined lock: the lock it is; without that lock itself
	Doubtful int                                 // locks that may be others that moved
	NS       int64                               // waiting for the doubtful ones
}

// Joined returns, for each lock that was joined, the number of its addresses.
func (f *Found) Joined() map[format.ObjectID]int {
	n := map[format.ObjectID]int{}
	for _, one := range f.Same {
		n[one] = max(n[one], 1) + 1
	}
	return n
}

// Find looks for moved locks in one recording with the given collection pauses. class
// returns the class of a lock; ok is false if the lock is not named by its address.
func Find(waits Waits, pauses []Pause, class func(format.ObjectID) (c uint32, ok bool)) *Found {
	f := &Found{Same: map[format.ObjectID]format.ObjectID{}}
	if len(pauses) == 0 {
		return f
	}
	slices.SortFunc(pauses, func(a, b Pause) int { return cmp.Compare(a.Start, b.Start) })
	all := &addressUses{first: math.MaxUint32, sites: map[site]int{}}
	waits(func(w Wait) { all.first = min(all.first, w.Lock) })
	waits(func(w Wait) {
		if c, ok := class(w.Lock); ok {
			all.addWait(w, c)
		}
	})
	families := all.families()
	waits(func(w Wait) {
		if l := int(w.Lock - all.first); l < len(all.of) && all.of[l].waits > 0 {
			if fam := families[all.root(l)]; fam != nil {
				fam.seen = append(fam.seen, waitEnd{w.End, w.Lock})
			}
		}
	})
	c := &collections{pauses, all.rate(len(pauses))}
	for _, fam := range families {
		fam.find(c, f)
	}
	return f
}

// find decides which locks of a family are one. It adds the joined and the doubtful locks to found.
func (f *family) find(c *collections, found *Found) {
	for _, l := range f.links(c) {
		f.join(l, found.Same)
	}
	order := make([]*addressUse, 0, len(f.uses))
	for _, l := range f.uses {
		order = append(order, l)
	}
	slices.SortFunc(
		order,
		func(a, b *addressUse) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.lock, b.lock)) },
	)
	for i := 1; i < len(order); i++ {
		old, l := order[i-1], order[i]
		if old.last <= l.first && c.epoch(old.last) < c.epoch(l.first) &&
			resolve(found.Same, old.lock) != resolve(found.Same, l.lock) {
			found.Doubtful++
			found.NS += l.ns
		}
	}
}

// join merges two locks. The lock with more waiting keeps its name.
func (f *family) join(l link, same map[format.ObjectID]format.ObjectID) {
	old, now := resolve(same, l.old), resolve(same, l.now)
	if old == now {
		return
	}
	if cmp.Or(cmp.Compare(f.uses[now].ns, f.uses[old].ns), cmp.Compare(old, now)) > 0 {
		old, now = now, old
	}
	for from, to := range same {
		if to == now {
			same[from] = old
		}
	}
	same[now] = old
}

// resolve returns the lock that a lock was joined to, or the lock itself.
func resolve(same map[format.ObjectID]format.ObjectID, l format.ObjectID) format.ObjectID {
	if one, ok := same[l]; ok {
		return one
	}
	return l
}
