package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"contend/cmd/record/attach"
	"contend/cmd/record/foreign"
)

// PerfRecording is the result of a recording.
type PerfRecording struct {
	Length time.Duration
	Ended  bool // the program ended before the time was over
	Early  bool // the user ended it, it did not end by itself, or it is Full
	Full   bool // it took all the space it may
	file   *os.File
	user   foreign.User // of the program
}

// grace is how much longer than the recording perf may take before it is told to stop, and
// how long it may take then to write its file.
var grace = time.Minute // tests have less

// RecordPerf records a program into a file, which needs no name, until the time is over,
// ctx is done or the program ends. It calls begun when perf runs, and progress, which may
// be nil, with the remaining time. The error is a *Error, or an *attach.Error.
func RecordPerf(
	ctx context.Context,
	a *Perf,
	into *os.File,
	begun func(),
	progress func(left time.Duration),
) (*PerfRecording, error) {
	pid, err := strconv.Atoi(a.Process)
	if err != nil {
		return nil, &Error{a.Process + " is not the number of a process", "'ps -e' lists them"}
	}
	user, err := owner(pid)
	if err != nil {
		return nil, err
	}
	if _, err := command(ctx, a.Record(opened(into))); err != nil {
		return nil, err
	}
	begun()
	for try := 1; ; try++ {
		r, said, err := a.once(ctx, into, progress)
		if r == nil {
			return nil, err
		}
		lives, came := (&attach.Process{PID: pid}).Alive(), fileSize(into) > 0
		switch {
		case came && (err == nil || r.Early || !lives):
			r.Ended = !r.Early && err != nil
			r.file, r.user = into, user
			if now, err := owner(pid); err == nil && user.UID == 0 { // it may have given up root's rights
				r.user = now
			}
			return r, nil
		case r.Early:
			return nil, &Error{"ended before any data arrived", ""}
		case try == tries || !lives || !strings.Contains(said, vanished):
			return nil, diagnose(said, err)
		}
	}
}

// A thread that ends while perf starts keeps it from recording the others; it is tried
// again.
const (
	vanished = "No such process"
	tries    = 5
)

// once runs perf; the recording is nil if it did not run at all. The goroutine keeps its
// thread, because perf ends with the thread that started it.
func (a *Perf) once(ctx context.Context, into *os.File, progress func(time.Duration)) (*PerfRecording, string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := into.Truncate(0); err != nil { // perf would rename what another try left
		return nil, "", err
	}
	ctx, end := context.WithTimeout(ctx, a.Duration+grace)
	defer end()
	ctx, stop := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer stop(nil)
	c, said, err := begin(ctx, a.Record(opened(into)))
	if err != nil {
		return nil, "", err
	}
	watch.Go(func() { fill(ctx, stop, into) })
	defer showProgress(a.Duration, progress)()
	started := time.Now()
	err = c.Wait()
	return &PerfRecording{
		Length: time.Since(started),
		Early:  ctx.Err() != nil,
		Full:   context.Cause(ctx) == errFull,
	}, said.text(), err
}

// largest is the size at which a recording by perf ends, in bytes: a busy program makes 200 MB
// a second.
var largest int64 = 2 << 30 // tests have less

var errFull = errors.New("no room")

// fill stops a recording whose file takes all the space it may, until ctx is done.
func fill(ctx context.Context, stop context.CancelCauseFunc, into *os.File) {
	turn := time.NewTicker(100 * time.Millisecond)
	defer turn.Stop()
	for ctx.Err() == nil {
		if free, ok := room(into); fileSize(into) > largest || ok && free < needed {
			stop(errFull)
		}
		select {
		case <-ctx.Done():
		case <-turn.C:
		}
	}
}

// PerfText is the text of a recording, written by perf script with the rights of the
// program's user. That user may have made the files that perf reads, and may stop it, so it is
// ended if perf is silent or runs for long, or writes without end.
type PerfText struct {
	c     *exec.Cmd
	out   io.Reader
	left  int64 // bytes that it may still write
	said  *tail
	ended context.Context
	end   context.CancelCauseFunc
	late  *time.Timer
}

// A recording of n bytes has no more text than n * textRate + textLeast bytes. memory is what perf
// may take: a line of what it reads may have no end. It reads slowest bytes a second, or more.
const (
	memory    = 2 << 30
	slowest   = 512 << 10
	textRate  = 64
	textLeast = 64 << 20
)

