package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

func TestTheReportIsBlamedNotItsSleep(t *testing.T) {
	t.Parallel()
	l := ask[document.Analyze](t, "analyze", "../testdata/truth-8threads.jfr").Locks[0]
	if o := l.Owners[0]; o.Site != "Truth.exportReport:17" || o.Share < 0.6 || o.Doing[0].What != "asleep" || o.Callers[0].Sites[0] != "Truth.lambda$main$0:27" {
		t.Errorf("%+v", o)
	}
	if l.Waiting[0].Site != "Truth.checkout:15" {
		t.Errorf("%+v", l.Waiting)
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
		if o.Site != "shop.Report.export:9" || o.Callers[0].Sites[0] != "shop.Main.run:5" || o.Doing[0].What != "asleep" {
			t.Errorf("%s: %+v", path, o)
		}
	}
}

// What --app says is the program's own code names the sites of hist, too.
func TestHistNamesTheProgramsOwnCode(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const path = "../testdata/xalan-8threads.jfr"
	args := []string{"hist", "--by", "waiter-site", "--top", "5", path}
	if text := run(t, args...); !strings.Contains(text, "WriterToUTF8Buffered") {
		t.Errorf("the serializer is no site:\n%s", text)
	}
	if text := run(t, append(args, "--app", "^org[.]apache[.]xpath[.]")...); strings.Contains(text, "WriterToUTF8Buffered") || !strings.Contains(text, "IteratorPool") {
		t.Errorf("--app changes nothing:\n%s", text)
	}
}
