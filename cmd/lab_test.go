package cmd

import (
	"testing"

	"contend/golden"
	"contend/report/document"
)

// most is how far an answer may be off.
type most struct {
	named float64 // of the waiting whose owner's operation is named, by operation
	all   float64 // with the hand-off and what nobody is named for
	first bool    // the first culprit is the right one
}

// Programs that log their own locks, of shapes no rule was made for: sections
// without any event inside, one of many locks of a class, readers and permits,
// few waits recorded.
func TestLabOwnersEqualTheProgramsOwnLog(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const sync = "java.util.concurrent.locks."
	for name, classes := range map[string]map[string]most{
		"lab-cpu-jdk25-d1s":         {"Lab$PriceTable": {0.05, 0.05, true}, "Lab$OrderBook": {0.14, 0.09, true}, sync + "ReentrantLock$NonfairSync": {0.05, 0.05, true}},
		"lab-rw-jdk25-d1s":          {sync + "ReentrantReadWriteLock$NonfairSync": {0.08, 0.10, true}},
		"lab-convoy-jdk25-d1s":      {"Lab$LogSink": {0.04, 0.06, true}},
		"lab-striped-jdk17-profile": {"Lab$Stripe": {0.15, 0.29, true}, sync + "ReentrantLock$NonfairSync": {0.15, 0.15, true}},
		"lab-sync4-jdk17-d1s":       {"java.util.concurrent.Semaphore$NonfairSync": {0.07, 0.08, true}, sync + "StampedLock": {0.05, 0.12, true}, sync + "ReentrantLock$FairSync": {0.04, 0.08, true}},
	} {
		t.Run(name, func(t *testing.T) {
			var truth struct{ Locks []labLock }
			readTruth(t, "../testdata/"+name+".truth.json", &truth)
			blame := ask[document.Blame](t, "blame", "--by", "class,owner-stack", "../testdata/"+name+".jfr")
			for i := range truth.Locks {
				l := &truth.Locks[i]
				c, ok := classes[l.Class]
				if !ok {
					continue
				}
				by, _, unknown, handoff := labAnswer(blame, l)
				named := pairDistance(by, l.BlockedBy)
				right := first(by) == first(l.BlockedBy)
				by["[handoff]"], by["[unknown]"] = handoff, unknown
				l.BlockedBy["[handoff]"] = l.HandoffNs
				all := pairDistance(by, l.BlockedBy)
				t.Logf("%s: %.3f, all %.3f", l.Class, named, all)
				if named > c.named || all > c.all || right != c.first {
					t.Errorf("%s: %.3f, all %.3f, first right: %v; want at most %+v", l.Class, named, all, right, c)
				}
			}
		})
	}
}

// first returns the largest.
func first(by map[string]float64) (name string) {
	for k, v := range by {
		if v > by[name] {
			name = k
		}
	}
	return name
}
