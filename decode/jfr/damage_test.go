package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"contend/format"
)

// count reads an input to its end and returns the waits and activities in it.
func count(data []byte) (n int, st format.Stats, err error) {
	r, err := NewReader(bytes.NewReader(data), "test.jfr", Options{})
	if err != nil {
		return 0, st, err
	}
	var ev format.Event
	for {
		if err := r.Read(&ev); errors.Is(err, io.EOF) {
			return n, r.Stats(), nil
		} else if err != nil {
			return n, r.Stats(), err
		}
		if ev.Kind == format.KindWait || ev.Kind == format.KindActivity {
			n++
		}
	}
}

func codes(st format.Stats) map[string]bool {
	m := map[string]bool{}
	for _, w := range st.Warnings {
		m[w.Code] = true
	}
	return m
}

func TestCutAnywhere(t *testing.T) {
	data := load(t, ours+"/truth-8threads-jdk25.jfr")
	whole, _, err := count(data)
	if err != nil {
		t.Fatal(err)
	}
	stride := 997
	if testing.Short() {
		stride = 20011
	}
	for i := 0; i < len(data); i += stride {
		n, st, err := count(data[:i])
		var fe *format.Error
		switch {
		case i < headerSize:
			if !errors.As(err, &fe) {
				t.Fatalf("prefix %d: %v is no positioned error", i, err)
			}
		case err != nil:
			t.Fatalf("prefix %d: %v", i, err)
		case n > whole || st.BytesTotal != int64(i) || !codes(st)["truncated"]:
			t.Fatalf("prefix %d: %d events of %d, %+v", i, n, whole, st)
		}
	}
}

func TestFlippedBytesNeverPanic(t *testing.T) {
	data := load(t, ours+"/truth-8threads-jdk25.jfr")
	stride := 1501
	if testing.Short() {
		stride = 30011
	}
	for i := 0; i < len(data); i += stride {
		bad := bytes.Clone(data)
		bad[i] ^= 0xff
		if _, _, err := count(bad); err != nil {
			var fe *format.Error
			if !errors.As(err, &fe) {
				t.Fatalf("byte %d: %v", i, err)
			}
		}
	}
}

func TestWhatFollowsDamageIsRead(t *testing.T) {
	a, b := load(t, ours+"/truth-8threads.jfr"), load(t, ours+"/xalan-8threads.jfr")
	want, _, _ := count(b)
	for _, n := range []int{headerSize, 1000, 100_000, 200_000, len(a) - 1} {
		cut, _, _ := count(a[:n])
		got, st, err := count(append(bytes.Clone(a[:n]), b...))
		if err != nil || got < want || got > want+cut+1 || len(st.Warnings) == 0 {
			t.Errorf("cut at %d: %d events, %d and %d apart: %v %+v", n, got, cut, want, err, st)
		}
	}
}

// patched returns a recording with a field of its header replaced.
func patched(data []byte, at int, v uint64) []byte {
	out := bytes.Clone(data)
	binary.BigEndian.PutUint64(out[at:], v)
	return out
}

func TestHeadersThatLie(t *testing.T) {
	data := load(t, ours+"/truth-8threads.jfr")
	want, _, _ := count(data)
	cases := []struct {
		name string
		data []byte
		want int
		err  error
	}{
		{"size 0, as in a live process", patched(data, 8, 0), want, nil},
		{"size beyond the end", patched(data, 8, 1<<40), want, nil},
		{"negative size", patched(data, 8, 1<<63), want, nil},
		{"constants elsewhere", patched(data, 16, 100), want, nil},
		{"metadata elsewhere", patched(data, 24, 1<<50), want, nil},
		{"no clock", patched(data, 56, 0), 0, format.ErrCorrupt},
		{"version 0.9", patched(data, 4, 0x0000_0009<<32), 0, format.ErrVersion},
		{"version 3", patched(data, 4, 0x0003_0000<<32), 0, format.ErrVersion},
		{"no recording", []byte("hello, world"), 0, format.ErrNotMine},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n, _, err := count(c.data)
			if n != c.want || !errors.Is(err, c.err) {
				t.Errorf("%d events, want %d: %v", n, c.want, err)
			}
			var fe *format.Error
			if errors.Is(c.err, format.ErrVersion) && (!errors.As(err, &fe) || c.name == "version 0.9" && fe.Hint == "") {
				t.Errorf("%v has no hint", err)
			}
		})
	}
}

// An event of type 0, or of a type the metadata does not know, is skipped.
func TestStrangeEventsAreSkipped(t *testing.T) {
	data := load(t, ours+"/truth-8threads.jfr")
	want, _, _ := count(data)
	for _, kind := range []byte{0, 99} {
		extra := []byte{7, kind, 1, 2, 3, 4, 5}
		grown := append(append(bytes.Clone(data[:headerSize]), extra...), data[headerSize:]...)
		for _, at := range []int{8, 16, 24} { // size and offsets move along
			binary.BigEndian.PutUint64(grown[at:], binary.BigEndian.Uint64(grown[at:])+uint64(len(extra)))
		}
		if n, st, err := count(grown); n != want || err != nil || len(st.Warnings) > 0 {
			t.Errorf("type %d: %d events, want %d: %v %+v", kind, n, want, err, st)
		}
	}
}

func FuzzReader(f *testing.F) {
	data := load(f, ours+"/truth-8threads-jdk25.jfr")
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add(patched(data, 8, 0))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, st, err := count(data)
		if err == nil && st.BytesTotal != int64(len(data)) {
			t.Fatalf("%d of %d bytes accounted for, %d events", st.BytesTotal, len(data), n)
		}
	})
}

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
		r, err := NewReader(bytes.NewReader(data), "bench", Options{})
		if err != nil {
			b.Fatal(err)
		}
		for r.Read(&ev) == nil {
		}
		events = r.Stats().Events
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// Allocations come with chunks and new names, not with events.
func TestReadingEventsAllocatesNothing(t *testing.T) {
	data := load(t, ours+"/hsqldb-6clients.jfr")
	r, err := NewReader(bytes.NewReader(data), "test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ev format.Event
	for range 20_000 { // until the stacks and threads are known
		_ = r.Read(&ev)
	}
	if n := testing.AllocsPerRun(30_000, func() { _ = r.Read(&ev) }); n > 0.01 {
		t.Errorf("%.3f allocations per event", n)
	}
}
