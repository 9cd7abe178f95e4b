package cmd

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// corpus is where other people's traces are, which are not part of the project.
const corpus = "../../shared/fixtures/public"

// standardRules are those that the help of check begins with, at limits that
// only contention worth a look breaks.
var standardRules = []string{"no deadlock", "csp(*) < 5%", "p99(*) < 10s"}

// corpusVerdicts says of each file what the standard rules may come to, as
// letters: o ok, f fails, u undecided. A file is ok where what it holds decides
// the rule, and nothing else: known from the file itself, read by eye and with
// the JDK's own tools, and not from what check says.
var corpusVerdicts = map[string]string{
	// Counts have neither owners nor times.
	"counts/ReentrantLockStats.txt":          "uuu",
	"counts/ReentrantReadWriteLockStats.txt": "uuu",
	"counts/SynchronizedStats.txt":           "uuu",
	// An execution trace has every wait, and no owner that keeps its lock.
	"gotrace/go125-encoding-json.trace": "uoo",
	// One javacore: its owners are listed, an instant has no share of time.
	"javacore/javacore-withrawStateValue.txt":  "ouu",
	"javacore/javacore.20191105.224043.txt.gz": "ouu",
	// Thresholds of 10 and 20 ms; the first has a thread dump of all threads,
	// with no circle. async-profiler has no
	// threshold, and tells of few of its threads when they ran.
	"jfr/async-profiler-3chunks-type-zero.jfr.gz": "ouu",
	"jfr/async-profiler-kafka-lock.jfr.gz":        "uuo",
	"jfr/jdk-lock-contention.jfr":                 "ufo",
	"jfr/jdk-reentrant-lock.jfr":                  "ufo",
	// One dump each: how far its pressure is off is unknown. The last is of a program
	// with virtual threads, which are not in it.
	"threaddump/dumpling-ReentrantLock-parking-blockage.txt":                "ouu",
	"threaddump/dumpling-ReentrantReadWriteLock-parking-blockage-read.txt":  "ouu",
	"threaddump/dumpling-ReentrantReadWriteLock-parking-blockage-write.txt": "ouu",
	"threaddump/dumpling-blocking-chain.txt":                                "ouu",
	"threaddump/dumpling-blocking-tree.txt":                                 "ouu",
	"threaddump/dumpling-contention.txt":                                    "ouu",
	"threaddump/dumpling-crlf.txt":                                          "ouu",
	"threaddump/dumpling-deadlock-and-friends.txt":                          "fuu",
	"threaddump/dumpling-jrockit-1.6.txt":                                   "ouu",
	"threaddump/dumpling-no-tabs.txt":                                       "ouu",
	"threaddump/dumpling-openjdk-1.8.txt":                                   "ouu",
	"threaddump/dumpling-openjdk-11.0.2.txt":                                "ouu",
	"threaddump/dumpling-ownable-synchronizers.txt":                         "ouu",
	"threaddump/dumpling-producer-consumer.txt":                             "ouu",
	"threaddump/dumpling-self-lock.txt":                                     "ouu",
	"threaddump/jdk-lock-contention-0.txt":                                  "ouu",
	"threaddump/jdk-lock-contention-1.txt":                                  "ouu",
	"threaddump/jdk-lock-contention-2.txt":                                  "ouu",
	"threaddump/jdk-lock-contention-3.txt":                                  "ouu",
	"threaddump/jdk-lock-contention-4.txt":                                  "ouu",
	"threaddump/jdk-lock-contention-5.txt":                                  "ouu",
	"threaddump/jdk-three-way-deadlock.txt":                                 "fuu",
	"threaddump/jdk-virtual-threads.txt":                                    "uuu",
}

// No rule passes for want of evidence, on any trace of the corpus.
func TestNoFalseOkOnTheCorpus(t *testing.T) {
	golden.ParallelUnlessShort(t)
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the corpus is not here: %v", err)
	}
	known := 0
	for _, kind := range []string{"counts", "gotrace", "javacore", "jfr", "threaddump"} {
		files := golden.Must(filepath.Glob(filepath.Join(corpus, kind, "*")))(t)
		for _, file := range files {
			if strings.HasSuffix(file, ".json") {
				continue
			}
			name := kind + "/" + filepath.Base(file)
			want, ok := corpusVerdicts[name]
			if !ok {
				t.Errorf("%s: nothing is known of it", name)
				continue
			}
			known++
			golden.Equal(t, verdictsOf(t, file), want, name)
		}
	}
	golden.Equal(t, known, len(corpusVerdicts), "files")
}

