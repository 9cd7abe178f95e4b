//go:build unix

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"contend/cmd/record"
	"contend/cmd/record/attach"
	"contend/golden"
)

// traceFile is what the agent writes, once it runs.
const traceFile = "trace.bin"

// writes reports whether a file that matches has something in it.
func writes(pattern string) bool {
	found, _ := filepath.Glob(pattern)
	return slices.ContainsFunc(found, func(path string) bool { return sizeOf(path) > 0 })
}

// started starts the command as a process of its own: the tests are it under its name.
func started(t *testing.T, args ...string) (c *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	return startedIn(t, nil, args...)
}

// startedIn is started with more variables in the environment.
func startedIn(t *testing.T, env []string, args ...string) (c *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "contend")
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, program)
	}
	if err != nil {
		t.Skip(err)
	}
	c, said = exec.Command(program, args...), new(bytes.Buffer)
	c.Env = append(os.Environ(), env...)
	c.Stderr = said
	golden.OK(t, c.Start())
	return c, said
}

// folders are those of recordings of a process, and what of them is in these.
func folders(tmp string, pid int) (all, files []string) {
	all, _ = filepath.Glob(fmt.Sprintf("%s/contend-%d-*", tmp, pid))
	files, _ = filepath.Glob(fmt.Sprintf("%s/contend-%d-*/*", tmp, pid))
	return all, files
}

// noData checks that of recordings of a process nothing is left but the agent's jar.
func noData(t *testing.T, pid int) {
	t.Helper()
	_, files := folders("/tmp", pid)
	if slices.ContainsFunc(files, func(path string) bool { return !strings.HasPrefix(filepath.Base(path), "agent-") }) {
		t.Errorf("left behind: %v", files)
	}
}

// justTheJar checks that of recordings of a process nothing is left but its folder, and in it the
// agent's jar.
func justTheJar(t *testing.T, tmp string, pid int) (folder string) {
	t.Helper()
	all, files := folders(tmp, pid)
	if len(all) != 1 || len(files) != 1 || !strings.HasPrefix(filepath.Base(files[0]), "agent-") {
		t.Fatalf("left: %v, in it %v", all, files)
	}
	return all[0]
}

// The next recording removes what a recorder left that was killed, of this program and of
// such as are gone, and nothing of a recorder that lives.
func TestRecordAfterAKilledOne(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	pid := java(t, "java", nil).Process.Pid
	target := golden.Must(attach.Find(pid))(t)
	const gone = 4194305 // more than any process's number
	stray := fmt.Sprintf("/tmp/contend-%s-AAAAAAAAAAAAAAAA", (&attach.Process{PID: gone}).Key())
	if err := os.Mkdir(stray, 0o700); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(stray) })
	var killed [2]*exec.Cmd
	outputs := t.TempDir()
	for i := range killed {
		killed[i], _ = started(
			t,
			"record",
			"--duration",
			"2m",
			"-o",
			filepath.Join(outputs, fmt.Sprint(i)),
			strconv.Itoa(pid),
		)
		if !comes(func() bool {
			traces, _ := filepath.Glob(fmt.Sprintf("/tmp/contend-%d-*/%s", pid, traceFile))
			return len(traces) == i+1 &&
				!slices.ContainsFunc(traces, func(path string) bool { return sizeOf(path) == 0 })
		}) {
			all, files := folders("/tmp", pid)
			t.Fatalf("nothing is recorded: %v, %v", all, files)
		}
	}
	_ = killed[0].Process.Kill()
	_ = killed[0].Wait()
	if left, _ := os.ReadDir(outputs); len(left) > 0 {
		t.Errorf("where the recordings go: %v", left)
	}
	recorded(t, pid, "--with", "both")
	answer, err := target.Command(t.Context(), "jcmd", "JFR.check")
	traces, _ := filepath.Glob(fmt.Sprintf("/tmp/contend-%d-*/%s", pid, traceFile))
	_, leftStray := os.Stat(stray)
	if err != nil || len(traces) != 1 || leftStray == nil || strings.Count(string(answer), "name=contend-") != 1 ||
		!strings.Contains(string(answer), filepath.Base(filepath.Dir(traces[0]))) {
		t.Errorf("left: %v, %v, %v\n%s", traces, leftStray, err, answer)
	}
	_ = killed[1].Process.Signal(syscall.SIGTERM)
	err = killed[1].Wait()
	if all, files := folders("/tmp", pid); err != nil || len(all) != 2 || len(files) != 2 { // of both the jar
		t.Errorf("%v, left: %v, %v", err, all, files)
	}
}

