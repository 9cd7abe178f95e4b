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
	write(
		format.Event{
			Kind:   format.KindStack,
			Stack:  2,
			Frames: []format.Frame{{Class: "Shop", Method: "ask", Line: 20}},
		},
	)
	write(
		format.Event{
			Kind:   format.KindStack,
			Stack:  3,
			Frames: []format.Frame{{Class: "Disk", Method: "sync", Line: 30}},
		},
	)
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
		write(
			format.Event{
				Kind:   format.KindWait,
				Thread: format.ThreadID(i + 3),
				Object: 1,
				Time:   ms,
				End:    end,
				Stack:  2,
			},
		)
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
		{"both orders, one after the other", plan{held: 400, waiters: 3, blocked: true, turned: true},
			"lock-order blocked-while-holding blocked-while-holding"},
		{"a circle, and no word of the waits it is made of",
			plan{held: 400, waiters: 1, blocked: true, circle: true}, "deadlock"},

		{"it only computes", plan{held: 900, waiters: 9}, ""},
		{"asleep, but hardly anybody waits", plan{inner: one("java.lang.Thread", "sleep"), held: 6, waiters: 1}, ""},
		{"asleep where nobody waits", plan{inner: one("java.lang.Thread", "sleep"), held: 900}, ""},
		{"who owned it is a guess", plan{inner: one("java.lang.Thread", "sleep"), held: 400, waiters: 3,
			estimate: true}, ""},
	} {
		got := c.plan.run(t)
		golden.Equal(t, kindsOf(got), c.want, c.name, got)
	}
}

func TestWhatAFindingSays(t *testing.T) {
	asleep := plan{inner: one("java.lang.Thread", "sleep"), held: 401, waiters: 3}.run(t)[0]
	if asleep.Lock != "Ledger@1" || asleep.Class != "Ledger" || asleep.Owner != "Shop.hold:10" ||
		asleep.WaitNs != 1200*ms || asleep.Share != 1 || asleep.ByProvenance[analysis.ByTenure] != 1200*ms ||
		asleep.Confidence != High {
		t.Errorf("%+v", asleep)
	}
	blocked := plan{held: 401, waiters: 3, blocked: true}.run(t)[0]
	if blocked.Root != "Journal@2" || blocked.Owner != "Shop.hold:10" || blocked.WaitNs != 1200*ms {
		t.Errorf("%+v", blocked)
	}
	circle := plan{waiters: 1, blocked: true, circle: true}.run(t)[0]
	exact := circle.ByProvenance[analysis.ByTenure]
	if circle.Deadlock != 1 || circle.Threads != 3 || circle.Share != 1 || exact != circle.WaitNs {
		t.Errorf("%+v", circle)
	}
}

// The limits stand in the document of findings: who moves one changes what
// users are told.
func TestLimits(t *testing.T) {
	sleep := one("java.lang.Thread", "sleep")
	golden.Equal(t, len((plan{inner: sleep, held: 10, waiters: 1}).run(t)), 0, "9 ms of waiting in a second")
	golden.Equal(t, len((plan{inner: sleep, held: 11, waiters: 1}).run(t)), 1, "10 ms of waiting in a second")
	tr := Trace{ElapsedNs: 1000 * ms}
	exact := func(ns int64, share float64) *Finding {
		return &Finding{WaitNs: ns, Share: share, ByProvenance: analysis.Known{analysis.ByTenure: ns}}
	}
	for _, c := range []struct {
		f    *Finding
		want bool
	}{{exact(10*ms, 0.05), true}, {exact(10*ms, 0.0499), false}, {exact(10*ms-1, 1), false}} {
		golden.Equal(t, tr.worthWhile(c.f), c.want, c.f)
	}
	tr.ElapsedNs = 0 // a count
	if !tr.worthWhile(exact(1, 0.05)) {
		t.Error("a count has no length to be worth while")
	}
}

func TestEveryKindIsWhole(t *testing.T) {
	for k, row := range kinds {
		if row.name == "" || row.title == "" || row.basis == "" || row.remedy[0] == "" ||
			strings.ContainsAny(row.remedy[0], ".,;:") ||
			!strings.HasSuffix(row.remedy[1], ".") ||
			strings.Contains(row.remedy[1], ". ") {
			t.Errorf("kind %d: %+v", k, row)
		}
	}
}

// A finding is shown if half of what it says is expected to be right; of what
// threads are known by, without their sections, three tenths are.
func TestWhatIsHardlyKnownIsNotShown(t *testing.T) {
	for name, c := range map[string]struct {
		exact, likely, nobody int64
		shown                 bool
		sure                  Confidence
	}{
		"two fifths are recorded":      {exact: 40, nobody: 60},
		"three fifths":                 {exact: 60, nobody: 40, shown: true, sure: Low},
		"seven tenths":                 {exact: 73, nobody: 27, shown: true, sure: Medium},
		"nearly nine tenths":           {exact: 88, nobody: 12, shown: true, sure: Medium},
		"more than nine tenths":        {exact: 92, nobody: 8, shown: true, sure: High},
		"inferred, three fifths right": {likely: 100, shown: true, sure: Low},
		"inferred, a third recorded":   {exact: 33, likely: 67, shown: true, sure: Medium},
		"half inferred, no others":     {likely: 66, nobody: 34},
	} {
		f := Finding{WaitNs: 100, Share: 1}
		var by analysis.Known
		by.AddWaiting(analysis.Exact, c.exact)
		by.AddWaiting(analysis.Likely(0.6), c.likely)
		by.AddWaiting(analysis.Unknown, c.nobody)
		f.ByProvenance = by
		var trace Trace
		if shown := trace.worthWhile(&f); shown != c.shown || shown && confidence(&f) != c.sure {
			t.Errorf("%s: shown %v, %v", name, shown, confidence(&f))
		}
	}
}