// verdictsOf checks the standard rules.
func verdictsOf(t *testing.T, file string, more ...string) string {
	t.Helper()
	args := append([]string{"check", "--format", "json"}, more...)
	for _, rule := range standardRules {
		args = append(args, "--rule", rule)
	}
	var out, msg strings.Builder
	code := Main(append(args, file), nil, &out, &msg)
	var doc document.Check
	if err := json.Unmarshal([]byte(out.String()), &doc); err != nil {
		t.Fatalf("%s: exit %d: %v: %s", file, code, err, msg.String())
	}
	letters := ""
	for i := range doc.Rules {
		r := &doc.Rules[i]
		golden.Equal(t, r.Reason != "", r.Status == "undecided", file, r.Rule, r.Status, "because of", r.Reason)
		letters += map[string]string{"pass": "o", "fail": "f", "undecided": "u"}[r.Status]
	}
	golden.Equal(t, code == exitOK, strings.Trim(letters, "o") == "", file, code, "for", letters)
	return letters
}

// checked is what check says of a trace, as text, and how it exits.
func checked(t *testing.T, in string, args ...string) (code int, text string) {
	t.Helper()
	var out, msg strings.Builder
	code = Main(append([]string{"check"}, args...), strings.NewReader(in), &out, &msg)
	return code, out.String() + msg.String()
}

