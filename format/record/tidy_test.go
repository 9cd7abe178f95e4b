//go:build linux

package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"contend/format/record/attach"
	"contend/format/record/foreign"
	"contend/golden"
)

// A process may leave any number of folders whose recordings are slow to end: none is
// waited for when the user has given up.
func TestTidyingEndsWithItsContext(t *testing.T) {
	f := folderIn(t)
	defer f.remove(false)
	p := &attach.Process{} // of no number
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for _, end := range []string{"A", "B", "C"} {
		left := golden.Must(f.parent.Mkdir(fmt.Sprintf("contend-0-AAAAAAAAAAAAAAA%s", end)))(t)
		left.Close()
	}
	asked := 0
	f.tidy(ctx, p, func(string) bool { asked++; stop(); return true })
	if left := len(f.parent.List("contend-*-A*")); asked != 1 || left < 2 {
		t.Errorf("%d were ended, %d are left", asked, left)
	}
	f.tidy(t.Context(), p, func(string) bool { asked++; return true })
	if left := len(f.parent.List("contend-*-A*")); left != 0 {
		t.Errorf("%d are left", left)
	}
}

// As long as a process may do what it was told, the name that it was told is taken.
func TestANameThatIsUsedStays(t *testing.T) {
	f := folderIn(t)
	golden.OK(t, os.WriteFile(f.path(jarName), nil, 0o600))
	f.remove(true)
	if left, err := os.ReadDir(filepath.Dir(f.path(""))); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	next := folderIn(t)
	defer next.remove(false)
	left := golden.Must(next.parent.Mkdir("contend-0-AAAAAAAAAAAAAAAA"))(t)
	left.Close()
	for _, done := range []bool{false, true} {
		next.tidy(t.Context(), &attach.Process{}, func(string) bool { return done })
		if stays := len(next.parent.List("contend-0-*")) == 1; stays == done {
			t.Errorf("done %v, stays %v", done, stays)
		}
	}
}

// Nothing that perf looks for, or leaves, is in the home of who runs contend: that may be
// another user's.
func TestPerfHasAHomeOfItsOwn(t *testing.T) {
	in := golden.Must(NewPerfFolder(t.Context(), t.TempDir()))(t)
	defer in.Close()
	c, said, err := in.begin([]string{"sh", "-c", "cd $HOME && pwd -P && echo $PERF_CONFIG"})
	golden.OK(t, errors.Join(err, c.Wait()))
	if want := filepath.Join(in.folder.theirs, in.folder.name) + "\n/dev/null\n"; said.text() != want {
		t.Errorf("%q, want %q", said.text(), want)
	}
	if words := (&Perf{}).Record("x"); !slices.Contains(words, "-N") {
		t.Errorf("it fills a cache: %v", words)
	}
}

// The next recording with perf removes the folder of one that was killed, and no other: one
// that lives has locked it.
func TestPerfFoldersThatWereLeft(t *testing.T) {
	dir := t.TempDir()
	left, other := filepath.Join(dir, perfPrefix+"LEFT"), filepath.Join(dir, "other")
	golden.OK(t, errors.Join(os.Mkdir(left, 0o700), os.Mkdir(other, 0o700), os.WriteFile(filepath.Join(left, perfData), nil, 0o600)))
	living := golden.Must(NewPerfFolder(t.Context(), dir))(t)
	next := golden.Must(NewPerfFolder(t.Context(), dir))(t)
	golden.OK(t, os.WriteFile(next.File(), []byte("perf"), 0o600))
	golden.OK(t, next.Keep())
	next.Close()
	all := golden.Must(os.ReadDir(dir))(t)
	if len(all) != 3 || all[0].Name() != living.folder.name || all[1].Name() != "other" || all[2].Name() != perfData {
		t.Errorf("%v", all)
	}
	living.Close()
	golden.OK(t, os.Chmod(dir, 0o777))
	if _, err := NewPerfFolder(t.Context(), dir); !errors.As(err, new(*foreign.SharedError)) {
		t.Errorf("in a directory that others may change: %v", err)
	}
	if os.Geteuid() == 0 {
		golden.OK(t, errors.Join(os.Chmod(dir, 0o755|os.ModeSticky), os.Chown(dir, 12345, 12345)))
		if _, err := NewPerfFolder(t.Context(), dir); !errors.As(err, new(*foreign.SharedError)) {
			t.Errorf("in another user's: %v", err)
		}
	}
}

// What a command begins ends when contend is killed.
func TestPerfEndsWithItsRecorder(t *testing.T) {
	if os.Getenv("CONTEND_TEST_BEGINS") != "" {
		runtime.LockOSThread()
		in := golden.Must(NewPerfFolder(t.Context(), t.TempDir()))(t)
		c, _, err := in.begin([]string{"sleep", "600"})
		if err != nil {
			t.Skip(err)
		}
		fmt.Println(c.Process.Pid)
		select {}
	}
	c := exec.Command(os.Args[0], "-test.run=^TestPerfEndsWithItsRecorder$")
	c.Env = append(os.Environ(), "CONTEND_TEST_BEGINS=1")
	out := golden.Must(c.StdoutPipe())(t)
	golden.OK(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = c.Process.Kill()
	_ = c.Wait()
	pid, bad := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || bad != nil {
		t.Skipf("nothing began: %q", line)
	}
	for begun := time.Now(); (&attach.Process{PID: pid}).Alive(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("it goes on")
		}
	}
}
