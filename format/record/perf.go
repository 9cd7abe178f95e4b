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
	Early  bool // the user ended it
}

// grace is how long perf may take to write its file when it is told to stop.
const grace = time.Minute

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
	if _, err := command(a.Record(opened(into))); err != nil {
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
	c, said, err := begin(a.Record(opened(into)))
	if err != nil {
		return nil, "", err
	}
	r, started, done := &PerfRecording{}, time.Now(), make(chan error, 1)
	go func() { done <- c.Wait() }()
	err = r.await(ctx, c.Process, done, a.Duration, progress)
	r.Length = time.Since(started)
	return r, said.text(), err
}

// await waits for the end of a recording, and says how perf ended.
func (r *PerfRecording) await(ctx context.Context, p *os.Process, done <-chan error, d time.Duration, progress func(time.Duration)) error {
	end := time.Now().Add(d)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	if progress != nil {
		defer progress(0)
	}
	stop, killed := ctx.Done(), (<-chan time.Time)(nil)
	for {
		select {
		case err := <-done:
			return err
		case <-stop:
			r.Early, stop = true, nil
			p.Signal(os.Interrupt)
			killed = time.After(grace)
		case <-killed:
			p.Kill()
		case now := <-tick.C:
			if left := end.Sub(now); progress != nil && left > 0 {
				progress(left)
			}
		}
	}
}

// PerfText is the text of a recording, as perf script writes it.
type PerfText struct {
	io.Reader
	c    *exec.Cmd
	said *tail
}

// NewPerfText begins to turn a recording that is open into text.
func NewPerfText(recording *os.File) (*PerfText, error) {
	c, err := command(PerfScript(opened(recording)))
	if err != nil {
		return nil, err
	}
	t := &PerfText{c: c, said: &tail{}}
	c.Stderr = t.said
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, &PerfError{"perf: " + err.Error(), ""}
	}
	t.Reader = bufio.NewReaderSize(out, 1<<20)
	return t, nil
}

// Close ends it, and says why there is less text than there should be. What was
// not read is dropped.
func (t *PerfText) Close() error {
	_, err := io.Copy(io.Discard, t.Reader)
	err = errors.Join(err, t.c.Wait())
	if err != nil {
		return diagnose(t.said.text(), err)
	}
	return nil
}

// begin starts a command in a process group of its own, where Ctrl-C reaches it
// through contend alone.
func begin(words []string) (*exec.Cmd, *tail, error) {
	c, err := command(words)
	if err != nil {
		return nil, nil, err
	}
	said := &tail{}
	c.Stdout, c.Stderr = said, said
	c.SysProcAttr = apart()
	if err := c.Start(); err != nil {
		return nil, nil, &PerfError{"perf: " + err.Error(), ""}
	}
	return c, said, nil
}

// opened is a path by which perf, which Linux alone has, finds a file.
func opened(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// command is one that has no home, in which perf would look for files or leave some: that of its
// user may be another's.
func command(words []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, &PerfError{"perf is not installed here", "it is in the package linux-perf of Debian, linux-tools-generic of Ubuntu, perf of Fedora; 'contend perf-args' prints what to run where it is"}
	}
	c := exec.Command(path, words[1:]...)
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
