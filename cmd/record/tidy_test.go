//go:build linux

package record

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
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

	"contend/cmd/atomicfile"
	"contend/cmd/record/attach"
	"contend/cmd/record/foreign"
	"contend/golden"

	"golang.org/x/sys/unix"
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

var everything = []string{traceName, settingsName, flightName, "lease-AAAAAAAA"}

// The folder of a process is taken again, and its jar stays, as long as the process may look for it
// there; that of one that is gone goes. Of one that this process cannot see nothing is known.
func TestOneFolderForEachProcess(t *testing.T) {
	dir := t.TempDir()
	ended := []string{}
	open := func() *folder {
		in := golden.Must(foreign.OpenPath(dir, foreign.Self()))(t)
		return golden.Must(
			newFolder(
				t.Context(),
				in,
				dir,
				living,
				func(name string) error { ended = append(ended, name); return nil },
			),
		)(
			t,
		)
	}
	first := open()
	for _, name := range everything {
		f := golden.Must(first.create(name, nil))(t)
		f.Close()
	}
	second := open() // beside it, as the first is locked
	if second.name == first.name || len(ended) != 0 || len(inside(first, first.name)) != len(everything)+1 {
		t.Errorf("%s beside %s; %v are ended", second.name, first.name, ended)
	}
	first.close()                                                          // as it was killed
	const kept, chunk = "2026_11_23_02_00_01_1", "2026_11_23_02_00_01.jfr" // of the JVM's flight recorder
	gone, unseen := leave(
		t,
		second.parent,
		dead(),
		append(everything, "agent-0123456789abcdef.jar")...), leave(
		t,
		second.parent,
		elsewhere,
		everything...)
	odd, thesis := leave(t, second.parent, "x", everything...), leave(t, second.parent, dead(), "thesis")
	for _, name := range []string{gone, first.name} {
		golden.OK(
			t,
			errors.Join(
				os.MkdirAll(filepath.Join(dir, name, kept), 0o755),
				os.WriteFile(filepath.Join(dir, name, kept, chunk), nil, 0o644),
				os.Mkdir(filepath.Join(dir, name, kept+"_0"), 0o755),
			),
		)
	}
	third := open()
	if left := inside(third, third.name); third.name != first.name || !slices.Equal(left, []string{kept, jarName}) ||
		len(inside(third, first.name+"/"+kept)) != 1 {
		t.Errorf("%s, then %s with %v in it", first.name, third.name, left)
	}
	if slices.Sort(ended); !slices.Equal(ended, slices.Sorted(slices.Values([]string{first.name, unseen}))) {
		t.Errorf("ended: %v", ended)
	}
	golden.OK(t, os.RemoveAll(filepath.Join(dir, first.name, kept)))
	if left := inside(third, gone); !slices.Equal(left, []string{kept}) || len(inside(third, gone+"/"+kept)) != 1 {
		t.Errorf("of a process that may have recorded itself: %v", left)
	}
	if len(inside(third, unseen)) != len(everything) || len(inside(third, odd)) != len(everything) ||
		len(inside(third, thesis)) != 1 {
		t.Errorf(
			"left: %v, %v, %v, %v",
			inside(third, gone),
			inside(third, unseen),
			inside(third, odd),
			inside(third, thesis),
		)
	}
	for _, name := range everything {
		f := golden.Must(third.create(name, nil))(t)
		f.Close()
	}
	third.end(false)
	second.end(false)
	if left := inside(third, third.name); !slices.Equal(left, []string{jarName}) || inside(second, second.name) == nil {
		t.Errorf("in the folder: %v", left)
	}
}

