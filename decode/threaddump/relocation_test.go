package threaddump

import (
	"fmt"
	"strings"
	"testing"

	"contend/format"
)

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
			fmt.Fprintf(&b, "\"%s\" #%d prio=5 os_prio=0 tid=0x%x nid=0x%x\n   java.lang.Thread.State: %s\n\tat App.%s(App.java:1)\n", t.name, 10+j, 100+j, 200+j, state, t.at)
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
		"nothing moves":                         {[][]seen{{owner(1), waiter(1, 1)}, {owner(1), waiter(1, 1)}}, 1, false},
		"the owner holds it still":              {[][]seen{{owner(1), waiter(1, 1)}, {owner(2), waiter(1, 2)}}, 1, true},
		"two waiters agree, a new owner":        {[][]seen{{owner(1), other(0), waiter(1, 1), waiter(2, 1)}, {owner(0), other(2), waiter(1, 2), waiter(2, 2)}}, 1, true},
		"moved twice":                           {[][]seen{{owner(1), waiter(1, 1)}, {owner(2), waiter(1, 2)}, {owner(3), waiter(1, 3)}}, 1, true},
		"one waiter, another owner":             {[][]seen{{owner(1), other(0), waiter(1, 1)}, {owner(0), other(2), waiter(1, 2)}}, 2, false},
		"the old one is still held":             {[][]seen{{owner(1), other(0), waiter(1, 1), waiter(2, 1)}, {owner(1), other(2), waiter(1, 2), waiter(2, 2)}}, 2, false},
		"the new one was there before":          {[][]seen{{owner(1), other(2), waiter(1, 1), waiter(2, 1)}, {owner(0), other(2), waiter(1, 2), waiter(2, 2)}}, 2, false},
		"the waiters go apart":                  {[][]seen{{owner(1), waiter(1, 1), waiter(2, 1)}, {owner(2), waiter(1, 2), waiter(2, 3)}}, 3, false},
		"they come together":                    {[][]seen{{owner(1), other(0), waiter(1, 1), waiter(2, 4)}, {owner(2), other(0), waiter(1, 2), waiter(2, 2)}}, 3, false},
		"the waiter is elsewhere":               {[][]seen{{owner(1), waiter(1, 1)}, {owner(2), {"w1", "again", 0, 2}}}, 2, false},
		"nobody waited meanwhile":               {[][]seen{{owner(1), waiter(1, 1)}, {owner(1), idle(1)}, {owner(2), waiter(1, 2)}}, 2, false},
		"another lock takes its place":          {[][]seen{{owner(1), waiter(1, 1), other(0), idle(2)}, {owner(2), waiter(1, 2), other(1), waiter(2, 1)}}, 2, false},
		"another lock takes its place later on": {[][]seen{{owner(1), waiter(1, 1), other(0), idle(2)}, {owner(2), waiter(1, 2), other(0), idle(2)}, {owner(2), waiter(1, 2), other(1), waiter(2, 1)}}, 2, true},
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
		if len(ids) != c.locks || told != c.moved {
			t.Errorf("%s: %d locks, want %d; told of moves: %v", name, len(ids), c.locks, told)
		}
	}
}

// An identity hash stays with its object: another hash is another lock.
func TestHashesDoNotMove(t *testing.T) {
	m, ids := newRelocations(), map[LockRef]format.ObjectID{{Class: "L", Addr: 1}: 1}
	for addr := uint64(1); addr <= 2; addr++ {
		lock := LockRef{Class: "L", Addr: addr}
		d := &Dump{Threads: []Thread{{Held: []LockRef{lock}}, {Wait: Blocked, For: lock}}}
		m.follow(d, []format.Party{{Thread: 1, Stack: 1}, {Thread: 2, Stack: 2}}, ids)
	}
	if m.count != 0 || len(ids) != 1 {
		t.Errorf("%d moves, ids %v", m.count, ids)
	}
}
