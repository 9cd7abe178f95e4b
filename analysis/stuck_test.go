package analysis

import (
	"testing"

	"contend/analysis/owners"
	"contend/format"
)

// A cycle in a dump is found once, however many threads are on it or behind it. Threads
// that wait for a running thread are not behind it.
func TestCyclesInADump(t *testing.T) {
	const on, behind, free = 4000, 4000, 2000
	var locks []owners.Unlinked
	add := func(waiter, owner int) {
		l := owners.Unlinked{Time: 5, Lock: format.ObjectID(waiter), Waiters: []format.Party{{Thread: format.ThreadID(waiter)}}}
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
	c, e := &cycles{}, &emitter{queued: map[int32]map[format.ThreadID]bool{}, since: map[int32]int64{}}
	c.stuck(locks, e)
	list := c.deadlocks(e.queued, e.since)
	if len(list) != 1 || len(list[0].Cycle) != on || len(list[0].Queued) != behind || list[0].Queued[0] != 1 || list[0].Since != 5 {
		t.Fatalf("%d deadlocks: %.300v", len(list), list)
	}
}
