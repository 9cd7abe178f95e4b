package screen

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"

	"github.com/clipperhouse/displaywidth"
)

// shown writes a screen as text.
func shown(t *testing.T, a *document.Analyze, o Options) string {
	t.Helper()
	var out bytes.Buffer
	golden.OK(t, Write(&out, a, o))
	return out.String()
}

// service is a document of n locks of one class, each waited for less than the
// one before.
func service(n int, class string, site func(int) string) *document.Analyze {
	a := &document.Analyze{
		Trace:     document.Trace{Inputs: []string{"a.jfr"}, Format: "jfr 2.1", Threads: 9},
		ElapsedNs: 1e9,
		Coverage:  document.Coverage{Unit: "ns"},
	}
	for i := range n {
		ns := int64(1e9 / (i + 1))
		a.Total.WaitNs += ns
		a.Total.Waits++
		a.Locks = append(a.Locks, document.Lock{
			Lock:    fmt.Sprintf("%s@%x", class, i+16),
			Class:   class,
			Kind:    "monitor",
			Waits:   1,
			WaitNs:  ns,
			Waiters: 2,
			MaxNs:   ns,
			Site:    site(i),
			Owners: []document.Owner{
				{
					Site:       site(i),
					WaitNs:     ns,
					Share:      1,
					Doing:      []document.Doing{{What: "asleep", WaitNs: ns}},
					Provenance: document.Provenance{InferredNs: ns, RightNs: ns},
				},
			},
			Waiting:    []document.Site{{Site: site(i), WaitNs: ns, Waits: 1}},
			Provenance: document.Provenance{InferredNs: ns},
		})
	}
	a.WaitingThreads = float64(a.Total.WaitNs) / 1e9
	a.Coverage.Provenance.InferredNs = a.Total.WaitNs
	return a
}

func TestAThousandLocksFit(t *testing.T) {
	for name, a := range map[string]*document.Analyze{
		"at one place": service(1000, "com.example.shop.Cart",
			func(int) string { return "com.example.shop.Shop.checkout:12" }),
		"at as many": service(1000, "com.example.shop.Cart",
			func(i int) string { return fmt.Sprintf("com.example.shop.Shop$Step%d.run:%d", i, i) }),
		"with endless names": service(9, "a."+strings.Repeat("VeryLong", 40),
			func(i int) string { return "b." + strings.Repeat("Endless", 30) + fmt.Sprint(i) + ".method:7" }),
		"with foreign script": service(9, "在庫.管理ロック",
			func(i int) string { return fmt.Sprintf("在庫.%s管理.取得:%d", strings.Repeat("長", 60), i) }),
	} {
		text := shown(t, a, Options{Width: 80})
		golden.AtMost(t, strings.Count(text, "\n"), MaxLines, name, "lines")
		for l := range strings.Lines(text) {
			golden.AtMost(t, displaywidth.String(strings.TrimSuffix(l, "\n")), 80, name, "columns", l)
		}
	}
	golden.Holds(
		t,
		shown(t, service(1000, "Cart", func(int) string { return "Shop.checkout:12" }), Options{}),
		"Cart at Shop.checkout:12 (1000 locks, the biggest 13 %)",
	)
}

// Whoever holds a thousand stripes of a lock is one owner.
func TestOwnersOfEqualLocksAreAddedUp(t *testing.T) {
	g := service(4, "Cart", func(int) string { return "Shop.checkout:12" }).Awaited()
	if len(g) != 1 || g[0].Locks != 4 || len(g[0].Owners) != 1 || g[0].Owners[0].WaitNs != g[0].WaitNs ||
		len(g[0].Waiting) != 1 ||
		g[0].Waiting[0].Waits != 4 ||
		len(g[0].Owners[0].Doing) != 1 ||
		g[0].Owners[0].Provenance.InferredNs != g[0].WaitNs {
		t.Errorf("%+v", g)
	}
}

// Names lose their packages, then their middles, never their class and method.
func TestNamesKeepClassAndMethod(t *testing.T) {
	if got := middle("org.example.VeryLongClassName.methodOfIt:123", 24); len([]rune(got)) != 24 ||
		!strings.HasSuffix(got, "OfIt:123") ||
		!strings.HasPrefix(got, "org.exam") {
		t.Error(got)
	}
}

