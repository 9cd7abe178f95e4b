package perf

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// small is a text with most kinds of lines.
var small = append(script(
	"2 0.5 PERF_RECORD_FORK(1:3):(1:2)",
	"2 1 waits 20 0 0 0 cond",
	"3 1.5 wait 10 2 0 0 mutex",
	"3 1.51 out S",
	"4 2 wake 10 1 0 0 unlock",
	"4 2.001 waking 3",
	"4 2.002 ret 1",
	"3 2.5 in",
	"3 2.51 ret 0",
	"4 3 lock:contention_begin: 0xffff8881071b00b8 (flags=WRITE)",
	"4 3.1 lock:contention_end: 0xffff8881071b00b8 (ret=0)",
	"4 3.2 PERF_RECORD_LOST lost 3",
	"4 3.3 block:block_rq_issue: 8,0",
	"4 3.05 cycles: 2b9a spin",
	"4 4 wake 20 1",
	"4 4.1 ret 1",
	"2 4.2 ret 0",
	"2 5 sched:sched_process_exit: comm=t2 pid=2 prio=120",
), "t9 1/9 [000] 1.00"...)

// What a longer text tells a shorter one does not tell more of; the end is
// always clean.
func TestEveryPrefixEndsCleanly(t *testing.T) {
	last := int64(0)
	for i := range len(small) + 1 {
		r, events := readAll(t, small[:i])
		s := r.Stats()
		if s.Events < last || s.BytesRead > int64(i) || s.BytesTotal != int64(i) {
			t.Fatalf("prefix %d: %+v", i, s)
		}
		if whole := i == 0 || small[i-1] == '\n'; whole == warned(s, "truncated") {
			t.Fatalf("prefix %d: %+v", i, s.Warnings)
		}
		for k := range events {
			if ev := &events[k]; ev.Kind == format.KindWait && (ev.End < ev.Time || ev.Object == format.NoObject) {
				t.Fatalf("prefix %d: %+v", i, ev)
			}
		}
		last = s.Events
	}
}

func warned(s format.Stats, code string) bool {
	for _, w := range s.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestDamageIsToldWithNumbers(t *testing.T) {
	r, events := readAll(t, small)
	var text []string
	for _, w := range r.Stats().Warnings {
		text = append(text, w.Text)
	}
	all := strings.Join(text, "\n")
	golden.Holds(
		t,
		all,
		"perf lost 3 events",
		"1 of 18 events are out of order, by up to 150 µs",
		"1 events are of kinds that are not read: block:block_rq_issue (1)",
		"within a line; 17 bytes not read",
	)
	s := r.Stats()
	if n, _ := sum(events, format.KindGap, nil); n != 2 || s.Damage.Whole() {
		t.Errorf("%d gaps", n)
	}
	r, _ = readAll(
		t,
		[]byte(
			"t 7 [000] 1.000001: syscalls:sys_enter_futex: what: 0x1\nt 7 [000] 1.1: x\nnot perf\nt 7 [000] "+
				"2.000000: raw_syscalls:sys_enter: NR 202 (zz\n",
		),
	)
	if s = r.Stats(); len(s.Warnings) < 3 || !warned(s, "lost-data") || !warned(s, "lines") {
		t.Errorf("%+v", s.Warnings)
	}
}

// The kernel's locks are those of perf lock contention: by address, how often
// and how long it was waited for.
func TestKernelLocksAreThoseOfPerfLock(t *testing.T) {
	want := map[uint64]struct {
		waits int
		us    int64
	}{
		0xffff8881071b00b8: {
			17,
			174160,
		}, 0xffff888627c2ba80: {29, 488}, 0xffffea00048aaca8: {2, 215}, 0xffff88810739a298: {14,
			176}, 0xffff8881003c07ec: {2, 140},
		0xffff888627d2ba80: {
			1,
			44,
		}, 0xffffea0005062da8: {14, 28}, 0xffff88810056917c: {2, 12}, 0xffff8881071b00cc: {1, 11},
	}
	_, events := readAll(t, fixture(t, "perf-lock-contention-kernel.txt"))
	locks := map[format.ObjectID]uint64{}
	for i := range events {
		if ev := &events[i]; ev.Kind == format.KindObject {
			locks[ev.Object] = ev.Hash
			if !strings.HasPrefix(ev.Class, "kernel:") || ev.LockKind != format.KindKernelLock {
				t.Errorf("%+v", ev)
			}
		}
	}
	golden.Equal(t, len(locks), len(want))
	for id, addr := range locks {
		n, ns := sum(events, format.KindWait, func(ev *format.Event) bool { return ev.Object == id })
		if w := want[addr]; n != w.waits || math.Abs(float64(ns/1000-w.us)) > 0.01*float64(w.us) {
			t.Errorf("%#x: %d waits of %d ns, want %+v", addr, n, ns, w)
		}
	}
}

// endless repeats a text, later each time.
type endless struct {
	text []byte
	left int
	buf  bytes.Buffer
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.buf.Len() == 0 {
		if e.left <= 0 {
			return 0, io.EOF
		}
		e.at++
		later := fmt.Sprintf(" %d.", e.at)
		e.buf.Write(bytes.ReplaceAll(e.text, []byte(" 1."), []byte(later)))
		e.left -= e.buf.Len()
	}
	return e.buf.Read(p)
}

// What a reader holds does not grow with the text.
func TestMemoryIsBounded(t *testing.T) {
	text := script(
		"2 1 wait 10 2 0 0 mutex",
		"2 1.01 out S",
		"3 2 wake 10 1 0 0 unlock",
		"3 2.001 waking 2",
		"3 2.002 ret 1",
		"2 2.5 in",
		"2 2.51 ret 0",
		"2 2.6 wake 10 1 0 0 unlock",
		"2 2.7 ret 0",
		"4 3 waits 20 0 0 0 cond",
		"4 3.1 ret 0",
	)
	r := NewReader(&endless{text: text, left: 16 << 20}, "test", nil)
	var ev format.Event
	var before, after runtime.MemStats
	n := 0
	for r.Read(&ev) == nil {
		if n++; n == 1000 {
			runtime.GC()
			runtime.ReadMemStats(&before)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	golden.AtLeast(t, n, 50_000)
	golden.AtMost(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), 4<<20)
	if r.Stats().Events == 0 {
		t.Error("nothing was read")
	}
}
