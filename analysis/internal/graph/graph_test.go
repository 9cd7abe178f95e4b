package graph

import (
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/owners"
	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

// Each of the readers of a lock waits for the next one, which has as many readers. Of four
// thousand paths each is followed to its end, of eight thousand not.
func TestHowManyPathsAreFollowed(t *testing.T) {
	for readers, all := range map[int]bool{15: true, 20: false} {
		const locks = 3
		g := Graph{
			Owners:  make([][]analysis.Owner, locks+1),
			Blocked: make([]Blocked, locks*readers+2),
			Cycles:  &Cycles{},
			Hops:    &HopStore{},
		}
		g.Blocked[1] = Blocked{Lock: 1, Stack: 1}
		for thread := 2; thread < len(g.Blocked); thread++ {
			lock := format.ObjectID(1 + (thread-2)/readers)
			if g.AddOwner(lock, analysis.Owner{Thread: format.ThreadID(thread), Stack: 1}); lock < locks {
				g.Blocked[thread] = Blocked{Lock: lock + 1, Stack: 1}
			}
		}
		followed, sum := true, int64(0)
		shares, _ := g.Shares(1, 0, 1e6)
		for _, s := range shares {
			followed, sum = followed && s.Hops == locks, sum+s.Ns
		}
		golden.Equal(t, followed, all, readers)
		golden.Equal(t, sum, 1e6, readers)
	}
}

// Two threads that wait for each other in a dump are a deadlock. A thread that waits for
// its own lock, as after a hand-off, is none.
func TestACycleHasTwoThreads(t *testing.T) {
	lock := func(l format.ObjectID, owner, waiter format.ThreadID) owners.Unlinked {
		return owners.Unlinked{
			Time:    100,
			Lock:    l,
			Owners:  []format.Party{{Thread: owner}},
			Waiters: []format.Party{{Thread: waiter}},
		}
	}
	for _, c := range []struct {
		locks []owners.Unlinked
		want  int
	}{{[]owners.Unlinked{lock(1, 1, 2), lock(2, 2, 1)}, 1}, {[]owners.Unlinked{lock(1, 1, 1)}, 0}} {
		known := map[string]int32{}
		if (&Cycles{}).findCycles(c.locks, known); len(known) != c.want {
			t.Errorf("%+v: %d cycles, want %d", c.locks, len(known), c.want)
		}
	}
}

// A cycle in a dump is found once, however many threads are on it or behind it. Threads
// that wait for a running thread are not behind it.
func TestCyclesInADump(t *testing.T) {
	const on, behind, free = 4000, 4000, 2000
	var locks []owners.Unlinked
	add := func(waiter, owner int) {
		l := owners.Unlinked{
			Time:    5,
			Lock:    format.ObjectID(waiter),
			Waiters: []format.Party{{Thread: format.ThreadID(waiter)}},
		}
		l.Owners = []format.Party{{Thread: format.ThreadID(owner)}}
		locks = append(locks, l)
	}
	for i := 1; i <= behind; i++ { // the last one waits for the first of the cycle
		add(i, i+1)
	}
	for i := behind + 1; i < behind+on; i++ {
		add(i, i+1)
	}
	add(behind+on, behind+1)
	for i := behind + on + 1; i <= behind+on+free; i++ {
		add(i, i+1)
	}
	c := &Cycles{}
	c.Stuck(locks)
	list := c.Deadlocks()
	if len(list) != 1 || len(list[0].Cycle) != on || len(list[0].Queued) != behind || list[0].Queued[0] != 1 ||
		list[0].Since != 5 {
		t.Fatalf("%d deadlocks: %.300v", len(list), list)
	}
}

// Owners of a lock stay in order of thread through any changes; those of one thread are in
// reverse order of arrival.
func TestOwnersComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Graph{Owners: make([][]analysis.Owner, 1)}
		var want []analysis.Owner
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			h := analysis.Owner{
				Thread: format.ThreadID(rapid.IntRange(0, 4).Draw(t, "thread")),
				Stack:  format.StackID(rapid.IntRange(1, 3).Draw(t, "stack")),
			}
			if at := slices.Index(want, h); at >= 0 && rapid.Bool().Draw(t, "goes") {
				g.Disown(0, h)
				want = slices.Delete(want, at, at+1)
			} else {
				g.AddOwner(0, h)
				at, _ := slices.BinarySearchFunc(want, h.Thread,
					func(a analysis.Owner, t format.ThreadID) int { return int(a.Thread) - int(t) })
				want = slices.Insert(want, at, h)
			}
			golden.Same(t, g.Owners[0], want)
		}
	})
}
