package whatif

import "slices"

// nesting is a pair of locks: the second was acquired while the first was held.
type nesting struct{ outer, inner int32 }

// mayDeadlock reports whether recorded holds show threads that acquire locks in a circle of orders:
// without one they cannot deadlock, whatever changes. Inferred holds show none, because their ends
// are guesses.
func (c *Collector) mayDeadlock() bool {
	return !c.rebuilt && circular(c.nestings())
}

// nestings returns the pairs of locks of which threads held one from before they asked for the other
// until after they had it. A hold that ends in between is imprecise: no thread releases a lock while
// it waits.
func (c *Collector) nestings() map[nesting]bool {
	out := map[nesting]bool{}
	for _, list := range c.ofThreads() {
		slices.SortStableFunc(list, func(a, b hold) int { return int(min(max(a.asked-b.asked, -1), 1)) })
		var open []*hold
		for i := range list {
			h := &list[i]
			open = slices.DeleteFunc(open, func(o *hold) bool { return o.end <= h.asked })
			for _, o := range open {
				if o.lock != h.lock && o.start <= h.asked && o.end > h.start {
					out[nesting{o.lock, h.lock}] = true
				}
			}
			open = append(open, h)
		}
	}
	return out
}

// circular reports whether the pairs have a cycle: what is left when locks that nothing is acquired
// under are taken away again and again.
func circular(pairs map[nesting]bool) bool {
	inside, left := map[int32][]int32{}, map[int32]int{} // by inner lock: its outer ones; by outer lock: its inner ones
	for p := range pairs {
		inside[p.inner] = append(inside[p.inner], p.outer)
		left[p.outer]++
	}
	var free []int32
	for lock := range inside {
		if left[lock] == 0 {
			free = append(free, lock)
		}
	}
	n := len(pairs)
	for len(free) > 0 {
		lock := free[len(free)-1]
		free = free[:len(free)-1]
		for _, outer := range inside[lock] {
			n--
			if left[outer]--; left[outer] == 0 {
				free = append(free, outer)
			}
		}
	}
	return n > 0
}
