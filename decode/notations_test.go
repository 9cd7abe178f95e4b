package decode

import (
	"strings"
	"testing"
)

// Notations that people show in public; what they say must be read.
func TestNotations(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Spark's threads in JSON", `[ {
  "threadId" : 46, "threadName" : "dispatcher", "threadState" : "BLOCKED",
  "stackTrace" : "a.B.get(B.java:4)\njava.lang.Thread.run(Thread.java:748)",
  "blockedByThreadId" : 47, "blockedByLock" : "Lock(a.B@350285679})", "holdingLocks" : [ ]
}, {
  "threadId" : 47, "threadName" : "rpc", "threadState" : "TIMED_WAITING",
  "stackTrace" : {"elems" : [ "java.lang.Thread.sleep(Native Method)", "a.B.put(B.java:9)" ]},
  "blockedByLock" : "", "holdingLocks" : [ "Monitor(a.B@350285679})" ]
} ]`, "a.B@350285679: rpc <- dispatcher\n"},
		{"a report with its title outside of the fence", "# Found one Java-level deadlock:\n\n```\n" +
			"\"a\":\n  waiting to lock monitor 0x1 (object 0x7a, a d.A),\n  which is held by \"b\"\n" +
			"\"b\":\n  waiting to lock monitor 0x2 (object 0x7b, a d.B),\n  which is held by \"a\"\n```\n", "d.A@7a: b <- a\nd.B@7b: a <- b\n"},
		{"remarks behind goroutines", "goroutine 19 [sync.Mutex.Lock, 3 minutes]:   <- waits for ever\nsync.(*Mutex).lockSlow(0xc000108000)\n\t/sync/mutex.go:171 +0x15d\n" +
			"main.(*S).Write(0xc000108000)\n\t/app/s.go:89 +0x4f\n", "sync.Mutex@c000108000: ? <- main.(*S).Write #19\n"},
		{"goroutines without their frames", "goroutine 421 [sync.RWMutex.Lock, 11 minutes]:   # reconciler\n  Reconcile -> Reset   store/store.go:68\n", "sync.RWMutex@0: ? <- sync.(*RWMutex).Lock #421\n"},
		{"bold lines", "**### \"main\" prio=5 tid=1 Blocked**\n  | held mutexes=\n  at a.B.get(B.java:4)\n  **- waiting to lock <0x07> (a a.B) held by thread 5\n  at** a.B.run(B.java:3)\n\n" +
			"**\"w\" prio=5 tid=5 Native**\n  | held mutexes=\n  at a.B.put(B.java:9)\n  - locked <0x07> (a a.B)\n", "a.B@7: w <- main\n"},
		{"a console's words of states", "\"w\" tid=5 Timed Waiting\n  at java.lang.Thread.sleep (Native method)\n  at a.B.put (B.java:9)\n  - locked <0x07> (a a.B)\n\n" +
			"\"main\" tid=1 Blocked\n  at a.B.get (B.java:4)\n  - waiting to lock <0x07> (a a.B) held by thread 5\n\n", "a.B@7: w <- main\n"},
		{"a quote of code", "`\"main\" prio=5 tid=1 Blocked\n  | held mutexes=\n  at a.B.get (B.java:4)\n- waiting to lock <0x07> (a a.B) held by thread 5\n\n" +
			"\"w\" prio=5 tid=5 Sleeping\n  at a.B.put (B.java:9)\n- locked <0x07> (a a.B)\n`\n", "a.B@7: w <- main\n"},
	} {
		if got := shown(t, []byte(c.text)); !strings.HasSuffix(got, c.want) {
			t.Errorf("%s shows\n%swant\n%s", c.name, got, c.want)
		}
	}
	for _, text := range []string{`{"threadName":"main","threadState":"x","message":"no dump"}`, "[]", `[{"threadName":1,"threadState":2}]`} {
		if got := shown(t, []byte(text)); !strings.Contains(got, "not a thread dump") {
			t.Errorf("%s shows %s", text, got)
		}
	}
}
