package locks

import (
	"fmt"
	"testing"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// chain is recorded waits of threads each of which holds the lock that the one
// before waits for, and gives it back when it has the next one's: the chain
// shortens from its end.
func chain(depth int) *format.List {
	l := &format.List{}
	write := func(ev format.Event) { _ = l.Write(&ev) }
	for i := 1; i <= depth+1; i++ {
		write(format.Event{Kind: format.KindObject, Object: format.ObjectID(i), Class: fmt.Sprintf("Lock%d", i), Name: fmt.Sprintf("lock %d", i)})
		until := int64(10 * (2*depth + 1 - i))
		write(format.Event{Kind: format.KindTenure, Thread: format.ThreadID(i), Object: format.ObjectID(i), Time: 0, End: until})
		if i <= depth {
			write(format.Event{Kind: format.KindWait, Thread: format.ThreadID(i), Object: format.ObjectID(i + 1), Time: 10, End: until - 10})
		}
	}
	return l
}

// The first lock of a chain has as many ends in turn as the chain has locks.
// They are no owners: their number grows with the chain, not with its square.
func TestOwnersOfAChainAreAsManyAsItsLocks(t *testing.T) {
	const depth = analysis.MaxPath
	c := NewOverview(Options{})
	if _, err := analysis.Run(chain(depth), analysis.Filter{From: format.NoTime, To: format.NoTime}, c); err != nil {
		t.Fatal(err)
	}
	if n := len(c.owners.ns); n > 3*depth {
		t.Errorf("%d parts of %d locks", n, depth)
	}
	ends := map[string]string{}
	for _, l := range c.Locks() {
		for _, o := range l.Owners {
			for _, d := range o.Doings {
				if d.What == blame.Blocked {
					ends[l.Name] = d.Root.Text
				}
			}
		}
	}
	if want := fmt.Sprintf("lock %d", depth+1); len(ends) != depth-1 || ends["lock 2"] != want {
		t.Errorf("%d owners are blocked, that of the first mostly behind %q; want %d and %q", len(ends), ends["lock 2"], depth-1, want)
	}
}
