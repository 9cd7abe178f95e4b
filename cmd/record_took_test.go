//go:build unix

package cmd

import (
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// A monitor is held in a method that a helper sleeps for, below two others that hold one each.
const helped = `public class Helped {
  static final class Stock { }
  static final class Till { }
  static final Stock stock = new Stock();
  static final Till till = new Till();

  static void sleep() throws InterruptedException { Thread.sleep(20); }
  static void audit() throws InterruptedException { synchronized (stock) { sleep(); } Thread.sleep(1); }
  static void buy() throws InterruptedException { synchronized (stock) { Thread.yield(); } Thread.sleep(1); }
  static void close() throws InterruptedException { synchronized (till) { count(); } Thread.sleep(1); }
  static void count() throws InterruptedException { synchronized (stock) { sleep(); } }
  static void pay() throws InterruptedException { synchronized (till) { Thread.yield(); } Thread.sleep(1); }

  public static void main(String[] args) {
    Busy.forever(Helped::audit);
    Busy.forever(Helped::close);
    for (int i = 0; i < 3; i++) { Busy.forever(Helped::buy); Busy.forever(Helped::pay); }
    System.out.println("ready");
  }
}`

// The owner of a monitor is named by the frame that entered it, as the JVM tells, and not by
// the frame it is shown in.
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
						took[l.Class+" "+site] += o.WaitNs
					}
				}
				t.Log(took)
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
