package cmd

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// Seven threads wait for a class that an eighth initialises (testdata/java/SlowClass.java):
// for as long as 'jfr print' says, and for the one whose static initialiser sleeps.
func TestWaitsForAClassAreOfItsLock(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const path, printed = "../testdata/class-init-jdk25.jfr.gz", 6_376_000_000
	a := ask[document.Analyze](t, "analyze", path)
	l := a.Locks[0]
	if off := l.WaitNs - printed; !strings.Contains(l.Lock, "initialisation of a class") || l.Waits != 7 ||
		max(off, -off) > 7_000_000 {
		t.Errorf("%s: %d waits of %d ns, want 7 of %d", l.Lock, l.Waits, l.WaitNs, printed)
	}
	if o := l.Owners[0]; o.Site != "SlowClass.request:26" || o.WaitNs*100 < l.WaitNs*95 {
		t.Errorf("%s is charged %d of %d", o.Site, o.WaitNs, l.WaitNs)
	}
	if f := a.Findings[0]; f.Title != "asleep while holding up the initialisation of a class" ||
		!strings.Contains(f.Remedy, "outside of the static initialiser") {
		t.Errorf("%q, %q", f.Title, f.Remedy)
	}
	for _, command := range []string{"analyze", "blame --by class", "blame --by lock", "chains", "csp",
		"hist --by class", "whatif", "graph --format dot --by method"} {
		if got := run(t, append(strings.Fields(command), path)...); !strings.Contains(
			got,
			"initialisation of a class",
		) ||
			strings.Contains(got, "int[]") {
			t.Errorf("%s:\n%s", command, got)
		}
	}
}

// Two classes wait for each other to be initialised, and a third is not ready in time
// (testdata/java/ClassCircle.java): of these waits only the dumps of the recording tell.
func TestClassesThatWaitForEachOther(t *testing.T) {
	t.Parallel()
	a := ask[document.Analyze](t, "analyze", "../testdata/class-circle-jdk17.jfr.gz")
	if len(a.Deadlocks) != 1 || len(a.Deadlocks[0].Cycle) != 2 || len(a.Deadlocks[0].Queued) != 2 {
		t.Fatalf("%+v", a.Deadlocks)
	}
	for _, m := range a.Deadlocks[0].Cycle {
		golden.Equal(
			t,
			m.Lock,
			map[string]string{"orders": "initialisation of ClassCircle$Prices",
				"prices": "initialisation of ClassCircle$Orders"}[m.Thread],
			m.Thread,
			"waits for",
		)
	}
}

// testdata/Moves.java says how many locks it has at each place, and collections
// moved them all: those that can be followed are one row each, and no two
// become one. The amount of waiting stays what it was.
func TestMovedLocksAreOneRow(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for path, want := range map[string]struct {
		ns    int64 // of waiting, by the recorded events
		batch int   // locks of the batches that were recorded: a collection may lie in the life of one
	}{"../testdata/moved-locks-jdk17.jfr.gz": {28_296_666_971, 19},
		"../testdata/moved-locks-jdk25.jfr.gz": {26_250_024_496, 19}} {
		b := ask[document.Blame](t, "blame", "--by", "lock,waiter-method", "--top", "0", path)
		locks, of, total := map[string]int{}, map[string]string{}, int64(0)
		for _, r := range b.Rows {
			lock, method := r.Keys[0], strings.TrimPrefix(r.Keys[1], "Moves$")
			place, _, _ := strings.Cut(method, ".")
			if before, met := of[lock]; !met || before != place {
				locks[place]++
			}
			of[lock] = place
			total += r.ThreadNs
		}
		golden.Equal(t, locks["One"], 1, path)
		golden.Equal(t, locks["Table"], 1, path)
		if locks["Switch"] < 2 || locks["Stripes"] < 16 || locks["Batches"] < want.batch || locks["Hot"] < 4 {
			t.Errorf("%s: different locks became one: %v", path, locks)
		}
		golden.Equal(t, total, want.ns, path)
		golden.Equal(t, b.Total.WaitNs, want.ns, path)
		addresses := 0
		for _, l := range ask[document.Analyze](t, "analyze", path).Locks {
			addresses = max(addresses, l.Addresses)
		}
		golden.AtLeast(t, addresses, 2, path, "no lock tells its addresses")
		said := ""
		for _, w := range b.Coverage.Warnings {
			if w.Code == "joined-locks" {
				said = w.Text
			}
		}
		golden.Holds(golden.Labelled(t, path), said, "garbage collections moved")
	}
}

// Two threads that exclude each other all the time have a pressure of 50 %, as the README
// says, whoever recorded them and however many threads are idle beside. They sleep 8 ms
// inside, and by their own log waited for 49.8 % of the time.
func TestTwoThreadsThatExcludeEachOther(t *testing.T) {
	t.Parallel()
	recordings, err := filepath.Glob("../testdata/pressure/pingpong-*.bin")
	if err != nil || len(recordings) != 4 {
		t.Fatalf("%d recordings: %v", len(recordings), err)
	}
	for _, path := range recordings {
		var out, msg strings.Builder
		if code := Main([]string{"csp", "--format", "json", "--interval", "1000s", path}, strings.NewReader(""),
			&out, &msg); code != 0 {
			t.Fatalf("%s: exit %d: %s", path, code, msg.String())
		}
		var doc struct {
			Total struct{ WaitNs, RunningNs float64 }
		}
		golden.OK(t, json.Unmarshal([]byte(out.String()), &doc))
		golden.AtMost(t, math.Abs(doc.Total.WaitNs/doc.Total.RunningNs-0.498), 0.01, path, "pressure")
	}
}

// namedFrom is the share of a lock's waiting from which the screen names a site.
const namedFrom = .35

