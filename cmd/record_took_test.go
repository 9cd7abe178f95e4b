//go:build unix

package cmd

import (
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// A monitor is held in a method that a helper sleeps for, below two others that hold one each. So
// is a lock, by a thread that hardly ever waits for it.
const helped = `public class Helped {
  static final class Stock { }
  static final class Till { }
  static final Stock stock = new Stock();
  static final Till till = new Till();
  static final java.util.concurrent.locks.ReentrantLock safe = new java.util.concurrent.locks.ReentrantLock();

  static void sleep() throws InterruptedException { Thread.sleep(20); }
  static void audit() throws InterruptedException { synchronized (stock) { sleep(); } Thread.sleep(1); }
  static void buy() throws InterruptedException { synchronized (stock) { Thread.yield(); } Thread.sleep(1); }
  static void close() throws InterruptedException { synchronized (till) { count(); } Thread.sleep(1); }
  static void count() throws InterruptedException { synchronized (stock) { sleep(); } }
  static void pay() throws InterruptedException { synchronized (till) { Thread.yield(); } Thread.sleep(1); }
  static void keep() throws InterruptedException { safe.lock(); try { sleep(); } finally { safe.unlock(); } Thread.sleep(1); }
  static void look() throws InterruptedException { safe.lock(); safe.unlock(); Thread.sleep(1); }

  public static void main(String[] args) {
    Busy.forever(Helped::keep);
    for (int i = 0; i < 3; i++) Busy.forever(Helped::look);
    Busy.forever(Helped::audit);
    Busy.forever(Helped::close);
    for (int i = 0; i < 3; i++) { Busy.forever(Helped::buy); Busy.forever(Helped::pay); }
    System.out.println("ready");
  }
}`

// The owner of a monitor is named by the frame that entered it, as the JVM tells, and not by
// the frame it is shown in. Of other locks no JVM tells the frame: an owner was "in" the one it
// is shown in, unless it was seen to wait there, and the lock is named by where threads wait.
func TestTheLineThatTookTheMonitor(t *testing.T) {
	golden.Thorough(t)
	for _, with := range []string{"agent", "both"} {
		t.Run(with, func(t *testing.T) {
			t.Parallel()
			recordedBy(t, "Helped", helped, []string{"--with", with, "--rate", "50", "--max-overhead", "50%", "--duration", "5s"}, func(t *testing.T, d *document.Analyze) {
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
