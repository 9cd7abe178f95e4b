//go:build unix

package cmd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"contend/cmd/record"
	"contend/cmd/record/attach"
	"contend/golden"
)

// What cannot be recorded is refused with the reason and what to do, and comes
// to no harm.
func TestRecordRefuses(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	for _, c := range []struct {
		name       string
		options    []string
		with       string
		prepare    func(t *testing.T, pid int)
		error, tip string
	}{
		{name: "attach disabled", options: []string{"-XX:+DisableAttachMechanism"},
			error: "does not let itself be attached to", tip: "-javaagent"},
		{
			name:    "would die of the signal",
			options: []string{"-Xrs"},
			error:   "would die of the signal",
			tip:     "-javaagent",
			prepare: func(t *testing.T, pid int) {
				if err := os.Remove("/tmp/.java_pid" + strconv.Itoa(pid)); err != nil {
					// with -Xrs it is there from the start
					t.Skip(err)
				}
			},
		},
		{name: "forbids agents", options: []string{"-XX:-EnableDynamicAgentLoading"}, error: "forbids agents",
			tip: "--with jfr"},
		{name: "stopped", error: "is stopped", tip: "kill -CONT",
			prepare: func(t *testing.T, pid int) { signalled(t, pid, syscall.SIGSTOP) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := java(t, "java", nil, c.options...).Process
			if c.prepare != nil {
				c.prepare(t, p.Pid)
			}
			args := []string{"--duration", "1s", "-o", filepath.Join(t.TempDir(), "x.bin"), strconv.Itoa(p.Pid)}
			if c.with != "" {
				args = append(args, "--with", c.with)
			}
			code, out, msg := recordOf(t, args...)
			if code != exitFailed || out != "" || !strings.Contains(msg, c.error) || !strings.Contains(msg, "hint: ") ||
				!strings.Contains(msg, c.tip) {
				t.Errorf("exit %d, %q\n%s", code, out, msg)
			}
			if err := p.Signal(syscall.Signal(0)); err != nil {
				t.Errorf("the process is gone: %v", err)
			}
		})
	}
}

func signalled(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	golden.OK(t, syscall.Kill(pid, s))
	if !comes(func() bool {
		status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		return strings.Contains(string(status), "State:\tT")
	}) {
		t.Fatal("the process does not stop")
	}
}

func TestRecordNoJVM(t *testing.T) {
	t.Parallel()
	c := exec.Command("sleep", "600")
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	targets := map[string]string{
		strconv.Itoa(c.Process.Pid): "is not a Java process\nhint: ",
		"4194304":                   "does not run",
		"no.such.Main":              "no JVM here runs",
	}
	if runtime.GOOS == "linux" {
		targets[strconv.Itoa(c.Process.Pid)] += "--perf records a native program"
		targets[strconv.Itoa(os.Getpid())] = "is a Go program, which records itself\nhint: 'contend record " +
			"http://HOST:PORT'"
	}
	for target, want := range targets {
		if code, out, msg := recordOf(t, target); code == 0 || out != "" || !strings.Contains(msg, want) {
			t.Errorf("%s: exit %d, %q\n%s", target, code, out, msg)
		}
	}
}

// perf sees of a JVM, and of a Go program, little of what contend records of them otherwise.
func TestWhatPerfDoesNotSeeIsSaid(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("perf is Linux's")
	}
	pid := java(t, "java", nil).Process.Pid
	for process, want := range map[string]string{strconv.Itoa(os.Getpid()): "is a Go program",
		strconv.Itoa(pid): "is a JVM", anyProcess: "", "4194304": ""} {
		if got := seenBetter(process); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", process, got, want)
		}
	}
}