// A lock that is held long by a thread that seldom or never waits for it: its holder is
// named or nobody is. The threads that wait are victims, and get no advice.
func TestSilentOwnersAreNamedOrNobody(t *testing.T) {
	t.Parallel()
	const reentrant = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
	for _, c := range []struct{ name, class, holder, victim string }{
		{"batch-jdk17-profile.jfr", reentrant, "Z.batch", "Z.user"},
		{"lat2-jdk17-jfc.jfr", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"lat2-jdk17-profile.jfr", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"lat2-jdk17-record.trace", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"lat2-jdk25-exact.jfr", reentrant, "Lat2.slowPath", "Lat2.fast"},
		{"shop-jdk17-record.trace", "java.lang.Object", "Shop.audit", "Shop.buy"},
		{"stamped-jdk17.jfr", "java.util.concurrent.locks.StampedLock", "Sit.sLongWrite", "Sit.sRead"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "../testdata/owners/" + c.name + ".gz"
			l := logged{Class: c.class, Sites: []string{c.holder, c.victim}}
			a := l.answer(ask[owned](t, "blame", "--by", "class,owner-stack", path))
			if a.total == 0 {
				t.Fatalf("no waiting for %s", c.class)
			}
			t.Logf("%v, hand-off %.2f, others %.2f", a.by, a.handoff/a.total, a.unknown/a.total)
			for site, ns := range a.by {
				if site != c.holder && ns > a.by[c.holder] && ns >= namedFrom*a.total {
					t.Errorf(
						"%s is said to hold it for %.0f %% of the waiting, %s for %.0f %%",
						site,
						100*ns/a.total,
						c.holder,
						100*a.by[c.holder]/a.total,
					)
				}
			}
			for line := range strings.Lines(run(t, "analyze", path)) {
				if advice, ok := strings.CutPrefix(strings.TrimSpace(line), "-> "); ok &&
					strings.Contains(advice, c.victim) {
					t.Errorf("advice about who waits: %s", advice)
				}
			}
		})
	}
}

// Where a dump says which frame locked, that is the site, of several the outermost:
// the others entered again. It survives being converted.
func TestDumpsSayWhichFrameLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dump, converted := filepath.Join(dir, "dump.txt"), filepath.Join(dir, "dump.bin")
	text := `2026-01-01 10:00:00
Full thread dump OpenJDK 64-Bit Server VM (17.0.1+12 mixed mode):

"a" #11 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f0000000001 nid=0x11 waiting on condition  [0x0000700000001000]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
	at java.lang.Thread.sleep(java.base@17.0.1/Native Method)
	at shop.Util.nap(Util.java:3)
	at shop.Report.write(Report.java:14)
	- locked <0x00000007ff000010> (a shop.Ledger)
	at shop.Report.export(Report.java:9)
	- locked <0x00000007ff000010> (a shop.Ledger)
	at shop.Main.run(Main.java:5)

"b" #12 prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f0000000002 nid=0x12 waiting for monitor entry  [0x0000700000002000]
   java.lang.Thread.State: BLOCKED (on object monitor)
	at shop.Checkout.pay(Checkout.java:20)
	- waiting to lock <0x00000007ff000010> (a shop.Ledger)
	at shop.Main.run(Main.java:5)

JNI global refs: 10, weak refs: 0
`
	golden.OK(t, os.WriteFile(dump, []byte(text), 0o600))
	run(t, "convert", dump, "-o", converted)
	for _, path := range []string{dump, converted} {
		o := ask[document.Analyze](t, "analyze", path).Locks[0].Owners[0]
		if o.Site != "shop.Report.export:9" || o.Callers[0].Sites[0] != "shop.Main.run:5" ||
			o.Doing[0].What != "asleep" {
			t.Errorf("%s: %+v", path, o)
		}
	}
}

// What --app says is the program's own code names the sites of hist, too.
func TestHistNamesTheProgramsOwnCode(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const path = "../testdata/xalan-8threads.jfr"
	args := []string{"hist", "--by", "waiter-site", "--top", "5", path}
	golden.Holds(t, run(t, args...), "WriterToUTF8Buffered")
	if text := run(t, append(args, "--app", "^org[.]apache[.]xpath[.]")...); strings.Contains(
		text,
		"WriterToUTF8Buffered",
	) ||
		!strings.Contains(text, "IteratorPool") {
		t.Errorf("--app changes nothing:\n%s", text)
	}
}

// The agent does not see where a lock is made: the lock has the name of its first acquirer, and is called so.
func TestARecordedLockHasItsFirstAcquirer(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"java.lang.Object": "[first acquirer] Shop.buy:8",
		"java.util.concurrent.locks.ReentrantReadWriteLock": "[first acquirer] Shop.price:9",
	}
	for _, r := range ask[document.Blame](t, "blame", "--by", "created,class",
		"../testdata/owners/shop-jdk17-record.trace.gz").Rows {
		class, _, _ := strings.Cut(r.Keys[1], "$")
		golden.Equal(t, r.Keys[0], want[class], "a", class, "was made at")
		delete(want, class)
	}
	golden.AtMost(t, len(want), 0, "not in it", want)
}

// Findings are named by the same code as the locks they are about.
func TestFindingsNameTheOwnCode(t *testing.T) {
	var doc document.Analyze
	unmarshal(
		t,
		run(t, "analyze", "--app", "Conglomerate|derby.iapi", "--format", "json", "../testdata/derby-8clients.jfr"),
		&doc,
	)
	for _, f := range doc.Findings {
		if strings.Contains(f.Site, "ConcurrentLockSet") {
			t.Errorf("%s at %s, which is not the program's own", f.Kind, f.Site)
		}
	}
}
