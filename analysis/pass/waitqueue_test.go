package pass

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// counted counts what is delivered: waiters in slices, and changes of wait queues.
type counted struct {
	waiters, changes int
	waitNs           int64
}

func (c *counted) Begin(*analysis.Symbols, int64) {}

func (c *counted) Slice(s *analysis.Slice) { c.QueueSlice(s, len(s.Waiters)) }

func (c *counted) QueueChanged(*analysis.QueueChange) { c.changes++ }

func (c *counted) QueueSlice(s *analysis.Slice, n int) {
	c.waiters += len(s.Waiters)
	c.waitNs += s.Length() * int64(n)
}

// handedOver returns waits for one lock and holds of it. The given number of threads waits
// at a time, and the lock is granted in order of arrival.
func handedOver(threads, waiting int) (events []format.Event) {
	for i := range waiting {
		from, to := 1, i*10+10
		if i >= threads {
			from = (i-threads)*10 + 20
		}
		events = append(
			events,
			waits(1+i%threads, 1, int64(from), int64(to)),
			holds(1+i%threads, 1, int64(to), int64(to+10)),
		)
	}
	return events
}

// Each change of owner affects all waiters. The number of reported waiters does not grow
// with the length of the queue, but all waiting time is reported.
func TestLongQueuesAreReportedOnce(t *testing.T) {
	golden.SkipIfShort(t)
	const waiting = 5000
	for _, threads := range []int{10, 100, 1000} {
		var c counted
		events := handedOver(threads, waiting)
		golden.Must(Run(&format.List{Events: events}, open, &c))(t)
		golden.Equal(t, c.waitNs, waitingIn(events, -math.MaxInt64, math.MaxInt64), threads, "threads: waiting sums to")
		if c.waiters > 32*waiting || c.changes > 2*waiting || (c.changes > 0) != (threads > 32) {
			t.Errorf(
				"%d threads: %d waiters and %d changes of queues are reported, in %d waits",
				threads,
				c.waiters,
				c.changes,
				waiting,
			)
		}
	}
}

// No waiter of a long queue is visited outside of the cut.
func TestLongQueuesAreVisitedInTheCutOnly(t *testing.T) {
	const waiting, threads = 5000, 1000
	events := handedOver(threads, waiting)
	for _, cut := range []struct{ from, to int64 }{{0, math.MaxInt64}, {0, 1000}, {0, 20_000}, {20_000, 21_000},
		{49_000, math.MaxInt64}, {20_000, 10_000}} {
		filter := analysis.Filter{From: cut.from, To: cut.to}
		limit := 2 * 32 * int(max(0, min(cut.to, 10*waiting)-cut.from)) / 10 // changes in the cut
		s := swept(events, filter)
		golden.AtMost(t, s.Open.Visited, limit+3*threads, cut, "need be")
		c, _ := run(t, events, filter)
		golden.Equal(t, c.total, waitingIn(events, cut.from, max(cut.from, cut.to)), cut, "waiting sums to")
	}
}

// queuedRun is threads that wait for a few locks, which always have an owner. An owner may
// wait for a lock with a higher number, so there are no cycles.
type queuedRun struct {
	events []format.Event
	owner  [4][]int // by lock and instant
	waits  [][]int  // by thread and instant: the lock; 0 for none
}

func drawQueuedRun(t *rapid.T) *queuedRun {
	const length = 60
	threads := rapid.IntRange(32, 3*32).Draw(t, "threads")
	c := &queuedRun{waits: make([][]int, threads+1)}
	for i := range c.waits {
		c.waits[i] = make([]int, length)
	}
	holding := func(thread, least int) bool { // at some instant a lock of a number or a higher one
		for lock := least; lock < len(c.owner); lock++ {
			if slices.Contains(c.owner[lock], thread) {
				return true
			}
		}
		return false
	}
	for lock := 1; lock < len(c.owner); lock++ {
		for at := 0; at < length; {
			owner, end := rapid.IntRange(1, threads).
				Draw(t, "owner"),
				min(
					at+rapid.IntRange(1, 12).Draw(t, "held"),
					length,
				)
			c.events = append(c.events, holds(owner, lock, int64(at), int64(end)))
			for ; at < end; at++ {
				c.owner[lock] = append(c.owner[lock], owner)
			}
		}
	}
	for thread := 1; thread <= threads; thread++ {
		for at := rapid.IntRange(0, 9).Draw(t, "begins"); at < length; at += rapid.IntRange(1, 9).Draw(t, "away") {
			lock, end := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).
				Draw(t, "lock"),
				min(
					at+rapid.IntRange(1, 50).Draw(t, "waits"),
					length,
				)
			if holding(thread, lock) {
				continue
			}
			c.events = append(c.events, waits(thread, lock, int64(at), int64(end)))
			for ; at < end; at++ {
				c.waits[thread][at] = lock
			}
		}
	}
	return c
}

// blame follows the pointers at every instant, for the threads that are wanted.
func (c *queuedRun) blame(wanted func(thread int) bool) *sums {
	s := newSums(nil)
	for thread := range c.waits {
		for at, lock := range c.waits[thread] {
			if lock == 0 || !wanted(thread) {
				continue
			}
			owner := c.owner[lock][at]
			s.total++
			s.byThread[format.ThreadID(thread)]++
			s.direct[fmt.Sprintf("t%d", owner)]++
			for next := c.waits[owner][at]; next > 0; next = c.waits[owner][at] {
				owner = c.owner[next][at]
			}
			s.root[fmt.Sprintf("t%d", owner)]++
		}
	}
	return s
}

// A group of waiters is charged to owners like its members one by one, to the nanosecond,
// whatever the filter hides.
func TestGroupsAreChargedLikeTheirMembers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawQueuedRun(rt)
		for thread := 1; thread < len(c.waits); thread++ {
			c.events = append(
				c.events,
				format.Event{
					Kind:   format.KindThread,
					Thread: format.ThreadID(thread),
					Name:   fmt.Sprintf("worker-%d", thread),
				},
			)
		}
		for pattern, wanted := range map[string]func(int) bool{"": func(int) bool { return true },
			"[02468]$": func(thread int) bool { return thread%2 == 0 }} {
			filter := open
			if pattern != "" {
				filter.Thread = regexp.MustCompile(pattern)
			}
			got, _ := run(t, c.events, filter)
			want := c.blame(wanted)
			for what, both := range map[string][2]map[string]int64{"direct": {got.direct, want.direct},
				"root": {got.root, want.root}} {
				golden.Same(rt, positive(both[0]), positive(both[1]), what, "blame of threads", pattern)
			}
			if diff := cmp.Diff(want.byThread, got.byThread); diff != "" || got.cutNs != got.total {
				rt.Fatalf("threads %q wait %d, said to last %d:\n%s", pattern, got.total, got.cutNs, diff)
			}
		}
	})
}