// Of a JVM that was killed no chunk is removed but the one that is known to be of the recording
// alone. The folder goes with it if it is the only one.
func TestChunksThatMayBeTheProgramsOwn(t *testing.T) {
	const ours, next = "2026_11_23_02_00_01.jfr", "2026_11_23_02_00_02.jfr"
	const in, other = "2026_11_23_02_00_01_1", "2026_11_23_02_00_01_1_0"
	for _, c := range []struct {
		note        string
		files, stay []string
	}{
		{in + "/" + ours, []string{in + "/" + ours}, nil},
		{in + "/" + ours, []string{in + "/" + ours, in + "/" + next}, []string{in + "/" + next}},
		{in + "/" + ours, []string{in + "/" + ours, other + "/" + ours}, []string{other + "/" + ours}},
		{other + "/" + ours, []string{in + "/" + ours}, []string{in + "/" + ours}},
		{in + "/x", []string{in + "/x"}, []string{in + "/x"}},
		{"", []string{in + "/" + ours}, []string{in + "/" + ours}},
	} {
		for _, later := range []bool{false, true} { // by the recorder itself, or by the next one
			dir := t.TempDir()
			open := func(key string) *folder {
				f := golden.Must(
					newFolder(t.Context(), golden.Must(foreign.OpenPath(dir, foreign.Self()))(t), dir, key, nil),
				)(
					t,
				)
				return f
			}
			f := open(dead())
			golden.OK(t, f.writeFile(chunkName, c.note))
			for _, file := range c.files {
				golden.OK(
					t,
					errors.Join(os.MkdirAll(filepath.Dir(f.path(file)), 0o755), os.WriteFile(f.path(file), nil, 0o644)),
				)
			}
			want, said := f.path(""), ""
			if want = strings.TrimSuffix(want, "/"); len(c.stay) == 0 {
				want = ""
			}
			if later {
				f.close()
				g := open(living)
				g.end(false)
			} else if said = f.end(true); said != want {
				t.Errorf("%v: %q, want %q", c, said, want)
			}
			left, _ := filepath.Glob(filepath.Join(dir, f.name, "*/*"))
			for i := range left {
				left[i] = strings.TrimPrefix(left[i], f.path(""))
			}
			if _, err := os.Stat(f.path("")); !slices.Equal(left, c.stay) || (err == nil) != (len(c.stay) > 0) {
				t.Errorf("%v, later %v: %v stay, %v", c, later, left, err)
			}
		}
	}
}

// No folder is taken that others may look into, whose jar is another one, as where a recorder was
// killed while it wrote it, or that is only a link.
func TestFoldersThatAreNotTaken(t *testing.T) {
	dir := t.TempDir()
	in := func() *foreign.Dir { return golden.Must(foreign.OpenPath(dir, foreign.Self()))(t) }
	parent := in()
	open, torn, link := leave(t, parent, living), leave(t, parent, living, jarName), leave(t, parent, living)
	golden.OK(t, errors.Join(
		os.Chmod(filepath.Join(dir, open), 0o755),
		os.Rename(
			filepath.Join(dir, link),
			filepath.Join(dir, "other"),
		),
		os.Symlink("other", filepath.Join(dir, link)),
	))
	nothing := func(string) error { return nil }
	f := golden.Must(newFolder(t.Context(), parent, dir, living, nothing))(t)
	defer f.end(false)
	if slices.Contains([]string{open, torn, link}, f.name) {
		t.Errorf("%s is taken", f.name)
	}
	if os.Geteuid() == 0 {
		theirs := leave(t, parent, "2-")
		golden.OK(t, os.Chown(filepath.Join(dir, theirs), 12345, 12345))
		g := golden.Must(newFolder(t.Context(), in(), dir, "2-", nothing))(t)
		defer g.end(false)
		if g.name == theirs {
			t.Error("another user's is taken")
		}
	}
}

// A process that does not answer may still do what it was told by a name: nothing is recorded by it.
func TestAProcessThatDoesNotAnswer(t *testing.T) {
	f := folderIn(t)
	defer f.end(false)
	name := leave(t, f.parent, living, traceName)
	silent := errors.New("silent")
	in := golden.Must(foreign.OpenPath(f.theirs, foreign.Self()))(t)
	if g, err := newFolder(t.Context(), in, f.theirs, living, func(string) error { return silent }); !errors.Is(
		err,
		silent,
	) ||
		len(inside(f, name)) != 1 {
		t.Errorf("%v, %v, in it %v", g, err, inside(f, name))
	}
}