// The agent's jar stands in the class path of the program for good: it stays at its path as long as
// the program runs, one for all recordings, and goes when another is recorded later.
func TestTheJarOfTheAgentStays(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	eachJVM(t, func(t *testing.T, _, jvm string) {
		p := java(t, jvm, nil)
		recorded(t, p.Process.Pid)
		first := justTheJar(t, "/tmp", p.Process.Pid)
		recorded(t, p.Process.Pid, "--with", "both")
		if again := justTheJar(t, "/tmp", p.Process.Pid); again != first {
			t.Errorf("%s, then %s", first, again)
		}
		_ = p.Process.Kill()
		_ = p.Wait()
		recorded(t, java(t, jvm, nil).Process.Pid)
		if left, _ := folders("/tmp", p.Process.Pid); len(left) > 0 {
			t.Errorf("of a program that is gone: %v", left)
		}
	})
}

// What the flight recorder writes while it records nobody else may read, and later recordings are where
// the program would have them, also where a recorder was killed.
func TestNobodyElseReadsAFlightRecording(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	eachJVM(t, func(t *testing.T, _, jvm string) {
		own := t.TempDir()
		pid := java(t, jvm, nil, "-Djava.io.tmpdir="+own).Process.Pid
		hidden, open := fmt.Sprintf("/tmp/contend-%[1]d-*/*_%[1]d/*.jfr", pid), fmt.Sprintf("%s/*_%d/*.jfr", own, pid)
		is := func(pattern string) bool { all, _ := filepath.Glob(pattern); return len(all) > 0 }
		killed, _ := started(
			t,
			"record",
			"--with",
			"jfr",
			"--duration",
			"2m",
			"-o",
			filepath.Join(t.TempDir(), "x"),
			strconv.Itoa(pid),
		)
		if !comes(func() bool { return is(hidden) }) || is(open) {
			t.Errorf("not where nobody else looks, or elsewhere: %v", is(open))
		}
		_ = killed.Process.Kill()
		_ = killed.Wait()
		recorded(t, pid, "--with", "jfr")
		justTheJar(t, "/tmp", pid)
		target := golden.Must(attach.Find(pid))(t)
		answer, err := target.Command(t.Context(), "jcmd", "JFR.start")
		if err != nil || !is(open) || is(hidden) {
			t.Errorf("later: %v, %v\n%s%v", is(open), is(hidden), answer, err)
		}
		recorded(t, pid, "--with", "jfr") // beside it: all goes where that is
		justTheJar(t, "/tmp", pid)
	})
}

// A recording that the program began itself meanwhile is in the same folder: what it wrote stays
// where the JVM is killed, also where the recorder was killed before. That of contend goes.
func TestTheProgramsOwnRecordingStays(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	eachJVM(t, func(t *testing.T, _, jvm string) {
		for _, killed := range []bool{false, true} {
			p := java(t, jvm, nil).Process
			pattern := fmt.Sprintf("/tmp/contend-%[1]d-*/*_%[1]d*/*.jfr", p.Pid)
			written := func() int { all, _ := filepath.Glob(pattern); return len(all) }
			c, said := started(
				t,
				"record",
				"--with",
				"jfr",
				"--duration",
				"2m",
				"-o",
				filepath.Join(t.TempDir(), "x"),
				strconv.Itoa(p.Pid),
			)
			if !comes(func() bool { return writes(fmt.Sprintf("/tmp/contend-%d-*/chunk.txt", p.Pid)) }) ||
				written() != 1 {
				t.Errorf("%d chunks of the recording", written())
			}
			if killed {
				_ = c.Process.Kill()
				_ = c.Wait()
			}
			answer, err := golden.Must(attach.Find(p.Pid))(t).Command(t.Context(), "jcmd", "JFR.start")
			if err != nil || written() != 2 {
				t.Errorf("%d chunks of two recordings: %v\n%s", written(), err, answer)
			}
			_ = p.Kill()
			_, _ = p.Wait()
			if err := c.Wait(); !killed && (err != nil || !strings.Contains(said.String(), "stay in /tmp/contend-")) {
				t.Errorf("%v\n%s", err, said)
			}
			recorded(t, java(t, jvm, nil).Process.Pid) // the jar goes by then, too
			folders, files := folders("/tmp", p.Pid)
			if written() != 1 || len(folders) != 1 || len(files) != 1 {
				t.Errorf("recorder killed: %v: %d chunks, in %v %v", killed, written(), folders, files)
			}
			for _, f := range folders {
				_ = os.RemoveAll(f)
			}
		}
	})
}

