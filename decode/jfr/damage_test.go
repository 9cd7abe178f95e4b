package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"contend/format"
	"contend/golden"
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
	cutAnywhere(t, load(t, ours+"/truth-8threads-jdk25.jfr"), 997)
	cutAnywhere(
		t,
		load(t, ours+"/lab-virtual-exact-jdk25.jfr"),
		19997,
	) // with traces of methods, operations of the VM and pauses
	cutAnywhere(t, patched(load(t, ours+"/truth-8threads.jfr"), 8, 0), 9973) // a copy of the file of a live process
}

func cutAnywhere(t *testing.T, data []byte, stride int) {
	whole, _, err := count(data)
	golden.OK(t, err)
	last, live := 0, parseHeader(data).size == 0 // which may end between two events
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
		case n < last:
			t.Fatalf("prefix %d: %d events, a shorter one had %d", i, n, last)
		case n > whole || st.BytesTotal != int64(i) || st.BytesRead < st.BytesTotal && st.Damage.Whole() || !live &&
			!codes(st)["truncated"]:
			t.Fatalf("prefix %d: %d events of %d, %+v", i, n, whole, st)
		}
		last = n
	}
	golden.AtLeast(t, last, whole*9/10, "events of", whole, "before the last cut")
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
			if errors.Is(c.err, format.ErrVersion) &&
				(!errors.As(err, &fe) || c.name == "version 0.9" && fe.Hint == "") {
				t.Errorf("%v has no hint", err)
			}
		})
	}
}

// An event of a type that the metadata does not know is damage, and costs nothing else,
// as is one that says it were metadata.
func TestStrangeEventsAreSkipped(t *testing.T) {
	data := load(t, ours+"/truth-8threads.jfr")
	want, _, _ := count(data)
	for _, kind := range [][]byte{{0}, {0xe3, 0x07}, {0xa0, 0x9c, 0x01}, {0xff, 0xff, 0xff, 0x01}} {
		// the last are 995, 20,000 and 4,194,303
		extra := append(append([]byte{byte(6 + len(kind))}, kind...), 1, 2, 3, 4, 5)
		grown := append(append(bytes.Clone(data[:headerSize]), extra...), data[headerSize:]...)
		for _, at := range []int{8, 16, 24} { // size and offsets move along
			binary.BigEndian.PutUint64(grown[at:], binary.BigEndian.Uint64(grown[at:])+uint64(len(extra)))
		}
		if n, st, err := count(grown); n != want || err != nil || st.BytesTotal-st.BytesRead != int64(len(extra)) {
			t.Errorf("type %x: %d events, want %d: %v %+v", kind, n, want, err, st)
		}
	}
}

// Programs' own events have types of three bytes. They are most of some recordings,
// and passed over as quickly as the JDK's.
func TestEventsOfProgramsArePassedOver(t *testing.T) {
	const events = 100
	wanted := &program{}
	head := header{features: compressed, startTicks: 1 << 20, ticksPerSecond: 1e3, durationNanos: 1e9}
	buf := append(bytes.Repeat([]byte{8, 0xa0, 0x9c, 0x01, 0x90, 0x80, 0x40, 2}, events), 8, 3, 0, 0, 0, 0, 0, 0)
	meta := &metadata{dense: make([]*program, 20001)}
	meta.dense[3], meta.dense[20000] = wanted, unwanted
	c := chunk{head: head, buf: buf, limit: len(buf), meta: meta, window: head.window(0, false)}
	var b chunkEvents
	if p, at, end := c.pass(&b); int(b.events) != events || c.off != 8*events || p != wanted || at != c.off+2 ||
		end != len(buf) {
		t.Errorf("%d events, at %d; %v from %d to %d", b.events, c.off, p, at, end)
	}
	b, c.off, buf[6] = chunkEvents{}, 0, 0x7f // of another time
	if p, _, _ := c.pass(&b); p != nil || b.events != 0 || c.off != 0 {
		t.Errorf("%v behind %d events, at %d", p, b.events, c.off)
	}
}