// Of the file of a program, which another user may have made, little is read to learn whether it
// is Go's: not a table of names as long as the file says.
func TestOfAProgramLittleIsRead(t *testing.T) {
	text, err := os.ReadFile(resolved("sleep"))
	if err != nil || runtime.GOOS != "linux" || len(text) < 64 || text[4] != 2 || text[5] != 1 {
		t.Skip("no program of 64 bits, lowest byte first")
	}
	const names, section = 256 << 20, 64
	table := uint64(len(text))
	text = append(text, make([]byte, 2*section)...)
	put := binary.LittleEndian
	put.PutUint64(text[40:], table)
	put.PutUint32(text[58:], section|2<<16)
	put.PutUint16(text[62:], 1)
	head := text[table+section:]
	put.PutUint32(head[4:], 3) // SHT_STRTAB
	put.PutUint64(head[24:], table+2*section)
	put.PutUint64(head[32:], names)
	path := filepath.Join(t.TempDir(), "names")
	golden.OK(t, errors.Join(os.WriteFile(path, text, 0o755), os.Truncate(path, int64(len(text)+names))))
	var c *exec.Cmd
	if !comes(
		func() bool { c = exec.Command(path, "600"); return c.Start() == nil },
	) { // while others have it open it is busy
		t.Skip("it cannot be run there")
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	read := func() (n int) {
		text := golden.Must(os.ReadFile("/proc/thread-self/io"))(t)
		golden.Must(fmt.Sscanf(string(text), "rchar: %d", &n))(t)
		return n
	}
	before := read()
	if isGo(strconv.Itoa(c.Process.Pid)) {
		t.Error("it is no Go program")
	}
	golden.AtMost(t, read()-before, 1<<20, "bytes that are read")
}

// Of several JVMs that run one class the hint names these, and no others.
func TestRecordNamesTheJVMsOfOneClass(t *testing.T) {
	all := []*attach.Process{{PID: 1, Main: "app.Orders"}, {PID: 2, Main: "Other"}, {PID: 3, Main: "app.Orders"}}
	for main, want := range map[string]string{"Orders": "name one by its number: 1 app.Orders, 3 app.Orders",
		"Nobody": "there are: 1 app.Orders, 2 Other, 3 app.Orders"} {
		var refused usageError
		if _, err := named(main, all); !errors.As(err, &refused) || refused.hint != want {
			t.Errorf("%s: %v", main, err)
		}
	}
	if p, err := named("Other", all); err != nil || p.PID != 2 {
		t.Errorf("%v %v", p, err)
	}
}

// Where there is no socket any more, or something else under its name, another is
// asked for; paths may hold what separates the agent's options.
func TestRecordOddFiles(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	eachJVM(t, func(t *testing.T, _, jvm string) {
		pid := java(t, jvm, nil).Process.Pid
		path := "/tmp/.java_pid" + strconv.Itoa(pid)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Skip(err)
		}
		recorded(t, pid, "--duration", "1s")
		if err := os.Remove(path); err != nil {
			t.Errorf("no socket was there: %v", err)
		}
		dir := filepath.Join(t.TempDir(), "a=b,c d")
		recorded(
			t,
			pid,
			"--duration",
			"1s",
			"-o",
			filepath.Join(dir[:len(dir)-len("a=b,c d")], "x=1,2.bin"),
			"--raw",
			dir,
		)
		if _, err := os.Stat(filepath.Join(dir, "samples.bin")); err != nil {
			t.Error(err)
		}
	})
}

// A process that ends while its recording is being ended leaves the samples.
func TestRecordEndedAtTheEnd(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	p := java(t, "java", nil).Process
	target := golden.Must(attach.Find(p.Pid))(t)
	r := golden.Must(record.JVM(t.Context(), target, record.Means{Agent: true, Flight: true}, record.Config{
		Duration: 1500 * time.Millisecond,
		Rate:     20,
		Settings: settings,
		Progress: func(left time.Duration) {
			if left == 0 {
				_ = p.Kill()
			}
		},
	}))(t)
	defer r.Close()
	if r.Samples.Size() == 0 || !r.Ended {
		t.Errorf("%d bytes, ended %v", r.Samples.Size(), r.Ended)
	}
}

// A socket of a process that is gone is no obstacle, unless it is of a third user: that is root's to
// remove, as contend says; nor is another user where this is root.
func TestRecordPastObstacles(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	t.Run("stale socket", func(t *testing.T) {
		t.Parallel()
		pid := java(t, "java", nil).Process.Pid
		leaveSocket(t, pid)
		recorded(t, pid)
	})
	t.Run("socket in spite of -Xrs", func(t *testing.T) {
		t.Parallel()
		recorded(t, java(t, "java", nil, "-Xrs").Process.Pid)
	})
	t.Run("another user", func(t *testing.T) {
		t.Parallel()
		recorded(t, javaOfNobody(t))
	})
	t.Run("stale socket of another user", func(t *testing.T) {
		t.Parallel()
		pid := javaOfNobody(t)
		leaveSocket(t, pid) // as a process that had this id before, and was killed
		code, _, msg := recordOf(t, "--duration", "1s", "-o", filepath.Join(t.TempDir(), "x.bin"), strconv.Itoa(pid))
		if code != exitFailed || !strings.Contains(msg, "a file of user root (0) is at ") ||
			!strings.Contains(msg, "rm -r /tmp/.java_pid") {
			t.Errorf("exit %d\n%s", code, msg)
		}
	})
}

// leaveSocket leaves the attach socket of a process, of this user, with nobody behind it.
func leaveSocket(t *testing.T, pid int) {
	t.Helper()
	path := "/tmp/.java_pid" + strconv.Itoa(pid)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Skip(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	t.Cleanup(func() { _ = os.Remove(path) })
}

// javaOfNobody starts a JVM of a user who is not this one.
func javaOfNobody(t *testing.T) (pid int) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root records the processes of others")
	}
	const nobody = 65534
	return java(t, "java", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}).Process.Pid
}

func recorded(t *testing.T, pid int, more ...string) {
	t.Helper()
	args := append([]string{"--with", "agent", "--duration", "2s", "-o", filepath.Join(t.TempDir(), "x.bin")}, more...)
	code, out, msg := recordSlow(t, append(args, strconv.Itoa(pid))...)
	if code != 0 || !strings.Contains(out, "Busy.slow") {
		t.Errorf("exit %d\n%s\n%s", code, out, msg)
	}
}