// A recorder that is asked to end keeps what came, as after Ctrl-C, and leaves nothing but the jar
// behind; one that is killed leaves a flight recording that ends by itself.
func TestRecordIsEnded(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	t.Run("while the JVM answers", func(t *testing.T) { t.Parallel(); recordIsEnded(t, false) })
	t.Run("while the JVM is stopped", func(t *testing.T) { t.Parallel(); recordIsEnded(t, true) })
}

func recordIsEnded(t *testing.T, stopped bool) {
	p := java(t, "java", nil).Process
	target := golden.Must(attach.Find(p.Pid))(t)
	tmp := target.Temp()
	file := filepath.Join(t.TempDir(), "x.bin")
	c, said := started(t, "record", "--duration", "2m", "-o", file, strconv.Itoa(p.Pid))
	if !comes(func() bool { return writes(fmt.Sprintf("%s/contend-%d-*/%s", tmp, p.Pid, traceFile)) }) {
		t.Error("nothing is recorded")
	}
	if answer, err := target.Command(t.Context(), "jcmd", "JFR.check"); err != nil ||
		!strings.Contains(string(answer), "duration=") {
		t.Errorf("a flight recording without an end: %v\n%s", err, answer)
	}
	time.Sleep(time.Second)
	if stopped {
		_ = p.Signal(syscall.SIGSTOP)
		defer func() { _ = p.Signal(syscall.SIGCONT) }()
	}
	_ = c.Process.Signal(syscall.SIGTERM)
	if err := c.Wait(); err != nil || !strings.Contains(said.String(), "the recording is in "+file) {
		t.Errorf("%v\n%s", err, said)
	}
	if stopped { // it records on, and the next recording ends that
		left, _ := folders(tmp, p.Pid)
		_ = p.Signal(syscall.SIGCONT)
		recorded(t, p.Pid)
		answer, err := target.Command(t.Context(), "jcmd", "JFR.check")
		if err != nil || strings.Contains(string(answer), "name=contend-") ||
			!slices.Equal(left, []string{justTheJar(t, tmp, p.Pid)}) {
			t.Errorf("%v\n%s", err, answer)
		}
	}
	justTheJar(t, tmp, p.Pid)
}

// What cannot be written where it was to go is kept as it came.
func TestRecordToAFullDisk(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	pid := strconv.Itoa(java(t, "java", nil).Process.Pid)
	var events string
	for seconds := 1; seconds <= 16 && !strings.Contains(events, "tick "); seconds *= 2 {
		// the agent may not get a turn in one
		code, _, msg := recordOf(t, "--with", "agent", "--duration", fmt.Sprint(seconds, "s"), "-o", "/dev/full", pid)
		kept := regexp.MustCompile(`what was recorded is kept in (\S+)`).FindStringSubmatch(msg)
		if code != exitFailed || kept == nil || !strings.Contains(msg, "/dev/full: no space left on device") {
			t.Fatalf("exit %d\n%s", code, msg)
		}
		defer os.RemoveAll(kept[1])
		if samples := filepath.Join(kept[1], "samples.bin"); writes(samples) {
			events = run(t, "dump", samples)
		}
	}
	if !strings.Contains(events, "tick ") {
		t.Errorf("no sample:\n%s", events)
	}
}

