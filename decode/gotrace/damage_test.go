package gotrace

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"contend/format"
	"contend/golden"
)

// The library panics when an event of this trace is looked at, not when it is
// read: a goroutine's state is none there is.
func TestDamageTheLibraryDoesNotExpect(t *testing.T) {
	data := load(t, ours)
	const at = 116
	if data[at] != 222 {
		t.Fatal("the recording is another one: find a place for this test")
	}
	data[at] = 94
	r, counts := readAll(t, data)
	if s := r.Stats(); counts[format.KindGap] != 1 || s.Damage.Whole() || len(s.Warnings) == 0 {
		t.Errorf("damage is not told: %v %+v", counts, s)
	}
}

// A panic of our own is not taken for damage of the trace.
func TestOwnPanicsGoOn(t *testing.T) {
	r, err := NewReader(bytes.NewReader(load(t, ours)), "test", nil)
	golden.OK(t, err)
	defer func() {
		if recover() == nil {
			t.Error("a nil map was written to and nobody heard")
		}
	}()
	r.goroutines = nil
	var ev format.Event
	for err == nil {
		err = r.Read(&ev)
	}
	t.Errorf("read on to %v", errors.Is(err, io.EOF))
}
