package whatif

import (
	"cmp"
	"math"
	"slices"

	"contend/format"
)

// settle makes inferred holds consistent and returns them by start. A recording shows only the
// part of a hold during which others waited. An unknown start or end is placed by the median
// hold of the section, limited by what the thread and the lock are known to have done. Holds
// are in order of thread, those of unknown threads last.
func (c *Collector) settle() []hold {
	all, threads, semaphores := c.holds, len(c.threads), c.semaphores()
	known := len(all)
	for known > 0 && all[known-1].thread < 0 {
		known--
	}
	markShared(all[:known])
	disown(all[:known])
	startBeforeWaits(all[:known], threads)
	slices.SortStableFunc(all, func(a, b hold) int { return cmp.Compare(a.start, b.start) })
	usual := medianLengths(all)
	limitEnds(all, usual, semaphores)
	extendStarts(all, usual, orders(all), threads, semaphores)
	slices.SortStableFunc(all, func(a, b hold) int { return cmp.Compare(a.start, b.start) })
	all = mergeAdjacent(all, semaphores)
	endInversions(all)
	endBeforeWaits(all, threads)
	return all
}

// markShared makes holds without a wait shared if all waits for the section are of readers.
func markShared(all []hold) {
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

// mergeAdjacent merges holds of a thread and a lock that follow each other at once without
// another owner in between.
func mergeAdjacent(all []hold, semaphores []bool) []hold {
	last, of, out := map[threadLock]int{}, make([]int, len(semaphores)), all[:0]
	for _, t := range all {
		own := threadLock{t.thread, t.lock}
		if i, ok := last[own]; ok && t.asked == t.start && out[i].end >= t.start && t.thread >= 0 && (of[t.lock] == i || t.mode == format.Shared || semaphores[t.lock]) {
			out[i].end = max(out[i].end, t.end)
			continue
		}
		last[own], of[t.lock] = len(out), len(out)
		out = append(out, t)
	}
	return out
}

// threadLock is a thread and a lock.
type threadLock struct{ thread, lock int32 }

// disown clears the thread of a hold that overlaps the same thread's own wait for that lock:
// the owner was another thread.
func disown(all []hold) {
	waits := map[threadLock]span{}
	slices.SortStableFunc(all, func(a, b hold) int { return cmp.Compare(a.asked, b.asked) })
	for i := range all {
		t := &all[i]
		own := threadLock{t.thread, t.lock}
		if t.asked < t.start {
			waits[own] = span{start: t.asked, end: t.start}
		} else if w := waits[own]; t.start >= w.start && t.start < w.end {
			t.thread = -1
		}
	}
}

// waitsOf returns the waits of each thread in order.
func waitsOf(all []hold, threads int) [][]span {
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

// waitAt returns the wait at an instant; false for none.
func waitAt(list []span, at int64) (w span, ok bool) {
	i, _ := slices.BinarySearchFunc(list, at, func(s span, at int64) int { return cmp.Compare(s.start, at) })
	if i == 0 || list[i-1].end <= at {
		return w, false
	}
	return list[i-1], true
}

// startBeforeWaits moves the start of holds that are first seen during a wait of their thread
// for another lock to the begin of that wait: no thread acquires a lock while it waits.
func startBeforeWaits(all []hold, threads int) {
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

// endBeforeWaits moves the end of holds that are last seen during a wait of their thread for
// another lock to the begin of that wait: no thread releases a lock while it waits. If they
// are not seen before it, the owner was another thread.
func endBeforeWaits(all []hold, threads int) {
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

// medianLengths returns, by section, the median length of the holds with known start and end.
func medianLengths(all []hold) map[uint32]int64 {
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

// following is the next events of a lock after a hold: its next acquisition, its next
// acquisition after a wait, and the next exclusive one after a wait.
type following struct{ taken, got, exclusive int64 }

// limitEnds ends holds when their thread asks for the lock again, or a waiter gets it. Holds
// without a known end get the median length of their section.
func limitEnds(all []hold, usual map[uint32]int64, semaphores []bool) {
	next, ofThread := map[threadLock]int64{}, map[int32]int64{}
	ofLock := make([]following, len(semaphores))
	for l := range ofLock {
		ofLock[l] = following{math.MaxInt64, math.MaxInt64, math.MaxInt64}
	}
	for i := len(all) - 1; i >= 0; i-- {
		t := &all[i]
		own, f := threadLock{t.thread, t.lock}, &ofLock[t.lock]
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
			f.got = t.start
			if t.mode == format.Exclusive {
				f.exclusive = t.start
			}
		}
	}
}

// order is an outer lock and one acquired inside it.
type order struct{ outer, inner int32 }

// orders counts the orders in which locks are acquired.
func orders(all []hold) map[order]int {
	often := map[order]int{}
	nested(all, func(outer, inner *hold) { often[order{outer.lock, inner.lock}]++ })
	return often
}

// endInversions ends holds that seem to last while their thread acquires another lock, if the
// opposite order is more frequent: a program with both orders soon deadlocks.
func endInversions(all []hold) {
	often := orders(all)
	nested(all, func(outer, inner *hold) {
		if often[order{outer.lock, inner.lock}] <= often[order{inner.lock, outer.lock}] {
			outer.end = max(min(outer.end, inner.asked), outer.start)
		}
	})
}

// nested calls f for each hold in which its thread acquires another lock.
func nested(all []hold, f func(outer, inner *hold)) {
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

// maxRecent bounds the holds of a thread that are searched for one inside another: the search
// of all is too slow if a thread holds some lock throughout.
const maxRecent = 8

// extendStarts moves the start of holds without a wait to before the arrival of their first
// waiter: around the other holds of the thread if these locks are acquired in that order, else
// after them. None starts while others hold the lock.
func extendStarts(all []hold, usual map[uint32]int64, often map[order]int, threads int, semaphores []bool) {
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
			before[t.thread] = append(before[t.thread], int32(i))
			if len(before[t.thread]) > maxRecent {
				before[t.thread] = before[t.thread][1:]
			}
		}
		free[t.lock] = max(free[t.lock], t.end)
		if t.mode == format.Exclusive {
			alone[t.lock] = max(alone[t.lock], t.end)
		}
	}
}

// extended returns the start of a hold, no earlier than since, given the recent holds of its
// thread.
func extended(all []hold, t *hold, recently []int32, since int64, often map[order]int) int64 {
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
