package analysis

import (
	"fmt"
	"testing"

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
	threads := rapid.IntRange(MaxPath, 4*MaxPath).Draw(t, "threads")
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

// blame follows the pointers at every instant. near has the roots of short paths only.
func (l *lined) blame() (all, near *sums) {
	all, near = newSums(nil), newSums(nil)
	for thread := range l.waits {
		for at, lock := range l.waits[thread] {
			if lock == 0 {
				continue
			}
			all.byThread[format.ThreadID(thread)]++
			all.direct[fmt.Sprintf("t%d", lock)]++
			hops, root := 1, lock
			for ; l.waits[root][at] > 0; hops++ {
				root = l.waits[root][at]
			}
			all.root[fmt.Sprintf("t%d", root)]++
			if hops <= MaxPath {
				near.root[fmt.Sprintf("t%d", root)]++
			}
		}
	}
	return all, near
}

// Direct owners are right however long chains are. So are the roots of short chains. Roots
// of long ones are right or unknown, and a warning says so.
func TestLongChainsAreChargedToKnownOwners(t *testing.T) {
	unsure := 0
	rapid.Check(t, func(rt *rapid.T) {
		l := drawLined(rt)
		got, tr := run(t, l.events, open)
		all, near := l.blame()
		if diff := cmp.Diff(positive(all.direct), positive(got.direct)); diff != "" {
			rt.Fatalf("direct blame:\n%s", diff)
		}
		if diff := cmp.Diff(all.byThread, got.byThread); diff != "" {
			rt.Fatalf("by thread:\n%s", diff)
		}
		unknown := got.root["unknown"]
		delete(got.root, "unknown")
		for root, ns := range all.root {
			if got.root[root] > ns || got.root[root] < near.root[root] {
				rt.Fatalf("%d ns of %s, want %d to %d", got.root[root], root, near.root[root], ns)
			}
		}
		if total(got.root)+unknown != total(all.root) {
			rt.Fatalf("%d ns and %d unknown, want %d", total(got.root), unknown, total(all.root))
		}
		said := false
		for _, w := range tr.Coverage.Warnings {
			said = said || w.Code == "far"
		}
		if said != (unknown > 0) {
			rt.Fatalf("%d ns are unknown; said: %v", unknown, said)
		}
		if unknown > 0 {
			unsure++
		}
	})
	if unsure == 0 {
		t.Error("no chain was long")
	}
}

// A chain of a thousand waits grows at its end: each thread begins to wait later than the
// one behind it. The waiting is charged to its end while it stays.
func TestALongChainIsChargedToItsEnd(t *testing.T) {
	for name, ends := range map[string]func(i, depth int) int64{
		"together":        func(_, depth int) int64 { return int64(100 * depth) },
		"the last first":  func(i, depth int) int64 { return int64(100*depth + depth - i) },
		"the first first": func(i, depth int) int64 { return int64(100*depth + i) },
	} {
		t.Run(name, func(t *testing.T) {
			const depth = 1000
			var events []format.Event
			for i := 1; i <= depth; i++ {
				events = append(events, holds(i, i, 0, 200*depth))
				if i < depth {
					events = append(events, waits(i, i+1, int64(i), ends(i, depth)))
				}
			}
			var b bookings
			s := newSums(t)
			golden.Must(Run(&format.List{Events: events}, open, s, &b))(t)
			all := waitingIn(events, -maxTime, maxTime)
			if last := s.root[fmt.Sprintf("t%d", depth)]; total(s.root) != all || last < all*9/10 {
				t.Errorf("%d of %d ns are charged to the end, %d in all", last, all, total(s.root))
			}
			if b.slices > 4*MaxPath*depth {
				t.Errorf("%d slices", b.slices)
			}
		})
	}
}

// A cycle of any length is one deadlock for its threads and all threads behind it, recorded
// or sampled.
func TestLongCyclesAreDeadlocks(t *testing.T) {
	golden.Unhurried(t)
	for _, locks := range []int{2, MaxPath - 1, MaxPath, MaxPath + 1, 10 * MaxPath} {
		const behind = 5 * MaxPath
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
			if i > 1 {
				party := func(i int) []format.Party { return []format.Party{{Thread: format.ThreadID(i)}} }
				sampled = append(sampled, format.Event{Kind: format.KindContention, Time: 1000, Weight: 1000, Object: format.ObjectID(i), Owners: party(i), Waiters: party(i - 1)})
			}
		}
		last := &sampled[behind] // two threads wait for lock behind+1: the cycle closes
		for i := range sampled {
			if sampled[i].Object == format.ObjectID(behind+1) {
				last = &sampled[i]
			}
		}
		last.Waiters = append(last.Waiters, format.Party{Thread: format.ThreadID(threads)})
		for name, events := range map[string][]format.Event{"recorded": recorded, "sampled": sampled} {
			s, tr := run(t, events, open)
			if len(tr.Deadlocks) != 1 || len(tr.Deadlocks[0].Cycle) != locks || len(tr.Deadlocks[0].Queued) != behind {
				t.Fatalf("%s, %d locks: %+v", name, locks, tr.Deadlocks)
			}
			if want := int64(threads * 1000); s.total != want || s.root["deadlock1"] != want {
				t.Errorf("%s, %d locks: %d of %d ns are charged to the deadlock", name, locks, s.root["deadlock1"], want)
			}
		}
	}
}
