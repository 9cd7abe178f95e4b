//go:build linux

package record

import (
	"os"
	"path/filepath"
	"testing"

	"contend/golden"
)

// A file has any size at no cost, and may grow while it is read: what is read of it is
// what was written by then.
func TestARecordingIsReadToItsFirstHole(t *testing.T) {
	f := golden.Must(os.Create(filepath.Join(t.TempDir(), "trace")))(t)
	r := &Recording{}
	defer r.Close()
	if got := r.keep(f).Size(); got != 0 {
		t.Errorf("%d bytes of an empty file", got)
	}
	golden.Must(f.WriteAt([]byte("abc"), 0))(t)
	kept := r.keep(f)
	if err := f.Truncate(1 << 40); err != nil {
		t.Skip(err)
	}
	if kept.Size() != 3 {
		t.Errorf("%d bytes of 3", kept.Size())
	}
	if got := r.keep(f).Size(); got < 3 || got > 1<<20 {
		t.Errorf("%d bytes of 3 and a hole", got)
	}
}
