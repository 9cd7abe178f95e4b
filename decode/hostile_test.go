package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contend/format"
	"contend/golden"

	"github.com/klauspost/compress/zstd"
)

// million is how deep stacks are that no program has.
const million = 1 << 20

// hostile are inputs made to cost more than they are worth, to run for ever or
// to reach beyond what there is: what is read of each, and the error of those
// that are refused or the damage of those that are not.
var hostile = []struct {
	name   string
	data   func(testing.TB) []byte
	events int    // at least
	says   string // in the error or the damage; "" for neither
}{
	{"native: a stack a million frames deep", func(t testing.TB) []byte { return nativeTrace(t, deepStack()) }, 1, ""},
	{
		"text: a stack a million frames deep",
		func(t testing.TB) []byte { return textTrace(t, deepStack()) },
		0,
		"line: longer than",
	},
	{"thread dump: a stack a million frames deep", func(testing.TB) []byte {
		return []byte(
			"Full thread dump\n\n" +
				"\"deep\" #1 prio=5 tid=0x1 nid=0x1 runnable\n   java.lang.Thread.State: RUNNABLE\n" + strings.Repeat(
				"\tat a.B.c(B.java:1)\n",
				million,
			) + "\n",
		)
	}, 1, ""},
	{"JSON dump: a stack a million frames deep", func(testing.TB) []byte {
		return []byte(
			`{"threadDump":{"processId":"1","time":"2026-01-01T00:00:00Z","threadContainers":[{"container":"<root>","threads":[{"tid":"1","name":"deep","stack":["a.B.c(B.java:1)"` +
				strings.Repeat(
					`,"a.B.c(B.java:1)"`,
					million,
				) + `]}]}]}}`,
		)
	}, 1, ""},
	{"Go dump: a stack a million frames deep", func(testing.TB) []byte {
		return []byte("goroutine 1 [sync.Mutex.Lock]:\n" + strings.Repeat("main.f(0x1)\n\t/a/b.go:7 +0x1\n", million))
	}, 1, ""},
	{"Go trace: a stack a million frames deep", func(testing.TB) []byte {
		return goBatch(
			append(
				[]byte{2, 3, 1},
				append(binary.AppendUvarint(nil, million), bytes.Repeat([]byte{1}, 4*million)...)...),
		)
	}, 0, "input ends early"},
	{"Go trace: a varint that never ends", func(testing.TB) []byte {
		return append([]byte("go 1.22 trace\x00\x00\x00\x01"), bytes.Repeat([]byte{0xff}, million)...)
	}, 0, "input ends early"},
	{"native: a varint that never ends", func(testing.TB) []byte {
		return block(bytes.Repeat([]byte{0xff}, 1000), 1, 0)
	}, 0, "lost-data"},
	{"native: an id of 33 bits", func(testing.TB) []byte {
		return block(append([]byte{byte(format.KindThreadEnd), 6, 0}, binary.AppendUvarint(nil, 1<<32)...), 1, 0)
	}, 0, "lost-data"},
	{"native: the largest ids", func(t testing.TB) []byte {
		return nativeTrace(
			t,
			&format.Event{
				Kind:   format.KindWait,
				Time:   1,
				End:    2,
				Thread: math.MaxUint32,
				Object: math.MaxUint32,
				Stack:  math.MaxUint32,
				Owner:  math.MaxUint32,
			},
		)
	}, 1, ""},
	{"native: differences of times that overflow", func(testing.TB) []byte {
		var raw []byte
		for range 3 { // thread-end, 11 bytes: the longest step, thread 1
			raw = append(
				raw,
				append(
					append([]byte{byte(format.KindThreadEnd), 11}, binary.AppendVarint(nil, math.MinInt64)...),
					1,
				)...)
		}
		return block(raw, 3, math.MaxInt64)
	}, 2, "1 event is left out"},
	{"native: times before the epoch and at its end", func(t testing.TB) []byte {
		return nativeTrace(
			t,
			&format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Time: math.MinInt64, End: math.MaxInt64},
			&format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: -1, End: -1},
		)
	}, 1, "1 event is left out"},
	{"native: small blocks that each become a stack of 16 MiB", func(t testing.TB) []byte {
		const n = format.MaxBlock/4 - 8
		raw := binary.AppendUvarint([]byte{1}, n) // stack 1, and frames without names
		raw = append(raw, make([]byte, 4*n)...)
		raw = append(binary.AppendUvarint([]byte{byte(format.KindStack)}, uint64(len(raw))), raw...)
		return append([]byte(format.Magic+"\x01\x00\x00\x00"), bytes.Repeat(packedBlock(t, raw, len(raw), 1), 12)...)
	}, 12, "truncated"},
	{"native: small blocks that each become 16 MiB of stacks", func(t testing.TB) []byte {
		var raw []byte
		for range format.MaxBlock/4/format.MaxFrames - 1 {
			stack := append(binary.AppendUvarint([]byte{1}, format.MaxFrames), make([]byte, 4*format.MaxFrames)...)
			raw = append(binary.AppendUvarint(append(raw, byte(format.KindStack)), uint64(len(stack))), stack...)
		}
		return append([]byte(format.Magic+"\x01\x00\x00\x00"), bytes.Repeat(packedBlock(t, raw, len(raw), 255), 12)...)
	}, 12 * format.MaxBlockFrames / format.MaxFrames, "lost-data"},
	{"native: small blocks that each become 16 MiB of waiters", func(t testing.TB) []byte {
		const n = (format.MaxBlock - 32) / 3
		raw := append([]byte{0, 0, 1, 0}, binary.AppendUvarint(nil, n)...) // time, weight, lock, no owners
		raw = append(raw, make([]byte, 3*n)...)
		raw = append(binary.AppendUvarint([]byte{byte(format.KindContention)}, uint64(len(raw))), raw...)
		return append([]byte(format.Magic+"\x01\x00\x00\x00"), bytes.Repeat(packedBlock(t, raw, len(raw), 1), 12)...)
	}, 12, "truncated"},
	{"native: a block that becomes more than it says", func(t testing.TB) []byte {
		return append([]byte(format.Magic+"\x01\x00\x00\x00"), packedBlock(t, make([]byte, 64<<20), 1000, 1)...)
	}, 0, "lost-data"},
	{"zstd: a window of gigabytes", func(testing.TB) []byte {
		return append(
			[]byte("\x28\xb5\x2f\xfd\x00\xff"),
			make([]byte, 100)...) // a window of 2^41 bytes and seven eighths of it
	}, 0, "zstd: "},
	{
		"zstd: nothing but zeros",
		func(t testing.TB) []byte { return packed(t, make([]byte, 256<<20)) },
		0,
		"input is of another kind",
	},
}

