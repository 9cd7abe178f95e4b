//go:build unix

package cmd

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contend/golden"
	"contend/report/document"
)

// serve runs a program's debug server for a test.
func serveTraces(t *testing.T, handler http.HandlerFunc) (url string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/trace", handler)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// holdTheLedger contends for a mutex until the test is over.
func holdTheLedger(t *testing.T) {
	var ledger sync.Mutex
	over := make(chan struct{})
	var done sync.WaitGroup
	t.Cleanup(func() { close(over); done.Wait() })
	for range 3 {
		done.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				ledger.Lock()
				time.Sleep(5 * time.Millisecond)
				ledger.Unlock()
			}
		})
	}
}

// A Go program that runs is recorded over its debug server, of which one trace
// can be asked at a time.
func TestRecordGo(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: records for seconds")
	}
	holdTheLedger(t)
	url := serveTraces(t, pprof.Trace)
	file := filepath.Join(t.TempDir(), "go.trace")
	code, out, msg := recordOf(t, "--duration", "2s", "-o", file, url)
	if code != 0 || !strings.Contains(out, "holdTheLedger") ||
		!strings.Contains(msg, "asking "+url+"/debug/pprof/trace?seconds=2 to record for 2s") ||
		!strings.Contains(msg, "the recording is in "+file) {
		t.Errorf("exit %d\n%s\n%s", code, out, msg)
	}
	if d := ask[document.Analyze](t, "analyze", file); len(d.Locks) == 0 || d.Locks[0].Waiters != 3 {
		t.Errorf("%+v", d.Locks)
	}
	if err := trace.Start(io.Discard); err != nil { // as another that records it
		t.Fatal(err)
	}
	defer trace.Stop()
	late := filepath.Join(t.TempDir(), "late.trace")
	code, out, msg = recordOf(t, "--duration", "1s", "-o", late, url)
	if code != exitFailed || out != "" || !strings.Contains(msg, "is being traced already") ||
		!strings.Contains(msg, "hint: ") {
		t.Errorf("exit %d, %q\n%s", code, out, msg)
	}
	if _, err := os.Stat(late); err == nil {
		t.Error("an empty file is left")
	}
}

func goRecording(t *testing.T) []byte {
	t.Helper()
	return golden.Must(os.ReadFile(goTrace))(t)
}

// What came before a connection broke, or before Ctrl-C, is kept.
func TestRecordGoKeepsWhatCame(t *testing.T) {
	part := goRecording(t)
	part = part[:len(part)*2/3]
	for name, then := range map[string]func(w http.ResponseWriter, r *http.Request){
		"breaks": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is stopped": func(_ http.ResponseWriter, r *http.Request) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "cut.trace")
			url := serveTraces(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write(part)
				_ = http.NewResponseController(w).Flush()
				if !comes(func() bool { return grown(t, os.Getpid(), filepath.Dir(file)) == int64(len(part)) }) {
					t.Error("what comes is not written")
				}
				then(w, r)
			})
			code, out, msg := recordOf(t, "--duration", "2m", "-o", file, url)
			if code != exitOK && code != exitDamaged || !strings.Contains(out, "sync.Mutex") ||
				!strings.Contains(msg, "is kept") {
				t.Errorf("exit %d\n%s\n%s", code, out, msg)
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, part) {
				t.Errorf("%d bytes of %d, %v", len(got), len(part), err)
			}
		})
	}
}

// A recording ends when nobody reads what it says, and not by a signal that leaves what it made.
func TestRecordThatNobodyListensTo(t *testing.T) {
	url := serveTraces(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	read, write, err := os.Pipe()
	golden.OK(t, errors.Join(err, read.Close()))
	defer write.Close()
	program := filepath.Join(t.TempDir(), "contend") // the tests are the command under this name
	golden.OK(t, os.Symlink(golden.Must(os.Executable())(t), program))
	c := exec.Command(program, "record", "--duration", "2m", "-o", filepath.Join(t.TempDir(), "x.trace"), url)
	c.Stderr = write
	_ = c.Run()
	if code := c.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("%v", c.ProcessState)
	}
}

func TestRecordGoRefusals(t *testing.T) {
	asked := 0
	locked := serveTraces(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if user, password, _ := r.BasicAuth(); user != "me" || password != "secret" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write(goRecording(t))
	})
	gone := serveTraces(t, http.NotFound)
	closed := httptest.NewServer(nil)
	closed.Close()
	file := filepath.Join(t.TempDir(), "x.trace")
	for _, c := range []struct{ url, file, error, tip string }{
		{locked, file, "401 Unauthorized", "USER:PASSWORD"},
		{strings.Replace(locked, "://", "://me:wrong@", 1), file, "://me:xxxxx@127", "USER:PASSWORD"},
		{gone, file, "404 Not Found", "net/http/pprof"},
		{closed.URL, file, "connection refused", "does the program run"},
		{"ftp://localhost", file, "is not an address", "http://HOST:PORT"},
		{locked, filepath.Join(t.TempDir(), "no", "such", "folder"), "no such file", ""},
	} {
		before := asked
		code, out, msg := recordOf(t, "--duration", "1s", "-o", c.file, c.url)
		if code != exitFailed || out != "" || !strings.Contains(msg, c.error) || !strings.Contains(msg, "hint: ") ||
			!strings.Contains(msg, c.tip) ||
			strings.Contains(msg, "wrong") {
			t.Errorf("%s: exit %d, %q\n%s", c.url, code, out, msg)
		}
		if c.file != file && asked != before {
			t.Error("the program was asked for what has nowhere to go")
		}
	}
	if code, out, msg := recordOf(t, "-o", file, strings.Replace(locked, "://", "://me:secret@", 1)); code != exitOK ||
		out == "" ||
		strings.Contains(msg, "secret") {
		t.Errorf("exit %d\n%s", code, msg)
	}
	var msg bytes.Buffer
	if code := Main([]string{"analyze", locked + "/debug/pprof/trace?seconds=5"}, nil, io.Discard,
		&msg); code != exitUsage ||
		!strings.Contains(msg.String(), "contend record URL") {
		t.Errorf("exit %d: %s", code, msg.String())
	}
}

// A file that was there stays as it is until something is recorded.
func TestRecordingReplacesAFileWhenItBegins(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.trace")
	golden.OK(t, os.WriteFile(file, []byte("old"), 0o644))
	recordOf(t, "-o", file, serveTraces(t, http.NotFound))
	if got, _ := os.ReadFile(file); string(got) != "old" {
		t.Errorf("%q is left", got)
	}
}

// What goes to a device cannot be read again, and is analysed all the same.
func TestRecordToNowhere(t *testing.T) {
	if _, err := os.Stat(os.DevNull); err != nil || os.DevNull != "/dev/null" {
		t.Skip("there is no /dev/null here")
	}
	url := serveTraces(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(goRecording(t)) })
	code, out, msg := recordOf(t, "-o", os.DevNull, url)
	if code != 0 || !strings.Contains(out, "/dev/null: ") || !strings.Contains(out, "waiting for a lock on average") ||
		!strings.HasSuffix(msg, "the recording went to /dev/null\n") {
		t.Errorf("exit %d\n%s\n%s", code, out, msg)
	}
}
