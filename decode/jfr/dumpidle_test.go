package jfr

import (
	"fmt"
	"testing"

	"contend/format"
	"contend/golden"
)

// Three dumps, recorded in another order than that of their times, show five threads in one stack each: 1 and 5 were
// parked all the time; 2 wrote a wait in between, 3 one that ended before the first dump, and 4 has another stack in
// the second dump.
func TestIdleTimeBetweenDumps(t *testing.T) {
	dump := func(at int64, fourth format.StackID) undatedDump {
		return undatedDump{asked: at, threads: []observation{
			{thread: 1, idle: 1}, {thread: 2, idle: 2}, {thread: 3, idle: 3}, {thread: 4, idle: fourth},
			{thread: 5, idle: 5, resource: true}, {thread: 6},
		}}
	}
	var d dumpTimes
	d.observe(recordedWait{500, 1000, 3, 0, stateParks}, recordedWait{1100, 1200, 2, 0, stateSleeps})
	d.dumps.list = []undatedDump{dump(1000, 4), dump(3000, 4), dump(2000, 9)}
	idle := func(last bool) (total map[format.ThreadID]int64) {
		var queue format.Queue
		total = map[format.ThreadID]int64{}
		d.advance(last, &queue)
		for ev := (format.Event{}); queue.Pop(&ev); {
			golden.Equal(t, ev.Resource, ev.Thread == 5, "for a resource")
			total[ev.Thread] += ev.End - ev.Time
		}
		return total
	}
	golden.Equal(t, len(idle(false)), 0, "threads before the next chunk")
	d.observe(recordedWait{3100, 3200, 1, 0, stateParks})
	d.dumps.list = append(d.dumps.list, dump(4000, 4))
	golden.Equal(t, fmt.Sprint(idle(false)), "map[1:2000 2:2000 3:3000 4:1000 5:3000]", "idle")
	golden.Equal(t, len(idle(true)), 0, "threads in the last chunk")
}
