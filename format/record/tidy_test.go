//go:build linux

package record

import (
	"bufio"
	"context"
	"crypto/rand"
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

// keys are those of a process that runs, of one that is gone, and of one that may run where this
// process sees none.
const (
	living    = "1-"
	elsewhere = "4194305-1" // a number that is more than any process's
)

func dead() string {
	return (&attach.Process{PID: 4194305}).Key()
}

// leave makes a folder as a recorder leaves one.
func leave(t *testing.T, in *foreign.Dir, key string, files ...string) (name string) {
	t.Helper()
	name = "contend-" + key + "-" + rand.Text()[:16]
	left := golden.Must(in.Mkdir(name))(t)
	defer left.Close()
	for _, file := range files {
		f := golden.Must(left.Create(file, nil))(t)
		f.Close()
	}
	return name
}

// inside are the files of a folder, nil where it is gone.
func inside(f *folder, name string) (files []string) {
	all, err := os.ReadDir(filepath.Join(f.theirs, name))
	if err != nil {
		return nil
	}
	files = []string{}
	for _, e := range all {
		files = append(files, e.Name())
	}
	return files
}

var everything = []string{traceName, settingsName, flightName, dumpName, "lease-AAAAAAAA"}

// The folder of a process is taken again, and its jar stays, as long as the process may look for it
// there; that of one that is gone goes. Of one that this process cannot see nothing is known.
func TestOneFolderForEachProcess(t *testing.T) {
	dir := t.TempDir()
	open := func() *folder {
		return golden.Must(newFolder(t.Context(), golden.Must(foreign.At(dir, foreign.Self()))(t), dir, living))(t)
	}
	first := open()
	golden.OK(t, first.addJar())
	second := open() // beside it, as the first is locked
	var others []string
	for _, key := range []string{dead(), elsewhere, "x"} {
		others = append(others, leave(t, first.parent, key, append(everything, "agent-0123456789abcdef.jar")...))
	}
	foreign := leave(t, first.parent, dead(), "thesis")
	first.tidy(t.Context(), living, func(name string) { t.Errorf("%s is recorded", name) })
	if inside(first, others[0]) != nil || len(inside(first, others[1])) != 6 || len(inside(first, others[2])) != 6 || len(inside(first, foreign)) != 1 {
		t.Errorf("left: %v, %v, %v, %v", inside(first, others[0]), inside(first, others[1]), inside(first, others[2]), inside(first, foreign))
	}
	for _, name := range everything {
		f := golden.Must(first.add(name, nil))(t)
		f.Close()
	}
	first.end()
	if left := inside(first, first.name); !slices.Equal(left, []string{jarName}) {
		t.Errorf("in the folder: %v", left)
	}
	third := open()
	golden.OK(t, third.addJar())
	if third.name != first.name || !third.used || second.used || second.name == first.name {
		t.Errorf("%s, then %s, then %s", first.name, second.name, third.name)
	}
	third.end()
	second.end()
}

// No folder is taken that others may look into, whose jar is another one, as where a recorder was
// killed while it wrote it, or that is only a link.
func TestFoldersThatAreNotTaken(t *testing.T) {
	dir := t.TempDir()
	in := func() *foreign.Dir { return golden.Must(foreign.At(dir, foreign.Self()))(t) }
	parent := in()
	open, torn, link := leave(t, parent, living), leave(t, parent, living, jarName), leave(t, parent, living)
	golden.OK(t, errors.Join(os.Chmod(filepath.Join(dir, open), 0o755),
		os.Rename(filepath.Join(dir, link), filepath.Join(dir, "other")), os.Symlink("other", filepath.Join(dir, link))))
	f := golden.Must(newFolder(t.Context(), parent, dir, living))(t)
	defer f.end()
	if f.used || slices.Contains([]string{open, torn, link}, f.name) {
		t.Errorf("%s is taken", f.name)
	}
	if os.Geteuid() == 0 {
		theirs := leave(t, parent, "2-")
		golden.OK(t, os.Chown(filepath.Join(dir, theirs), 12345, 12345))
		g := golden.Must(newFolder(t.Context(), in(), dir, "2-"))(t)
		defer g.end()
		if g.used {
			t.Error("another user's is taken")
		}
	}
}

// What the JVM is told leads to the folder, or is not told.
func TestAFolderThatLostItsName(t *testing.T) {
	f := folderIn(t)
	defer f.end()
	golden.OK(t, errors.Join(f.held(), os.Rename(f.path(""), f.theirs+"/moved"), os.Mkdir(f.path(""), 0o700)))
	if f.held() == nil {
		t.Error("another folder of its name is taken for it")
	}
}

// A process may leave any number of folders whose recordings are slow to end: none is
// waited for when the user has given up.
func TestTidyingEndsWithItsContext(t *testing.T) {
	f := folderIn(t)
	defer f.end()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for range 3 {
		leave(t, f.parent, living, everything...)
	}
	asked := 0
	f.tidy(ctx, living, func(string) { asked++; stop() })
	if asked != 1 {
		t.Errorf("%d were ended", asked)
	}
	f.tidy(t.Context(), living, func(string) { asked++ })
	for _, info := range f.parent.List("contend-1-*") {
		if left := inside(f, info.Name()); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
	}
	if asked != 4 {
		t.Errorf("%d were ended", asked)
	}
}

// Nothing that perf looks for, or leaves, is in the home of who runs contend: that may be
// another user's. It asks no other program about what it records.
func TestPerfHasNoHome(t *testing.T) {
	c, said, err := begin([]string{"sh", "-c", "echo $HOME $PERF_CONFIG"})
	golden.OK(t, errors.Join(err, c.Wait()))
	if want := "/dev/null /dev/null\n"; said.text() != want {
		t.Errorf("%q, want %q", said.text(), want)
	}
	if words := (&Perf{}).Record("x"); !slices.Contains(words, "-N") {
		t.Errorf("it fills a cache: %v", words)
	}
	if words := PerfScript("x"); !slices.Contains(words, "--no-inline") {
		t.Errorf("it asks about inlined frames: %v", words)
	}
}

// What a command begins ends when contend is killed.
func TestPerfEndsWithItsRecorder(t *testing.T) {
	if os.Getenv("CONTEND_TEST_BEGINS") != "" {
		runtime.LockOSThread()
		c, _, err := begin([]string{"sleep", "600"})
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
