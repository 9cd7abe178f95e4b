package findings

import (
	"fmt"
	"strings"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// plan is a trace in which a thread has a lock with a stack while others wait.
type plan struct {
	inner    []format.Frame // inside of Shop.hold:10
	held     int64          // ms of a second
	waiters  int
	blocked  bool // the owner waits for another lock all the while, whose owner is computing
	estimate bool // nothing is recorded of owners: all are guesses
	circle   bool // the other lock's owner waits for the first
	turned   bool // later, when all of that is over, a thread has the other lock and waits for the first
}

func (p plan) run(t *testing.T) []Finding {
	t.Helper()
	l := &format.List{}
	write := func(ev format.Event) {
		golden.OK(t, l.Write(&ev))
	}
	write(format.Event{Kind: format.KindRecording, Time: 0, End: 1000 * ms})
	hold := append(append([]format.Frame{}, p.inner...), format.Frame{Class: "Shop", Method: "hold", Line: 10})
	write(format.Event{Kind: format.KindStack, Stack: 1, Frames: hold})
	write(format.Event{Kind: format.KindStack, Stack: 2, Frames: []format.Frame{{Class: "Shop", Method: "ask", Line: 20}}})
	write(format.Event{Kind: format.KindStack, Stack: 3, Frames: []format.Frame{{Class: "Disk", Method: "sync", Line: 30}}})
	write(format.Event{Kind: format.KindObject, Object: 1, Class: "Ledger", Hash: 1})
	write(format.Event{Kind: format.KindObject, Object: 2, Class: "Journal", Hash: 2})
	for i := range p.waiters + 2 {
		write(format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprintf("worker-%d", i)})
	}
	end := p.held * ms
	if p.circle {
		end = 1000 * ms
	}
	if !p.estimate {
		write(format.Event{Kind: format.KindTenure, Thread: 1, Object: 1, Time: 0, End: end, Stack: 1})
		write(format.Event{Kind: format.KindTenure, Thread: 2, Object: 2, Time: 0, End: end, Stack: 3})
	}
	if p.blocked {
		write(format.Event{Kind: format.KindWait, Thread: 1, Object: 2, Time: ms / 2, End: end, Stack: 1})
	}
	if p.circle {
		write(format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: ms / 2, End: end, Stack: 3})
	}
	if p.turned {
		from, until := 500*ms, 700*ms
		write(format.Event{Kind: format.KindTenure, Thread: 2, Object: 2, Time: from, End: until, Stack: 3})
		write(format.Event{Kind: format.KindTenure, Thread: 1, Object: 1, Time: from, End: until, Stack: 1})
		write(format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: from, End: until, Stack: 3})
		write(format.Event{Kind: format.KindWait, Thread: 3, Object: 2, Time: from, End: until, Stack: 2})
	}
	for i := range p.waiters {
		write(format.Event{Kind: format.KindWait, Thread: format.ThreadID(i + 3), Object: 1, Time: ms, End: end, Stack: 2})
	}
	return find(t, l, 1000*ms)
}

func one(class, method string) []format.Frame {
	return []format.Frame{{Class: class, Method: method}}
}

// A finding is about owners that are known, for whom others wait; see also tests.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name string
		plan plan
		want string
	}{
		{"a goroutine asleep", plan{inner: one("time", "Sleep"), held: 400, waiters: 3}, "sleep-while-holding"},
		{"both orders, one after the other", plan{held: 400, waiters: 3, blocked: true, turned: true}, "lock-order blocked-while-holding blocked-while-holding"},
		{"a circle, and no word of the waits it is made of", plan{held: 400, waiters: 1, blocked: true, circle: true}, "deadlock"},

		{"it only computes", plan{held: 900, waiters: 9}, ""},
		{"asleep, but hardly anybody waits", plan{inner: one("java.lang.Thread", "sleep"), held: 6, waiters: 1}, ""},
		{"asleep where nobody waits", plan{inner: one("java.lang.Thread", "sleep"), held: 900}, ""},
		{"who owned it is a guess", plan{inner: one("java.lang.Thread", "sleep"), held: 400, waiters: 3, estimate: true}, ""},
	} {
		got := c.plan.run(t)
		if kindsOf(got) != c.want {
			t.Errorf("%s: %q, want %q: %+v", c.name, kindsOf(got), c.want, got)
		}
	}
}

func TestWhatAFindingSays(t *testing.T) {
	asleep := plan{inner: one("java.lang.Thread", "sleep"), held: 401, waiters: 3}.run(t)[0]
	if asleep.Lock != "Ledger@1" || asleep.Class != "Ledger" || asleep.Owner != "Shop.hold:10" || asleep.Doing != "asleep" ||
		asleep.WaitNs != 1200*ms || asleep.Share != 1 || asleep.ByProvenance[analysis.Exact] != 1200*ms || asleep.Confidence != High {
		t.Errorf("%+v", asleep)
	}
	blocked := plan{held: 401, waiters: 3, blocked: true}.run(t)[0]
	if blocked.Root != "Journal@2" || blocked.Owner != "Shop.hold:10" || blocked.WaitNs != 1200*ms {
		t.Errorf("%+v", blocked)
	}
	circle := plan{waiters: 1, blocked: true, circle: true}.run(t)[0]
	if circle.Number != 1 || circle.Threads != 3 || circle.Share != 1 || circle.ByProvenance[analysis.Exact] != circle.WaitNs {
		t.Errorf("%+v", circle)
	}
}

// The limits stand in the document of findings: who moves one changes what
// users are told.
func TestLimits(t *testing.T) {
	sleep := one("java.lang.Thread", "sleep")
	if got := (plan{inner: sleep, held: 10, waiters: 1}).run(t); len(got) != 0 {
		t.Errorf("9 ms of waiting in a second: %+v", got)
	}
	if got := (plan{inner: sleep, held: 11, waiters: 1}).run(t); len(got) != 1 {
		t.Errorf("10 ms of waiting in a second: %+v", got)
	}
	tr := Trace{ElapsedNs: 1000 * ms}
	exact := func(ns int64, share float64) *Finding {
		return &Finding{WaitNs: ns, Share: share, ByProvenance: analysis.Known{analysis.ByTenure: ns}}
	}
	for _, c := range []struct {
		f    *Finding
		want bool
	}{{exact(10*ms, 0.05), true}, {exact(10*ms, 0.0499), false}, {exact(10*ms-1, 1), false}} {
		if tr.worthWhile(c.f) != c.want {
			t.Errorf("%+v", c.f)
		}
	}
	tr.ElapsedNs = 0 // a count
	if !tr.worthWhile(exact(1, 0.05)) {
		t.Error("a count has no length to be worth while")
	}
}

func TestEveryKindIsWhole(t *testing.T) {
	for k, row := range kinds {
		if row.name == "" || row.title == "" || row.basis == "" || !strings.HasSuffix(row.remedy, ".") || strings.Count(row.remedy, ". ") > 0 {
			t.Errorf("kind %d: %+v", k, row)
		}
	}
}
