package threaddump

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

const (
	hotspotHead   = "Full thread dump OpenJDK 64-Bit Server VM (25+36 mixed mode):\n\n"
	hotspotWaiter = "\"waiter\" #20 [257] prio=5 tid=0x1 nid=257 waiting for monitor entry [0x1]\n   " +
		"java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.a(App.java:1)\n\t- waiting to lock <0x1f> (a " +
		"App$Lock)\n\n"
	hotspotIdle = " #18 [258] daemon prio=5 tid=0x2 nid=258 waiting on condition [0x2]\n   " +
		"java.lang.Thread.State: WAITING (parking)\n\tat jdk.internal.misc.Unsafe.park(java.base@25/Native Method)\n\n"
	hotspotEnd = "JNI global refs: 5\n"
)

// Only where all threads are in a dump that may hold a lock, one that nobody in
// it holds is free. Virtual threads are not in it, unless they run.
func TestOwnersThatAreNotInTheDump(t *testing.T) {
	free, unknown := "App$Lock@1f: <- waiter\n", "App$Lock@1f: ? <- waiter\n"
	for _, c := range []struct{ what, text, want string }{
		{"whole", hotspotHead + hotspotWaiter + "\"pool-1-thread-1\"" + hotspotIdle + hotspotEnd,
			"2 live, 1 idle\n" + free},
		{"virtual threads, JDK 21", hotspotHead + hotspotWaiter + "\"VirtualThread-unparker\"" + hotspotIdle +
			hotspotEnd, "2 live, 1 idle\n" + unknown},
		{"virtual threads, JDK 25", hotspotHead + hotspotWaiter + "\"ForkJoinPool-1-worker-1\"" + hotspotIdle +
			hotspotEnd, "2 live, 1 idle\n" + unknown},
		{"a virtual thread runs", hotspotHead + hotspotWaiter + "\"carrier\" #18 [258] daemon prio=5 tid=0x2 " +
			"nid=258 runnable [0x2]\n   Carrying virtual thread #31\n\tat " +
			"jdk.internal.vm.Continuation.run(java.base@25/Continuation.java:248)\n\n" + hotspotEnd,
			"2 live, 0 idle\n" + unknown},
		{"a pool of JDK 17", hotspotHead + "\"waiter\" #20" + hotspotWaiter[len("\"waiter\" #20 [257]"):] +
			"\"ForkJoinPool-1-worker-1\" #18" + hotspotIdle[len(" #18 [258]"):] + hotspotEnd,
			"2 live, 1 idle\n" + free},
		{"cut off", hotspotHead + hotspotWaiter, "1 live, 0 idle\n" + unknown},
		{"cut off behind them", hotspotHead + hotspotWaiter + "\"VM Thread\" os_prio=0 tid=0x3 nid=259 runnable\n\n",
			"1 live, 0 idle\n" + free},
		{"threads of a dump", hotspotWaiter, "1 live, 0 idle\n" + unknown},
		{"without its header", hotspotWaiter + hotspotEnd, "1 live, 0 idle\n" + free},
		{"ThreadInfo of some threads", "\"waiter\" prio=5 Id=20 BLOCKED on App$Lock@1f owned by \"the \"owner\"\" " +
			"Id=21\n\tat app//App.a(App.java:1)\n\n", "1 live, 0 idle\nApp$Lock@1f: the \"owner\" <- waiter\n"},
		{"ThreadInfo without an owner", "\"waiter\" prio=5 Id=20 BLOCKED on App$Lock@1f\n\tat " +
			"app//App.a(App.java:1)\n\n", "1 live, 0 idle\n" + free},
	} {
		golden.Equal(t, shown(t, []byte(c.text)), c.want, c.what)
	}
}

