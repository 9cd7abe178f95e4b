package cmd

import (
	"math"
	"slices"
	"testing"

	"contend/report/document"
)

// With the settings of 'contend jfc --exact', JDK 25 records who released the
// locks of java.util.concurrent, and the waits of virtual threads for them. The
// program's own log is the truth; what is not recorded is said.
func TestExactSettingsNameTheOwners(t *testing.T) {
	const sync = "java.util.concurrent.locks."
	for _, c := range []struct {
		name    string
		classes []string
	}{
		{"lab-sync4-exact-jdk25", []string{sync + "StampedLock", "java.util.concurrent.Semaphore$NonfairSync", sync + "ReentrantLock$FairSync"}},
		{"lab-virtual-exact-jdk25", []string{sync + "ReentrantLock$NonfairSync"}},
	} {
		var truth struct{ Locks []logged }
		readTruth(t, "../testdata/"+c.name+".truth.json", &truth)
		blame := ask[owned](t, "blame", "--by", "class,owner-stack", "../testdata/"+c.name+".jfr")
		held := 0
		for i := range truth.Locks {
			l := &truth.Locks[i]
			if !slices.Contains(c.classes, l.Class) {
				continue
			}
			held++
			a := l.answer(blame)
			d, total, unknown, handoff := pairDistance(a.by, l.BlockedBy), a.total, a.unknown, a.handoff
			t.Logf("%s %s: distance %.3f, unknown %.1f %%, hand-off %.2f of %.2f", c.name, l.Class, d, 100*unknown/total, handoff/total, l.HandoffNs/l.WaitNs)
			if d > 0.05 || unknown > 0.05*total || math.Abs(total/l.WaitNs-1) > 0.05 || math.Abs(handoff/total-l.HandoffNs/l.WaitNs) > 0.07 {
				t.Errorf("%s %s: distance %.3f, unknown %.3f, total %+.3f", c.name, l.Class, d, unknown/total, total/l.WaitNs-1)
			}
		}
		if held != len(c.classes) {
			t.Errorf("%s: %d classes", c.name, held)
		}
	}
	for _, w := range ask[document.Analyze](t, "analyze", "../testdata/lab-virtual-exact-jdk25.jfr").Coverage.Warnings {
		if w.Code == "virtual-threads" {
			return
		}
	}
	t.Error("nothing says that waits of virtual threads for monitors are missing")
}
