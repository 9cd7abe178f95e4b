package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"contend/format"
	"contend/golden"
)

// several is a recording of a few chunks, of two JVMs.
func several(t *testing.T) []byte {
	t.Helper()
	a, b := load(t, ours+"/truth-8threads-jdk25.jfr"), load(t, ours+"/xalan-8threads.jfr")
	return slices.Concat(a, b, a)
}

// delivered reads an input to its end.
func delivered(t *testing.T, data []byte, o Options) (all []format.Event, st format.Stats, err error) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), "test.jfr", o)
	if err != nil {
		return nil, st, err
	}
	defer r.Close()
	for {
		var ev format.Event
		if err := r.Read(&ev); err != nil {
			return all, r.Stats(), err
		}
		ev.Frames, ev.Owners, ev.Waiters = slices.Clone(ev.Frames), slices.Clone(ev.Owners), slices.Clone(ev.Waiters)
		all = append(all, ev)
	}
}

// What is stepped over ahead of the events is delivered as what is not,
// whatever is wrong with the input.
func TestAheadDeliversTheSame(t *testing.T) {
	whole := several(t)
	second := len(load(t, ours+"/truth-8threads-jdk25.jfr"))
	third := second + len(load(t, ours+"/xalan-8threads.jfr"))
	damaged := func(f func(data []byte) []byte) []byte { return f(bytes.Clone(whole)) }
	garbage := bytes.Repeat([]byte{0xff}, 5000)
	key := parseHeader(whole[second:])
	for name, data := range map[string][]byte{
		"whole":                       whole,
		"cut in the last chunk":       whole[:len(whole)-10_000],
		"cut in a header":             whole[:third+20],
		"garbage in the first chunk":  damaged(func(d []byte) []byte { copy(d[5000:], garbage); return d }),
		"garbage in the second chunk": damaged(func(d []byte) []byte { copy(d[second+20_000:], garbage); return d }),
		"garbage at a chunk's end":    damaged(func(d []byte) []byte { copy(d[third-5000:], garbage); return d }),
		"garbage between chunks":      slices.Concat(whole[:third], garbage, whole[third:]),
		"garbage in and behind":       slices.Concat(whole[:third-20_000], garbage, whole[third-20_000:]),
		"bytes are missing":           slices.Concat(whole[:second+50_000], whole[second+50_100:]),
		"a size that is too short": damaged(func(d []byte) []byte {
			binary.BigEndian.PutUint64(d[second+8:], uint64(key.size-777))
			return d
		}),
		"a size that is too long": damaged(func(d []byte) []byte {
			binary.BigEndian.PutUint64(d[second+8:], uint64(key.size+777))
			return d
		}),
		"a size of nothing": damaged(func(d []byte) []byte {
			binary.BigEndian.PutUint64(d[third+8:], 0)
			return d
		}),
		"a chunk of an older format": damaged(func(d []byte) []byte {
			binary.BigEndian.PutUint16(d[third+4:], 0)
			return d
		}),
		"checkpoints that lead astray": damaged(func(d []byte) []byte {
			binary.BigEndian.PutUint64(d[second+16:], 77)
			return d
		}),
		"no metadata": damaged(func(d []byte) []byte {
			binary.BigEndian.PutUint64(d[third+24:], 1<<40)
			return d
		}),
	} {
		for room, skip := range map[int64]map[ChunkKey]bool{DefaultRoom: nil, 300_000: {key.key(): true}} {
			want, told, wantErr := delivered(t, data, Options{Skip: skip})
			shared := &Room{Bytes: room}
			got, st, err := delivered(t, data, Options{Skip: skip, Room: shared})
			if !reflect.DeepEqual(got, want) || err.Error() != wantErr.Error() {
				t.Errorf(
					"%s, %d left out: %d events, %v, want %d, %v",
					name,
					len(skip),
					len(got),
					err,
					len(want),
					wantErr,
				)
			}
			golden.Same(t, st, told, name, len(skip), "left out: says")
			golden.Equal(t, shared.held.Load(), 0, name, len(skip), "left out", "bytes of the room are taken")
		}
	}
}

