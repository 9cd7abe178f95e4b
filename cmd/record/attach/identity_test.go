//go:build linux

package attach

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/cmd/record/foreign"
	"contend/golden"
)

// Of a process that is of another user by now nothing is opened: the rights are not those that it
// was found with.
func TestAProcessThatChangesItsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another user")
	}
	c := exec.Command("sh", "-c", "read line; exec setpriv --reuid=65534 --regid=65534 --clear-groups sleep 600")
	in := golden.Must(c.StdinPipe())(t)
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	now, _, err := look(c.Process.Pid)
	golden.OK(t, err)
	p := &Process{PID: c.Process.Pid, identity: now, root: procPath(c.Process.Pid, "root"), tmp: "/tmp"}
	if !now.one || now.user.UID != 0 || now.began == 0 || now.user.Caps == 0 {
		t.Errorf("%+v", now)
	}
	before := golden.Must(p.Open(p.tmp))(t)
	before.Close()
	golden.Must(io.WriteString(in, "\n"))(t)
	for begun := time.Now(); !p.changed() && time.Since(begun) < time.Minute; time.Sleep(time.Millisecond) {
	}
	var said *Error
	if d, err := p.Open(p.tmp); !errors.As(err, &said) || !strings.Contains(said.What, differs) {
		t.Errorf("%v, %v", d, err)
	}
}

// A process that executes another program has no handler for the signal any more, and gets none.
func TestAProcessThatRunsAnotherProgram(t *testing.T) {
	c := exec.Command("sh", "-c", "trap : QUIT; echo; read line; exec sleep 600")
	in, out := golden.Must(c.StdinPipe())(t), golden.Must(c.StdoutPipe())(t)
	golden.OK(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	golden.Must(out.Read(make([]byte, 1)))(t)
	p, _, tmp := asked(t)
	now, _, err := look(c.Process.Pid)
	golden.OK(t, err)
	p.PID, p.identity = c.Process.Pid, now
	if !now.quits || p.changed() {
		t.Errorf("%+v", now)
	}
	golden.Must(io.WriteString(in, "\n"))(t)
	for begun := time.Now(); !p.changed() && time.Since(begun) < time.Minute; time.Sleep(time.Millisecond) {
	}
	at := golden.Must(foreign.OpenPath(tmp, foreign.Self()))(t)
	defer at.Close()
	done, err := p.ask(at)
	done()
	if err == nil || !strings.Contains(err.Error(), differs) || !p.Alive() {
		t.Errorf("%v, alive %v", err, p.Alive())
	}
}

// A process that runs other programs while it is looked at is not taken for any of them.
func TestAProcessThatChangesWhileItIsLookedAt(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	golden.OK(t, os.WriteFile(script, []byte("trap : QUIT; exec sh \"$0\""), 0o600))
	c := exec.Command("sh", script)
	golden.OK(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	var said *Error
	for begun := time.Now(); said == nil || !strings.Contains(said.What, differs); {
		if time.Since(begun) > time.Minute {
			t.Fatalf("it is never seen to change: %v", said)
		}
		_, err := Find(c.Process.Pid)
		_ = errors.As(err, &said)
	}
}

// A recording has the rights that the process has when it begins, unless that is another process by
// then; that its folder is trusted stays.
func TestRenew(t *testing.T) {
	jvm := filepath.Join(t.TempDir(), "libjvm.so") // by its mappings a JVM
	golden.OK(t, os.WriteFile(jvm, golden.Must(os.ReadFile(golden.Must(exec.LookPath("sleep"))(t)))(t), 0o700))
	c := exec.Command("sleep", "600")
	c.Path = jvm
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	p := golden.Must(Find(c.Process.Pid))(t)
	found := *p
	p.identity.user, p.trust = foreign.User{UID: 12345}, true
	if err := p.Renew(); err != nil || p.identity != found.identity || !p.trust {
		t.Errorf("%v, %+v", err, p)
	}
	p.identity.began--
	var said *Error
	if err := p.Renew(); !errors.As(err, &said) || said.What != p.gone().What {
		t.Errorf("%v", err)
	}
}

// Capabilities over another user namespace are none here.
func TestCapabilitiesOfAnotherNamespace(t *testing.T) {
	c := exec.Command("unshare", "--user", "--map-root-user", "sh", "-c", "echo; exec sleep 600")
	out := golden.Must(c.StdoutPipe())(t)
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	if n, _ := out.Read(make([]byte, 1)); n == 0 {
		t.Skip("the kernel lets this user make no user namespace")
	}
	status, err := os.ReadFile(procPath(c.Process.Pid, "status"))
	golden.OK(t, err)
	var there identity
	there.read(status)
	now, _, err := look(c.Process.Pid)
	if err != nil || there.user.Caps == 0 || now.user.Caps != 0 {
		t.Errorf("%x there, %x here, %v", there.user.Caps, now.user.Caps, err)
	}
}

// perf gets no user of a process that has the rights of two, and learns whether its mounts are its own.
func TestUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root changes its user, or mounts")
	}
	for _, c := range []struct {
		words string
		want  foreign.User
		err   string
	}{
		{"setpriv --reuid 12345 --regid 12346 --clear-groups", foreign.User{UID: 12345, GID: 12346}, ""},
		{"setpriv --ruid 12345", foreign.User{}, "rights of two users"},
		{"setpriv --rgid 12345 --keep-groups", foreign.User{}, "rights of two users"},
		{
			"setpriv --reuid 12345 --regid 12346 --clear-groups unshare --user --mount",
			foreign.User{UID: 12345, GID: 12346},
			"",
		}, // any user can
		{
			"unshare --mount setpriv --reuid 12345 --regid 12346 --clear-groups",
			foreign.User{UID: 12345, GID: 12346, Apart: true},
			"",
		},
	} {
		words := append(strings.Fields(c.words), "cat")
		p := exec.Command(words[0], words[1:]...)
		in, out := golden.Must(p.StdinPipe())(t), golden.Must(p.StdoutPipe())(t)
		golden.OK(t, p.Start())
		golden.Must(in.Write([]byte{1}))(t)
		golden.Must(out.Read(make([]byte, 1)))(t)
		got, err := User(p.Process.Pid)
		if got != c.want || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %+v, %v", c.words, got, err)
		}
		golden.OK(t, p.Process.Kill())
		_ = p.Wait()
	}
}

