//go:build unix

package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contend/golden"
	"contend/report/document"
)

// compiled is the folder of the programs that are recorded: they are compiled once. Late is
// none of them, and Lanes needs a newer JDK.
var compiled = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp(sharedDir, "java-"); err != nil {
		return "", err
	}
	sources, _ := filepath.Glob("testdata/java/*.java")
	sources = slices.DeleteFunc(sources, func(path string) bool { return strings.HasPrefix(filepath.Base(path), "L") })
	out, err := exec.Command("javac", append([]string{"-d", dir}, sources...)...).CombinedOutput()
	for _, d := range []string{sharedDir, dir} {
		if err == nil {
			err = os.Chmod(d, 0o755) // other users run it too
		}
	}
	if err != nil {
		os.Stderr.Write(out)
	}
	return dir, err
})

// classes is where the programs are; without a JDK it skips the test.
func classes(t *testing.T) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("javac"); err != nil || testing.Short() {
		t.Skip("no JDK here, or -short: a JVM is too slow to start")
	}
	return golden.Must(compiled())(t)
}

// java starts Busy with options of the JVM and returns its process.
func java(t *testing.T, jvm string, as *syscall.SysProcAttr, options ...string) *exec.Cmd {
	t.Helper()
	return program(
		t,
		jvm,
		as,
		append(options, "-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes(t), "Busy")...)
}

// program starts one that says when it runs.
func program(t *testing.T, command string, as *syscall.SysProcAttr, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(command, args...)
	c.SysProcAttr = as
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	golden.OK(t, err)
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the program does not start: %v %q", err, line)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return c
}

// jvms are the JDKs here.
func jvms() map[string]string {
	found := map[string]string{"default": "java"}
	if others, _ := filepath.Glob("/usr/lib/jvm/*25*/bin/java"); len(others) > 0 {
		found["25"] = others[0]
	}
	return found
}

// eachJVM runs a test on every JDK here, beside one another.
func eachJVM(t *testing.T, test func(t *testing.T, jdk, jvm string)) {
	t.Helper()
	for jdk, jvm := range jvms() {
		t.Run(jdk, func(t *testing.T) {
			t.Parallel()
			test(t, jdk, jvm)
		})
	}
}

func recordOf(t *testing.T, args ...string) (code int, out, msg string) {
	t.Helper()
	var o, m bytes.Buffer
	code = Main(append([]string{"record"}, args...), strings.NewReader(""), &o, &m)
	return code, o.String(), m.String()
}

// recordSlow is recordOf, again and for longer where it went well but the machine
// was too busy for slow to be seen.
func recordSlow(t *testing.T, args ...string) (code int, out, msg string) {
	t.Helper()
	code, out, msg = recordOf(t, args...)
	for seconds := 4; seconds <= 16 && code == exitOK && !strings.Contains(out, "Busy.slow"); seconds *= 2 {
		code, out, msg = recordOf(t, append(args, "--duration", fmt.Sprint(seconds, "s"))...)
	}
	return code, out, msg
}

// culprit returns the share of the waiting that slow caused, of that in which
// somebody had the lock: on a busy machine it is often free for long.
func culprit(t *testing.T, path string) float64 {
	t.Helper()
	d := ask[document.Blame](t, "blame", "--by", "owner-stack", "--top", "0", path)
	slow, all := int64(0), int64(0)
	for _, r := range d.Rows {
		if !slices.Contains(r.Keys, "[handoff]") {
			all += r.ThreadNs
		}
		for _, f := range r.Stack {
			if f.Method == "slow" {
				slow += r.ThreadNs
				break
			}
		}
	}
	return float64(slow) / float64(max(all, 1))
}

// A running JVM is recorded without anything prepared: who blocked whom comes
// out, and what both recorders say together is in time what JFR says alone.
// Recordings of one JVM do not disturb each other.
func TestRecordJVM(t *testing.T) {
	t.Parallel()
	least := map[string]float64{
		"agent": 0.6,
		"both":  0.5,
		"jfr":   0.3,
	} // of a machine that is busy: the rest is hand-off, measured by the JVM
	type recording struct {
		jvm, with, pid, dir, out, msg string
		code                          int
	}
	record := func(r *recording, seconds int) {
		r.dir = t.TempDir()
		r.code, r.out, r.msg = recordOf(
			t,
			"--with",
			r.with,
			"--duration",
			fmt.Sprint(seconds, "s"),
			"-o",
			filepath.Join(r.dir, "out.bin"),
			"--raw",
			r.dir,
			r.pid,
		)
	}
	var all []*recording
	var running sync.WaitGroup
	for name, jvm := range jvms() {
		pid := strconv.Itoa(java(t, jvm, nil).Process.Pid)
		for with := range least {
			r := &recording{jvm: name, with: with, pid: pid}
			all = append(all, r)
			running.Go(func() { record(r, 3) })
		}
	}
	running.Wait()
	for _, r := range all {
		// On a machine that is very busy slow may hardly have had a turn.
		for seconds := 6; seconds <= 24 && r.code == exitOK &&
			culprit(t, filepath.Join(r.dir, "out.bin")) < least[r.with]; seconds *= 2 {
			record(r, seconds)
		}
		file := filepath.Join(r.dir, "out.bin")
		if r.code != 0 || !strings.Contains(r.out, "Busy.slow") ||
			!strings.Contains(r.msg, "the recording is in "+file) {
			t.Errorf("%s, --with %s: exit %d\n%s\n%s", r.jvm, r.with, r.code, r.out, r.msg)
			continue
		}
		if share := culprit(t, file); share < least[r.with] {
			t.Errorf("%s, --with %s: slow caused %.0f %% of the waiting", r.jvm, r.with, 100*share)
		}
		if r.with == "both" {
			sameLocks(t, file, filepath.Join(r.dir, "flight.jfr"))
		}
	}
}

// sameLocks holds two traces of one run to the same waiting, by class.
func sameLocks(t *testing.T, a, b string) {
	t.Helper()
	of := func(path string) map[string][2]int64 {
		sum := map[string][2]int64{}
		for _, l := range ask[document.Analyze](t, "analyze", "--by", "class", "--top", "0", path).Locks {
			sum[l.Class] = [2]int64{l.WaitNs, l.Waits}
		}
		return sum
	}
	x, y := of(a), of(b)
	if len(x) != len(y) || len(x) == 0 {
		t.Fatalf("%v, but %v", x, y)
	}
	for class, want := range y {
		if x[class] != want {
			t.Errorf("%s: %v, the flight recording alone %v", class, x[class], want)
		}
	}
}

// Threads that wait for one lock all the while that is recorded are in no wait that is
// recorded: the samples show them, and that this is no deadlock.
func TestRecordAHungProgram(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	eachJVM(t, func(t *testing.T, _, jvm string) {
		dir := t.TempDir()
		path := filepath.Join(dir, "out.bin")
		code, out, msg := recordOf(
			t,
			"--duration",
			"4s",
			"--raw",
			dir,
			"-o",
			path,
			strconv.Itoa(java(t, jvm, nil, "-Dhang=true").Process.Pid),
		)
		if code != exitOK || !strings.Contains(out, "Busy.slow") ||
			!strings.Contains(out, "is asleep while holding Object") {
			t.Errorf("exit %d:\n%s%s", code, out, msg)
		}
		// Three of them, for more than one can: on a busy machine the agent comes seconds after the flight recorder.
		if waited := time.Duration(ask[document.Analyze](t, "analyze", path).Total.WaitNs); waited <= 4*time.Second {
			t.Errorf("they wait for %v", waited)
		}
		where := map[bool]int64{}
		for _, r := range ask[document.Blame](t, "blame", "--by", "waiter-stack", "--top", "0", path).Rows {
			where[len(r.Stack) > 0] += r.ThreadNs
		}
		if where[true] == 0 || where[false] != 0 {
			t.Errorf("waiting with and without the waiter's stack: %v", where)
		}
		var checked, said bytes.Buffer
		if code := Main([]string{"check", "--rule", "no deadlock", path}, nil, &checked, &said); code != exitOK {
			t.Errorf("exit %d:\n%s%s", code, &checked, &said)
		}
		askedBefore(t, dir)
	})
}

// askedBefore holds the samples beside a flight recording to when the program stood still
// for them: they have the time at which that was asked for, so that each is of the first
// stop that follows.
func askedBefore(t *testing.T, dir string) {
	t.Helper()
	stops := times(t, filepath.Join(dir, "flight.jfr"), `(?m)^pause time=(\d+).*ThreadDump`)
	asked := times(t, filepath.Join(dir, "samples.bin"), `(?m)^contention time=(\d+)`)
	late, pairs := 0, min(len(stops), len(asked)) // from the last: the agent may be there first
	for i := 1; i <= pairs; i++ {
		if asked[len(asked)-i] > stops[len(stops)-i] {
			late++
		}
	}
	if pairs < 10 || 2*late > pairs {
		t.Errorf("%d of %d samples are dated after their stops, of which there are %d", late, len(asked), len(stops))
	}
}

// times returns when the events are that a dump of a trace shows by a pattern, in order.
func times(t *testing.T, path, pattern string) (out []int64) {
	t.Helper()
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(run(t, "dump", path), -1) {
		out = append(out, golden.Must(strconv.ParseInt(m[1], 10, 64))(t))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A JVM that ends leaves what was recorded: in an orderly way all of it, killed
// what the agent and the flight recorder had written by then.
func TestRecordedProcessEnds(t *testing.T) {
	golden.Thorough(t)
	for _, c := range []struct {
		with string
		by   syscall.Signal
	}{
		{"agent", syscall.SIGKILL},
		{"both", syscall.SIGKILL},
		{"jfr", syscall.SIGKILL},
		{"both", syscall.SIGTERM},
		{"jfr", syscall.SIGTERM},
	} {
		t.Run(c.with+" "+c.by.String(), func(t *testing.T) {
			t.Parallel()
			p, dir := java(t, "java", nil).Process, t.TempDir()
			file := filepath.Join(dir, "cut.bin")
			go endRecorded(p, c.by, c.with)
			code, out, msg := recordOf(
				t,
				"--with",
				c.with,
				"--duration",
				"2m",
				"--raw",
				dir,
				"-o",
				file,
				strconv.Itoa(p.Pid),
			)
			if code != 0 || !strings.Contains(out, "Busy.slow") || !strings.Contains(msg, "the process ended after") {
				t.Errorf("exit %d\n%s\n%s", code, out, msg)
			}
			flight := filepath.Join(dir, "flight.jfr")
			if _, err := os.Stat(flight); (err == nil) != (c.with != "agent") {
				t.Errorf("flight recording: %v", err)
			} else if err == nil {
				sameLocks(t, file, flight)
			}
			noData(t, p.Pid)
		})
	}
}

// endRecorded ends a process three seconds after a recorder made its file, or when
// the agent has written what the test asks for: it writes from the start.
func endRecorded(p *os.Process, by syscall.Signal, with string) {
	name := "trace.bin"
	if with == "jfr" {
		name = "flight.jfr"
	}
	var found []string
	comes(func() bool {
		found, _ = filepath.Glob(fmt.Sprintf("/tmp/contend-%d-*/%s", p.Pid, name))
		return len(found) > 0
	})
	for begun := time.Now(); time.Since(begun) < patience; {
		time.Sleep(3 * time.Second)
		var soFar bytes.Buffer
		if with != "jfr" && len(found) > 0 {
			Main([]string{"analyze", found[0]}, nil, &soFar, io.Discard)
		}
		if with == "jfr" || strings.Contains(soFar.String(), "Busy.slow") {
			break
		}
	}
	_ = p.Signal(by)
}

// The agent can be on the command line as well; then it writes until the JVM
// ends, and closes its trace.
func TestJavaAgent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	jar, file := filepath.Join(dir, "contend-agent.jar"), filepath.Join(dir, "trace.bin")
	var out, msg bytes.Buffer
	if code := Main([]string{"record", "--agent"}, strings.NewReader(""), &out, &msg); code != 0 {
		t.Fatal(msg.String())
	}
	golden.OK(t, os.WriteFile(jar, out.Bytes(), 0o644))
	c := java(t, "java", nil, "-javaagent:"+jar+"=file="+file+",rate=50")
	for began := time.Now(); time.Since(began) < patience; {
		// until both locks were seen, which takes a busy machine long
		time.Sleep(time.Second)
		var soFar bytes.Buffer
		var d document.Analyze
		Main([]string{"analyze", "--format", "json", file}, nil, &soFar, io.Discard) // its end is not there yet
		if json.Unmarshal(soFar.Bytes(), &d) == nil && len(d.Locks) == 2 && d.Locks[0].Waiters >= 3 {
			break
		}
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
	if d := ask[document.Analyze](t, "analyze", file); len(d.Locks) != 2 ||
		d.Locks[0].Waiters != 3 && d.Locks[0].Waiters != 4 {
		t.Errorf("%d locks: %+v", len(d.Locks), d.Locks)
	}
	if events := run(t, "dump", file); !strings.Contains(events, "$$Lambda\":") || strings.Contains(events, "/0x0") {
		t.Error("hidden classes have names that are new in each run")
	}
}
