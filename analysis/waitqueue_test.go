package analysis

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A crowd holds who has joined and not left, in order, and says who joined behind a
// number.
func TestCrowdHoldsWhoHasNotLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var crowd Crowd[uint32]
		var there []uint32
		last := uint32(0)
		for range rapid.IntRange(0, 200).Draw(t, "changes") {
			if n := len(there); n > 0 && rapid.IntRange(0, 2).Draw(t, "leaves") == 0 {
				at := rapid.IntRange(0, n-1).Draw(t, "who")
				crowd.Leave(there[at])
				there = slices.Delete(there, at, at+1)
			} else {
				last += rapid.Uint32Range(1, 9).Draw(t, "step")
				crowd.Join(last, last)
				there = append(there, last)
			}
			behind := rapid.Uint32Range(0, last).Draw(t, "behind")
			var want, got []uint32
			for _, one := range slices.Backward(there) {
				if one > behind {
					want = append(want, one)
				}
			}
			for number, one := range crowd.Behind(behind) {
				if got = append(got, one); number != one || *crowd.Of(number) != one {
					t.Fatalf("%d has the number %d", one, number)
				}
			}
			if !slices.Equal(got, want) || crowd.Len() != len(there) || len(there) > 0 && *crowd.First() != there[0] {
				t.Fatalf("behind %d come %v of %d, want %v of %d", behind, got, crowd.Len(), want, len(there))
			}
			if rapid.Bool().Draw(t, "all") && !slices.Equal(crowd.All(), there) {
				t.Fatalf("%v are there, want %v", crowd.All(), there)
			}
		}
	})
}

// counted counts what is delivered: waiters in slices, and changes of crowds.
type counted struct {
	waiters, changes int
	waitNs           int64
}

func (c *counted) Begin(*Symbols, int64) {}
func (c *counted) Slice(s *Slice)        { c.Crowd(s, len(s.Waiters)) }
func (c *counted) Moved(*Move)           { c.changes++ }
func (c *counted) Crowd(s *Slice, n int) {
	c.waiters += len(s.Waiters)
	c.waitNs += s.Length() * int64(n)
}

// handedOver returns waits for one lock, of so many threads at a time, which get it in
// order of arrival, and who has it.
func handedOver(threads, waiting int) (events []format.Event) {
	for i := range waiting {
		from, to := 1, i*10+10
		if i >= threads {
			from = (i-threads)*10 + 20
		}
		events = append(events, waits(1+i%threads, 1, int64(from), int64(to)), holds(1+i%threads, 1, int64(to), int64(to+10)))
	}
	return events
}

// Each change of owner concerns all who wait. What is told of it does not grow with how
// many they are; how long each waits is told nevertheless.
func TestACrowdIsToldOfOnce(t *testing.T) {
	golden.Unhurried(t)
	const waiting = 5000
	for _, threads := range []int{10, 100, 1000} {
		var c counted
		events := handedOver(threads, waiting)
		if _, err := Run(&format.List{Events: events}, open, &c); err != nil {
			t.Fatal(err)
		}
		if want := waitingIn(events, -maxTime, maxTime); c.waitNs != want {
			t.Errorf("%d threads: waiting sums to %d, recorded %d", threads, c.waitNs, want)
		}
		if c.waiters > groupFrom*waiting || c.changes > 2*waiting || (c.changes > 0) != (threads > groupFrom) {
			t.Errorf("%d threads: %d waiters are told of, and %d changes of crowds, in %d waits", threads, c.waiters, c.changes, waiting)
		}
	}
}

// Before the cut and behind it nobody in a long queue is looked at.
func TestACrowdIsLookedAtInTheCutOnly(t *testing.T) {
	const waiting, threads = 5000, 1000
	events := handedOver(threads, waiting)
	for _, cut := range []struct{ from, to int64 }{{0, maxTime}, {0, 1000}, {0, 20_000}, {20_000, 21_000}, {49_000, maxTime}, {20_000, 10_000}} {
		filter := Filter{From: cut.from, To: cut.to}
		most := 2 * groupFrom * int(max(0, min(cut.to, 10*waiting)-cut.from)) / 10 // changes in the cut
		s := swept(events, filter)
		if s.visited > most+3*threads {
			t.Errorf("%+v: %d looks at waiters, at most %d are needed", cut, s.visited, most+3*threads)
		}
		c, _ := run(t, events, filter)
		if want := waitingIn(events, cut.from, max(cut.from, cut.to)); c.total != want {
			t.Errorf("%+v: waiting sums to %d, recorded %d", cut, c.total, want)
		}
	}
}

// One by one is cheaper for a few, and dearer for some dozens.
func TestWhatIsACrowd(t *testing.T) {
	if groupFrom < 16 || groupFrom > 64 {
		t.Errorf("a crowd is of %d waiters or more", groupFrom)
	}
}

// crowded is threads that wait for a few locks, which always have an owner. Who has
// one may wait for another of a higher number, so that nobody waits in a circle.
type crowded struct {
	events []format.Event
	owner  [4][]int // by lock and instant
	waits  [][]int  // by thread and instant: the lock; 0 for none
}

func drawCrowded(t *rapid.T) *crowded {
	const length = 60
	threads := rapid.IntRange(groupFrom, 3*groupFrom).Draw(t, "threads")
	c := &crowded{waits: make([][]int, threads+1)}
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
			owner, end := rapid.IntRange(1, threads).Draw(t, "owner"), min(at+rapid.IntRange(1, 12).Draw(t, "held"), length)
			c.events = append(c.events, holds(owner, lock, int64(at), int64(end)))
			for ; at < end; at++ {
				c.owner[lock] = append(c.owner[lock], owner)
			}
		}
	}
	for thread := 1; thread <= threads; thread++ {
		for at := rapid.IntRange(0, 9).Draw(t, "begins"); at < length; at += rapid.IntRange(1, 9).Draw(t, "away") {
			lock, end := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "lock"), min(at+rapid.IntRange(1, 50).Draw(t, "waits"), length)
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

// blame follows the pointers at every instant, for the threads that are shown.
func (c *crowded) blame(shown func(thread int) bool) *sums {
	s := newSums(nil)
	for thread := range c.waits {
		for at, lock := range c.waits[thread] {
			if lock == 0 || !shown(thread) {
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

// Many who wait are charged to their owners as each is, to the nanosecond, whoever of
// them is shown.
func TestCrowdsAreChargedAsEachIs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawCrowded(rt)
		for thread := 1; thread < len(c.waits); thread++ {
			c.events = append(c.events, format.Event{Kind: format.KindThread, Thread: format.ThreadID(thread), Name: fmt.Sprintf("worker-%d", thread)})
		}
		for pattern, shown := range map[string]func(int) bool{"": func(int) bool { return true }, "[02468]$": func(thread int) bool { return thread%2 == 0 }} {
			filter := open
			if pattern != "" {
				filter.Thread = regexp.MustCompile(pattern)
			}
			got, _ := run(t, c.events, filter)
			want := c.blame(shown)
			for what, both := range map[string][2]map[string]int64{"direct": {got.direct, want.direct}, "root": {got.root, want.root}} {
				if diff := cmp.Diff(positive(both[1]), positive(both[0])); diff != "" {
					rt.Fatalf("%s blame of threads %q:\n%s", what, pattern, diff)
				}
			}
			if diff := cmp.Diff(want.byThread, got.byThread); diff != "" || got.told != got.total {
				rt.Fatalf("threads %q wait %d, said to last %d:\n%s", pattern, got.total, got.told, diff)
			}
		}
	})
}
