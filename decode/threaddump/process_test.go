package threaddump

import (
	"fmt"
	"strings"
	"testing"

	"contend/format"
)

// A file may hold dumps of several JVMs, which number their threads alike. No
// thread of one goes by the name of another's; renamed, it stays itself. That there are
// several is said.
func TestThreadsOfSeveralProcesses(t *testing.T) {
	dump := func(name, nid string) string {
		return "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n" +
			fmt.Sprintf("%q #20 prio=5 tid=0x1 nid=%s waiting for monitor entry [0x1]\n   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.a(App.java:1)\n\t- waiting to lock <0x1f> (a App$Lock)\n\n", name, nid) +
			"JNI global refs: 5\n\n"
	}
	text := dump("orders-1", "0x101") + dump("mail-1", "0x202") + dump("orders-1", "0x101") + dump("orders-1 busy", "0x101") +
		"#20 \"mail-1\" BLOCKED 2026-11-21T07:15:49.9Z\n    at App.a(App.java:1)\n    - waiting to lock <App$Lock@1f>\n\n"
	for text, want := range map[string]int{dump("orders-1", "0x101") + dump("orders-1 busy", "0x101"): 0, text: 1} {
		r := open(t, "x", []byte(text))
		events(t, r)
		said := 0
		for _, w := range r.Stats().Warnings {
			if w.Code == "several-processes" && strings.HasPrefix(w.Text, "1 thread has the number of another") {
				said++
			}
		}
		if said != want {
			t.Errorf("warned %d times, want %d: %v", said, want, r.Stats().Warnings)
		}
	}
	var waiters []format.ThreadID
	for _, ev := range events(t, open(t, "x", []byte(text))) {
		for _, w := range ev.Waiters {
			waiters = append(waiters, w.Thread)
		}
	}
	if len(waiters) != 5 || waiters[0] == waiters[1] || waiters[0] != waiters[2] || waiters[0] != waiters[3] || waiters[4] != waiters[0] && waiters[4] != waiters[1] {
		t.Errorf("waiters %v", waiters)
	}
}