// A library's own lock may not have its owner noted: that nobody is shown to have it
// tells nothing, unless somebody was shown to have another one of its class.
func TestOwnersOfALibrarysOwnLock(t *testing.T) {
	waiter := "\"waiter\" #20 [257] prio=5 tid=0x1 nid=257 waiting on condition [0x1]\n   java.lang.Thread.State: " +
		"WAITING (parking)\n\tat jdk.internal.misc.Unsafe.park(java.base@25/Native Method)\n\t- parking to wait for " +
		" <0x1f> (a App$Sync)\n\tat " +
		"java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire(java.base@25/" +
		"AbstractQueuedSynchronizer.java:938)\n\tat App.a(App.java:1)\n\n   Locked ownable synchronizers:\n\t- None\n\n"
	owner := "\"owner\" #21 [258] prio=5 tid=0x2 nid=258 runnable [0x2]\n   java.lang.Thread.State: RUNNABLE\n\tat " +
		"App.b(App.java:2)\n\n   Locked ownable synchronizers:\n\t- <0x2f> (a App$Sync)\n\n"
	for _, c := range []struct{ what, others, want string }{
		{"no owner of any", "", "1 live, 0 idle\nApp$Sync@1f: ? <- waiter\n"},
		{"an owner of another one", owner, "2 live, 0 idle\nApp$Sync@1f: <- waiter\n"},
	} {
		golden.Equal(t, shown(t, []byte(hotspotHead+waiter+c.others+hotspotEnd)), c.want, c.what)
	}
}

// A dump lists no virtual thread but those that run. Where there may be others, that is
// told: before JDK 24 its carriers are called as any pool's.
func TestVirtualThreadsThatAreNotListedAreTold(t *testing.T) {
	for name, want := range map[string]bool{"VirtualThread-unparker": true, "VirtualThread-unblocker": true,
		"ForkJoinPool-1-worker-1": false, "older/ForkJoinPool-1-worker-1": true, "older/pool-1-thread-1": false} {
		head := hotspotHead
		if old, ok := strings.CutPrefix(name, "older/"); ok {
			name, head = old, strings.Replace(head, "(25+36 ", "(21.0.2+13-LTS ", 1)
		}
		r := open(t, "x", []byte(head+"\""+name+"\""+hotspotIdle+hotspotEnd))
		events(t, r)
		told := slices.ContainsFunc(
			r.Stats().Warnings,
			func(w format.Warning) bool { return w.Code == "unlisted-threads" },
		)
		golden.Equal(t, told, want, name, r.Stats().Warnings)
	}
}

// An owner that only those name who wait for it is one thread, however many
// do, and the same as where it is listed.
func TestNamedOwnerIsOneThread(t *testing.T) {
	waits := "\"a\" prio=5 Id=20 BLOCKED on App$Lock@1f owned by \"owner\" Id=22\n\tat app//App.a(App.java:1)\n\n" +
		"\"b\" prio=5 Id=21 BLOCKED on App$Lock@2f owned by \"owner\" Id=22\n\tat app//App.a(App.java:1)\n\n"
	owners := map[format.ThreadID]int{}
	for _, ev := range events(t, open(t, "x", []byte(waits+waits+"\"owner\" prio=5 Id=22 RUNNABLE\n\tat "+
		"app//App.b(App.java:2)\n\n"))) {
		for _, o := range ev.Owners {
			owners[o.Thread]++
		}
	}
	golden.Equal(t, len(owners), 1, "owners", owners, "want one")
}

// seen is a thread of a handmade dump: at, where it is; it holds and waits for
// monitors of class App$Lock at these addresses, 0 for none.
type seen struct {
	name         string
	at           string
	holds, waits uint64
}

