package native

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"contend/format"
	"contend/golden"
)

// trace is a small trace with every kind of event.
func trace() *format.List { return rounds(40) }

// rounds holds every kind of event n times.
func rounds(n int) *format.List {
	l := &format.List{}
	add := func(ev format.Event) { _ = l.Write(&ev) }
	add(format.Event{Kind: format.KindRecording, Time: 1e18, End: 1e18 + 1e9})
	add(format.Event{Kind: format.KindSetting, Name: "threshold", Value: "20 ms", Weight: 20e6})
	for i := range n {
		id := uint32(i + 1)
		add(
			format.Event{
				Kind:   format.KindThread,
				Thread: format.ThreadID(id),
				Name:   fmt.Sprintf("worker-%d é", i),
				Group:  "workers",
			},
		)
		add(
			format.Event{
				Kind:  format.KindStack,
				Stack: format.StackID(id),
				Frames: []format.Frame{
					{Class: "a.B", Method: "m", File: "B.java", Line: i - 1},
					{Class: "a.C", Method: "run"},
				},
			},
		)
		add(
			format.Event{
				Kind:     format.KindObject,
				Object:   format.ObjectID(id),
				Class:    "a.Lock",
				Hash:     1 << 60,
				LockKind: format.KindMonitor,
				Stack:    1,
			},
		)
		at := int64(1e18) + int64(i)*1000
		add(format.Event{Kind: format.KindThreadStart, Time: at, Thread: format.ThreadID(id)})
		add(format.Event{Kind: format.KindTick, Time: at + 3, Intended: at, Live: 5, IdleThreads: 2})
		add(format.Event{
			Kind:    format.KindContention,
			Time:    at + 3,
			Weight:  format.EvidenceOnly,
			Object:  1,
			Owners:  []format.Party{{Thread: 1, Stack: 1}},
			Waiters: []format.Party{{Thread: 2, Stack: 2, Mode: format.Shared}, {Thread: 3, Stack: 3}},
		})
		add(
			format.Event{
				Kind:   format.KindWait,
				Time:   at,
				End:    at + 500,
				Thread: 2,
				Object: 1,
				Stack:  2,
				Owner:  1,
				Mode:   format.Shared,
			},
		)
		add(format.Event{Kind: format.KindTenure, Time: at - 10, End: at + 500, Thread: 1, Object: 1, Stack: 1})
		add(
			format.Event{
				Kind:     format.KindActivity,
				Time:     at,
				End:      at + 9,
				Thread:   4,
				Stack:    4,
				Activity: format.ActivitySleep,
			},
		)
		add(format.Event{Kind: format.KindThreadEnd, Time: at + 900, Thread: format.ThreadID(id)})
	}
	return l
}

func encode(t testing.TB, l *format.List, o format.WriterOptions) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := golden.Must(format.NewWriter(&buf, o))(t)
	for i := range l.Events {
		golden.OK(t, w.Write(&l.Events[i]))
	}
	golden.OK(t, w.Close())
	return buf.Bytes()
}

func readAll(data []byte) (l *format.List, st format.Stats, err error) {
	l = &format.List{}
	r, err := NewReader(bytes.NewReader(data), "test.ctd")
	if err != nil {
		return l, st, err
	}
	defer r.Close()
	var ev format.Event
	for {
		if err := r.Read(&ev); errors.Is(err, io.EOF) {
			return l, r.Stats(), nil
		} else if err != nil {
			return l, r.Stats(), err
		}
		_ = l.Write(&ev)
	}
}

func TestRoundTrip(t *testing.T) {
	want := trace()
	for codec := range format.Codecs {
		for _, size := range []int{1, 500, 1 << 20} {
			got, st, err := readAll(encode(t, want, format.WriterOptions{Codec: codec, BlockSize: size}))
			if err != nil || len(st.Warnings) > 0 {
				t.Fatal(err, st.Warnings)
			}
			golden.Same(t, got.Events, want.Events, "codec", codec, "blocks of", size)
		}
	}
}

