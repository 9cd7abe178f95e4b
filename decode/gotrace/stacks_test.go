package gotrace

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"contend/format"
	"contend/golden"
)

// A damaged name of a file is text all the same.
func TestNamesAreText(t *testing.T) {
	data := bytes.ReplaceAll(load(t, ours), []byte("sync/mutex.go"), []byte("sync/mute\xff.go"))
	r, err := NewReader(bytes.NewReader(data), "test", nil)
	golden.OK(t, err)
	met := false
	var ev format.Event
	for err = r.Read(&ev); err == nil; err = r.Read(&ev) {
		for _, f := range ev.Frames {
			if !utf8.ValidString(f.File) {
				t.Fatalf("%q is no text", f.File)
			}
			met = met || f.File == "mute\uFFFD.go"
		}
	}
	if !errors.Is(err, io.EOF) || !met {
		t.Errorf("the name is met: %v; %v", met, err)
	}
}
