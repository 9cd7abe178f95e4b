//go:build unix

package cmd

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What cannot be recorded is refused with the reason and what to do, and comes
// to no harm.
func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		options    []string
		with       string
		prepare    func(t *testing.T, pid int)
		error, tip string
	}{
		{name: "attach disabled", options: []string{"-XX:+DisableAttachMechanism"}, error: "does not let itself be attached to", tip: "-javaagent"},
		{name: "would die of the signal", options: []string{"-Xrs"}, error: "would die of the signal", tip: "-javaagent", prepare: func(t *testing.T, pid int) {
			if err := os.Remove("/tmp/.java_pid" + strconv.Itoa(pid)); err != nil { // with -Xrs it is there from the start
				t.Skip(err)
			}
		}},
		{name: "forbids agents", options: []string{"-XX:-EnableDynamicAgentLoading"}, error: "forbids agents", tip: "--with jfr"},
		{name: "stopped", error: "is stopped", tip: "kill -CONT", prepare: func(t *testing.T, pid int) { signalled(t, pid, syscall.SIGSTOP) }},
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
			if code != exitFailed || out != "" || !strings.Contains(msg, c.error) || !strings.Contains(msg, "hint: ") || !strings.Contains(msg, c.tip) {
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
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status"); strings.Contains(string(status), "State:\tT") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the process does not stop")
}

func TestRecordNoJVM(t *testing.T) {
	t.Parallel()
	c := exec.Command("sleep", "20")
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	for target, want := range map[string]string{strconv.Itoa(c.Process.Pid): "is not a Java process", "4194304": "does not run", "no.such.Main": "no JVM here runs"} {
		if code, out, msg := recordOf(t, target); code == 0 || out != "" || !strings.Contains(msg, want) {
			t.Errorf("%s: exit %d, %q\n%s", target, code, out, msg)
		}
	}
}

// A socket of a process that is gone is no obstacle; nor is another user where
// this is root.
func TestRecordPastObstacles(t *testing.T) {
	t.Parallel()
	t.Run("stale socket", func(t *testing.T) {
		t.Parallel()
		pid := java(t, "java", nil).Process.Pid
		path := "/tmp/.java_pid" + strconv.Itoa(pid)
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Skip(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
		recorded(t, pid)
	})
	t.Run("socket in spite of -Xrs", func(t *testing.T) {
		t.Parallel()
		recorded(t, java(t, "java", nil, "-Xrs").Process.Pid)
	})
	t.Run("another user", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() != 0 {
			t.Skip("only root records the processes of others")
		}
		const nobody = 65534
		recorded(t, java(t, "java", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}).Process.Pid)
	})
}

func recorded(t *testing.T, pid int, more ...string) {
	t.Helper()
	args := append([]string{"--with", "agent", "--duration", "2s", "-o", filepath.Join(t.TempDir(), "x.bin")}, more...)
	code, out, msg := recordOf(t, append(args, strconv.Itoa(pid))...)
	if code != 0 || !strings.Contains(out, "Busy.slow") {
		t.Errorf("exit %d\n%s\n%s", code, out, msg)
	}
}
