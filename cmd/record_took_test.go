//go:build unix

package cmd

import (
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// The owner of a monitor is named by the frame that entered it, as the JVM tells, and not by
// the frame it is shown in. Of other locks no JVM tells the frame: an owner was "in" the one it
// is shown in, unless it was seen to wait there, and the lock is named by where threads wait.
func TestTheLineThatTookTheMonitor(t *testing.T) {
	golden.Thorough(t)
	for _, with := range []string{"agent", "both"} {
		t.Run(with, func(t *testing.T) {
			t.Parallel()
			recordedBy(t, "Helped", 5, 100, []string{"--with", with, "--rate", "50", "--max-overhead", "50%"}, func(t *testing.T, d *document.Analyze) {
				took := map[string]int64{}
				for _, l := range d.Locks {
					for _, o := range l.Owners {
						site, _, _ := strings.Cut(o.Site, ":")
						if o.In {
							site = "in " + site
						}
						took[l.Class+" "+site] += o.WaitNs
					}
					if strings.Contains(l.Class, "ReentrantLock") && !strings.HasPrefix(l.Site, "Helped.look:") && !strings.HasPrefix(l.Site, "Helped.keep:") {
						t.Errorf("the lock stands at %s", l.Site)
					}
				}
				t.Log(took)
				if safe := "java.util.concurrent.locks.ReentrantLock$NonfairSync "; took[safe+"Helped.sleep"] != 0 || took[safe+"in Helped.sleep"]+took[safe+"Helped.keep"] == 0 {
					t.Error("the owner of the lock is not said to be in its helper")
				}
				for _, want := range []string{"Helped$Stock Helped.audit", "Helped$Stock Helped.count", "Helped$Till Helped.close"} {
					if took[want] == 0 {
						t.Errorf("%s is no owner", want)
					}
				}
				for _, class := range []string{"Helped$Stock", "Helped$Till"} {
					if took[class+" Helped.sleep"] != 0 || took["Helped$Till Helped.count"] != 0 {
						t.Errorf("a helper took %s", class)
					}
				}
			})
		})
	}
}
