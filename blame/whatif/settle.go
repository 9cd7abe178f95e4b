package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// settle makes rebuilt holds consistent and returns them by start. A recording shows only the
// part of a hold during which others waited. An unknown start or end is placed by the median
// hold of the section, limited by what the thread and the lock are known to have done. The
// holds come by thread, those of unknown threads last.
func (c *Collector) settle() []tenure {
	all, threads, semaphores := c.tenures, len(c.threads), c.semaphores()
	known := len(all)
	for known > 0 && all[known-1].thread < 0 {
		known--
	}
	share(all[:known])
	disown(all[:known])
	beforeWaits(all[:known], threads)
	slices.SortStableFunc(all, func(a, b tenure) int { return cmp.Compare(a.start, b.start) })
	usual := usualLengths(all)
	limitEnds(all, usual, semaphores)
	extendStarts(all, usual, orders(all), threads, semaphores)
	slices.SortStableFunc(all, func(a, b tenure) int { return cmp.Compare(a.start, b.start) })
	all = joined(all, semaphores)
	untangle(all)
	endBeforeWaits(all, threads)
	return all
}

// share makes tenures without a wait shared, where all waits for the section are of
// readers.
func share(all []tenure) {
	readers, writers := map[uint32]bool{}, map[uint32]bool{}
	for i := range all {
		if t := &all[i]; t.asked < t.start && t.mode == format.Shared {
			readers[t.section] = true
		} else if t.asked < t.start {
			writers[t.section] = true
		}
	}
	for i := range all {
		if t := &all[i]; t.asked == t.start && readers[t.section] && !writers[t.section] {
			t.mode = format.Shared
		}
	}
}

// joined makes one tenure of those of a thread and a lock that follow each other
// at once, without another owner in between.
func joined(all []tenure, semaphores []bool) []tenure {
	last, of, out := map[owned]int{}, make([]int, len(semaphores)), all[:0]
	for _, t := range all {
		own := owned{t.thread, t.lock}
		if i, ok := last[own]; ok && t.asked == t.start && out[i].end >= t.start && t.thread >= 0 && (of[t.lock] == i || t.mode == format.Shared || semaphores[t.lock]) {
			out[i].end = max(out[i].end, t.end)
			continue
		}
		last[own], of[t.lock] = len(out), len(out)
		out = append(out, t)
	}
	return out
}

// owned is a lock of a thread.
type owned struct{ thread, lock int32 }

// disown clears the thread of a tenure that overlaps the same thread's own wait for
// that lock: the owner was another one.
func disown(all []tenure) {
	waits := map[owned]span{}
	slices.SortStableFunc(all, func(a, b tenure) int { return cmp.Compare(a.asked, b.asked) })
	for i := range all {
		t := &all[i]
		own := owned{t.thread, t.lock}
		if t.asked < t.start {
			waits[own] = span{start: t.asked, end: t.start}
		} else if w := waits[own]; t.start >= w.start && t.start < w.end {
			t.thread = -1
		}
	}
}

// waitsOf returns when each thread waited, in order.
func waitsOf(all []tenure, threads int) [][]span {
	waits := make([][]span, threads)
	for i := range all {
		if t := &all[i]; t.thread >= 0 && t.asked < t.start {
			waits[t.thread] = append(waits[t.thread], span{start: t.asked, end: t.start})
		}
	}
	for _, list := range waits {
		slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	}
	return waits
}

// waitAt returns the wait in which an instant is.
func waitAt(list []span, at int64) (w span, ok bool) {
	i, _ := slices.BinarySearchFunc(list, at, func(s span, at int64) int { return cmp.Compare(s.start, at) })
	if i == 0 || list[i-1].end <= at {
		return w, false
	}
	return list[i-1], true
}

// beforeWaits lets tenures that are first seen while their thread waits for
// another lock begin before that: no thread takes a lock while it waits.
func beforeWaits(all []tenure, threads int) {
	waits := waitsOf(all, threads)
	for i := range all {
		t := &all[i]
		if t.thread < 0 || t.asked < t.start {
			continue
		}
		if w, ok := waitAt(waits[t.thread], t.start+1); ok && w.end > t.start {
			t.asked, t.start = w.start, w.start
		}
	}
}

// endBeforeWaits lets tenures that are last seen while their thread waits for
// another lock end before that: no thread releases a lock while it waits. Where they
// are not seen before it, the owner was another thread.
func endBeforeWaits(all []tenure, threads int) {
	waits := waitsOf(all, threads)
	for i := range all {
		t := &all[i]
		if t.thread < 0 {
			continue
		}
		_, within := waitAt(waits[t.thread], t.start)
		w, ok := waitAt(waits[t.thread], t.end-1)
		switch {
		case t.asked == t.start && (within || ok && w.start <= t.start || t.end == t.start):
			t.thread = -1
		case ok && w.start > t.start:
			t.end = w.start
		}
	}
}

// usualLengths returns, by section, the median of the holds with two known ends.
func usualLengths(all []tenure) map[uint32]int64 {
	lists := map[uint32][]int64{}
	for i := range all {
		if t := &all[i]; t.asked < t.start && t.end > t.start {
			lists[t.section] = append(lists[t.section], t.end-t.start)
		}
	}
	usual := map[uint32]int64{}
	for section, list := range lists {
		slices.Sort(list)
		usual[section] = list[len(list)/2]
	}
	return usual
}

