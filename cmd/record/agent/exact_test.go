package agent

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/decode"
	"contend/format"
	"contend/golden"
)

// Rewritten classes pass the verifier, are compiled and do what they did, in all shapes in which locks are acquired, by
// the compilers of Java, Scala and Clojure; of each kind
// of lock waits and holds are recorded, and no hold of an exclusive lock overlaps another one.
func TestAllShapesOfLockingAreRecorded(t *testing.T) {
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("no JDK here")
	}
	dir := t.TempDir()
	jar, file := filepath.Join(dir, jarFile), filepath.Join(dir, "trace.bin")
	golden.OK(t, os.WriteFile(jar, Jar, 0o644))
	compile := exec.Command(javac, "-cp", jar, "-d", dir,
		"testdata/shapes/Shapes.java", "testdata/shapes/Old.java", "testdata/shapes/Foreign.java")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, java := range javas() {
		initialised, compiled := filepath.Join(dir, "init.log"), filepath.Join(dir, "compiled.log")
		out, err := exec.Command(java, "-Xverify:remote", "-Xlog:class+init=info:file="+initialised,
			"-XX:+UnlockDiagnosticVMOptions", "-XX:+LogVMOutput", "-XX:-DisplayVMOutput", "-XX:LogFile="+compiled,
			"-XX:+PrintCompilation", "-XX:CompileThresholdScaling=0.05",
			"-javaagent:"+jar+"=exact,file="+file, "-cp", dir, "shapes.Shapes", "500").CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != "done" {
			t.Fatalf("%s: %v: %s", java, err, out)
		}
		for _, line := range refused.FindAllString(string(golden.Must(os.ReadFile(compiled))(t)), -1) {
			t.Errorf("%s: the compiler refuses rewritten code: %s", java, line)
		}
		testProbesFirst(t, initialised)
		tr := readExact(t, file)
		for class, why := range tr.left {
			t.Errorf("%s: %s was left alone: %s", java, class, why)
		}
		for _, class := range []string{ // without the bins of a ConcurrentHashMap: the JVM's own may be the first 256
			"shapes.Shapes$Box", "java.lang.Class", "java.util.concurrent.locks.ReentrantLock$NonfairSync",
			"java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync", "java.util.concurrent.locks.StampedLock",
			"java.util.concurrent.Semaphore$NonfairSync",
			"java.util.Vector", "shapes.Shapes$Generic", "shapes.Old", "shapes.Foreign",
		} {
			if len(tr.waits[class]) == 0 {
				t.Errorf("%s: nobody waited for %s, but for %v", java, class, slices.Sorted(maps.Keys(tr.waits)))
			}
		}
		const ownMethods = "java.lang.StringBuffer" // enter its monitors, and it is never rewritten
		golden.Equal(t, len(tr.waits[ownMethods]), 0, java, ": waits for what is left alone")
		tr.testExclusion(t)
		tr.testNotified(t, "shapes.Shapes$Told")
		tr.testNotified(t, "java.util.concurrent.locks.ReentrantLock$FairSync")
	}
}

// refused is a line of the JVM's on a method that it does not compile.
var refused = regexp.MustCompile(`.*COMPILE SKIPPED: (invalid parsing|cannot parse|.*covers itself|.*not retryable).*`)

// Rewritten code of the JDK, which the initialisers of the probes may call, calls the probes: these are
// initialised before.
func testProbesFirst(t *testing.T, initialised string) {
	t.Helper()
	before, _, ok := strings.Cut(string(golden.Must(os.ReadFile(initialised))(t)), "Initializing 'shapes/Shapes'")
	for _, part := range []string{"Cell", "Entry", "Holds", "Slot", "Type"} {
		if !regexp.MustCompile(`Initializing 'java/lang/Contend\$[0-9a-f]{8}`+part+`'`).MatchString(before) || !ok {
			t.Errorf("%s is not initialised before the program", part)
		}
	}
}