// Colours are for terminals: a pipe gets none.
func TestDeadlocksAndFindingsAreColoured(t *testing.T) {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	a.Deadlocks = []document.Deadlock{
		{
			Number: 1,
			Cycle:  []document.Member{{Thread: "a", Lock: "Cart@1"}, {Thread: "b", Lock: "Cart@2"}},
			Queued: []string{},
		},
	}
	plainText, coloured := shown(t, a, Options{}), shown(t, a, Options{Color: true})
	golden.Lacks(t, plainText, "\x1b")
	golden.Holds(t, coloured, string(alarm)+"DEADLOCK #1")
	golden.Equal(
		t,
		strings.NewReplacer(string(alarm), "", string(strong), "", "\x1b[0m", "").Replace(coloured),
		plainText,
		"colours change what is said",
	)
}

// An empty recording says what it may lack; so does one with hardly any waiting.
func TestLittleWaitingIsSaid(t *testing.T) {
	a := &document.Analyze{
		Trace:     document.Trace{Inputs: []string{"a.jfr"}, Format: "jfr 2.1", Threads: 3},
		ElapsedNs: 2e9,
		Coverage:  document.Coverage{Unit: "ns"},
		NotCounted: []document.Warning{
			{Code: "not-recorded", Text: "waits were not recorded: the settings disable jdk.ThreadPark"},
		},
	}
	for _, want := range []string{"3 threads, none seen waiting for a lock", "not counted: waits were not recorded",
		"next: contend jfc"} {
		golden.Holds(t, shown(t, a, Options{}), want)
	}
	nothing := &document.Analyze{
		Trace:    document.Trace{Inputs: []string{"cut.jfr"}, Format: "jfr 2.1"},
		Coverage: document.Coverage{Unit: "ns"},
	}
	if text := shown(t, nothing, Options{}); !strings.HasPrefix(
		text,
		"cut.jfr: nothing of any thread could be read\n",
	) {
		t.Error(text)
	}
	b := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	b.ElapsedNs = 1e12
	b.WaitingThreads /= 1e3
	golden.Holds(t, shown(t, b, Options{}), "Threads hardly wait for it")
}

// A pool that is too small is no lock, and shows all the same; what a thread's own loop
// waits for is named at the end.
func TestPoolsAreShownBesideLocks(t *testing.T) {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	pool := document.Resource{
		Kind:        "pool",
		What:        "java.util.concurrent.ArrayBlockingQueue.take",
		Site:        "com.example.Pool.borrow:7",
		NonLockWait: document.NonLockWait{WaitNs: 4e9, Waits: 9, Waiters: 5},
	}
	loop := document.Resource{
		Kind:        "queue",
		What:        "java.util.concurrent.ArrayBlockingQueue.take",
		Site:        "com.example.Worker.run:9",
		Loop:        true,
		NonLockWait: document.NonLockWait{WaitNs: 9e9, Waits: 9, Waiters: 5},
	}
	a.NonLockWaits = document.NonLockWaits{
		Resources: []document.Resource{loop, pool},
		IdleTotal: document.NonLockWait{WaitNs: 5e9, Waits: 2, Waiters: 2},
	}
	text := shown(t, a, Options{})
	golden.Holds(
		t,
		text,
		" 4.0  pool ArrayBlockingQueue.take at Pool.borrow:7\n      4.00 s, 9 waits, 5 threads\n",
		"idle time in 2 threads",
	)
	golden.Lacks(t, text, " 9.0  ")
	head := strings.Join(strings.Fields(text), " ")
	golden.Holds(
		golden.Labelled(t, text),
		head,
		"not counted: 9.00 s in 5 threads at ArrayBlockingQueue.take in Worker.run:9, an outermost method: a "+
			"pool's, if not idle",
	)
	golden.Holds(golden.Labelled(t, text), head, "1.0 waiting for a lock on average, 4.0 for resources")
	golden.Lacks(
		t,
		shown(t, service(1, "Cart", func(int) string { return "Shop.checkout:12" }), Options{}),
		"for resources",
	)
	golden.Holds(t, shown(t, a, Options{Full: true}), "Worker.run:9")
}