// Text begins to convert a recording to text. The goroutine keeps its thread until Close:
// perf ends with that thread.
func (r *PerfRecording) Text() (t *PerfText, err error) {
	size := fileSize(r.file)
	t = &PerfText{left: size*textRate + textLeast, said: &tail{}}
	t.ended, t.end = context.WithCancelCause(context.Background())
	longest := 5*grace + time.Duration(size/slowest)*time.Second
	t.late = time.AfterFunc(longest, func() {
		t.end(
			&Error{
				fmt.Sprintf("perf has not read the recording in %v", longest),
				"a shorter --duration makes a smaller one",
			},
		)
	})
	words := append(
		[]string{"sh", "-c", `ulimit -c 0 && ulimit -d $0 && exec "$@"`, strconv.Itoa(memory >> 10)},
		PerfScript("/proc/self/fd/3")...)
	if t.c, err = command(t.ended, words); err != nil {
		return nil, err
	}
	t.c.ExtraFiles, t.c.Stderr = []*os.File{r.file}, t.said // the number of the first is 3
	if t.out, err = t.c.StdoutPipe(); err != nil {
		return nil, err
	}
	if r.user.UID != 0 {
		_ = r.file.Chmod(0o644) // no name leads to it, and that user is to read it
	}
	runtime.LockOSThread()
	if err = start(t.c, r.user); err != nil {
		runtime.UnlockOSThread()
		return nil, &Error{"perf: " + err.Error(), ""}
	}
	return t, nil
}

// Read implements io.Reader.
func (t *PerfText) Read(b []byte) (int, error) {
	if t.left <= 0 {
		t.end(&Error{"perf writes more text than the recording can have", ""})
		return 0, io.EOF
	}
	silence := 5 * grace
	defer time.AfterFunc(silence, func() {
		t.end(
			&Error{
				fmt.Sprintf("perf has written nothing for %v", silence),
				"a file in which it looks for names may be a pipe, as /tmp/perf-PID.map of the program",
			},
		)
	}).Stop()
	n, err := t.out.Read(b[:min(int64(len(b)), t.left)])
	t.left -= int64(n)
	return n, err
}

// Close ends the conversion, and returns why there is less text than expected. Unread text
// is dropped.
func (t *PerfText) Close() error {
	defer runtime.UnlockOSThread()
	defer t.end(nil)
	defer t.late.Stop()
	_, err := io.Copy(io.Discard, t)
	err = errors.Join(err, t.c.Wait())
	if why := context.Cause(t.ended); why != nil {
		return why
	}
	if err != nil {
		return diagnose(t.said.text(), err)
	}
	return nil
}

// begin starts a command. Ctrl-C reaches it only through contend, as the end of ctx.
func begin(ctx context.Context, words []string) (*exec.Cmd, *tail, error) {
	c, err := command(ctx, words)
	if err != nil {
		return nil, nil, err
	}
	said := &tail{}
	c.Stdout, c.Stderr = said, said
	c.Cancel, c.WaitDelay = func() error { return c.Process.Signal(os.Interrupt) }, grace
	if err := c.Start(); err != nil {
		return nil, nil, &Error{"perf: " + err.Error(), ""}
	}
	return c, said, nil
}

// opened returns a path of an open file for perf, which exists on Linux only.
func opened(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// command returns a command in its own session. It has no home and an empty working
// directory, where perf would read or leave files: other users may have put some there. It
// may run as another user, without contend's environment.
func command(ctx context.Context, words []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, &Error{
			"perf is not installed here",
			"it is in the package linux-perf of Debian, linux-tools-generic of Ubuntu, perf of Fedora; " +
				"'contend perf-args' prints what to run where it is",
		}
	}
	c := exec.CommandContext(ctx, path, words[1:]...)
	c.SysProcAttr = apart()
	c.Dir = "/"
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "PAGER=cat", "HOME=/dev/null", "PERF_CONFIG=/dev/null"}
	return c, nil
}

// tail keeps the beginning of a command's error output.
type tail struct{ b strings.Builder }

const said = 16 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.b.Write(p[:min(len(p), max(0, said-t.b.Len()))])
	return len(p), nil
}

func (t *tail) text() string { return t.b.String() }

func fileSize(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}
