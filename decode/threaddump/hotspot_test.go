package threaddump

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// Whoever parses the dumps of a JVM keeps what they repeat: each is what it would be
// alone, and costs no copy of a line it has met.
func TestDumpsOfOneJVMRepeatTheirLines(t *testing.T) {
	series := golden.Must(os.ReadFile("../../testdata/truth-series-8dumps-jdk17.txt"))(t)
	const begins = "Full thread dump "
	texts := strings.Split(string(series), begins)[1:]
	h := NewHotSpot()
	for i, text := range texts {
		text = begins + text
		if got, want := h.Parse(text), NewHotSpot().Parse(text); !reflect.DeepEqual(got, want) ||
			len(got.Threads) == 0 {
			t.Errorf("dump %d: %+v, alone %+v", i, got, want)
		}
		again := testing.AllocsPerRun(3, func() { h.Parse(text) })
		alone := testing.AllocsPerRun(3, func() { NewHotSpot().Parse(text) })
		golden.AtMost(t, again, alone/2, "dump", i, "allocations", alone, "of a dump alone")
	}
}

// The lock of a class that is being initialised is called by that class, and whoever runs the
// initialiser has it.
func TestInitialisationIsNamedByTheClass(t *testing.T) {
	const dump = `2026-11-23 13:00:00
Full thread dump OpenJDK 64-Bit Server VM (25+36-LTS mixed mode, sharing):

"main" #1 prio=5 tid=0x1 nid=11 waiting on condition  [0x1]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
	at java.lang.Thread.sleep(Native Method)
	at shop.Catalog.<clinit>(Catalog.java:9)
	at shop.Main.main(Main.java:5)

"http-1" #2 prio=5 tid=0x2 nid=12 waiting on condition  [0x2]
   java.lang.Thread.State: RUNNABLE
	at shop.Main.ask(Main.java:15)
	- waiting on the Class initialization monitor for shop.Catalog

`
	h := NewHotSpot()
	d := h.Parse(dump)
	want := LockRef{Class: format.Initialisation + "shop.Catalog", Name: format.Initialisation + "shop.Catalog"}
	if got := d.Threads[1]; got.Wait != Blocked || got.For != want {
		t.Errorf("%+v", got)
	}
	if held := d.Threads[0].Held; len(held) != 1 || held[0] != want {
		t.Errorf("held: %+v", held)
	}
}

