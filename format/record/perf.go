package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"contend/format/record/attach"
)

// PerfError is why nothing could be recorded, and what to do about it.
type PerfError struct {
	What string
	Hint string
}

func (e *PerfError) Error() string { return e.What }

// PerfRecording is how a recording went.
type PerfRecording struct {
	Length time.Duration
	Ended  bool // the program did, before its time
	Early  bool // the user ended it, or it did not end by itself
}

// grace is how much longer than the recording perf may take until it is told to stop, and how
// long it may take then to write its file.
var grace = time.Minute // tests have less

// RecordPerf records a program into a file, which no name need lead to, until its time is over,
// ctx is done or the program ends. It calls begun when perf runs, and progress, which may be
// nil, with the time that is left. The error is a *PerfError.
func RecordPerf(ctx context.Context, a *Perf, into *os.File, begun func(), progress func(left time.Duration)) (*PerfRecording, error) {
	pid, err := strconv.Atoi(a.Process)
	target := &attach.Process{PID: pid}
	switch {
	case err != nil:
		return nil, &PerfError{a.Process + " is no process's number", "'ps -e' lists them"}
	case !target.Alive():
		return nil, &PerfError{"no process " + a.Process + " runs here", "'ps -e' lists them"}
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
		lives, came := target.Alive(), fileSize(into) > 0
		switch {
		case came && (err == nil || r.Early || !lives):
			r.Ended = !r.Early && err != nil
			return r, nil
		case r.Early:
			return nil, &PerfError{"ended before anything came", ""}
		case try == tries || !lives || !strings.Contains(said, vanished):
			return nil, diagnose(said, err)
		}
	}
}

// A thread that ends just then keeps perf from recording the others.
const (
	vanished = "No such process"
	tries    = 5
)

// once runs perf; the recording is nil when it did not run at all. The thread that begins it
// stays: perf ends with it.
func (a *Perf) once(ctx context.Context, into *os.File, progress func(time.Duration)) (*PerfRecording, string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := into.Truncate(0); err != nil { // perf would rename what another try left
		return nil, "", err
	}
	ctx, end := context.WithTimeout(ctx, a.Duration+grace)
	defer end()
	c, said, err := begin(ctx, a.Record(opened(into)))
	if err != nil {
		return nil, "", err
	}
	started, done := time.Now(), make(chan error, 1)
	go func() { done <- c.Wait() }()
	err = await(done, a.Duration, progress)
	return &PerfRecording{Length: time.Since(started), Early: ctx.Err() != nil}, said.text(), err
}

// await waits for the end of a recording, and says how perf ended.
func await(done <-chan error, d time.Duration, progress func(time.Duration)) error {
	if progress == nil {
		return <-done
	}
	defer progress(0)
	end := time.Now().Add(d)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case now := <-tick.C:
			progress(max(end.Sub(now), time.Nanosecond))
		}
	}
}

// PerfText is the text of a recording, as perf script writes it.
type PerfText struct {
	io.Reader
	c    *exec.Cmd
	said *tail
}

// NewPerfText begins to turn a recording that is open into text. The goroutine has its thread for
// itself until Close: perf ends with that.
func NewPerfText(recording *os.File) (*PerfText, error) {
	c, err := command(context.Background(), PerfScript(opened(recording)))
	if err != nil {
		return nil, err
	}
	t := &PerfText{c: c, said: &tail{}}
	c.Stderr = t.said
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	if err := c.Start(); err != nil {
		runtime.UnlockOSThread()
		return nil, &PerfError{"perf: " + err.Error(), ""}
	}
	t.Reader = bufio.NewReaderSize(out, 1<<20)
	return t, nil
}

// Close ends it, and says why there is less text than there should be. What was
// not read is dropped.
func (t *PerfText) Close() error {
	defer runtime.UnlockOSThread()
	_, err := io.Copy(io.Discard, t.Reader)
	err = errors.Join(err, t.c.Wait())
	if err != nil {
		return diagnose(t.said.text(), err)
	}
	return nil
}

// begin starts a command, which Ctrl-C reaches through contend alone: as the end of ctx.
func begin(ctx context.Context, words []string) (*exec.Cmd, *tail, error) {
	c, err := command(ctx, words)
	if err != nil {
		return nil, nil, err
	}
	said := &tail{}
	c.Stdout, c.Stderr = said, said
	c.Cancel, c.WaitDelay = func() error { return c.Process.Signal(os.Interrupt) }, grace
	if err := c.Start(); err != nil {
		return nil, nil, &PerfError{"perf: " + err.Error(), ""}
	}
	return c, said, nil
}

// opened is a path by which perf, which Linux alone has, finds a file.
func opened(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// command is one in a process group of its own. It has no home, and works nowhere, where perf
// would look for files or leave some: others may have put them there.
func command(ctx context.Context, words []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, &PerfError{"perf is not installed here", "it is in the package linux-perf of Debian, linux-tools-generic of Ubuntu, perf of Fedora; 'contend perf-args' prints what to run where it is"}
	}
	c := exec.CommandContext(ctx, path, words[1:]...)
	c.SysProcAttr = apart()
	c.Dir = "/"
	c.Env = append(os.Environ(), "LC_ALL=C", "PAGER=cat", "HOME=/dev/null", "PERF_CONFIG=/dev/null", "DEBUGINFOD_URLS=")
	return c, nil
}

// tail keeps the beginning of what a command says of itself.
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
