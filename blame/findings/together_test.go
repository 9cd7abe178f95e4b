package findings

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// Forty locks of one class and site, each with a fortieth of the waiting, are one subject: a
// threshold for each of them would hide all.
func TestLocksOfOneClassAndSiteAreOneSubject(t *testing.T) {
	const n = 40
	l := &format.List{}
	write := func(ev format.Event) { golden.OK(t, l.Write(&ev)) }
	write(format.Event{Kind: format.KindRecording, End: 1000 * ms})
	write(format.Event{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{
		{Class: "java.lang.Thread", Method: "sleep"},
		{Class: "Shop", Method: "hold", Line: 10},
	}})
	write(format.Event{Kind: format.KindStack, Stack: 2,
		Frames: []format.Frame{{Class: "Shop", Method: "ask", Line: 20}}})
	for i := range n {
		write(format.Event{Kind: format.KindObject, Object: format.ObjectID(i + 1), Class: "Ledger",
			Hash: uint64(i + 1)})
	}
	for i := range 2 * n {
		write(format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1)})
	}
	for i := range n {
		lock, owner := format.ObjectID(i+1), format.ThreadID(2*i+1)
		write(format.Event{Kind: format.KindTenure, Thread: owner, Object: lock, End: 400 * ms, Stack: 1})
		write(format.Event{Kind: format.KindWait, Thread: owner + 1, Object: lock, Time: ms, End: 400 * ms, Stack: 2})
	}
	found := find(t, l, 1000*ms)
	golden.Equal(t, kindsOf(found), "sleep-while-holding", found)
	golden.Equal(t, found[0].Locks, n, "locks")
	golden.Equal(t, found[0].WaitNs, n*399*ms, "waiting")
	golden.Equal(t, found[0].Share, 1, "share")
}