// series writes one dump a second.
func series(dumps ...[]seen) []byte {
	var b strings.Builder
	for i, threads := range dumps {
		fmt.Fprintf(&b, "2026-11-21 02:57:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n", i)
		for j, t := range threads {
			state := "RUNNABLE"
			if t.waits != 0 {
				state = "BLOCKED (on object monitor)"
			}
			fmt.Fprintf(
				&b,
				"\"%s\" #%d prio=5 os_prio=0 tid=0x%x nid=0x%x\n   java.lang.Thread.State: %s\n\tat "+
					"App.%s(App.java:1)\n",
				t.name,
				10+j,
				100+j,
				200+j,
				state,
				t.at,
			)
			if t.waits != 0 {
				fmt.Fprintf(&b, "\t- waiting to lock <0x%016x> (a App$Lock)\n", t.waits)
			}
			if t.holds != 0 {
				fmt.Fprintf(&b, "\tat App.outer(App.java:2)\n\t- locked <0x%016x> (a App$Lock)\n", t.holds)
			}
			b.WriteString("\n")
		}
		b.WriteString("JNI global refs: 1, weak refs: 0\n\n")
	}
	return []byte(b.String())
}

// A lock at a new address is the same one when its waiters say so and its
// owner, or another waiter, does too; all other changes of address are other
// locks.
func TestLocksThatMoved(t *testing.T) {
	owner := func(a uint64) seen { return seen{"owner", "work", a, 0} }
	other := func(a uint64) seen { return seen{"other", "rest", a, 0} }
	third := func(a uint64) seen { return seen{"third", "count", a, 0} }
	waiter := func(n int, a uint64) seen { return seen{fmt.Sprint("w", n), "enter", 0, a} }
	idle := func(n int) seen { return seen{fmt.Sprint("w", n), "rest", 0, 0} }
	for name, c := range map[string]struct {
		dumps [][]seen
		locks int
		moved bool
	}{
		"nothing moves": {[][]seen{{owner(1), waiter(1, 1)}, {owner(1), waiter(1, 1)}}, 1,
			false},
		"the owner holds it still": {[][]seen{{owner(1), waiter(1, 1)}, {owner(2), waiter(1, 2)}}, 1,
			true},
		"two waiters agree, a new owner": {[][]seen{{owner(1), other(0), waiter(1, 1), waiter(2, 1)},
			{owner(0), other(2), waiter(1, 2), waiter(2, 2)}}, 1, true},
		"moved twice": {[][]seen{{owner(1), waiter(1, 1)}, {owner(2), waiter(1, 2)},
			{owner(3), waiter(1, 3)}}, 1, true},
		"one waiter, another owner": {[][]seen{{owner(1), other(0), waiter(1, 1)},
			{owner(0), other(2), waiter(1, 2)}}, 2, false},
		"the old one is still held": {[][]seen{{owner(1), other(0), waiter(1, 1), waiter(2, 1)},
			{owner(1), other(2), waiter(1, 2), waiter(2, 2)}}, 2, false},
		"the new one was there before": {[][]seen{{owner(1), other(2), waiter(1, 1), waiter(2, 1)},
			{owner(0), other(2), waiter(1, 2), waiter(2, 2)}}, 2, false},
		"the waiters go apart": {[][]seen{{owner(1), waiter(1, 1), waiter(2, 1)},
			{owner(2), waiter(1, 2), waiter(2, 3)}}, 3, false},
		"they come together": {[][]seen{{owner(1), other(0), waiter(1, 1), waiter(2, 4)},
			{owner(2), other(0), waiter(1, 2), waiter(2, 2)}}, 3, false},
		"the waiter is elsewhere": {[][]seen{{owner(1), waiter(1, 1)},
			{owner(2), {"w1", "again", 0, 2}}}, 2, false},
		"nobody waited meanwhile": {[][]seen{{owner(1), waiter(1, 1)}, {owner(1), idle(1)},
			{owner(2), waiter(1, 2)}}, 2, false},
		"another lock takes its place": {[][]seen{{owner(1), waiter(1, 1), other(0), idle(2)},
			{owner(2), waiter(1, 2), other(1), waiter(2, 1)}}, 2, false},
		"another lock takes its place later on": {[][]seen{{owner(1), waiter(1, 1), other(0), idle(2)},
			{owner(2), waiter(1, 2), other(0), idle(2)}, {owner(2), waiter(1, 2), other(1), waiter(2, 1)}}, 2, true},
		"a new one after one took another's place": {[][]seen{
			{owner(1), waiter(1, 1), other(2), waiter(2, 2), third(3), waiter(3, 3)},
			{owner(1), waiter(1, 1), other(0), idle(2), third(3), waiter(3, 3)},
			{owner(2), waiter(1, 2), other(0), idle(2), third(3), waiter(3, 3)},
			{owner(2), waiter(1, 2), other(4), waiter(2, 4), third(3), waiter(3, 3)}}, 4, true},
	} {
		r := open(t, "x", series(c.dumps...))
		ids := map[format.ObjectID]bool{}
		for _, ev := range events(t, r) {
			if ev.Kind == format.KindContention {
				ids[ev.Object] = true
			}
		}
		told := false
		for _, w := range r.Stats().Warnings {
			told = told || w.Code == "moved"
		}
		golden.Equal(t, len(ids), c.locks, name)
		golden.Equal(t, told, c.moved, name)
	}
}