// A sample may be written seconds after its time, in the next chunk, but not half a minute.
func TestEventsMayBeLate(t *testing.T) {
	head := header{features: compressed, startTicks: 1 << 40, ticksPerSecond: 1e9, durationNanos: 1e9}
	w := head.window(0, false)
	for seconds, want := range map[int64]bool{0: true, 5: true, 30: false} {
		at := head.startTicks - seconds*1e9
		golden.Equal(t, w.holds(at, at, false), want, seconds, "seconds before the chunk")
	}
}

// What is behind a bad event is read again from the next checkpoint on.
func TestBadEventCostsNoMoreThanToTheNextCheckpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: nothing runs beside it that the race detector could see")
	}
	data := load(t, ours+"/hsqldb-6clients.jfr")
	want, _, _ := count(data)
	r, err := NewReader(bytes.NewReader(data), "test.jfr", Options{})
	if err != nil || len(r.symbols.chunk.marks) < 10 {
		t.Fatalf("%d checkpoints: %v", len(r.symbols.chunk.marks), err)
	}
	for i, mark := range r.symbols.chunk.marks[:len(r.symbols.chunk.marks)-1] {
		c := r.symbols.chunk.cursor(mark)
		at := mark + int(c.long("size")) // the event behind a checkpoint, at times another one
		next := len(data)
		for _, m := range r.symbols.chunk.marks[i+1:] {
			if m > at {
				next = m
				break
			}
		}
		bad := bytes.Clone(data)
		bad[at] = 0
		got, st, err := count(bad)
		if lost := st.BytesTotal - st.BytesRead; err != nil || lost == 0 || lost > int64(next-at) || got > want ||
			got < want-int(lost)/4 {
			t.Errorf("%d events of %d, %d bytes lost between %d and %d: %v", got, want, lost, at, next, err)
		}
	}
}

// A cut recording has no metadata yet; that of another process would make up
// events that never were.
func TestMetadataOfAnotherProcessIsNotUsed(t *testing.T) {
	whole, cut := load(t, ours+"/truth-8threads.jfr"), load(t, ours+"/truth-8threads-jdk25.jfr")[:9000]
	want, _, _ := count(whole)
	got, st, err := count(append(bytes.Clone(whole), cut...))
	if err != nil || got != want || !codes(st)["truncated"] ||
		st.BytesTotal-st.BytesRead != int64(len(cut)-headerSize) {
		t.Errorf("%d events, want %d: %v %+v", got, want, err, st)
	}
}

func TestTimesOutOfRange(t *testing.T) {
	for _, hz := range []int64{1, 1e9, 2_100_000_000} {
		h := header{ticksPerSecond: hz}
		for _, ticks := range []int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, -1, 0} {
			if got := h.nanos(ticks); got > 0 != (ticks > 0 && got != 0) || got < 0 && ticks >= 0 {
				t.Errorf("%d ticks of %d Hz are %d ns", ticks, hz, got)
			}
		}
	}
	golden.Equal(t, plus(math.MaxInt64-5, 10), math.MaxInt64)
}

// At each flush a JDK writes a copy of the chunk's header into the chunk. In a
// cut recording it is not where another one begins.
func TestCopiesOfTheHeaderAreNoChunks(t *testing.T) {
	data := load(t, ours+"/phases.jfr")
	copies := bytes.Count(data[headerSize:], []byte(magic))
	if copies < 5 {
		t.Fatalf("%d copies: the recording shows nothing", copies)
	}
	r, err := NewReader(bytes.NewReader(data[:len(data)-1000]), "test.jfr", Options{})
	golden.OK(t, err)
	var ev format.Event
	for r.Read(&ev) == nil {
	}
	golden.Equal(t, r.feed.chunks, 1)
	golden.AtMost(t, len(r.Stats().Warnings), 2)
	twice, st, err := count(append(bytes.Clone(data), data...)) // the same header, and yet another chunk
	if once, _, _ := count(data); twice != 2*once || err != nil || len(st.Warnings) > 0 {
		t.Errorf("%d events, twice %d: %v %+v", twice, once, err, st)
	}
}
