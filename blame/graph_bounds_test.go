package blame

import (
	"fmt"
	"testing"

	"contend/analysis"
	"contend/format"
)

// Of 600 threads that wait for each other, all the time and in two crowds, there are more
// edges than are reported. Nodes still have all they caused, edges are made of their
// classes and sum to all, and no node is said to wait for the members of a knot only.
func TestMoreEdgesThanAreTold(t *testing.T) {
	const threads, ns = 600, 7
	events := []*format.Event{{Kind: format.KindObject, Object: ringCache, Class: "Cache"}, {Kind: format.KindObject, Object: ringLog, Class: "Log"}}
	for i := range threads {
		events = append(events, &format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprint("t", i+1)})
	}
	b := NewGraph(GraphOptions{Nodes: NodeThreads})
	b.Begin(analysis.NewSymbols(events...), 0)
	for i := range threads {
		b.QueueChanged(&analysis.QueueChange{Waiter: analysis.Waiter{Thread: format.ThreadID(i + 1)}, Lock: ringCache + format.ObjectID(i%2), Number: uint32(i + 1)})
	}
	for i := range 2 * threads {
		by, at := ringHeld(format.ThreadID(1+i/2)), int64(10*i)
		b.QueueSlice(&analysis.Slice{Start: at, End: at + ns, Lock: ringCache + format.ObjectID(i%2), Waiters: []analysis.Waiter{{Thread: 1}},
			Shares: []analysis.Share{{Ns: ns, Direct: by, Root: by, Hops: 1}}}, threads/2)
	}
	b.Slice(ringWait(a, ringCache, 20*threads, 20*threads+5, ringHeld(threads)))
	g := b.Graph()
	var sum, others int64
	for _, e := range g.Edges {
		sum += e.ThreadNs
		if g.Nodes[e.From].Name == OtherText {
			others += e.ThreadNs
		}
		locks := int64(0)
		for _, l := range e.Locks {
			locks += l.ThreadNs
		}
		if locks != e.ThreadNs {
			t.Fatalf("%s for %s: %d ns, of %v", g.Nodes[e.From].Name, g.Nodes[e.To].Name, e.ThreadNs, e.Locks)
		}
	}
	if want := int64(threads*threads*ns + 5); g.Total.ThreadNs != want || sum != want || others != g.OtherNs || others == 0 || others > want/2 {
		t.Errorf("%d ns on edges, %d of them of %s, which are %d of %d", sum, others, OtherText, g.OtherNs, g.Total.ThreadNs)
	}
	var waited int64
	for _, v := range g.Nodes {
		waited += v.WaitedNs
		caused := int64(threads * ns)
		switch v.Name {
		case OtherText:
			if !v.Pseudo || v.WaitedNs != others {
				t.Errorf("%+v", v)
			}
			continue
		case fmt.Sprint("t", threads):
			caused += 5
		}
		if v.CausedNs != caused || v.Closed {
			t.Fatalf("%+v, want %d", v, caused)
		}
	}
	if waited != g.Total.ThreadNs {
		t.Errorf("nodes waited %d ns of %d", waited, g.Total.ThreadNs)
	}
}
