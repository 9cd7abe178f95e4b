//go:build unix

package record

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/cmd/record/foreign"
	"contend/golden"
)

// folderIn makes a folder as that of a target is.
func folderIn(t *testing.T) *folder {
	t.Helper()
	dir := t.TempDir()
	parent, err := foreign.OpenPath(dir, foreign.Self())
	golden.OK(t, err)
	f := &folder{name: "contend-1", parent: parent, theirs: dir}
	if f.here, err = parent.Mkdir(f.name); err != nil {
		t.Fatal(err)
	}
	return f
}

// agentTrace is a trace as the agent writes one.
func agentTrace(t *testing.T) []byte {
	t.Helper()
	return golden.Must(os.ReadFile("../../testdata/agent-small.bin"))(t)
}

// What the target puts where a file is to be made, or leads elsewhere by a link, is not
// taken for that file.
func TestTheFolderTrustsNoNames(t *testing.T) {
	f := folderIn(t)
	golden.OK(t, os.WriteFile(f.path("secret"), []byte("theirs"), 0o600))
	outside := filepath.Join(f.theirs, "outside")
	golden.OK(t, os.WriteFile(outside, nil, 0o600))
	for name, to := range map[string]string{"link": "../outside", "far": outside, "near": "secret", "nowhere": "none"} {
		golden.OK(t, os.Symlink(to, f.path(name)))
	}
	for _, name := range []string{"secret", "link", "far", "near", "nowhere"} {
		if file, err := f.create(name, []byte("ours")); err == nil {
			t.Errorf("%s is there already, and is made: %s", name, file.Name())
		}
	}
	for _, name := range []string{"link", "far", "near"} {
		if file, err := f.here.Open(name); err == nil {
			t.Errorf("a link leads to %s", file.Name())
		}
	}
	if data, err := os.ReadFile(f.path("secret")); err != nil || string(data) != "theirs" {
		t.Errorf("%q, %v", data, err)
	}
	made := golden.Must(f.create(traceName, []byte("ours")))(t)
	defer made.Close()
	if info, err := os.Stat(f.path(traceName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	again := golden.Must(f.here.Open(traceName))(t)
	defer again.Close()
	f.end(false)
	if left, _ := filepath.Glob(f.path("*")); len(left) != 5 { // what the target put there
		t.Errorf("%v is left", left)
	}
	if _, err := f.parent.Lstat("."); err == nil {
		t.Error("the way to the folder is still open")
	}
	if _, err := f.here.Lstat("."); err == nil {
		t.Error("the folder is still open")
	}
}

// A trace of the agent's is over when its last event is there, and not before.
func TestATraceIsCompleteWithItsEnd(t *testing.T) {
	data := agentTrace(t)
	for n, want := range map[int]bool{
		len(data):      true,
		len(data) - 1:  true,
		len(data) - 12: false,
		len(data) / 2:  false,
		0:              false,
	} {
		f := golden.Must(os.Create(filepath.Join(t.TempDir(), "trace")))(t)
		defer f.Close()
		golden.Must(f.Write(data[:n]))(t)
		if got := complete(f); got != want {
			t.Errorf("%d of %d bytes: complete %v", n, len(data), got)
		}
	}
}

// The agent is told to end by the removal of its lease, and what it still writes then is
// waited for.
func TestTheAgentEndsWithItsLease(t *testing.T) {
	dir := folderIn(t)
	defer dir.end(false)
	lease := golden.Must(dir.create("lease", alive))(t)
	lease.Close()
	trace := golden.Must(dir.create(traceName, nil))(t)
	defer trace.Close()
	told := make(chan bool)
	data := agentTrace(t)
	go func() {
		for range 200 {
			if _, err := os.Stat(dir.path("lease")); err != nil {
				_ = os.WriteFile(dir.path(traceName), data, 0o600)
				told <- true
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		told <- false
	}()
	(&session{dir: dir, leased: "lease", trace: trace}).stopAgent(false)
	got := make([]byte, len(data))
	n, _ := trace.ReadAt(got, 0) // before the agent is asked whether it is done
	if !<-told || !bytes.Equal(got[:n], data) {
		t.Errorf("%d of %d bytes came", n, len(data))
	}
}

// A watch that is over ends, also while its trace grows on.
func TestAWatchEnds(t *testing.T) {
	f := golden.Must(os.Create(filepath.Join(t.TempDir(), "trace")))(t)
	defer f.Close()
	golden.Must(f.Write(make([]byte, 5000)))(t)
	w := &Watch{s: &session{trace: f}, over: make(chan struct{}), end: 3000}
	close(w.over)
	if n, err := io.Copy(io.Discard, w); n != 3000 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A trace that no agent writes ends a watch: to read it could take hours.
func TestAWatchOfAnyTraceEnds(t *testing.T) {
	f := golden.Must(os.Create(filepath.Join(t.TempDir(), "trace")))(t)
	defer f.Close()
	golden.OK(t, f.Truncate(behind+1))
	w := &Watch{s: &session{trace: f}, over: make(chan struct{})}
	if n, err := w.Read(make([]byte, 1)); n != 0 || err == nil || !strings.Contains(err.Error(), "faster") {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// Of a file without holes no more is read than a recorder writes in the time.
func TestARecordingIsBounded(t *testing.T) {
	defer func(usual int64) { rate = usual }(rate)
	rate = 1
	f := golden.Must(os.Create(filepath.Join(t.TempDir(), "trace")))(t)
	golden.Must(f.Write(make([]byte, 5000)))(t)
	r := &Recording{Length: time.Second}
	defer r.Close()
	golden.Equal(t, r.keep(f).Size(), 11)
}

// What a watch has read takes no space, and the file does not get shorter: what the agent writes
// at that moment would be lost.
func TestAWatchTakesNoSpace(t *testing.T) {
	f := golden.Must(os.Create(filepath.Join(t.TempDir(), "trace")))(t)
	defer f.Close()
	const size = 2 * emptied
	golden.Must(f.Write(bytes.Repeat([]byte{1}, size)))(t)
	w := &Watch{s: &session{trace: f}, over: make(chan struct{}), end: size}
	b := make([]byte, size)
	golden.Must(io.ReadFull(w, b))(t)
	ended := make(chan error)
	go func() { _, err := w.Read(b); ended <- err }() // finds nothing more
	for begun := time.Now(); written(f) > 0 && time.Since(begun) < time.Minute; {
		time.Sleep(time.Millisecond)
	}
	close(w.over)
	golden.Equal(t, <-ended, io.EOF)
	if info := golden.Must(f.Stat())(t); info.Size() != size || written(f) != 0 {
		t.Errorf("%d bytes, %d before the first hole", info.Size(), written(f))
	}
}