// What the JVM is told leads to the folder, or is not told.
func TestAFolderThatLostItsName(t *testing.T) {
	f := folderIn(t)
	defer f.end(false)
	golden.OK(t, errors.Join(f.held(), os.Rename(f.path(""), f.theirs+"/moved"), os.Mkdir(f.path(""), 0o700)))
	s := &session{ctx: t.Context(), p: &attach.Process{}, dir: f}
	_, agent := s.startAgent(false)
	defer s.lease.Close()
	for what, err := range map[string]error{
		"the folder":          f.held(),
		"the agent":           agent,
		"the flight recorder": s.startFlight(),
	} {
		if err == nil || !strings.Contains(err.Error(), "took the name") {
			t.Errorf("another folder of its name is taken for it: %s: %v", what, err)
		}
	}
}

// A process may leave any number of folders whose recordings are slow to end: none is
// waited for when the user has given up.
func TestTidyingEndsWithItsContext(t *testing.T) {
	f := folderIn(t)
	defer f.end(false)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for range 3 {
		leave(t, f.parent, living, everything...)
	}
	asked := 0
	in := golden.Must(foreign.OpenPath(f.theirs, foreign.Self()))(t)
	if g, err := newFolder(ctx, in, f.theirs, living, func(string) error { asked++; stop(); return nil }); err == nil ||
		asked != 1 {
		t.Errorf("%d were ended: %v, %v", asked, g, err)
	}
	g := folderIn(t) // with one, whose removal may still run
	defer g.end(false)
	leave(t, g.parent, living, everything...)
	ctx, stop = context.WithCancel(t.Context())
	in = golden.Must(foreign.OpenPath(g.theirs, foreign.Self()))(t)
	if taken, err := newFolder(ctx, in, g.theirs, living, func(string) error { stop(); return nil }); err == nil {
		t.Errorf("%s is taken", taken.name)
	}
}

// Nothing that perf looks for, or leaves, is in the home of who runs contend, or where that one
// works: these may be another user's. It asks no other program about what it records.
func TestPerfHasNoHome(t *testing.T) {
	c, said, err := begin(t.Context(), []string{"sh", "-c", "echo $HOME $PERF_CONFIG; pwd"})
	golden.OK(t, errors.Join(err, c.Wait()))
	if want := "/dev/null /dev/null\n/\n"; said.text() != want {
		t.Errorf("%q, want %q", said.text(), want)
	}
	if words := (&Perf{}).Record("x"); !slices.Contains(words, "-N") || !slices.Contains(words, "-B") {
		t.Errorf("it fills a cache, or reads programs: %v", words)
	}
	if words := PerfScript("x"); !slices.Contains(words, "--no-inline") {
		t.Errorf("it asks about inlined frames: %v", words)
	}
}