// exactTrace is what an agent recorded of locks.
type exactTrace struct {
	classes map[format.ObjectID]string
	threads map[format.ThreadID]string
	waits   map[string][]format.Event          // by the lock's class
	holds   map[format.ObjectID][]format.Event // exclusive ones, in order
	left    map[string]string                  // classes that were left alone, and why
	since   map[string]int64                   // when classes of locks were followed from
}

func readExact(t *testing.T, file string) *exactTrace {
	t.Helper()
	tr := &exactTrace{
		classes: map[format.ObjectID]string{},
		threads: map[format.ThreadID]string{},
		waits:   map[string][]format.Event{},
		holds:   map[format.ObjectID][]format.Event{},
		left:    map[string]string{},
		since:   map[string]int64{},
	}
	src := golden.Must(decode.Open([]string{file}, nil, decode.Options{}))(t)
	defer src.Close()
	for {
		var ev format.Event
		if err := src.Read(&ev); err != nil {
			break
		}
		switch ev.Kind {
		case format.KindObject:
			tr.classes[ev.Object] = ev.Class
		case format.KindThread:
			tr.threads[ev.Thread] = ev.Name
		case format.KindWait:
			tr.waits[tr.classes[ev.Object]] = append(tr.waits[tr.classes[ev.Object]], ev)
		case format.KindTenure:
			if ev.Mode == format.Exclusive {
				tr.holds[ev.Object] = append(tr.holds[ev.Object], ev)
			}
		case format.KindSetting:
			if class, left := strings.CutPrefix(ev.Name, format.SettingLeft); left {
				tr.left[class] = ev.Value
			} else if ev.Name == format.SettingFollowed {
				tr.since[ev.Value] = ev.Weight
			}
		}
	}
	for _, list := range tr.holds {
		slices.SortFunc(list, func(a, b format.Event) int { return int(a.Time - b.Time) })
	}
	return tr
}

func (tr *exactTrace) testExclusion(t *testing.T) {
	t.Helper()
	for lock, list := range tr.holds {
		for i := 1; i < len(list); i++ {
			if list[i].Time < list[i-1].End {
				t.Fatalf("%s: held by thread %d until %d, and by thread %d from %d on", tr.classes[lock],
					list[i-1].Thread, list[i-1].End, list[i].Thread, list[i].Time)
			}
		}
	}
}

// A thread that was notified waits for its lock as long as the thread that notified it keeps it.
func (tr *exactTrace) testNotified(t *testing.T, class string) {
	t.Helper()
	const times, least = 4, 20e6
	n := 0
	for _, w := range tr.waits[class] {
		if tr.threads[w.Thread] != "asker" {
			continue
		}
		held := int64(0)
		for _, h := range tr.holds[w.Object] {
			if tr.threads[h.Thread] == "answerer" {
				held += max(0, min(h.End, w.End)-max(h.Time, w.Time))
			}
		}
		if held >= least {
			n++
		}
	}
	if n != times {
		t.Errorf("%s: %d waits for as long as the thread that notified kept the lock, want %d", class, n, times)
	}
}

// javas are the JVMs to try: the usual one, and in thorough tests a newer one.
func javas() []string {
	var others []string
	if golden.IsThorough() {
		others, _ = filepath.Glob("/usr/lib/jvm/*25*/bin/java")
	}
	return append([]string{"java"}, others...)
}

// A lock is sampled if it logs too much in the time that has passed, however late the agent comes to count.
func TestABusyLockIsOneThatLogsMuchInAShortTime(t *testing.T) {
	t.Parallel()
	if got := printed(t, "Busy"); got != "false true" {
		t.Errorf("sampled after as many events in a second, and in 20 ms: %s, want false true", got)
	}
}

// What a thread keeps of the locks that it uses is made anew each second: one that it used late is found as fast as
// the first then.
func TestALockThatIsUsedLateIsFoundAtOnceLater(t *testing.T) {
	t.Parallel()
	if got := printed(t, "Kept"); got != "false true" {
		t.Errorf("found at once before what is kept was forgotten, and after that: %s, want false true", got)
	}
}
