package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"contend/golden"
)

// What people paste, trimmed, cut and copied from other tools, is answered on the screen: the texts are
// those of package threaddump, or short ones here.
func TestPastedTexts(t *testing.T) {
	const frames = "sync.(*Mutex).Lock(0xc0001260c0)\n\t/go/src/sync/mutex.go:81\n"
	const stub = "shop.(*Peer).next(0xc29cb1a900)\n\t/src/shop/peer.go:161 +0x142\n"
	const permits = "goroutine 101 [select, 1 minutes]:\n" +
		"golang.org/x/sync/semaphore.(*Weighted).Acquire(0xc000b0a000, {0x2, 0xc0}, 0x1)\n\tsemaphore.go:74 +0x3b1\n" +
		stub + "main.run()\n\t/src/main.go:9\n\n"
	const latch = "Full thread dump OpenJDK 64-Bit Server VM (21.0.1+12 mixed mode):\n\n" +
		"\"Launcher\" #27 prio=5 tid=0x1 nid=0x1\n" +
		"   java.lang.Thread.State: WAITING (parking)\n\tat jdk.internal.misc.Unsafe.park(Native Method)\n" +
		"\t- parking to wait for  <0x1490> (a java.util.concurrent.CountDownLatch$Sync)\n" +
		"\tat java.util.concurrent.locks.LockSupport.park(LockSupport.java:221)\n" +
		"\tat java.util.concurrent.CountDownLatch.await(CountDownLatch.java:230)\n" +
		"\tat com.sun.paint.Renderer.factory(Renderer.java:172)\n" +
		"\tat com.sun.paint.Toolkit.start(Toolkit.java:350)\n\tat java.lang.Thread.run(Thread.java:1583)\n\n"
	for name, c := range map[string]struct {
		text, says string
		code       int
	}{
		"android-owner-absent": {says: "held by 100 % thread 41, whose stack is not known -> What its owner did is " +
			"not known"},
		"dalvik-owner-absent": {says: "held by 100 % Writer (2), whose stack is not known"},
		"class-at-hash":       {says: "100 % NetClient.poll:265 is in socket I/O while holding NetClient"},
		"debugger":            {says: "DEADLOCK #1: 2 threads wait for each other"},
		"heap-dump-threads":   {says: "1 lock ReentrantLock#28 at Clock.stop:70"},
		"freeze":              {says: "lock ReadMostlyRWLock at ApplicationImpl.runWriteAction:1021"},
		"jconsole": {says: "held by 100 % State.handle:174, waiting for a condition (recorded) waiting " +
			"100 % State.get:111"},
		"no-lock-lines": {says: "2 lock ReentrantLock at Till.ring:41"},
		"lost-first-quote": {says: "held by 100 % Note.write:206, waiting for a condition (recorded) waiting " +
			"100 % Note.write:192"},
		"report-behind-others": {says: "cart-1 took Depot@711d51480 at Cart.run:27, waits at Cart.one:26"},
		"report-renamed":       {says: `held by "Executor 3 : running alpha", which is not in its report`},
		"report-cut": {says: `the JVM reports a deadlock: "cart-1" waits for shop.Depot@711d51490, and the rest of its report`,
			code: exitDamaged},
		"watchdog": {says: "1 a lock the dump does not name at Session.keep:479"},
		"trimmed": {
			text: "goroutine 133 [sync.Mutex.Lock, 3 minutes]:\n" + stub,
			says: "1 lock sync.Mutex at shop.(*Peer).next:161",
		},
		"blanks": {text: strings.ReplaceAll("goroutine 4 [semacquire]:\n"+frames+stub, "\n", "     \n"),
			says: "1 lock sync.Mutex at shop.(*Peer).next:161"},
		"weighted": {text: permits + strings.Replace(permits, "101", "102", 1),
			says: "2 semaphore semaphore.(*Weighted).Acquire at shop.(*Peer).next:161"},
		"latch": {text: latch + strings.Replace(latch[strings.Index(latch, `"L`):], "Launcher", "Other", 1),
			says: "2 latch CountDownLatch.await at Renderer.factory:172"},
		"CPU": {
			text: "till;[unknown];main 336\ntill;main;read 478\ntill;main;sort 2965\n",
			says: "0 of 3,779 are in methods of locks",
			code: exitFailed,
		},
		"no samples": {
			text: "--- mutex:\ncycles/second=1000000000\nsampling period=1\n",
			says: "runtime.SetMutexProfileFraction",
		},
		"connections": {text: "goroutine profile: total 3\n3 @ 0x1 0x2\n" +
			"#\t0x1\tdatabase/sql.(*DB).conn+0x3ca\tsql.go:1282\n" +
			"#\t0x2\tmain.lookup+0x9b\tmain.go:41\n", says: "3 pool sql.(*DB).conn at main.lookup:41"},
	} {
		if c.text == "" {
			text := golden.Must(os.ReadFile("../decode/threaddump/testdata/excerpts/" + name + ".txt"))(t)
			_, c.text, _ = strings.Cut(string(text), "-- dump --\n")
		}
		var out, msg bytes.Buffer
		code := Main([]string{"analyze", "-"}, strings.NewReader(c.text), &out, &msg)
		said := strings.Join(strings.Fields(out.String()+msg.String()), " ")
		if code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s: exit %d, no %q in\n%s%s", name, code, c.says, &out, &msg)
		}
	}
}