// What cannot be written is kept where nobody else can exchange it, also where the folder for
// temporary files is open to all.
func TestARescueGoesToASafePlace(t *testing.T) {
	shared, here := t.TempDir(), t.TempDir()
	golden.OK(t, os.Chmod(shared, 0o777))
	t.Setenv("TMPDIR", shared)
	t.Chdir(here)
	said := new(bytes.Buffer)
	r := &record.Recording{Samples: io.NewSectionReader(strings.NewReader("samples"), 0, 7)}
	err := (&env{msg: said}).rescue(r, "", &recordingFile{path: "-"}, syscall.ENOSPC)
	text, _ := filepath.Glob(filepath.Join(here, "contend-recording-*", "samples.bin"))
	if left, _ := os.ReadDir(shared); !errors.Is(err, syscall.ENOSPC) || len(text) != 1 || len(left) > 0 ||
		!strings.Contains(said.String(), "what was recorded is kept in contend-recording-") {
		t.Errorf("%v: %v, %v\n%s", err, text, left, said)
	}
}

// readAhead yields single bytes, and moves the offset of a reader of it as a decoder does that
// reads ahead.
type readAhead struct {
	io.ReaderAt
	of *io.SectionReader
}

func (r *readAhead) ReadAt(p []byte, off int64) (int, error) {
	if r.of != nil {
		_, _ = r.of.Seek(off+3, io.SeekStart)
	}
	return r.ReaderAt.ReadAt(p[:1], off)
}

// What is kept as it came is whole, whatever a decoder still reads.
func TestARescueIsWhole(t *testing.T) {
	t.Parallel()
	in := &readAhead{ReaderAt: strings.NewReader("samples")}
	in.of = io.NewSectionReader(in, 0, 7)
	_, _ = in.of.Seek(2, io.SeekStart)
	dir := t.TempDir()
	to := golden.Must(os.OpenRoot(dir))(t)
	defer to.Close()
	golden.OK(t, writeRaw(&record.Recording{Samples: in.of}, to, dir))
	golden.Equal(t, string(golden.Must(os.ReadFile(filepath.Join(dir, "samples.bin")))(t)), "samples")
}

// A JVM ends when its flight recorder finds no room: none is started where there is
// little, and it is stopped in time.
func TestRecordWithoutRoom(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if out, err := exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "none",
		"/tmp").CombinedOutput(); err != nil {
		t.Skipf("only root makes namespaces, where the kernel lets it: %v %s", err, out)
	}
	dir := classes(t)
	const script = `mount -t tmpfs none /mnt && cp -r '%[1]s' /mnt/classes && mount -t tmpfs -o size=%[2]s none /tmp && mkdir -p '%[1]s' && cp /mnt/classes/* '%[1]s' && exec java "$@"`
	in := func(size string) (pid string) {
		return strconv.Itoa(
			java(t, "unshare", nil, "--mount", "sh", "-c", fmt.Sprintf(script, dir, size), "sh").Process.Pid,
		)
	}
	little := in("20m")
	for with, want := range map[string]int{"agent": exitOK, "jfr": exitFailed, "both": exitFailed} {
		code, _, msg := recordOf(
			t,
			"--with",
			with,
			"--duration",
			"1s",
			"-o",
			filepath.Join(t.TempDir(), "x.bin"),
			little,
		)
		if code != want || strings.Contains(msg, "MB left where its flight recorder writes") != (want == exitFailed) {
			t.Errorf("--with %s: exit %d\n%s", with, code, msg)
		}
	}
	enough := in("64m")
	process := filepath.Join("/proc", enough)
	tmp := filepath.Join(process, "root", "tmp")
	go func() {
		comes(func() bool { return writes(filepath.Join(tmp, "contend-*", traceFile)) })
		time.Sleep(3 * time.Second)
		_ = os.WriteFile(filepath.Join(tmp, "fill"), make([]byte, 50<<20), 0o600)
	}()
	code, _, msg := recordOf(t, "--duration", "2m", "-o", filepath.Join(t.TempDir(), "x.bin"), enough)
	if code != exitOK || !strings.Contains(msg, "the disk of the JVM's flight recorder is nearly full") {
		t.Errorf("exit %d\n%s", code, msg)
	}
	if status, err := os.ReadFile(filepath.Join(process, "status")); err != nil ||
		strings.Contains(string(status), "zombie") {
		t.Errorf("the program is gone: %v", err)
	}
}