// A perf that does not end in time, and not when it is told to, is ended.
func TestPerfThatDoesNotEnd(t *testing.T) {
	defer func(usual time.Duration) { grace = usual }(grace)
	grace = 100 * time.Millisecond
	dir := t.TempDir()
	golden.OK(t, os.WriteFile(filepath.Join(dir, "perf"), []byte("#!/bin/sh\ntrap '' INT\nexec sleep 600\n"), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	into := golden.Must(os.Create(filepath.Join(dir, "perf.data")))(t)
	defer into.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := RecordPerf(
			t.Context(),
			&Perf{Process: strconv.Itoa(os.Getpid()), Duration: time.Millisecond},
			into,
			func() {},
			nil,
		)
		ended <- err
	}()
	select {
	case err := <-ended:
		var refused *Error
		if !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it is waited for")
	}
}

// saying is the text of a recording of a user by a perf that is a shell script.
func saying(t *testing.T, script string, u foreign.User) (string, error) {
	t.Helper()
	dir := golden.Must(os.MkdirTemp("", "contend-perf-"))(t)
	defer os.RemoveAll(dir)
	golden.OK(
		t,
		errors.Join(
			os.Chmod(dir, 0o755),
			os.WriteFile(filepath.Join(dir, "perf"), []byte("#!/bin/sh\n"+script), 0o755),
		),
	)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	file := golden.Must(os.Create(filepath.Join(t.TempDir(), "perf.data")))(t)
	defer file.Close()
	golden.Must(file.Write([]byte("recording\n")))(t)
	text := golden.Must((&PerfRecording{file: file, user: u}).Text())(t)
	text.left = min(text.left, 1<<10)
	all, err := io.ReadAll(text)
	return string(all), errors.Join(err, text.Close())
}

// perf reads what the program's user made with no more than that user's rights: root's perf too,
// of a program that is root's. Only a program with its own mounts has it enter these.
func TestPerfReadsAsTheUserOfTheProgram(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	golden.OK(t, os.WriteFile(secret, []byte("secret"), 0o600))
	t.Setenv("CONTEND_SECRET", "secret")
	theirs := golden.Must(unix.Open("/dev/null", unix.O_RDONLY, 0))(t) // as a shell may leave one
	defer unix.Close(theirs)
	got, err := saying(
		t,
		"cat /proc/self/fd/3; env | grep SECRET; ulimit -d; ulimit -c; ulimit -H -c; [ $(cut -d' ' -f6 "+
			"/proc/$$/stat) = $$ ] && echo session",
		foreign.Self(),
	)
	golden.Equal(t, got, fmt.Sprintf("recording\n%d\n0\n0\nsession\n", memory>>10), "what perf reads", err)
	if os.Geteuid() != 0 {
		t.Skip("only root has rights to give up")
	}
	own := golden.Must(os.ReadFile("/proc/self/status"))(t)
	const (
		few   = 1 << unix.CAP_SYSLOG
		enter = few | 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SYS_CHROOT | 1<<unix.CAP_SYS_PTRACE
	)
	for _, c := range []struct {
		user foreign.User
		caps uint64
	}{
		{foreign.User{UID: 12345, GID: 12346}, few},
		{foreign.User{UID: 12345, GID: 12346, Caps: ^uint64(0)}, few},
		{foreign.User{UID: 12345, GID: 12346, Apart: true}, enter},
		{foreign.User{}, few},
		{foreign.User{Caps: ^uint64(0), Apart: true}, enter},
	} {
		got, err := saying(
			t,
			"ls /proc/self/fd | wc -l; id -u; id -G; cat "+secret+" 2>/dev/null; for set in Eff Prm Inh Amb; do "+
				"grep Cap$set /proc/self/status; done",
			c.user,
		)
		want := fmt.Sprintf("5\n%d\n%d\n", c.user.UID, c.user.GID) // 0 to 3, and that of ls
		if c.user.UID == 0 {
			want += "secret"
		}
		for _, set := range []string{"Eff", "Prm", "Inh", "Amb"} {
			want += fmt.Sprintf("Cap%s:\t%016x\n", set, c.caps&effective(own))
		}
		golden.Equal(t, got, want, fmt.Sprintf("as %+v", c.user), err)
	}
}

// effective reads the capabilities in effect from a status file.
func effective(status []byte) (caps uint64) {
	_, after, _ := strings.Cut(string(status), "CapEff:\t")
	_, _ = fmt.Sscanf(after, "%x", &caps)
	return caps
}

// perf is ended if it is silent, stopped or endless, whatever the user of the program does with it.
func TestPerfScriptEnds(t *testing.T) {
	if _, err := saying(t, "exec yes", foreign.Self()); err == nil || !strings.Contains(err.Error(), "more text") {
		t.Errorf("without end: %v", err)
	}
	defer func(usual time.Duration) { grace = usual }(grace)
	grace = 20 * time.Millisecond
	for _, script := range []string{"exec sleep 600", "kill -STOP $$"} {
		if _, err := saying(t, script, foreign.Self()); err == nil || !strings.Contains(err.Error(), "perf has ") {
			t.Errorf("silent: %v", err)
		}
	}
	if _, err := saying(t, "while echo; do sleep 0.01; done", foreign.Self()); err == nil ||
		!strings.Contains(err.Error(), "not read the recording") {
		t.Errorf("slow: %v", err)
	}
}

// A user who stops every process that he may does not stop contend itself, which for a while
// would wait for a child that is already his.
func TestPerfScriptStartsDespiteItsUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root reads the recordings of others")
	}
	user := foreign.User{UID: 54321, GID: 54321}
	stopping := exec.Command("sh", "-c", "while :; do kill -s STOP -- -1; done")
	stopping.SysProcAttr = &syscall.SysProcAttr{
		Credential: &syscall.Credential{Uid: 54321, Gid: 54321},
		Pdeathsig:  syscall.SIGKILL,
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	golden.OK(t, stopping.Start())
	defer stopping.Wait()
	defer stopping.Process.Kill()
	hung := time.AfterFunc(time.Minute, func() {
		t.Error("contend is stopped with its child")
		_ = stopping.Process.Kill()
		_ = exec.Command("pkill", "-CONT", "-U", "54321").Run()
	})
	defer hung.Stop()
	defer func(usual time.Duration) { grace = usual }(grace)
	grace = 20 * time.Millisecond
	for range 10 {
		_, _ = saying(t, "echo", user)
	}
}

