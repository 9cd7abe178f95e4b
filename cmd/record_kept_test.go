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

	"contend/format/record"
	"contend/format/record/attach"
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

// The next recording removes what a recorder left that was killed, of this program and of
// such as are gone, and nothing of a recorder that lives.
func TestRecordAfterAKilledOne(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	pid := java(t, "java", nil).Process.Pid
	target := golden.Must(attach.Find(pid))(t)
	folders := func(pid int) []string {
		found, _ := filepath.Glob(fmt.Sprintf("/tmp/contend-%d-*", pid))
		return found
	}
	const gone = 4194305 // more than any process's number
	stray := fmt.Sprintf("/tmp/contend-%d-AAAAAAAAAAAAAAAA", gone)
	if err := os.Mkdir(stray, 0o700); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(stray) })
	var all [2]*exec.Cmd
	outputs := t.TempDir()
	for i := range all {
		all[i], _ = started(t, "record", "--duration", "2m", "-o", filepath.Join(outputs, fmt.Sprint(i)), strconv.Itoa(pid))
		if !comes(func() bool { return len(folders(pid)) == i+1 && writes(folders(pid)[0]+"/"+traceFile) }) {
			t.Fatalf("nothing is recorded: %v", folders(pid))
		}
	}
	_ = all[0].Process.Kill()
	_ = all[0].Wait()
	if left, _ := os.ReadDir(outputs); len(left) > 0 {
		t.Errorf("where the recordings go: %v", left)
	}
	recorded(t, pid, "--with", "both")
	answer, err := target.Command(t.Context(), "jcmd", "JFR.check")
	if left := folders(pid); err != nil || len(left) != 1 || len(folders(gone)) > 0 || strings.Count(string(answer), "name=contend-") != 1 || !strings.Contains(string(answer), filepath.Base(left[0])) {
		t.Errorf("left: %v, %v, %v\n%s", left, folders(gone), err, answer)
	}
	_ = all[1].Process.Signal(syscall.SIGTERM)
	if err := all[1].Wait(); err != nil || len(folders(pid)) > 0 {
		t.Errorf("%v, left: %v", err, folders(pid))
	}
}

// Each agent's jar stands in the class path of the program for good. It is held open, so that
// nothing is looked for by its path, which may become another user's.
func TestTheJarOfEachAgentIsHeldOpen(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	for name, jvm := range jvms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pid := java(t, jvm, nil).Process.Pid
			for range 2 {
				recorded(t, pid)
			}
			held := map[string]bool{}
			fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
			for _, fd := range fds {
				if to, err := os.Readlink(fd); err == nil && strings.Contains(to, "agent.jar") {
					held[to] = true
				}
			}
			if len(held) != 2 {
				t.Errorf("of two jars: %v", held)
			}
		})
	}
}

// A recorder that is asked to end keeps what came, as after Ctrl-C, and leaves nothing
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
	folders := filepath.Join(tmp, fmt.Sprintf("contend-%d-*", p.Pid))
	file := filepath.Join(t.TempDir(), "x.bin")
	c, said := started(t, "record", "--duration", "2m", "-o", file, strconv.Itoa(p.Pid))
	if !comes(func() bool { return writes(filepath.Join(folders, traceFile)) }) {
		t.Error("nothing is recorded")
	}
	if answer, err := target.Command(t.Context(), "jcmd", "JFR.check"); err != nil || !strings.Contains(string(answer), "duration=") {
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
	if stopped { // the name stays taken until the JVM has done what it was told
		left, _ := filepath.Glob(folders)
		inside, _ := filepath.Glob(filepath.Join(folders, "*"))
		if len(left) != 1 || len(inside) > 0 {
			t.Errorf("left behind: %v, in it %v", left, inside)
		}
		_ = p.Signal(syscall.SIGCONT)
		recorded(t, p.Pid)
	}
	if left, _ := filepath.Glob(folders); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
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
	for seconds := 1; seconds <= 16 && !strings.Contains(events, "tick "); seconds *= 2 { // the agent may not get a turn in one
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
	if left, _ := os.ReadDir(shared); !errors.Is(err, syscall.ENOSPC) || len(text) != 1 || len(left) > 0 || !strings.Contains(said.String(), "what was recorded is kept in contend-recording-") {
		t.Errorf("%v: %v, %v\n%s", err, text, left, said)
	}
}

// A JVM ends when its flight recorder finds no room: none is started where there is
// little, and it is stopped in time.
func TestRecordWithoutRoom(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if out, err := exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "none", "/tmp").CombinedOutput(); err != nil {
		t.Skipf("only root makes namespaces, where the kernel lets it: %v %s", err, out)
	}
	dir := classes(t)
	const script = `mount -t tmpfs none /mnt && cp -r '%[1]s' /mnt/classes && mount -t tmpfs -o size=%[2]s none /tmp && mkdir -p '%[1]s' && cp /mnt/classes/* '%[1]s' && exec java "$@"`
	in := func(size string) (pid string) {
		return strconv.Itoa(java(t, "unshare", nil, "--mount", "sh", "-c", fmt.Sprintf(script, dir, size), "sh").Process.Pid)
	}
	little := in("20m")
	for with, want := range map[string]int{"agent": exitOK, "jfr": exitFailed, "both": exitFailed} {
		code, _, msg := recordOf(t, "--with", with, "--duration", "1s", "-o", filepath.Join(t.TempDir(), "x.bin"), little)
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
	if code != exitOK || !strings.Contains(msg, "for want of room where the JVM's flight recorder writes") {
		t.Errorf("exit %d\n%s", code, msg)
	}
	if status, err := os.ReadFile(filepath.Join(process, "status")); err != nil || strings.Contains(string(status), "zombie") {
		t.Errorf("the program is gone: %v", err)
	}
}