// Where most threads wait for resources, the head says so, however little is
// shown, and the place stands below.
func TestPoolsThatTheHeadSpeaksOfAreShown(t *testing.T) {
	a := service(9, "Cart", func(i int) string { return fmt.Sprintf("Shop.checkout:%d", i) })
	pool := document.Resource{
		Kind:        "latch",
		What:        "java.lang.Object.wait",
		Site:        "com.example.Page.latch:7",
		NonLockWait: document.NonLockWait{WaitNs: 9e9, Waits: 9, Waiters: 5},
	}
	a.Resources = []document.Resource{pool}
	for range 9 {
		a.NotCounted = append(a.NotCounted, document.Warning{Code: "hidden", Text: strings.Repeat("much of it ", 55)})
	}
	if text := shown(t, a, Options{}); !strings.Contains(text, "at Page.latch:7") ||
		strings.Count(text, "\n") > MaxLines {
		t.Errorf("%s", text)
	}
}

// Who calls the method of a pool is told where all is asked for.
func TestCallersOfPools(t *testing.T) {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:3" })
	a.Resources = []document.Resource{{
		Kind:        "pool",
		What:        "java.lang.Object.wait",
		Site:        "com.example.Pool.borrow:7",
		NonLockWait: document.NonLockWait{WaitNs: 4e9, Waits: 9, Waiters: 5},
		Callers: []document.Callers{
			{Sites: []string{"com.example.Shop.query", "com.example.Http.handle"}, WaitNs: 3e9},
			{Sites: []string{"com.example.Shop.report"}, WaitNs: 1e9},
		},
	}}
	const want = "called by  75 % Shop.query < Http.handle\n                 25 % Shop.report\n"
	golden.Holds(t, shown(t, a, Options{Full: true}), want)
	a.Resources[0].WaitNs /= 8
	golden.Lacks(t, shown(t, a, Options{}), "called by")
}

// Locks without room for more have their name at least.
func TestTheRestIsNamedWhereThereIsRoom(t *testing.T) {
	a := service(9, "Cart", func(i int) string { return fmt.Sprintf("Shop.checkout:%d", i) })
	text := shown(t, a, Options{Top: 1})
	golden.Holds(
		t,
		text,
		"for 8 more locks (--top N shows them):\n      0.5 lock Cart at Shop.checkout:1, 0.3 lock Cart at "+
			"Shop.checkout:2\n",
	)
	if text := shown(t, service(200, "Cart", func(i int) string { return fmt.Sprint("Shop.checkout:", i%2*i) }),
		Options{Top: 1}); !strings.Contains(
		text,
		"shows them):",
	) ||
		strings.Contains(text, "<0.1 Cart at") {
		t.Errorf("what is hardly waited for is named:\n%s", text)
	}
}

// Who asks for more locks than fit gets them, small ones too, and no more than there are.
func TestMoreLocksThanFitAreShownIfAskedFor(t *testing.T) {
	a := service(40, "Cart", func(i int) string { return fmt.Sprintf("Shop.checkout:%d", i) })
	for _, top := range []int{1, 2, 20, 40, math.MaxInt} {
		text := shown(t, a, Options{Top: top})
		golden.Equal(t, strings.Count(text, " of lock waiting:"), min(top, 40), top, "locks", text)
		if lines := strings.Count(text, "\n"); top == 1 && lines > MaxLines {
			t.Errorf("%d lines", lines)
		}
	}
}

// Whether any of it is worth the work tells the part of the time threads ran, where
// it takes no line; where that time is not known, between which bounds it is.
func TestThePressureIsInTheFirstLines(t *testing.T) {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	a.Total.RunningNs = 4e9
	for want, b := range map[string]*document.Shares{"average, 25 % of running time": nil,
		"average, 10 to 25 % of running time": {Low: 0.1, High: 0.25}} {
		a.Coverage.Pressure = b
		golden.Holds(t, shown(t, a, Options{Width: 100}), want)
	}
	a.Coverage.Pressure = &document.Shares{Low: 0.1, High: 0.25}
	golden.Lacks(t, shown(t, a, Options{Width: 58}), "running time")
	golden.Holds(t, shown(t, a, Options{Width: 58, Full: true}), "running time")
	a.Coverage.Unit = "threads"
	golden.Lacks(t, shown(t, a, Options{Width: 100}), "running time")
}