// Each hostile input is answered in bounded memory and ends.
func TestHostileInputs(t *testing.T) {
	golden.SkipIfShort(t) // memory doubles under the race detector, and a minute is short
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			data := h.data(t)
			runtime.GC()
			peak := heapPeak(t)
			events, said := exhaust(t, data)
			most := peak() >> 20
			t.Logf("%d bytes, %d events, at most %d MiB live: %s", len(data), events, most, said)
			if events < h.events || !strings.Contains(said, h.says) || h.says == "" && said != "" {
				t.Errorf("%d events, want %d; says %q, want %q", events, h.events, said, h.says)
			}
			golden.AtMost(t, most, 320, "MiB were live at a time")
		})
	}
}

// exhaust reads an input and keeps nothing. It returns what is wrong with it.
func exhaust(t *testing.T, data []byte) (events int, said string) {
	t.Helper()
	tr, err := Open([]string{Stdin}, bytes.NewReader(data), Options{})
	if err != nil {
		positioned(t, err)
		return 0, err.Error()
	}
	defer tr.Close()
	var ev format.Event
	for err = tr.Read(&ev); err == nil; err = tr.Read(&ev) {
		if ev.Kind != format.KindGap && ev.Kind != format.KindSetting {
			events++
		}
	}
	if !errors.Is(err, io.EOF) {
		positioned(t, err)
		return events, err.Error()
	}
	s := tr.Stats()
	sane(t, s)
	for _, d := range s.Damage.Places {
		said += d.Code + ": " + d.Why + "; "
	}
	return events, said
}

// heapPeak watches the heap until the function it returns is called, which
// gives the most that was live, in bytes: what a collection found reachable.
// Garbage does not count, since how much is left depends on when the collector
// gets a processor. Collections follow each other closely, so that the live
// heap grows by at most a quarter between two, without .ci/run by three.
func heapPeak(t *testing.T) func() uint64 {
	t.Helper()
	percent := debug.SetGCPercent(golden.Depth(25, 75, 25))
	var most atomic.Uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			metrics.Read(s)
			most.Store(max(most.Load(), s[0].Value.Uint64()))
			select {
			case <-tick.C:
			case <-stop:
				tick.Stop()
				return
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-stopped
		debug.SetGCPercent(percent)
		return most.Load()
	}
}

func deepStack() *format.Event {
	frames := make([]format.Frame, million)
	for i := range frames {
		frames[i] = format.Frame{Class: "a.B", Method: "c", File: "B", Line: 1}
	}
	return &format.Event{Kind: format.KindStack, Stack: 1, Frames: frames}
}

// nativeTrace writes a trace.
func nativeTrace(t testing.TB, events ...*format.Event) []byte {
	t.Helper()
	var b bytes.Buffer
	w := golden.Must(format.NewWriter(&b, format.WriterOptions{Codec: format.Zstd}))(t)
	return written(t, &b, w, events)
}

// textTrace writes a trace as text.
func textTrace(t testing.TB, events ...*format.Event) []byte {
	t.Helper()
	var b bytes.Buffer
	return written(t, &b, format.NewTextWriter(&b), events)
}

func written(t testing.TB, b *bytes.Buffer, w interface {
	format.Sink
	Close() error
}, events []*format.Event) []byte {
	t.Helper()
	for _, ev := range events {
		golden.OK(t, w.Write(ev))
	}
	golden.OK(t, w.Close())
	return b.Bytes()
}

// block is a trace of one block as format/README.md has it, its sum right.
func block(raw []byte, events uint32, first int64) []byte {
	return append([]byte(format.Magic+"\x01\x00\x00\x00"), stored(raw, len(raw), 0, events, first)...)
}

// packedBlock is a block in zstd that says to become size bytes.
func packedBlock(t testing.TB, raw []byte, size int, events uint32) []byte {
	t.Helper()
	return stored(packed(t, raw), size, 2, events, 0)
}

func stored(data []byte, raw int, codec byte, events uint32, first int64) []byte {
	le := binary.LittleEndian
	head := le.AppendUint32(le.AppendUint32(nil, uint32(len(data))), uint32(raw))
	head = le.AppendUint64(le.AppendUint32(append(head, codec), events), uint64(first))
	body := append(bytes.Clone(head), data...)
	head = le.AppendUint32(head, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return append(append([]byte(format.Marker), head...), data...)
}

func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	z := golden.Must(zstd.NewWriter(nil))(t)
	return z.EncodeAll(data, nil)
}

// goBatch is a Go trace of one batch: of generation 1, thread 1, time 1.
func goBatch(data []byte) []byte {
	b := []byte("go 1.22 trace\x00\x00\x00\x01\x01\x01\x01")
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}