// A recording that has taken all its space ends, and what came is kept.
func TestPerfRecordingIsBounded(t *testing.T) {
	defer func(usual int64) { largest = usual }(largest)
	largest = 1 << 10
	dir := t.TempDir()
	golden.OK(t, os.WriteFile(filepath.Join(dir, "perf"), []byte(`#!/bin/sh
while [ "$1" != -o ]; do shift; done
exec >"$2"
trap 'exit 0' INT
while :; do echo record; sleep 0.001; done
`), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	into := golden.Must(os.Create(filepath.Join(dir, "perf.data")))(t)
	defer into.Close()
	r, err := RecordPerf(
		t.Context(),
		&Perf{Process: strconv.Itoa(os.Getpid()), Duration: time.Hour},
		into,
		func() {},
		nil,
	)
	if err != nil || !r.Full || !r.Early || fileSize(into) <= largest {
		t.Errorf("%+v, %d bytes: %v", r, fileSize(into), err)
	}
}

// perf ends when contend is killed, whatever it thinks of that: where it records, and where it writes text.
func TestPerfEndsWithItsRecorder(t *testing.T) {
	const stays = "trap '' TERM; exec sleep 600"
	switch os.Getenv("CONTEND_TEST_BEGINS") {
	case "recording":
		runtime.LockOSThread()
		c, _, err := begin(context.Background(), []string{"sh", "-c", stays})
		if err != nil {
			t.Skip(err)
		}
		fmt.Println(c.Process.Pid)
		select {}
	case "text":
		made, err := atomicfile.Scratch()
		if err != nil {
			t.Skip(err)
		}
		text, err := (&PerfRecording{file: made}).Text()
		if err != nil {
			t.Skip(err)
		}
		fmt.Println(text.c.Process.Pid)
		select {}
	}
	dir := t.TempDir()
	golden.OK(t, os.WriteFile(filepath.Join(dir, "perf"), []byte("#!/bin/sh\n"+stays), 0o755))
	for _, what := range []string{"recording", "text"} {
		perfEnds(t, what, dir+":"+os.Getenv("PATH"))
	}
}

func perfEnds(t *testing.T, what, path string) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestPerfEndsWithItsRecorder$")
	c.Env = append(os.Environ(), "CONTEND_TEST_BEGINS="+what, "PATH="+path)
	out := golden.Must(c.StdoutPipe())(t)
	golden.OK(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(time.Millisecond) {
		if name, _ := os.ReadFile("/proc/" + strings.TrimSpace(line) + "/comm"); string(name) == "sleep\n" {
			break
		}
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	pid, bad := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || bad != nil {
		t.Skipf("%s: nothing began: %q", what, line)
	}
	for begun := time.Now(); (&attach.Process{PID: pid}).Alive(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("%s: it goes on", what)
		}
	}
}