// An identity hash stays with its object: another hash is another lock.
func TestHashesDoNotMove(t *testing.T) {
	m, ids := relocations{}, map[LockRef]format.ObjectID{{Class: "L", Addr: 1}: 1}
	for addr := uint64(1); addr <= 2; addr++ {
		lock := LockRef{Class: "L", Addr: addr}
		d := &Dump{Threads: []Thread{{Held: []LockRef{lock}}, {Wait: Blocked, For: lock}}}
		m.follow(d, []format.Party{{Thread: 1, Stack: 1}, {Thread: 2, Stack: 2}}, ids)
	}
	golden.Equal(t, m.count, 0)
	golden.Equal(t, len(ids), 1)
}

// Owners and monitors that a text names or hints at are said, though the text does not show them.
func TestHintsAtOwners(t *testing.T) {
	for path, want := range map[string]string{
		"freeze": `"shop indexer" is in com.intellij.openapi.application.impl.ApplicationImpl.runReadAction and may hold ` +
			`com.intellij.openapi.application.impl.ReadMostlyRWLock@78b535fc`,
		"watchdog": "Thread - 7\" holds a monitor since shop.Session.keep:481, where they wait: probably " +
			"this one",
		"pinned":              `"ForkJoinPool-1-worker-1" holds a monitor since demo.Pin.work:12`,
		"no-lock-lines":       `"clerk-3" is in shop.Till.ring, where they wait, and may hold it`,
		"dalvik-owner-absent": `"Writer (2)" (of shop.Box)`,
	} {
		text := golden.Must(os.ReadFile("testdata/excerpts/" + path + ".txt"))(t)
		_, dump, _ := bytes.Cut(text, []byte("-- dump --\n"))
		r := open(t, path, dump)
		events(t, r)
		golden.Holds(golden.Labelled(t, path), fmt.Sprint(r.Stats().Warnings), want)
	}
}

// A name and a state in brackets begin a thread only where frames follow, at the text's beginning or twice.
func TestNameAndStateInProse(t *testing.T) {
	for text, want := range map[string]bool{
		"main (BLOCKED)\n at a.B.c(B.java:1)\n":                                                true,
		"12:00 up\nmain (BLOCKED)\n at a.B.c(B.java:1)\n":                                      false,
		"12:00 up\nmain (BLOCKED)\n at a.B.c(B.java:1)\n\nx (NEW)\n at a.B.c(B.java:1)\n":      true,
		"main (BLOCKED)\nworker (RUNNABLE)\n at the same time\n":                               false,
		"main (idle)\n at a.B.c(B.java:1)\n":                                                   false,
		"main (BLOCKED)\nCaused by: a\n at a.B.c(B.java:1)\nx (NEW)\nand so on\n":              false,
		"up\nmain (native):tid=1 systid=3\n#00 pc 0x1\n at a.B.c(B.java:1)\nx (NEW)\n#01 pc 0": true,
	} {
		if got := StatedThreads([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