// A command is there to be copied: half a name of a file would not be found.
func TestNoCommandHasHalfANameOfAFile(t *testing.T) {
	a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
	a.Trace.Inputs = []string{"/var/recordings/" + strings.Repeat("long/", 20) + "a.jfr"}
	_, next, _ := strings.Cut(shown(t, a, Options{}), "next: ")
	golden.Lacks(t, next, "…")
	golden.Holds(t, next, "TRACE")
}

// Of a recording that is cut nothing is known: not what its settings were either.
func TestADamagedInputIsToldFromOneWithoutWaits(t *testing.T) {
	a := &document.Analyze{
		Trace:    document.Trace{Inputs: []string{"cut.jfr"}, Format: "jfr 2.1"},
		Coverage: document.Coverage{Unit: "ns"},
		NotCounted: []document.Warning{
			{Code: "not-recorded", Text: "nothing says that waits were recorded"},
			{Code: "truncated", Text: "chunk ends after 9 of 99 bytes"},
		},
	}
	text := shown(t, a, Options{})
	golden.Lacks(t, text, "were recorded")
	golden.Holds(t, text, "chunk ends after", "next: contend verify cut.jfr")
}

// What most threads wait for comes first, with what can be done about it, if it is a lock or a pool. At a latch
// or a condition threads may have nothing to do: the lock comes before it.
func TestWhatMostWaitForComesFirst(t *testing.T) {
	for _, c := range []struct {
		kind         string
		ns           int64
		first, leads bool // before the lock; the waits before the findings
	}{
		{kind: "pool", ns: 4e9, first: true, leads: true},
		{kind: "pool", ns: 5e8},
		{kind: "condition", ns: 4e9, leads: true},
		{kind: "latch", ns: 4e9, leads: true},
		{kind: "queue", ns: 5e8},
	} {
		a := service(1, "Cart", func(int) string { return "Shop.checkout:12" })
		a.Resources = []document.Resource{
			{
				Kind:        c.kind,
				What:        "java.lang.Object.wait",
				Site:        "Box.fetch:7",
				NonLockWait: document.NonLockWait{WaitNs: c.ns, Waits: 9, Waiters: 5},
			},
		}
		text := shown(t, a, Options{})
		before := strings.Index(text, c.kind+" Object.wait at Box") < strings.Index(text, "lock Cart at")
		golden.Equal(t, before, c.first, c, text)
		golden.Equal(t, strings.Contains(text, "-> "+unowned[c.kind].unrecorded[:20]), c.leads, c)
		a.Findings = []document.Finding{
			{Kind: document.KindBlockedHolding, Class: "Cart", Owner: "Shop.checkout:12", Share: 1},
		}
		text = shown(t, a, Options{})
		golden.Equal(t, strings.Index(text, "Waits, by") < strings.Index(text, "Findings, by"), c.leads, c, text)
	}
}

// The lock with most waiting is never one of "N more", whatever fills the screen; threads that each wait
// once, for most of the trace, wait for no resource.
func TestTheTopLockIsShown(t *testing.T) {
	a := service(7, "Cart", func(i int) string { return fmt.Sprintf("Shop.checkout:%d", i) })
	for i, kind := range []string{"pool", "pool", "pool", "latch", "queue", "condition"} {
		a.Resources = append(a.Resources, document.Resource{
			Kind:        kind,
			What:        "java.lang.Object.wait",
			Site:        fmt.Sprintf("Box.fetch:%d", i),
			NonLockWait: document.NonLockWait{WaitNs: int64(9-i) * 1e9, Waits: 90, Waiters: 9},
		})
	}
	text := shown(t, a, Options{})
	golden.Holds(t, text, "lock Cart at Shop.checkout:0\n", "pool Object.wait at Box.fetch:0")
	golden.AtMost(t, strings.Count(text, "\n"), MaxLines)

	a.Resources = a.Resources[3:4]
	a.Resources[0].Waits, a.Resources[0].Waiters, a.Resources[0].MaxNs = 9, 9, 9e8
	golden.Lacks(t, shown(t, a, Options{}), "latch", "for resources")
	golden.Holds(t, shown(t, a, Options{Full: true}), "latch Object.wait at Box.fetch:3")
}

