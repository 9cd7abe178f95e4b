//go:build unix

package cmd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// beside are the files in a directory but for these.
func beside(t *testing.T, dir string, but ...string) (names []string) {
	t.Helper()
	entries := golden.Must(os.ReadDir(dir))(t)
	for _, e := range entries {
		if !slices.Contains(but, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// grown is the size of the largest file that a process writes in a directory but for these:
// by its descriptors, where no name leads to it.
func grown(t *testing.T, process int, dir string, but ...string) (size int64) {
	t.Helper()
	for _, name := range beside(t, dir, but...) {
		size = max(size, sizeOf(filepath.Join(dir, name)))
	}
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", process))
	for _, descriptor := range open {
		if to, err := os.Readlink(descriptor); err == nil && filepath.Dir(to) == dir &&
			!slices.Contains(but, filepath.Base(to)) {
			size = max(size, sizeOf(descriptor))
		}
	}
	return size
}

// sizeOf is 0 for a file that is not there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// mayLeave reports whether a signal may leave a file that is not whole: one that cannot be
// caught, where such files have names.
func mayLeave(by syscall.Signal) bool { return by == syscall.SIGKILL && runtime.GOOS != "linux" }

// heard are the signals that end a program: nohup has it ignore SIGHUP, and a shell has what
// it runs in the background ignore SIGINT, and so do the programs that are started then.
func heard(all ...syscall.Signal) []syscall.Signal {
	return slices.DeleteFunc(all, func(s syscall.Signal) bool { return signal.Ignored(s) })
}

// A signal that ends a command while it writes leaves the file that was there; what was
// written so far goes with the command, where the signal can be caught.
func TestASignalKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	for _, by := range heard(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL) {
		dir := t.TempDir()
		file := filepath.Join(dir, "old.bin")
		golden.OK(t, os.WriteFile(file, []byte("old"), 0o600))
		c, said := started(t, "simulate", "--duration", "10000h", "-o", file)
		came := comes(func() bool { return grown(t, c.Process.Pid, dir, "old.bin") > 0 })
		_ = c.Process.Signal(by)
		_ = c.Wait()
		if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !came || ok && status.Signal() != by {
			t.Errorf("%v: grows %v, %v\n%s", by, came, c.ProcessState, said)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != "old" {
			t.Errorf("%v: %q is left, %v", by, text, err)
		}
		if left := beside(t, dir, "old.bin"); len(left) > 0 && !mayLeave(by) {
			t.Errorf("%v: %v is left", by, left)
		}
	}
}

// What comes of perf's own file is no file either, when a signal ends that, and perf's is
// gone, too.
func TestASignalWhileARecordingIsWritten(t *testing.T) {
	t.Parallel()
	bin, tmp := t.TempDir(), t.TempDir()
	const perf = "#!/bin/sh\nif [ $1 = record ]; then for a; do [ \"$o\" = -o ] && echo data > $a; o=$a; done; " +
		"exit; fi\n" +
		"i=0; while printf 't 7/7 [000] 1.%09d: sched:sched_switch: t:7 [120] S ==> u:8 [120]\\n' $i; do " +
		"i=$((i+1)); done\n"
	golden.OK(t, os.WriteFile(filepath.Join(bin, "perf"), []byte(perf), 0o700))
	for _, by := range heard(syscall.SIGTERM, syscall.SIGINT) {
		dir := t.TempDir()
		c, said := startedIn(
			t,
			[]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "TMPDIR=" + tmp},
			"record",
			"--perf",
			"-o",
			filepath.Join(dir, "new.bin"),
			strconv.Itoa(os.Getpid()),
		)
		came := comes(func() bool { return grown(t, c.Process.Pid, dir) > 0 })
		_ = c.Process.Signal(by)
		_ = c.Wait()
		if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !came || ok && status.Signal() != by {
			t.Errorf("%v: grows %v, %v\n%s", by, came, c.ProcessState, said)
		}
		if left := append(beside(t, dir), beside(t, tmp)...); len(left) > 0 {
			t.Errorf("%v: %v is left", by, left)
		}
	}
}

// A second signal ends a recording that the first one does not: what it waits for may never come.
func TestASecondSignalEndsARecordingAtOnce(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir := t.TempDir()
	perf := filepath.Join(dir, "perf")
	golden.OK(t, os.WriteFile(perf, []byte("#!/bin/sh\ntrap '' INT\n: > $0.runs\nexec sleep 600\n"), 0o700))
	c, said := startedIn(
		t,
		[]string{"PATH=" + dir + ":" + os.Getenv("PATH")},
		"record",
		"--perf",
		"-o",
		filepath.Join(dir, "x.bin"),
		strconv.Itoa(os.Getpid()),
	)
	runs := comes(func() bool { _, err := os.Stat(perf + ".runs"); return err == nil })
	over := make(chan bool)
	go func() {
		for range 100 { // 20 s, while perf has a minute to end
			_ = c.Process.Signal(syscall.SIGTERM)
			select {
			case <-over:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
	_ = c.Wait()
	close(over)
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); !runs || ok && status.Signal() != syscall.SIGTERM {
		t.Errorf("runs %v, %v\n%s", runs, c.ProcessState, said)
	}
}

// A signal that is ignored, as Ctrl-C is in the background, ends nothing.
func TestAnIgnoredSignalEndsNothing(t *testing.T) {
	if os.Getenv("CONTEND_TEST_ENDINGS") != "" {
		fmt.Println(endings())
		return
	}
	c := exec.Command(
		"sh",
		"-c",
		"trap '' INT HUP; exec \"$0\" -test.run='^TestAnIgnoredSignalEndsNothing$'",
		os.Args[0],
	)
	c.Env = append(os.Environ(), "CONTEND_TEST_ENDINGS=1")
	if out, err := c.Output(); err != nil || !strings.HasPrefix(string(out), "[terminated]\n") {
		t.Errorf("%q, %v", out, err)
	}
}

// A recording gets its name when it is whole.
func TestARecordingHasItsNameWhenItIsWhole(t *testing.T) {
	t.Parallel()
	data, hold := goRecording(t), make(chan bool)
	url := serveTraces(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(data)
		w.(http.Flusher).Flush()
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	})
	defer close(hold)
	dir := t.TempDir()
	file := filepath.Join(dir, "old.trace")
	golden.OK(t, os.WriteFile(file, []byte("old"), 0o640))
	for _, by := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		c, said := started(t, "record", "-o", file, url)
		if !comes(func() bool { return grown(t, c.Process.Pid, dir, "old.trace") > 0 }) {
			t.Errorf("nothing grows\n%s", said)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != "old" {
			t.Errorf("%q while it is recorded, %v", text, err)
		}
		_ = c.Process.Signal(by)
		_ = c.Wait()
		if left := beside(t, dir, "old.trace"); len(left) > 0 && !mayLeave(by) {
			t.Errorf("%v: %v is left", by, left)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Size() != int64(len(data)) || info.Mode() != 0o640 {
		t.Errorf("%v, %v, want %d bytes", info, err, len(data))
	}
}

// What a program calls itself makes a name that no terminal and no shell acts on, and no path.
func TestNamesOfRecordings(t *testing.T) {
	for program, want := range map[string]string{
		"OrderService-17":                      "OrderService-17",
		"Outer$Inner-17":                       "OuterInner-17",
		"a\x1b]0;x\x07b\u202e\u200b\nc-1":      "a0xbc-1",
		"\xff\xfe":                             "recording",
		"$(id)`id`;a&b|c*?[d]{e}'f'>g!~#%\\=^": "ididabcdefg",
		"@+x\u3164":                            "x",
		// variation selectors, and a mark that follows nothing
		"a\ufe0f\u180b\U000e0101b.\u0301c\u0301d": "ab.c\u0301d",
		"../../etc/x":            "etcx",
		"-rf":                    "rf",
		"ä b":                    "äb",
		strings.Repeat("x", 300): strings.Repeat("x", longestName),
	} {
		golden.Equal(t, fileName(program), want, program)
	}
}

// interrupted runs a command with a trace that comes through a pipe without end, and
// presses Ctrl-C after the first part of it.
func interrupted(t *testing.T, args ...string) (code int, out, msg string) {
	t.Helper()
	in, feed, err := os.Pipe()
	golden.OK(t, err)
	guard := make(chan os.Signal, 1) // a press before anybody listens must not end the test
	signal.Notify(guard, os.Interrupt)
	defer signal.Stop(guard)
	var feeding sync.WaitGroup
	feeding.Go(func() {
		defer feed.Close()
		io.WriteString(feed, "contend 1\nobject lock=1 class=\"app.Cache\" kind=monitor\n")
		var pressed time.Time
		for i := 0; err == nil; i++ { // until nobody reads on
			if i >= pressedAfter && time.Since(pressed) > heardWithin { // a second press would end the program
				pressed = time.Now()
				syscall.Kill(os.Getpid(), syscall.SIGINT)
			}
			_, err = fmt.Fprintf(feed, "wait time=%d end=%d thread=1 lock=1\n", i*1000+1, i*1000+900)
		}
	})
	var o, m strings.Builder
	code = Main(args, in, &o, &m)
	in.Close() // who still writes is told so
	feeding.Wait()
	return code, o.String(), m.String()
}

// Before the press come more waits than are read before anybody listens.
const pressedAfter = 20_000

// heardWithin is how long the first press is given to be heard.
const heardWithin = 10 * time.Second

// TestCtrlCAnswersFromWhatWasRead presses Ctrl-C while a trace comes through a
// pipe: the answer is that of the part that came.
func TestCtrlCAnswersFromWhatWasRead(t *testing.T) {
	code, out, msg := interrupted(t, "analyze", "-")
	golden.Equal(t, code, exitDamaged)
	said := regexp.MustCompile(`interrupted after (\d+) events`).FindStringSubmatch(msg)
	if said == nil {
		t.Fatalf("it does not say so: %s", msg)
	}
	if n, _ := strconv.Atoi(said[1]); n == 0 || !strings.Contains(out, "Cache") {
		t.Errorf("%d events were read, and the answer is\n%s", n, out)
	}
}

// A copy that is interrupted is a whole trace of what was read, and says itself that
// there was more.
func TestCtrlCEndsACopyInGoodOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "copy.bin")
	code, _, msg := interrupted(t, "convert", "-", "-o", path)
	said := regexp.MustCompile(`interrupted after (\d+) events`).FindStringSubmatch(msg)
	if code != exitDamaged || said == nil {
		t.Fatalf("exit %d, want %d: %s", code, exitDamaged, msg)
	}
	var out, note strings.Builder
	if code := Main([]string{"analyze", "--format", "json", path}, nil, &out, &note); code != exitOK ||
		!strings.Contains(note.String(), said[0]) {
		t.Errorf("the copy does not tell, exit %d: %s", code, &note)
	}
	golden.Holds(t, out.String(), "app.Cache")
}

// ended is an input that is over.
type ended struct{ format.Source }

func (ended) Read(*format.Event) error { return io.EOF }

// TestCtrlCEndsTheWorkingOut presses Ctrl-C when all is read: there is nothing
// left to stop early, so that the press has its usual meaning.
func TestCtrlCEndsTheWorkingOut(t *testing.T) {
	guard := make(chan os.Signal, 1)
	signal.Notify(guard, os.Interrupt)
	defer signal.Stop(guard)
	r, done := (&env{msg: io.Discard, interruptible: true}).listen(ended{})
	defer done()
	var ev format.Event
	if err := r.Read(&ev); err != io.EOF {
		t.Fatal(err)
	}
	syscall.Kill(os.Getpid(), syscall.SIGINT)
	<-guard
	time.Sleep(20 * time.Millisecond)
	if r.stopped.Load() {
		t.Error("the press was taken for one that ends the reading")
	}
}
