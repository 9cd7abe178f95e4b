package pass

import (
	"fmt"
	"math"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// lined is threads in a line. Each holds the lock of its number and sometimes waits for a
// lock further on, so chains are long.
type lined struct {
	events []format.Event
	waits  [][]int // by thread and instant: the lock; 0 for none
}

func drawLined(t *rapid.T) *lined {
	const length = 40
	threads := rapid.IntRange(analysis.MaxPath, 4*analysis.MaxPath).Draw(t, "threads")
	often := rapid.IntRange(1, 12).Draw(t, "often")
	l := &lined{waits: make([][]int, threads+1)}
	for thread := 1; thread <= threads; thread++ {
		l.waits[thread] = make([]int, length)
		l.events = append(l.events, holds(thread, thread, 0, length))
		for at := rapid.IntRange(0, 5).Draw(t, "begins"); at < length && thread < threads; {
			end := length
			if rapid.IntRange(0, often).Draw(t, "ends") == 0 {
				end = min(at+rapid.IntRange(1, length).Draw(t, "for"), length)
			}
			lock := min(thread+rapid.SampledFrom([]int{1, 1, 1, 1, 2, 5}).Draw(t, "lock"), threads)
			l.events = append(l.events, waits(thread, lock, int64(at), int64(end)))
			for ; at < end; at++ {
				l.waits[thread][at] = lock
			}
		}
	}
	return l
}

// blame follows the pointers at every instant, MaxPath of them after the first.
func (l *lined) blame() *sums {
	all := newSums(nil)
	for thread := range l.waits {
		for at, lock := range l.waits[thread] {
			if lock == 0 {
				continue
			}
			all.byThread[format.ThreadID(thread)]++
			all.direct[fmt.Sprintf("t%d", lock)]++
			further, root := 0, lock
			for ; l.waits[root][at] > 0 && further <= analysis.MaxPath; further++ {
				root = l.waits[root][at]
			}
			if further > analysis.MaxPath {
				all.root["unknown"]++
			} else {
				all.root[fmt.Sprintf("t%d", root)]++
			}
		}
	}
	return all
}

// Direct owners are right however long chains are, and so are the roots of all chains that
// are followed to their end. A warning says that others are not.
func TestLongChainsAreChargedToKnownOwners(t *testing.T) {
	unknown := 0
	rapid.Check(t, func(rt *rapid.T) {
		l := drawLined(rt)
		got, tr := run(t, l.events, open)
		want := l.blame()
		for _, diff := range []string{cmp.Diff(positive(want.direct), positive(got.direct)),
			cmp.Diff(positive(want.root), positive(got.root)), cmp.Diff(want.byThread, got.byThread)} {
			if diff != "" {
				rt.Fatal(diff)
			}
		}
		said := false
		for _, w := range tr.Coverage.Warnings {
			said = said || w.Code == "far"
		}
		golden.Equal(rt, said, want.root["unknown"] > 0, want.root["unknown"], "are unknown; said")
		if said {
			unknown++
		}
	})
	if unknown == 0 {
		t.Error("no chain was long")
	}
}

// A change at the end of a long chain ends the slices of the waits near to it only.
func TestAChangeEndsFewSlicesOfALongChain(t *testing.T) {
	const depth = 1000
	var b bookings
	if _, err := Run(&format.List{Events: chained(depth)}, open, &b); err != nil ||
		b.slices > 2*(analysis.MaxPath+1)*depth {
		t.Errorf("%d slices, %v", b.slices, err)
	}
}

// A cycle that a path can follow is one deadlock for its threads and all threads behind it,
// recorded or sampled.
func TestCyclesAreDeadlocks(t *testing.T) {
	for locks, behind := range map[int]int{2: analysis.MaxPath - 1, analysis.MaxPath - 1: 2, analysis.MaxPath + 1: 0} {
		threads := locks + behind
		next := func(i int) int { // threads behind the cycle come first
			if i == threads {
				return behind + 1
			}
			return i + 1
		}
		var recorded, sampled []format.Event
		for i := 1; i <= threads; i++ {
			recorded = append(recorded, holds(i, i, 0, 2000), waits(i, next(i), 1000, 2000))
			party := func(i int) []format.Party { return []format.Party{{Thread: format.ThreadID(i)}} }
			sampled = append(
				sampled,
				format.Event{
					Kind:   format.KindContention,
					Time:   1000,
					Weight: 1000,
					Object: format.ObjectID(i),
					Owners: party(i),
				},
			)
			for waiter := 1; waiter <= threads; waiter++ {
				if next(waiter) == i {
					sampled[i-1].Waiters = append(sampled[i-1].Waiters, party(waiter)...)
				}
			}
		}
		for name, events := range map[string][]format.Event{"recorded": recorded, "sampled": sampled} {
			s, tr := run(t, events, open)
			if len(tr.Deadlocks) != 1 || len(tr.Deadlocks[0].Cycle) != locks || len(tr.Deadlocks[0].Queued) != behind {
				t.Fatalf("%s, %d locks: %+v", name, locks, tr.Deadlocks)
			}
			if want := int64(threads * 1000); s.total != want || s.root["deadlock1"] != want {
				t.Errorf(
					"%s, %d locks: %d of %d ns are charged to the deadlock",
					name,
					locks,
					s.root["deadlock1"],
					want,
				)
			}
		}
	}
}

// Who asks for one lock at one time is told the candidates of that lock, with evidence that
// adds up, and of the waiting in that time only.
func TestWhyIsAnswered(t *testing.T) {
	events := []format.Event{
		kind(1, format.KindMonitor),
		kind(2, format.KindMonitor),
		stack(5, "take", "loop"),
		stack(6, "other", "loop"),
	}
	for i := range int64(100) {
		for lock := range 2 {
			w := after(2, 1, i*20*ms, i*20*ms+5*ms, 0)
			w.Object, w.Stack = format.ObjectID(lock+1), format.StackID(5+i%2)
			events = append(events, w)
			w.Thread, w.Time, w.End = 3, w.End-ms, w.End+2*ms
			events = append(events, w)
		}
	}
	asks := open
	asks.Why = func(lock format.ObjectID) (from, to int64) {
		if lock != 2 {
			return 0, 0
		}
		return 40 * ms, 41 * ms
	}
	got := golden.Must(Run(&format.List{Events: events}, asks))(t).Whys
	w := got[2]
	if len(got) != 1 || w.Ns != ms || len(w.Candidates) < 2 {
		t.Fatalf("told %+v", got)
	}
	sum := 0.0
	for _, c := range w.Candidates {
		bits := 0.0
		for _, b := range c.Bits() {
			bits += b
		}
		if sum += c.Chance; c.After == [len(c.After)]float64{} || math.IsNaN(bits) {
			t.Errorf("%+v", c)
		}
	}
	golden.AtMost(t, math.Abs(sum-1), 1e-6, "chances add up to", sum)
}
