package cmd

import (
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// Seven threads wait for a class that an eighth initialises (testdata/java/SlowClass.java):
// for as long as 'jfr print' says, and for the one whose static initialiser sleeps.
func TestWaitsForAClassAreOfItsLock(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const path, printed = "../testdata/class-init-jdk25.jfr.gz", 6_376_000_000
	a := ask[document.Analyze](t, "analyze", path)
	l := a.Locks[0]
	if off := l.WaitNs - printed; !strings.Contains(l.Lock, "initialisation of a class") || l.Waits != 7 || max(off, -off) > 7_000_000 {
		t.Errorf("%s: %d waits of %d ns, want 7 of %d", l.Lock, l.Waits, l.WaitNs, printed)
	}
	if o := l.Owners[0]; o.Site != "SlowClass.request:26" || o.WaitNs*100 < l.WaitNs*95 {
		t.Errorf("%s is charged %d of %d", o.Site, o.WaitNs, l.WaitNs)
	}
	if f := a.Findings[0]; f.Title != "asleep while holding up the initialisation of a class" || !strings.Contains(f.Remedy, "outside of the static initialiser") {
		t.Errorf("%q, %q", f.Title, f.Remedy)
	}
	for _, command := range []string{"analyze", "blame --by class", "blame --by lock", "chains", "csp", "hist --by class", "whatif", "graph --format dot --by method"} {
		if got := run(t, append(strings.Fields(command), path)...); !strings.Contains(got, "initialisation of a class") || strings.Contains(got, "int[]") {
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
		if want := map[string]string{"orders": "initialisation of ClassCircle$Prices", "prices": "initialisation of ClassCircle$Orders"}[m.Thread]; m.Lock != want {
			t.Errorf("%s waits for %s, want %s", m.Thread, m.Lock, want)
		}
	}
}