// Two waits tell whether one starves, if both were passed by many; one alone does not.
func TestTwoWaitsTellOfStarvation(t *testing.T) {
	for waits, want := range map[int]bool{1: false, 2: true} {
		var one, others overtaking
		for range waits {
			one.addPassed(10, 1000)
		}
		others.addPassed(-10, 10)
		others.addPassed(-10, 10)
		golden.Equal(t, one.starves(&others, 1), want, waits, "waits")
	}
}

// led is a trace of k stripes in windows of some length, each of which the stripe
// of a digit has most of the waiting in.
func led(t *testing.T, k int, window int64, digits string) []Finding {
	s := newScript(t, 2, k)
	site := s.stack("Shop.sell")
	for i, most := range digits {
		for quarter := range int64(4) {
			at := int64(i)*window + quarter*window/4
			for l := range k {
				long := window / 1000
				if rune('0'+l) == most {
					long = window / 8
				}
				s.write(
					format.Event{
						Kind:   format.KindTenure,
						Thread: 1,
						Object: format.ObjectID(l + 1),
						Time:   at,
						End:    at + long,
						Stack:  site,
					},
				)
				s.write(
					format.Event{
						Kind:   format.KindWait,
						Thread: 2,
						Object: format.ObjectID(l + 1),
						Time:   at,
						End:    at + long,
						Stack:  site,
					},
				)
				at += long
			}
		}
	}
	return find(t, &s.list, int64(len(digits))*window)
}

// How many of the eighths of a trace the hot one of k stripes must lead in follows
// from how likely that is by chance: one time in twenty, for all of them together.
// Eighths of less than a millisecond are none.
func TestHowOftenAHotStripeLeads(t *testing.T) {
	for _, c := range []struct {
		name   string
		k      int
		window int64
		digits string
		want   string
	}{
		{"three stripes, 6 of 8: 5.9 %", 3, 4 * ms, "00000012", ""},
		{"six stripes, 5 of 8: 2.8 %", 6, 4 * ms, "00000123", "hot-stripe"},
		{"three stripes, always", 3, 4 * ms, "00000000", "hot-stripe"},
		{"of two nothing is told", 2, 4 * ms, "00000000", ""},
		{"3 ms, three stripes: 11 %", 3, ms, "000", ""},
		{"6 ms, four stripes: 0.1 %", 4, ms, "000000", "hot-stripe"},
	} {
		golden.Equal(t, kindsOf(led(t, c.k, c.window, c.digits)), c.want, c.name)
	}
}

// Of a hundred pairs that are woken fifty are apart by chance, and by Hoeffding's
// bound 64 one time in fifty at most, which is below the half of a twentieth that
// the first monitor has; 63 one time in thirty.
func TestHowManyHerdsAreApart(t *testing.T) {
	for apart, want := range map[int]bool{63: false, 64: true} {
		s, tested := storm{herds: 100, expected: 50, separated: apart}, int64(0)
		golden.Equal(t, s.herded(&tested), want, apart)
		golden.Equal(t, tested, 1, apart)
	}
	tested := int64(0)
	if (&storm{herds: 5, expected: 2.5, separated: 5}).herded(&tested) || tested != 0 {
		t.Error("five pairs are too few to tell")
	}
}

// The next of a herd may come behind two hundred waits it has nothing to do with, and
// is not looked for behind three hundred.
func TestHowFarAHerdIsLookedFor(t *testing.T) {
	for between, want := range map[int]int{200: 2, 300: 1} {
		waits := []analysis.MonitorWait{{Thread: 1, By: 1, Start: 0, End: 1000}}
		for i := range between {
			waits = append(waits, analysis.MonitorWait{Thread: 3, By: 2, Start: 1001, End: 1002 + int64(i)})
		}
		waits = append(waits, analysis.MonitorWait{Thread: 2, By: 1, Start: 10, End: 5000})
		c := herdFinder{waits: waits, oldest: oldestFrom(waits), used: make([]bool, len(waits))}
		golden.Equal(t, len(c.herd(0)), want, between, "between: a herd of")
	}
}

// Of a queue of two hundred all are counted, of one of three hundred not.
func TestHowManyOfAQueueAreCounted(t *testing.T) {
	for queue, all := range map[int]bool{200: true, 300: false} {
		var b busyPeriod
		for i := range queue {
			b.countStarts([]analysis.Waiter{{Thread: format.ThreadID(i + 1), First: true}})
		}
		golden.Equal(t, int(b.served), queue)
		golden.Equal(t, len(b.threads) == queue, all)
	}
}

// Shares from a tenth on are told without decimals.
func TestHowSharesAreTold(t *testing.T) {
	for part, want := range map[int64]string{0: "0 %", 61: "6.1 %", 151: "15 %"} {
		golden.Equal(t, percent(part, 1000), want, part, "of 1000")
	}
}
