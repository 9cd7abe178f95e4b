package jfr

import (
	"bytes"
	"testing"

	"contend/format"
	"contend/golden"
)

// Allocations come with chunks and new names, not with events.
func TestReadingEventsAllocatesNothing(t *testing.T) {
	data := load(t, ours+"/hsqldb-6clients.jfr")
	r := golden.Must(NewReader(bytes.NewReader(data), "test", Options{}))(t)
	var ev format.Event
	for range 20_000 { // until the stacks and threads are known
		_ = r.Read(&ev)
	}
	if n := testing.AllocsPerRun(30_000, func() { _ = r.Read(&ev) }); n > 0.01 {
		t.Errorf("%.3f allocations per event", n)
	}
}
