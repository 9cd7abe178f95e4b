package jfr

import (
	"testing"

	"contend/decode/rules"
	"contend/decode/threaddump"
)

// A dump shows that nobody has a monitor. It does not show who has a synchronizer, the
// JDK's or a library's own: that nobody is shown to have it tells nothing.
func TestDumpsShowMonitorsFreeOnly(t *testing.T) {
	const head = "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n"
	waits := func(state, how, class, frame string) string {
		return head + "\"waiter\" #20 prio=5 tid=0x1 nid=0x101 waiting [0x1]\n   java.lang.Thread.State: " + state + "\n\tat jdk.internal.misc.Unsafe.park(java.base@17/Native Method)\n\t- " + how + " <0x1f> (a " + class + ")\n\tat " + frame + "\n\tat App.a(App.java:1)\n\nJNI global refs: 5\n"
	}
	const aqs = "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire(java.base@17/AbstractQueuedSynchronizer.java:938)"
	for _, c := range []struct {
		what, text string
		locks      int
	}{
		{"a monitor", head + "\"waiter\" #20 prio=5 tid=0x1 nid=0x101 waiting for monitor entry [0x1]\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.a(App.java:1)\n\t- waiting to lock <0x1f> (a App$Lock)\n\nJNI global refs: 5\n", 1},
		{"the JDK's lock", waits("WAITING (parking)", "parking to wait for ", "java.util.concurrent.locks.ReentrantLock$NonfairSync", aqs), 0},
		{"a lock of one's own", waits("WAITING (parking)", "parking to wait for ", "App$Mutex$Sync", aqs), 0},
	} {
		r := &Reader{symbols: symbols{rules: rules.Default(), ids: newIdentities()}, evidence: evidence{dumps: threaddump.NewHotSpot()}}
		r.threadDump(1, c.text)
		if got := r.dumpTimes.dumps.list[0]; len(got.locks) != c.locks || len(got.threads) != 1 {
			t.Errorf("%s: %d locks free, want %d", c.what, len(got.locks), c.locks)
		}
	}
}