// stride is the distance of the bytes that are tried.
func stride() int { return golden.Depth(37, 3, 1) }

func TestEveryPrefix(t *testing.T) {
	data, last := encode(t, trace(), format.WriterOptions{BlockSize: 900}), 0
	for i := 0; i <= len(data); i += stride() {
		l, st, err := readAll(data[:i])
		var fe *format.Error
		if err != nil && (!errors.As(err, &fe) || fe.Pos.Off > int64(i)) {
			t.Fatalf("prefix %d: %v is no positioned error", i, err)
		}
		if err == nil && (len(st.Warnings) == 0) != (i == len(data)) {
			t.Fatalf("prefix %d: warnings %v", i, st.Warnings)
		}
		n := 0
		for _, ev := range l.Events {
			if ev.Kind != format.KindGap {
				n++
			}
		}
		if n < last {
			t.Fatalf("prefix %d: %d events, a shorter one had %d", i, n, last)
		}
		last = n
	}
}

func TestEveryByteDamagedCostsItsBlockOnly(t *testing.T) {
	want := rounds(15) // four blocks
	data := encode(t, want, format.WriterOptions{BlockSize: 900})
	for i := format.HeaderSize; i < len(data); i += stride() {
		bad := bytes.Clone(data)
		bad[i] ^= 0x55
		l, st, err := readAll(bad)
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		gaps := 0
		for _, ev := range l.Events {
			if ev.Kind == format.KindGap {
				gaps++
			}
		}
		if gaps != 1 || len(st.Warnings) != 1 || st.BytesRead == st.BytesTotal {
			t.Fatalf("byte %d: %d gaps, %+v", i, gaps, st)
		}
		if len(l.Events) < len(want.Events)-80 {
			t.Fatalf("byte %d: %d of %d events left", i, len(l.Events), len(want.Events))
		}
	}
}

func TestUnknownKindsAreSkipped(t *testing.T) {
	raw := []byte{200, 1, 3, 1, 2, 3} // kind 200 with three bytes
	last := int64(0)
	raw = format.AppendEvent(raw, &format.Event{Kind: format.KindThreadStart, Time: 7, Thread: 9}, &last)
	h := format.BlockHeader{Version: 1, Stored: uint32(len(raw)), Raw: uint32(len(raw)), Events: 2}
	data := append([]byte(format.Magic), 1, 0, 0, 0)
	data = append(h.Append(data, raw), raw...)
	l, _, err := readAll(data)
	if err != nil || len(l.Events) != 1 || l.Events[0].Thread != 9 {
		t.Errorf("%v, %+v", err, l.Events)
	}
}

// BenchmarkInstants reads sampling instants. Bytes are those without compression.
func BenchmarkInstants(b *testing.B) {
	rng, l := rand.New(rand.NewPCG(1, 1)), &format.List{}
	at, lock, waiters := int64(1e18), format.ObjectID(1), 1
	for range 200_000 {
		if at += 1e6 + rng.Int64N(100); rng.IntN(2) == 0 {
			lock, waiters = format.ObjectID(rng.IntN(5)+1), rng.IntN(6)
		}
		_ = l.Write(&format.Event{Kind: format.KindTick, Time: at, Intended: at - rng.Int64N(100_000), Live: 12})
		ev := format.Event{
			Kind:   format.KindContention,
			Time:   at,
			Object: lock,
			Owners: []format.Party{{Thread: 1, Stack: 2}},
		}
		for t := range waiters {
			ev.Waiters = append(ev.Waiters, format.Party{Thread: format.ThreadID(t + 2), Stack: 3})
		}
		_ = l.Write(&ev)
	}
	plain, data := len(encode(b, l, format.WriterOptions{})), encode(b, l, format.WriterOptions{Codec: format.Zstd})
	b.SetBytes(int64(plain))
	b.ReportAllocs()
	var ev format.Event
	for b.Loop() {
		r := golden.Must(NewReader(bytes.NewReader(data), "bench"))(b)
		for r.Read(&ev) == nil {
		}
		r.Close()
	}
	b.ReportMetric(float64(len(l.Events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