// The same for damage of any kind: a patch over some bytes, others left out.
func FuzzAhead(f *testing.F) {
	whole := slices.Concat(
		load(f, ours+"/truth-8threads-jdk25.jfr"),
		load(f, ours+"/truth-8threads.jfr"),
		load(f, ours+"/truth-8threads-jdk25.jfr"),
	)
	f.Add(uint32(240_000), []byte{0xff, 0xff, 0xff}, uint16(0))
	f.Add(uint32(30_000), []byte{}, uint16(1000))
	f.Add(uint32(236_489), []byte("FLR"), uint16(3))
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, out uint16) {
		from := int(at) % len(whole)
		to := min(from+int(out), len(whole))
		data := slices.Concat(whole[:from], patch, whole[to:])
		want, told, wantErr := delivered(t, data, Options{})
		got, st, err := delivered(t, data, Options{Room: &Room{Bytes: DefaultRoom}})
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(st, told) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%d events, %v, want %d, %v\n%+v\nwant %+v", len(got), err, len(want), wantErr, st, told)
		}
	})
}

// What was read before the input broke is delivered, ahead or not, and then its error, again
// and again.
func TestAnInputThatBreaks(t *testing.T) {
	data, why := several(t), errors.New("the disk is gone")
	for _, o := range []Options{{}, {Room: &Room{Bytes: DefaultRoom}}} {
		r := golden.Must(
			NewReader(io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(why)), "test.jfr", o),
		)(
			t,
		)
		n, err, ev := 0, error(nil), format.Event{}
		for err = r.Read(&ev); err == nil; err = r.Read(&ev) {
			n++
		}
		golden.Equal(t, errors.Is(err, why), true, err)
		golden.Equal(t, errors.Is(r.Read(&ev), why), true, "again")
		golden.AtLeast(t, r.feed.chunks, 2, n, "events, chunks")
		r.Close()
	}
}

// Whoever stops reading leaves no goroutine and no room taken behind.
func TestAheadEndsWithItsReader(t *testing.T) {
	data := several(t)
	before := runtime.NumGoroutine()
	for _, events := range []int{0, 1, 3000, 6000} {
		room := &Room{Bytes: 1 << 20}
		r, err := NewReader(bytes.NewReader(data), "test.jfr", Options{Room: room})
		golden.OK(t, err)
		var ev format.Event
		for range events {
			golden.OK(t, r.Read(&ev))
		}
		r.Close()
		r.Close()
		for err == nil {
			err = r.Read(&ev) // the rest of what is at hand, but nothing waits
		}
		golden.Equal(t, room.held.Load(), 0, "after", events, "events", "bytes of the room are taken")
	}
	if left := golden.WaitForGoroutines(before); left > before {
		t.Fatalf("%d goroutines, %d before", left, before)
	}
}

// Chunks wait for room, but for the one that is wanted next.
func TestAheadKeepsToItsRoom(t *testing.T) {
	data := several(t)
	r := golden.Must(NewReader(bytes.NewReader(data), "test.jfr", Options{Room: &Room{Bytes: 1}}))(t)
	defer r.Close()
	var ev format.Event
	for n := 0; ; n++ {
		if err := r.Read(&ev); err != nil {
			break
		}
		if r.feed.ahead != nil && len(r.feed.ahead.chunks) > 1 {
			t.Fatalf("%d chunks are ahead after %d events", len(r.feed.ahead.chunks), n)
		}
	}
	golden.Equal(t, r.feed.chunks, 3, "chunks")
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
	golden.AtMost(t, testing.AllocsPerRun(30_000, func() { _ = r.Read(&ev) }), 0.01, "allocations per event")
}