// Where /proc is of another PID namespace a number there is another process's here: none is found.
func TestAnotherNamespaceOfNumbers(t *testing.T) {
	const asks = "CONTEND_TEST_FINDS"
	if os.Getenv(asks) != "" {
		_, err := Find(os.Getpid())
		_, unknown := User(os.Getpid())
		fmt.Println(err, unknown)
		return
	}
	c := exec.Command(
		"unshare",
		"--user",
		"--map-root-user",
		"--pid",
		"--fork",
		"--kill-child",
		os.Args[0],
		"-test.run=^TestAnotherNamespaceOfNumbers$",
	)
	c.Env = append(os.Environ(), asks+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Skipf("the kernel lets this user make no namespace: %v %s", err, out)
	}
	if strings.Count(string(out), "/proc is of another PID namespace than contend") != 2 {
		t.Errorf("%s", out)
	}
}

// A set-user-ID or set-group-ID program has the rights of two.
func TestTheRightsOfTwo(t *testing.T) {
	for status, one := range map[string]bool{
		"Uid:\t7\t7\t7\t7\nGid:\t8\t8\t8\t8\n": true,
		"Uid:\t7\t0\t0\t0\nGid:\t8\t8\t8\t8\n": false,
		"Uid:\t7\t7\t0\t7\nGid:\t8\t8\t8\t8\n": false,
		"Uid:\t7\t7\t7\t7\nGid:\t8\t9\t9\t9\n": false,
	} {
		var i identity
		if i.read([]byte(status)); i.one != one {
			t.Errorf("%q: %+v", status, i)
		}
	}
}

// A process is gone when nobody has its number, in the namespace that it is of.
func TestGone(t *testing.T) {
	const none = 4194305 // more than any process's number
	for key, gone := range map[string]bool{
		(&Process{PID: os.Getpid()}).Key(): false,
		(&Process{PID: none}).Key():        true,
		fmt.Sprintf("%d-1", none):          false,
		fmt.Sprintf("%d-", none):           false,
		fmt.Sprint(none):                   false,
	} {
		if Gone(key) != gone {
			t.Errorf("%s: gone %v", key, !gone)
		}
	}
}
