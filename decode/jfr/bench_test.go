package jfr

import (
	"bytes"
	"fmt"
	"testing"

	"contend/format"
	"contend/golden"
)

// joined is a recording of several programs, about 40 MB.
func joined(b testing.TB) []byte {
	var all []byte
	for len(all) < 40<<20 {
		for _, name := range []string{"truth-8threads", "hsqldb-6clients", "xalan-8threads"} {
			all = append(all, load(b, fmt.Sprintf("%s/%s.jfr", ours, name))...)
		}
	}
	return all
}

func BenchmarkRead(b *testing.B) {
	data := joined(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var ev format.Event
	var events int64
	for b.Loop() {
		r := golden.Must(NewReader(bytes.NewReader(data), "bench", Options{}))(b)
		for r.Read(&ev) == nil {
		}
		events = r.Stats().Events
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

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