func TestUnusualFrames(t *testing.T) {
	for text, want := range map[string]format.Frame{
		"AppTest.waits (for it) and goes on(AppTest.kt:12)": {
			Class:  "AppTest",
			Method: "waits (for it) and goes on",
			File:   "AppTest.kt",
			Line:   12,
		},
		"app//a.B.f(x)$lambda$0(B.kt)": {
			Class:  "a.B",
			Method: "f(x)$lambda$0",
			File:   "B.kt",
		},
		"java.base@17/java.lang.Thread.sleep(Native Method)": {
			Class:  "java.lang.Thread",
			Method: "sleep",
			Line:   -1,
		},
		"com.acme.Gen$$FastClass/1234567890.call(Unknown Source)": {
			Class:  "com.acme.Gen$$FastClass",
			Method: "call",
		},
		"app//com.acme.Gen/0x00000007c0061000.call(Gen.java:3)": {
			Class:  "com.acme.Gen",
			Method: "call",
			File:   "Gen.java",
			Line:   3,
		},
		"java.lang.invoke.LambdaForm$MH+0x00007fa778083800/2086996804.invoke(LambdaForm$MH)": {
			Class:  "java.lang.invoke.LambdaForm$MH",
			Method: "invoke",
			File:   "LambdaForm$MH",
		},
		"a.B.f": {Class: "a.B", Method: "f"},
	} {
		if got, ok := newNames().frame(text, dotted); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// Hidden classes have the same name in each run, as recordings write them too.
func TestHiddenClasses(t *testing.T) {
	for name, want := range map[string]string{
		"java/lang/invoke/LambdaForm$MH+0x00007fa778083800.2086996804": "java.lang.invoke.LambdaForm$MH",
		"java/lang/invoke/LambdaForm$MH+0x00007fa778083800/2086996804": "java.lang.invoke.LambdaForm$MH",
		"App$$Lambda+0x00007fa778083800":                               "App$$Lambda",
		"[Lcom/acme/Gen+0x00007fa778083800;":                           "com.acme.Gen[]",
		"java/lang/Thread":                                             "java.lang.Thread",
	} {
		golden.Equal(t, JavaName(name), want, name)
	}
}

// A thread with line breaks in its name is one of its own, in every notation.
func TestNamesWithLineBreaks(t *testing.T) {
	const want = "2 live, 0 idle\nApp$Lock@1f: alpha <- two\nlines\n"
	for notation, text := range map[string]string{
		"HotSpot": "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n" +
			"\"alpha\" #20 prio=5 tid=0x1 nid=0x101 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n" +
			"\tat App.a(App.java:1)\n\t- locked <0x1f> (a App$Lock)\n\n" +
			"\"two\nlines\" #21 prio=5 tid=0x2 nid=0x102 waiting for monitor entry [0x2]\n" +
			"   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.b(App.java:2)\n" +
			"\t- waiting to lock <0x1f> (a App$Lock)\n\n" +
			"JNI global refs: 5\n",
		"Thread.dump_to_file": "#20 \"alpha\" RUNNABLE 2026-11-21T07:15:49.9Z\n    at App.a(App.java:1)\n" +
			"    - locked <App$Lock@1f>\n\n" +
			"#21 \"two\nlines\" BLOCKED 2026-11-21T07:15:49.9Z\n    at App.b(App.java:2)\n" +
			"    - waiting to lock <App$Lock@1f>\n\n",
		"ThreadInfo": "\"alpha\" prio=5 Id=20 RUNNABLE\n\tat app//App.a(App.java:1)\n\t-  locked App$Lock@1f\n\n" +
			"\"two\nlines\" prio=5 Id=21 BLOCKED on App$Lock@1f owned by \"alpha\" Id=20\n" +
			"\tat app//App.b(App.java:2)\n\n",
	} {
		golden.Equal(t, shown(t, []byte(text)), want, notation)
		golden.Equal(t, shown(t, []byte(strings.ReplaceAll(text, "\n", "\r\n"))), want, notation, "with CRLF")
	}
}

// A line of a log that begins with a quote hides no thread behind it.
func TestQuoteWithinDump(t *testing.T) {
	text := "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n" +
		"\"alpha\" #20 prio=5 tid=0x1 nid=0x101 runnable [0x1]\n\tat App.a(App.java:1)\n" +
		"\t- locked <0x1f> (a App$Lock)\n\n\"unfinished business\n" +
		"\"beta\" #21 prio=5 tid=0x2 nid=0x102 waiting for monitor entry [0x2]\n" +
		"   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.b(App.java:2)\n" +
		"\t- waiting to lock <0x1f> (a App$Lock)\n\nJNI global refs: 5\n"
	golden.Equal(t, shown(t, []byte(text)), "2 live, 0 idle\nApp$Lock@1f: alpha <- beta\n")
}

// A file may hold dumps of several JVMs, which number their threads alike. No
// thread of one goes by the name of another's; renamed, it stays itself. That there are
// several is said.
func TestThreadsOfSeveralProcesses(t *testing.T) {
	dump := func(name, nid string) string {
		return "Full thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n" +
			fmt.Sprintf(
				"%q #20 prio=5 tid=0x1 nid=%s waiting for monitor entry [0x1]\n"+
					"   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat App.a(App.java:1)\n"+
					"\t- waiting to lock <0x1f> (a App$Lock)\n\n",
				name,
				nid,
			) +
			"JNI global refs: 5\n\n"
	}
	text := dump(
		"orders-1",
		"0x101",
	) + dump(
		"mail-1",
		"0x202",
	) + dump(
		"orders-1",
		"0x101",
	) + dump(
		"orders-1 busy",
		"0x101",
	) +
		"#20 \"mail-1\" BLOCKED 2026-11-21T07:15:49.9Z\n    at App.a(App.java:1)\n" +
		"    - waiting to lock <App$Lock@1f>\n\n"
	for text, want := range map[string]int{dump("orders-1", "0x101") + dump("orders-1 busy", "0x101"): 0, text: 1} {
		r := open(t, "x", []byte(text))
		events(t, r)
		said := 0
		for _, w := range r.Stats().Warnings {
			if w.Code == "several-processes" && strings.HasPrefix(w.Text, "1 thread has the number of another") {
				said++
			}
		}
		golden.Equal(t, said, want, "warned", r.Stats().Warnings)
	}
	var waiters []format.ThreadID
	for _, ev := range events(t, open(t, "x", []byte(text))) {
		for _, w := range ev.Waiters {
			waiters = append(waiters, w.Thread)
		}
	}
	if len(waiters) != 5 || waiters[0] == waiters[1] || waiters[0] != waiters[2] || waiters[0] != waiters[3] ||
		waiters[4] != waiters[0] && waiters[4] != waiters[1] {
		t.Errorf("waiters %v", waiters)
	}
}

// What other tools write of a program is told by its first line; text of any other kind
// is not taken for theirs.
func TestHintsForForeignText(t *testing.T) {
	for first, want := range map[string]string{
		"<!DOCTYPE html>":   "a page",
		"<html lang='en'>":  "a page",
		"<p>of nothing</p>": "contend reads",
		"12346 13:00:01.0005 futex(0x7f00, FUTEX_WAKE_PRIVATE, 1) = 1 <0.00001>":            "strace",
		"[pid  4711] futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL) = -1 EAGAIN (Resource ...)": "strace",
		"execve(\"/bin/true\", [\"true\"], 0x7ffd /* 9 vars */) = 0":                        "strace",
		"2026-11-23 13:00:01 INFO put(x) = 3":                                               "contend reads",
		"# tracer: nop":                                                                     "ftrace",
		"Thread 3 (Thread 0x7f0000000700 (LWP 4711) \"worker\"):":                           "a debugger",
		"#0  0x00007f0000000000 in __lll_lock_wait () from /lib64/libc.so.6":                "a debugger",
		"Attaching 3 probes...":                                                             "bpftrace",
		"* Goroutine 1 - User: ./main.go:12 main.main (0x4010)":                             "Delve",
		"       Value     Percentile TotalCount 1/(1-Percentile)":                           "percentiles",
		"# a comment":  "contend reads",
		"hello; world": "contend reads",
		"":             "contend reads",
	} {
		if got := hintOf(first); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q", first, got)
		}
	}
}

func TestMain(m *testing.M) { golden.Main(m) }