// Who is told to record again is told so since something is hidden.
func TestARecordingOfEverythingNeedsNoOther(t *testing.T) {
	a := &document.Analyze{
		Trace:     document.Trace{Inputs: []string{"a.jfr"}, Format: "jfr 2.1", Threads: 3},
		ElapsedNs: 2e9,
		Coverage:  document.Coverage{Unit: "ns"},
	}
	golden.Holds(t, shown(t, a, Options{}), "next: take it while")
	a.Resources = []document.Resource{
		{
			Kind:        "condition",
			What:        "java.lang.Object.wait",
			Site:        "Box.fetch:7",
			NonLockWait: document.NonLockWait{WaitNs: 4e9, Waits: 9, Waiters: 5},
		},
	}
	golden.Holds(t, shown(t, a, Options{}), "next: contend analyze --full a.jfr")
	a.NotCounted = []document.Warning{{Code: "threshold", Text: "shorter waits were not recorded"}}
	golden.Holds(t, shown(t, a, Options{}), "next: contend jfc")
}

// Of owners that are inferred it is said how likely they are.
func TestInferredOwnersHaveAProbability(t *testing.T) {
	a := freeLock(0.64)
	a.Coverage.Provenance = document.Provenance{
		ExactNs:    a.Total.WaitNs / 2,
		InferredNs: a.Total.WaitNs / 2,
		RightNs:    a.Total.WaitNs/2 + a.Total.WaitNs*32/100,
	}
	golden.Holds(t, shown(t, a, Options{}), "owners: recorded 50 %, inferred 50 % (64 % expected right)")
}

// The names of threads of a deadlock lose their middle, unless all is asked for; of many
// threads three are named.
func TestThreadsOfADeadlockAreNamed(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("http-%d-GET-/a/very/long/path/of/a/request-%d", i, i) }
	cycle := func(n int) *document.Analyze {
		a := service(1, "Cart", func(int) string { return "Shop.pay:3" })
		d := document.Deadlock{Number: 1, Queued: []string{name(98), name(99)}}
		for i := range n {
			d.Cycle = append(d.Cycle, document.Member{Thread: name(i), Lock: "Cart@1", Class: "Cart"})
		}
		a.Deadlocks = []document.Deadlock{d}
		return a
	}
	short, full := shown(t, cycle(2), Options{Width: 100}), shown(t, cycle(2), Options{Width: 100, Full: true})
	for i := range 2 {
		golden.Lacks(t, short, name(i))
		golden.Holds(t, short, fmt.Sprintf("http-%d-GET", i), fmt.Sprintf("request-%d", i))
		golden.Holds(t, full, name(i))
	}
	for _, queued := range []int{98, 99} {
		golden.Holds(t, full, name(queued))
	}
	if text := shown(t, cycle(5), Options{Width: 100}); !strings.Contains(text, "and 2 more (--full shows all)") ||
		strings.Contains(text, "http-3-GET-/a/very") {
		t.Errorf("of five threads:\n%s", text)
	}
	if text := shown(t, cycle(5), Options{Width: 100, Full: true}); !strings.Contains(text, name(4)) ||
		strings.Contains(text, "(--full shows all)") {
		t.Errorf("--full of five threads:\n%s", text)
	}
}

// Where there is no room for all deadlocks, who is in the others is said all the same.
func TestEachDeadlockIsNamed(t *testing.T) {
	a := service(3, "Cart", func(int) string { return "Shop.pay:3" })
	for i, n := range []int{3, 2, 2, 2, 2, 2, 2, 2} {
		d := document.Deadlock{Number: i + 1}
		for m := range n {
			d.Cycle = append(
				d.Cycle,
				document.Member{Thread: fmt.Sprintf("group%d-%d", i, m), Lock: "Cart@1", Class: "Cart"},
			)
		}
		for range i {
			d.Queued = append(d.Queued, "http")
		}
		a.Deadlocks = append(a.Deadlocks, d)
	}
	for _, width := range []int{60, 80, 120} {
		text := shown(t, a, Options{Width: width})
		flat := strings.Join(strings.Fields(text), " ")
		for i := range 4 {
			golden.Holds(golden.Labelled(t, width, text), flat, fmt.Sprintf("group%d-0", i),
				fmt.Sprintf("group%d-1", i))
		}
		golden.Holds(golden.Labelled(t, width), flat, " behind them); ", "more deadlocks: ")
		golden.AtMost(t, strings.Count(text, "\n"), MaxLines, width)
	}
}
