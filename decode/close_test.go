package decode

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"contend/format"
	"contend/golden"
)

// An input that cannot be opened ends those before it: nobody reads on in them.
func TestFailedOpenEndsTheOthers(t *testing.T) {
	var events []*format.Event
	for i := range 20_000 {
		events = append(events, &format.Event{Kind: format.KindThreadStart, Time: int64(i), Thread: format.ThreadID(i)})
	}
	dir := t.TempDir()
	trace, none := filepath.Join(dir, "trace"), filepath.Join(dir, "none")
	for path, data := range map[string][]byte{trace: nativeTrace(t, events...), trace + ".zst": packed(t, nativeTrace(t, events...)), none: []byte("\x00none")} {
		golden.OK(t, os.WriteFile(path, data, 0o600))
	}
	before := runtime.NumGoroutine()
	for _, path := range []string{trace, trace + ".zst", "../testdata/go126-truth-12goroutines.trace", "../testdata/truth-8threads.jfr"} {
		for _, last := range []string{none, filepath.Join(dir, "missing")} {
			if _, err := Open([]string{path, last}, nil, Options{Labels: []string{"a", "b"}}); err == nil { // an input with a label is not left out
				t.Fatal("what is no trace was opened")
			}
			if left := golden.Settled(before); left > before {
				stacks := make([]byte, 1<<16)
				t.Fatalf("%s: %d goroutines for %d before\n%s", path, left, before, stacks[:runtime.Stack(stacks, true)])
			}
		}
	}
}
