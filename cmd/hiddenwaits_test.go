package cmd

import (
	"io"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// checked is what check says of a trace, as text, and how it exits.
func checked(t *testing.T, in string, args ...string) (code int, text string) {
	t.Helper()
	var out, msg strings.Builder
	code = Main(append([]string{"check"}, args...), strings.NewReader(in), &out, &msg)
	return code, out.String() + msg.String()
}

// Two virtual threads wait for each other for ever (testdata/java/VirtualDeadlock.java):
// no event tells of that, and no gate passes. Where each start is recorded, what is
// hidden is at most their lives; else nothing bounds it. The last recording began when
// they had waited for half a minute and their carriers were gone.
func TestGatesDoNotPassWhatVirtualThreadsHide(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	for name, bounded := range map[string]bool{"deadlock": false, "deadlock-starts": true, "deadlock-late": false} {
		file := "../testdata/gate/" + name + "-jdk25.jfr.gz"
		code, text := checked(t, "", "--rule", "no deadlock", "--rule", "waiting(*) < 0.5", "--rule", "max(*) < 1s", file)
		if code != exitRules || !strings.Contains(text, "all 3 rules are undecided") || strings.Contains(text, "nothing bounds") == bounded {
			t.Errorf("%s: exit %d\n%s", name, code, text)
		}
		code, _ = checked(t, "", "--rule", "waiting(*) < 2.5", file)
		if (code == exitOK) != bounded {
			t.Errorf("%s: 2.5 threads: exit %d", name, code)
		}
		for _, w := range ask[document.Analyze](t, "analyze", file).Coverage.Warnings {
			if w.Code == "virtual-threads" && bounded && (w.HiddenNs < 5.9e9 || w.HiddenNs > 6.1e9) { // two threads, 3.0 s each
				t.Errorf("%s: %s", name, w.Text)
			}
		}
	}
}

const (
	stuckInit = `#21 "init-a" RUNNABLE 2026-11-26T10:58:28.507111580Z
    at CI$A.<clinit>(CI.java:2)
    at java.base/java.lang.Thread.run(Thread.java:1474)

#22 "init-b" RUNNABLE 2026-11-26T10:58:28.507345718Z
    at CI$B.<clinit>(CI.java:3)
    at java.base/java.lang.Thread.run(Thread.java:1474)

`
	stuckInitOld = `Full thread dump OpenJDK 64-Bit Server VM (11.0.2+9 mixed mode):

"init-a" #12 prio=5 os_prio=0 tid=0x1 nid=0x3740 in Object.wait()  [0x2]
   java.lang.Thread.State: RUNNABLE
	at CI$A.<clinit>(CI.java:2)
	at java.lang.Thread.run(java.base@11/Thread.java:834)

JNI global refs: 5

`
)

// A dump that does not mark the threads that wait for a class to be initialised does
// not tell whether they wait for each other; one that shows no initialiser does.
func TestInitialisersThatMayWaitDecideNothing(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		text string
		want int
	}{
		"dump_to_file":       {"4711\n2026-11-26T10:58:28.5Z\n25.0.3+9-LTS\n\n" + stuckInit, exitRules},
		"over before":        {"4711\n2026-11-26T10:58:28.5Z\n25.0.3+9-LTS\n\n" + strings.ReplaceAll(stuckInit, "<clinit>", "load"), exitOK},
		"JDK 11":             {stuckInitOld, exitRules},
		"JDK 11, it runs":    {strings.Replace(stuckInitOld, "in Object.wait()", "runnable", 1), exitOK},
		"JDK 11, over later": {stuckInitOld + strings.Replace(stuckInitOld, "in Object.wait()", "runnable", 1), exitOK},
	} {
		code, text := checked(t, c.text, "--rule", "no deadlock", "-")
		if code != c.want || (c.want == exitRules) != strings.Contains(text, "wait for a class to be initialised") {
			t.Errorf("%s: exit %d\n%s", what, code, text)
		}
	}
}

// What the Go runtime finds is a deadlock, though no dump tells which goroutine owns
// what the others wait for.
func TestAGoRuntimesDeadlockIsOne(t *testing.T) {
	t.Parallel()
	const dump = "goroutine 1 [sync.WaitGroup.Wait]:\nsync.runtime_SemacquireWaitGroup(0x1?, 0xe0?)\n\t/go/src/runtime/sema.go:114 +0x2e\nmain.main()\n\t/app/main.go:6 +0x10f\n"
	for head, want := range map[string]string{
		"fatal error: all goroutines are asleep - deadlock!\n\n":                           "FAIL ",
		"12:00:01 fatal error: no goroutines (main called runtime.Goexit) - deadlock!\n\n": "FAIL ",
		"fatal error: concurrent map writes\n\n":                                           "UNDECIDED ",
		"":                                                                                 "UNDECIDED ",
	} {
		if code, text := checked(t, head+dump, "--rule", "no deadlock", "-"); code != exitRules || !strings.Contains(text, "\n "+want) {
			t.Errorf("%q: exit %d\n%s", head, code, text)
		}
		var out strings.Builder
		Main([]string{"analyze", "--format", "json", "-"}, strings.NewReader(head+dump), &out, io.Discard)
		if got := out.String(); strings.Contains(got, `"found": "the Go runtime ended the program: `) != (want == "FAIL ") {
			t.Errorf("%q: deadlocks of JSON:\n%s", head, got)
		}
	}
}