// Two virtual threads wait for each other (testdata/java/VirtualDeadlock.java):
// no event tells of that, and no gate passes. Where each start is recorded, what is
// hidden is at most their lives; else nothing bounds it. The last recording began when
// they had waited for half a minute and their carriers were gone.
func TestGatesDoNotPassWhatVirtualThreadsHide(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for name, bounded := range map[string]bool{"deadlock": false, "deadlock-starts": true, "deadlock-late": false} {
		file := "../testdata/gate/" + name + "-jdk25.jfr.gz"
		code, text := checked(
			t,
			"",
			"--rule",
			"no deadlock",
			"--rule",
			"waiting(*) < 0.5",
			"--rule",
			"max(*) < 1s",
			file,
		)
		if code != exitRules || !strings.Contains(text, "all 3 rules are undecided") ||
			strings.Contains(text, "no upper bound") == bounded {
			t.Errorf("%s: exit %d\n%s", name, code, text)
		}
		code, _ = checked(t, "", "--rule", "waiting(*) < 2.5", file)
		golden.Equal(t, code == exitOK, bounded, name, "2.5 threads", code)
		for _, w := range ask[document.Analyze](t, "analyze", file).Coverage.Warnings {
			if w.Code == "virtual-threads" && bounded &&
				(w.Hidden < 5.9e9 || w.Hidden > 6.1e9) { // two threads, 3.0 s each
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
		"dump_to_file": {"4711\n2026-11-26T10:58:28.5Z\n25.0.3+9-LTS\n\n" + stuckInit, exitRules},
		"over before": {"4711\n2026-11-26T10:58:28.5Z\n25.0.3+9-LTS\n\n" + strings.ReplaceAll(stuckInit,
			"<clinit>", "load"), exitOK},
		"JDK 11":             {stuckInitOld, exitRules},
		"JDK 11, it runs":    {strings.Replace(stuckInitOld, "in Object.wait()", "runnable", 1), exitOK},
		"JDK 11, over later": {stuckInitOld + strings.Replace(stuckInitOld, "in Object.wait()", "runnable", 1), exitOK},
	} {
		code, text := checked(t, c.text, "--rule", "no deadlock", "-")
		golden.Equal(t, code, c.want, what)
		golden.Equal(t, c.want == exitRules, strings.Contains(text, "wait for a class to be initialised"), what)
	}
}

// What the Go runtime finds is a deadlock, though no dump tells which goroutine owns
// what the others wait for.
func TestAGoRuntimesDeadlockIsOne(t *testing.T) {
	t.Parallel()
	const dump = "goroutine 1 [sync.WaitGroup.Wait]:\nsync.runtime_SemacquireWaitGroup(0x1?, 0xe0?)\n" +
		"\t/go/src/runtime/sema.go:114 +0x2e\nmain.main()\n\t/app/main.go:6 +0x10f\n"
	for head, want := range map[string]string{
		"fatal error: all goroutines are asleep - deadlock!\n\n":                           "FAIL ",
		"12:00:01 fatal error: no goroutines (main called runtime.Goexit) - deadlock!\n\n": "FAIL ",
		"fatal error: concurrent map writes\n\n":                                           "UNDECIDED ",
		"":                                                                                 "UNDECIDED ",
	} {
		if code, text := checked(t, head+dump, "--rule", "no deadlock", "-"); code != exitRules ||
			!strings.Contains(text, "\n "+want) {
			t.Errorf("%q: exit %d\n%s", head, code, text)
		}
		var out strings.Builder
		Main([]string{"analyze", "--format", "json", "-"}, strings.NewReader(head+dump), &out, io.Discard)
		golden.Equal(
			t,
			strings.Contains(out.String(), `"found": "the Go runtime ended the program: `),
			want == "FAIL ",
			head,
			"deadlocks of JSON",
		)
	}
}

// A copy hides what the input hides: no gate passes a trace that was converted
// and fails the one it was made of.
func TestACopyKeepsTheDoubts(t *testing.T) {
	golden.ParallelUnlessShort(t)
	dir := t.TempDir()
	for _, name := range []string{"virtual-jdk25.jfr", "moved-locks-jdk25.jfr.gz", "truth-jdk25-1.json",
		"go126-debug2-dump.txt", "truth-series-8dumps-jdk17.txt", "lab-virtual-exact-jdk25.jfr"} {
		file := filepath.Join("../testdata", name)
		copies := []string{
			filepath.Join(dir, name+".bin"),
			filepath.Join(dir, name+".again.bin"),
			filepath.Join(dir, name+".text"),
		}
		for i, args := range [][]string{{"convert", file, "-o", copies[0]}, {"convert", copies[0], "-o", copies[1]},
			{"dump", file, "-o", copies[2]}} {
			var msg strings.Builder
			if code := Main(args, nil, &msg, &msg); code != exitOK {
				t.Fatalf("%s: copy %d: exit %d: %s", name, i, code, &msg)
			}
		}
		want := verdictsOf(t, file)
		for _, path := range copies {
			golden.Equal(t, verdictsOf(t, path), want, name, "its copy", filepath.Base(path))
		}
	}
}

// What was cut off stays cut off in a copy, which is whole itself.
func TestACopyOfADamagedTraceDecidesNothing(t *testing.T) {
	t.Parallel()
	half, whole := cutFile(t, "../testdata/xalan-8threads.jfr", 150000), filepath.Join(t.TempDir(), "copy.bin")
	var msg strings.Builder
	if code := Main([]string{"convert", half, "-o", whole}, nil, &msg, &msg); code != exitDamaged {
		t.Fatalf("exit %d: %s", code, &msg)
	}
	golden.Lacks(t, verdictsOf(t, whole), "o")
}

// cutFile returns a copy of the first bytes of a file.
func cutFile(t *testing.T, path string, n int) string {
	t.Helper()
	data := golden.Must(os.ReadFile(path))(t)
	cut := filepath.Join(t.TempDir(), filepath.Base(path))
	golden.OK(t, os.WriteFile(cut, data[:n], 0o644))
	return cut
}

// A gate held against nothing does not pass: a filter that is misspelt, or a
// time that is not in the trace.
func TestAGateOfNothingDecidesNothing(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const recording, dump = "../testdata/truth-8threads.jfr", "../testdata/deadlock-monitors-and-juc-jdk17.txt"
	for _, c := range []struct{ file, filter, rule, says string }{
		{recording, "--class=Nope", "csp(*) < 99%", "matches nothing"},
		{recording, "--lock=Nope", "p99(*) < 1h", "matches nothing"},
		{recording, "--thread=Nope", "blame(Truth.*) < 99%", "matches nothing"},
		{recording, "--from=1h", "csp(total) < 99%", "between --from and --to"},
		{recording, "--from=1h", "max(total) < 1h", "between --from and --to"},
		{recording, "--to=-1h", "peak csp(*) per 1s < 99%", "between --from and --to"},
		{dump, "--class=Nope", "no deadlock", "matches nothing"},
		{dump, "--thread=Nope", "no deadlock", "matches nothing"},
		{dump, "--from=10s", "no deadlock", "--from and --to"},
	} {
		var out, msg strings.Builder
		golden.Equal(t, Main([]string{"check", "--rule", c.rule, c.filter, c.file}, nil, &out, &msg), exitRules)
		golden.Holds(t, out.String(), "UNDECIDED", c.says)
	}
	// What they leave is held against the rule as ever.
	for filter, want := range map[string]int{"--class=Truth": exitOK, "--from=1s": exitOK} {
		var out, msg strings.Builder
		golden.Equal(
			t,
			Main([]string{"check", "--rule", "csp(total) < 99%", filter, recording}, nil, &out, &msg),
			want,
			filter,
			&out,
			&msg,
		)
	}
}

// A pipe has no name and no file that is yet to be written.
func TestStandardInputIsCalledThat(t *testing.T) {
	t.Parallel()
	recording := golden.Must(os.Open("../testdata/truth-8threads.jfr"))(t)
	defer recording.Close()
	var out, msg strings.Builder
	if code := Main([]string{"analyze", "-"}, recording, &out, &msg); code != exitOK ||
		!strings.HasPrefix(out.String(), "standard input: ") {
		t.Errorf("exit %d: %s%s", code, &out, &msg)
	}
	msg.Reset()
	golden.Equal(t, Main([]string{"analyze", "-"}, strings.NewReader(""), &out, &msg), exitFailed)
	golden.Holds(t, msg.String(), "the pipe was empty")
}

// A recording that its program did not live to finish ends with the last flush: its header counts the flushes, and
// what came later may break any rule.
func TestNoRulePassesWhereTheRecordingIsNotFinished(t *testing.T) {
	t.Parallel()
	data := golden.Must(os.ReadFile("../testdata/truth-light-8threads.jfr"))(t)
	file := filepath.Join(t.TempDir(), "a.jfr")
	const flushes = 64
	for _, n := range []byte{0, 4} {
		data[flushes] = n
		golden.OK(t, os.WriteFile(file, data, 0o600))
		rules := []string{"check", "--rule", "no deadlock", "--rule", "csp(*) < 99%", file}
		var out, msg strings.Builder
		code := Main(rules, nil, &out, &msg)
		golden.Equal(t, code == exitOK, n == 0, out.String())
		golden.Equal(t, strings.Contains(out.String(), "not finished"), n != 0)
	}
}

// A sum of waiting does not show what owners do, and an instant is neither an interval nor shows that.
func TestNoRuleIsDecidedByAnInputWithoutTimes(t *testing.T) {
	t.Parallel()
	dump := "Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):\n\n" +
		"\"a\" #1 prio=5 tid=0x01 nid=0x1 waiting on condition\n   java.lang.Thread.State: TIMED_WAITING (sleeping)\n" +
		"\tat java.lang.Thread.sleep(Native Method)\n\tat A.m(A.java:1)\n\t- locked <0x00000001> (a A)\n\n" +
		"\"b\" #2 prio=5 tid=0x02 nid=0x2 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED\n" +
		"\tat A.m(A.java:1)\n\t- waiting to lock <0x00000001> (a A)\n\n"
	rules := []string{"no finding(convoy)", "peak csp(*) per 1s < 50%", "peak waiting(*) per 1s < 1", "max(*) < 1h"}
	for _, rule := range rules {
		for in, file := range map[string]string{dump: "-", "": "../decode/profile/testdata/mutex.pprof"} {
			code, text := checked(t, in, "--rule", rule, file)
			golden.Equal(t, code, exitRules, rule, file)
			if strings.Contains(text, "ok ") || strings.Contains(text, "FAIL") {
				t.Errorf("%s of %s:\n%s", rule, file, text)
			}
		}
	}
}

// Printed recordings say when threads ended, and do not say how long others went on: a share of their running
// time passes no gate by time in which nothing shows that they ran.
func TestPrintedRecordingsDoNotMakeThreadsRunOn(t *testing.T) {
	t.Parallel()
	event := func(kind, at, rest string) string {
		return "jdk." + kind + " {\n  startTime = 12:01:" + at + ".000 (2026-01-05)\n" + rest +
			"  eventThread = \"a\" (javaThreadId = 15)\n  stackTrace = [\n    A.m() line: 1\n  ]\n}\n\n"
	}
	waits := event("JavaMonitorEnter", "02", "  duration = 1.00 s\n  monitorClass = A (classLoader = app)\n"+
		"  previousOwner = N/A\n  address = 0x7F00\n")
	for ended, want := range map[string]string{"": "UNDECIDED", event("ThreadEnd", "03", ""): "FAIL"} {
		code, text := checked(t, waits+ended+event("CPULoad", "12", ""), "--rule", "csp(*) < 40%", "-")
		if code != exitRules || !strings.Contains(text, want) {
			t.Errorf("exit %d, not %s:\n%s", code, want, text)
		}
	}
}