// following is what comes after a tenure of a lock: when it is taken next, when
// next after a wait, and when so by one that does not share it.
type following struct{ taken, got, exclusive int64 }

// limitEnds ends holds when their thread asks for the lock again, or a waiter gets it. Holds
// without a known end get the usual length.
func limitEnds(all []tenure, usual map[uint32]int64, semaphores []bool) {
	next, ofThread := map[owned]int64{}, map[int32]int64{}
	ofLock := make([]following, len(semaphores))
	for l := range ofLock {
		ofLock[l] = following{math.MaxInt64, math.MaxInt64, math.MaxInt64}
	}
	for i := len(all) - 1; i >= 0; i-- {
		t := &all[i]
		own, f := owned{t.thread, t.lock}, &ofLock[t.lock]
		if t.end == t.start {
			t.end += usual[t.section]
			if t.mode == format.Exclusive {
				t.end = min(t.end, f.taken)
			}
			if asked, ok := ofThread[t.thread]; ok {
				t.end = min(t.end, asked)
			}
		}
		if again, ok := next[own]; ok && t.thread >= 0 {
			t.end = min(t.end, again)
		}
		if limit := f.exclusive; !semaphores[t.lock] {
			if t.mode == format.Exclusive {
				limit = f.got
			}
			t.end = min(t.end, limit)
		}
		t.end = max(t.end, t.start)
		next[own], ofThread[t.thread], f.taken = t.asked, t.asked, t.start
		if t.asked < t.start {
			if f.got = t.start; t.mode == format.Exclusive {
				f.exclusive = t.start
			}
		}
	}
}

// order is one in which two locks are taken.
type order struct{ outer, inner int32 }

// orders counts the orders in which locks are taken.
func orders(all []tenure) map[order]int {
	often := map[order]int{}
	nested(all, func(outer, inner *tenure) { often[order{outer.lock, inner.lock}]++ })
	return often
}

// untangle ends tenures that seem to last while their thread takes another
// lock, where the other order is more frequent: a program does not take two
// locks in both orders for long, as that ends in a deadlock.
func untangle(all []tenure) {
	often := orders(all)
	nested(all, func(outer, inner *tenure) {
		if often[order{outer.lock, inner.lock}] <= often[order{inner.lock, outer.lock}] {
			outer.end = max(min(outer.end, inner.asked), outer.start)
		}
	})
}

// nested calls f for each tenure in which its thread takes another lock.
func nested(all []tenure, f func(outer, inner *tenure)) {
	open := map[int32][]int{} // by thread
	for i := range all {
		t := &all[i]
		if t.thread < 0 {
			continue
		}
		list := slices.DeleteFunc(open[t.thread], func(j int) bool { return all[j].end <= t.asked })
		for _, j := range list {
			if all[j].lock != t.lock {
				f(&all[j], t)
			}
		}
		open[t.thread] = append(list, i)
	}
}

// recent is how many tenures of a thread are searched for one that lies within
// another: all would take too long where a thread holds some lock all along.
const recent = 8

// extendStarts lets tenures for which their thread did not wait begin before their
// first waiter came: together with what the thread did inside of them, if these
// locks are taken in that order, else after that. None begins while others hold
// the lock.
func extendStarts(all []tenure, usual map[uint32]int64, often map[order]int, threads int, semaphores []bool) {
	before, free, alone := make([][]int32, threads), make([]int64, len(semaphores)), make([]int64, len(semaphores))
	for i := range all {
		t := &all[i]
		if t.thread >= 0 {
			since := t.start
			if list := before[t.thread]; t.asked == t.start && t.mode == format.Exclusive {
				since = extended(all, t, list, max(t.end-usual[t.section], free[t.lock]), often)
			}
			if t.asked == t.start {
				if !semaphores[t.lock] {
					held := free[t.lock]
					if t.mode == format.Shared {
						held = alone[t.lock]
					}
					since = min(max(since, held), t.end)
				}
				t.asked, t.start = since, since
			}
			if before[t.thread] = append(before[t.thread], int32(i)); len(before[t.thread]) > recent {
				before[t.thread] = before[t.thread][1:]
			}
		}
		if free[t.lock] = max(free[t.lock], t.end); t.mode == format.Exclusive {
			alone[t.lock] = max(alone[t.lock], t.end)
		}
	}
}

// extended returns when a tenure may have begun that began at a time or later,
// given what else its thread did last.
func extended(all []tenure, t *tenure, recently []int32, since int64, often map[order]int) int64 {
	inner := t.start
	for j := len(recently) - 1; j >= 0; j-- {
		switch p := &all[recently[j]]; {
		case p.end <= since:
		case p.end <= t.end && often[order{t.lock, p.lock}] > often[order{p.lock, t.lock}]:
			inner = min(inner, p.asked)
		case p.lock == t.lock || often[order{p.lock, t.lock}] == 0:
			since = max(since, p.end)
		default:
			since = max(since, p.start)
		}
	}
	return min(since, inner)
}
