package table

import (
	"strings"
	"testing"

	"contend/report/document"

	"github.com/google/go-cmp/cmp"
)

// Times are told from the start, a phase with the part its cause has in it, and with the
// culprits one after the other where there were several.
func TestPressureAndItsPhases(t *testing.T) {
	const start, sec = int64(1_700_000_000e9), int64(1e9)
	d := &document.CSP{StartNs: start, IntervalNs: sec, Total: document.Total{Waiting: document.Waiting{WaitNs: 3 * sec}, RunningNs: 6 * sec}, Coverage: document.Coverage{Unit: "ns"},
		Intervals: []document.Interval{
			{StartNs: start, EndNs: start + sec, RunningNs: 4 * sec, Locks: []document.Pressure{{Lock: "Shop@1", WaitNs: 2 * sec, CSP: 0.5}, {Lock: "Till@2", WaitNs: sec / 2, CSP: 0.125}}},
			{StartNs: start + sec, EndNs: start + 2*sec, RunningNs: 2 * sec},
		},
		Phases: []document.Phase{{Lock: "Shop@1", StartNs: start + sec/2, EndNs: start + 2*sec, WaitNs: 2 * sec, CSP: 0.4,
			Causes: []document.Cause{{Owner: "Shop.pay:3 < Main.run:1", WaitNs: sec}},
			Turns: []document.Turn{
				{StartNs: start + sec/2, EndNs: start + sec, WaitNs: sec / 2, Cause: document.Cause{Owner: "Shop.order:2", WaitNs: sec / 4}},
				{StartNs: start + sec, EndNs: start + 2*sec, WaitNs: sec, Cause: document.Cause{Owner: "Shop.pay:3 < Main.run:1", WaitNs: sec * 3 / 4}},
			}}}}
	var out strings.Builder
	if err := CSP(&out, d, 1, Options{}); err != nil {
		t.Fatal(err)
	}
	want := `critical section pressure per 1.00 s: time spent acquiring the lock / running time of all threads
    FROM       TO  RUNNING    WAIT     CSP  LOCK     
 0.000 s  1.000 s   4.00 s  2.00 s  50.0 %  Shop@1   
 0.000 s  1.000 s   4.00 s  500 ms  12.5 %  (1 more) 
 1.000 s  2.000 s   2.00 s       0   0.0 %  -        
  total: 3.00 s of waiting in 6.00 s of running time: 50.0 %

phases of high pressure, with what caused most of the waiting in each
    FROM       TO    WAIT     CSP  LOCK    CAUSE                        
 0.500 s  2.000 s  2.00 s  40.0 %  Shop@1  50 % Shop.pay:3 < Main.run:1 
      from 0.500 s: 50 % Shop.order:2; from 1.000 s: 75 % Shop.pay:3 < Main.run:1
`
	got, _, _ := strings.Cut(out.String(), "\ncoverage:")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
