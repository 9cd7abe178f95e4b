package decode

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"contend/format"
	"contend/golden"

	"github.com/klauspost/compress/s2"
)

// What a decoder may take of an input of n bytes. The constants are what it
// sets up once; the factors are what the densest inputs need, which are
// recordings whose events of a few bytes each repeat a stack of 16384 frames.
const (
	eventsOnce, eventsPerByte = 10_000, 64
	memoryOnce, memoryPerByte = 256 << 20, 16 << 10
	patience                  = 2 * time.Minute // until what does not end is taken for endless
)

// fuzz holds a format to what all of them promise, and to what it promises
// besides.
func fuzz(f *testing.F, more ...func(*testing.T, *format.List)) {
	golden.LimitMinimization(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		watchdog := time.AfterFunc(patience, func() { panic(fmt.Sprintf("%d bytes take for ever", len(data))) })
		defer watchdog.Stop()
		before := allocated()
		events, err := readAll(t, data)
		if took, may := allocated()-before, uint64(memoryOnce+memoryPerByte*len(data)); took > may {
			t.Errorf("%d bytes of input took %d of memory, more than %d", len(data), took, may)
		}
		if err != nil {
			return
		}
		for _, check := range more {
			check(t, events)
		}
		roundTrip(t, events)
	})
}

// introduced checks that nothing ends before it begins, and that no stack or
// thread is used before it is introduced.
func introduced(t *testing.T, events *format.List) {
	stacks, threads := map[format.StackID]bool{0: true}, map[format.ThreadID]bool{0: true}
	for i := range events.Events {
		ev := &events.Events[i]
		switch ev.Kind {
		case format.KindStack:
			stacks[ev.Stack] = true
		case format.KindThread:
			threads[ev.Thread] = true
		case format.KindWait,
			format.KindTenure,
			format.KindActivity,
			format.KindRecording,
			format.KindRelease,
			format.KindPause:
			if ev.Kind != format.KindRelease && ev.End < ev.Time || !threads[ev.Woken] || ev.Again < 0 ||
				!stacks[ev.Stack] ||
				!threads[ev.Thread] ||
				!threads[ev.Owner] {
				t.Fatalf("event %d: %s", i, format.AppendText(nil, ev))
			}
		}
	}
}

// inOrder checks that each dump is later than the one before.
func inOrder(t *testing.T, events *format.List) {
	last := int64(format.NoTime)
	for i := range events.Events {
		if ev := &events.Events[i]; ev.Kind == format.KindTick {
			if last != format.NoTime && ev.Time <= last {
				t.Fatalf("a dump at %d follows one at %d", ev.Time, last)
			}
			last = ev.Time
		}
	}
}

// allocated is the memory the program ever asked for.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// readAll reads an input to its end. The error is of opening it, or of a line
// of text that is wrong.
func readAll(t *testing.T, data []byte) (*format.List, error) {
	t.Helper()
	tr, err := Open([]string{Stdin}, bytes.NewReader(data), Options{})
	if err != nil {
		positioned(t, err)
		return nil, err
	}
	defer tr.Close()
	list := &format.List{}
	var ev format.Event
	for {
		err := tr.Read(&ev)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			positioned(t, err)
			return nil, err
		}
		if ev.Kind == format.KindGap && ev.End < ev.Time {
			t.Fatalf("a gap that ends before it begins: %s", format.AppendText(nil, &ev))
		}
		_ = list.Write(&ev) // a list takes everything
		if n := len(list.Events); n > eventsOnce+eventsPerByte*len(data) {
			if tr.Stats().Format == fmt.Sprint("contend ", format.Version) { // a few bytes stand for many events
				return list, nil
			}
			t.Fatalf("%d events of %d bytes: it does not advance", n, len(data))
		}
	}
	sane(t, tr.Stats())
	return list, nil
}

// sane checks what is said of an input that was read to its end.
func sane(t *testing.T, s format.Stats) {
	t.Helper()
	if s.BytesRead < 0 || s.BytesRead > s.BytesTotal {
		t.Fatalf("%+v", s)
	}
	lost := int64(0)
	for _, d := range s.Damage.Places {
		lost += d.Bytes
		if d.Bytes < 0 || d.Pos.Off < 0 || d.Events < format.UnknownEvents || d.Code == "" || d.Why == "" {
			t.Fatalf("%+v", d)
		}
	}
	if s.Damage.Omitted == 0 && lost != s.BytesTotal-s.BytesRead {
		t.Fatalf("%d bytes are not read, the damage tells of %d: %+v", s.BytesTotal-s.BytesRead, lost, s)
	}
}

// positioned requires an error that says where and what.
func positioned(t *testing.T, err error) {
	t.Helper()
	var fe *format.Error
	if !errors.As(err, &fe) || fe.What == "" || bytes.ContainsRune([]byte(err.Error()), '\n') {
		t.Fatalf("%v is no error that says where and what, on one line", err)
	}
}

// roundTrip writes events as a trace and as text, and reads them back.
func roundTrip(t *testing.T, events *format.List) {
	t.Helper()
	var binary, text bytes.Buffer
	w, err := format.NewWriter(&binary, format.WriterOptions{Codec: format.Plain})
	golden.OK(t, err)
	for _, out := range []struct {
		*bytes.Buffer
		sink interface {
			format.Sink
			Close() error
		}
	}{{&binary, w}, {&text, format.NewTextWriter(&text)}} {
		for i := range events.Events {
			golden.OK(t, out.sink.Write(&events.Events[i]))
		}
		golden.OK(t, out.sink.Close())
		again := golden.Must(readAll(t, out.Bytes()))(t)
		if len(again.Events) != len(events.Events) {
			t.Fatalf("%d events were written, %d are read", len(events.Events), len(again.Events))
		}
		for i := range events.Events { // by the fields a kind has: what else a decoder leaves in an event says nothing
			wrote, read := format.AppendText(nil, &events.Events[i]), format.AppendText(nil, &again.Events[i])
			if !bytes.Equal(wrote, read) {
				t.Fatalf("event %d was written as\n%s and is read as\n%s", i, wrote, read)
			}
		}
	}
}

const fixtures = "../testdata/"

func FuzzJFR(f *testing.F) {
	golden.Seed(f, "jfr")
	small := golden.Must(os.ReadFile(fixtures + "truth-8threads-jdk25.jfr"))(f)
	f.Add(small) // with its checkpoints where the header says
	live := bytes.Clone(small)
	clear(live[8:16]) // the size, as in a live process
	f.Add(live)
	f.Add(append(bytes.Clone(small[:20_000]), small[:20_000]...))
	f.Add([]byte("FLR\x00"))
	fuzz(f, introduced)
}

func FuzzThreadDump(f *testing.F) {
	golden.Seed(f, "threaddump")
	dump := golden.Must(os.ReadFile(fixtures + "deadlock-monitors-and-juc-jdk17.txt"))(f)
	for _, ways := range []map[string]func([]byte) []byte{wrapped, pasted} {
		for _, w := range ways {
			f.Add(w(dump[:min(len(dump), 4<<10)]))
		}
	}
	excerpts, _ := filepath.Glob("threaddump/testdata/excerpts/*")
	for _, path := range excerpts {
		text, err := os.ReadFile(path)
		golden.OK(f, err)
		_, dump, _ := bytes.Cut(text, []byte("-- dump --\n"))
		f.Add(dump)
	}
	f.Add([]byte("==> a <==\nFull thread dump X:\n\n==> b <==\n\"a\" #1 tid=1\n\tat a.B.c(B.java:1)\n"))
	fuzz(f, inOrder)
}

func FuzzGoTrace(f *testing.F) {
	golden.Seed(f, "gotrace")
	f.Add([]byte("go 1.22 trace\x00\x00\x00\x01\x01\x00\x00\x00"))
	fuzz(f, introduced)
}

func FuzzGoDump(f *testing.F) {
	golden.Seed(f, "godump")
	f.Add([]byte("goroutine 7 [sync.Mutex.Lock]:   \nmain.f()\n...\nmain.g()\n"))
	f.Add([]byte("goroutine 0 [0]:\n0()\n0:0\n\ngoroutine 0 [0\xda]:"))
	fuzz(f)
}

func FuzzCounts(f *testing.F) {
	golden.Seed(f, "counts")
	f.Add([]byte("creating lock 1 java.util.concurrent.locks.ReentrantLock a.B.c(B.java:1)\n2026-01-01 10:00:00 1=5\n"))
	f.Add([]byte("contention detected on [a.B] a.B.c(B.java:1)\n"))
	fuzz(f)
}

func FuzzProfile(f *testing.F) {
	golden.Seed(f, "profile")
	f.Add([]byte("a;b 1\nc;d_[j] 2\n"))
	f.Add([]byte("goroutine profile: total 2\n2 @ 0x1\n#\t0x1\tsync.(*Mutex).Lock+0x1\tsync/mutex.go:7\n"))
	f.Add([]byte(" contended   total wait     max wait     avg wait         type   caller\n\n" +
		"  3  1.50 ms  20.26 us  9.06 us  mutex   f+0x5\n  0xf  f+0x5\n=== owner stack trace ===\n\n" +
		"  3  1.00 ms  15.27 us  10.41 us  mutex  g+0x3\n"))
	f.Add([]byte("jdk.JavaMonitorEnter {\n  startTime = 03:04:57.339\n  duration = 4.21 ms\n  monitorClass = a.B\n" +
		"  previousOwner = \"b\" (javaThreadId = 1)\n  eventThread = \"a\" (javaThreadId = 2)\n  stackTrace = [\n" +
		"    a.B.c() line: 1\n  ]\n}\n"))
	f.Add([]byte(`{"recording":{"events":[{"type":"jdk.ThreadPark","values":{"startTime":"2026-11-21T03:04:57Z","duration":"PT1S","eventThread":{"javaName":"a"}}}]}}`))
	f.Add([]byte("--- mutex:\ncycles/second=2\n3 1 @ 0x1\n#\t0x1\ta.B+0x1\tb.go:7\n4 1 @ 0x2 0x3\n"))
	fuzz(f, introduced)
}

// perfText has most kinds of lines perf script prints.
const perfText = `# arch : x86_64
t     0/0     [000]     0.000000000: PERF_RECORD_COMM: t:7/7
t 7/7 [000] 1.000000001: PERF_RECORD_FORK(7:8):(7:7)
t 7/7 [000] 1.000001: sched:sched_process_fork: comm=t pid=7 child_comm=t child_pid=9
w 1 7/8 [001] 1.100000: syscalls:sys_enter_futex: uaddr: 0x10, op: 0x00000080, val: 0x00000002, utime: 0x00000000, uaddr2: 0x00000000, val3: 0x00000000
	            2b9a __GI___lll_lock_wait+0x2b (inlined)
	            2b9a bank::spin+0x10 (/tmp/t (deleted))
  t.cc:12
	ffffffff821f8298 schedule ([kernel.kallsyms])

w 1 7/8 [001] 1.110000: sched:sched_switch: prev_comm=w 1 prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=t next_pid=7 next_prio=120
t 7/7 [001] 1.120000: syscalls:sys_enter_futex: uaddr: 0x10, op: 0x00000081, val: 0x00000001, utime: 0x0, uaddr2: 0x0, val3: 0x0
t 7/7 [001] 1.120001: sched:sched_waking: comm=w 1 pid=8 prio=120 target_cpu=001
t 7/7 [001] 1.120002: syscalls:sys_exit_futex: 0x1
w 1 7/8 [001] 1.130000: PERF_RECORD_SWITCH IN
w 1 7/8 [001] 1.130001: syscalls:sys_exit_futex: 0x0
t 7/7 [001] 1.130002: raw_syscalls:sys_enter: NR 202 (10, 109, 8, 0, 0, ffffffff)
w 1 7/8 [001] 1.140000: raw_syscalls:sys_enter: NR 202 (20, 84, 1, 7fffffff, 10, 0)
w 1 7/8 [001] 1.140001: raw_syscalls:sys_exit: NR 202 = -11
w 1 7/8 [001] 1.140002: syscalls:sys_enter_futex: uaddr: 0x30, op: 0x86, val: 0x0, utime: 0x0, uaddr2: 0x0, val3: 0x0
t 7 1.150000: sched:sched_switch: t:7 [120] D ==> w 1:8 [120]
t 7 1.160000: 250000 cycles:u: 	2b9a spin (t)
s 0 [000] 1.170000: lock:contention_begin: 0xffff888627c2ba80 (flags=SPIN|MUTEX)
s 0 [000] 1.180000: lock:contention_end: 0xffff888627c2ba80 (ret=-110)
t 7 [000] 1.190000: PERF_RECORD_LOST lost 27
t 7 [000] 1.060000: block:block_rq_issue: 8,0 R 4096
t 7 [000] 1.200000: sched:sched_process_exec: filename=./t pid=7 old_pid=7
w 1 7/8 [001] 1.210000: syscalls:sys_enter_futex_waitv: waiters: 0x7ff, nr_futexes: 0x1
w 1 7/8 [001] 1.220000: sched:sched_process_exit: comm=w 1 pid=8 prio=120
t 7 [000] 1.2300`

func FuzzPerf(f *testing.F) {
	golden.Seed(f, "perf")
	f.Add([]byte(perfText))
	fuzz(f, introduced)
}

// sample has most kinds of events.
const sample = `contend 1
thread thread=1 name="a" group="b"
object lock=1 class="c" hash=7
stack stack=1 frames="a.B":"m":"B.java":3
recording time=1 end=99
tick time=2 intended=1 weight=3 live=4
contention time=5 lock=1 owners=1/1/x waiters=2/0/x,4294967295/1/s
wait time=3 end=9 thread=1 lock=1 stack=1
gap time=4 end=5 bytes=6 name="x"
end
`

func FuzzText(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("contend 1\nwait time=1 e"))
	f.Add([]byte("contend 1\nthread name=\"\\xff\"\nend count=1"))
	fuzz(f)
}

func FuzzNative(f *testing.F) {
	for _, codec := range []format.Codec{format.Plain, format.Deflate, format.Zstd} {
		f.Add(contendTrace(f, fixtures+"go126-debug2-dump.txt", format.WriterOptions{Codec: codec, BlockSize: 500}))
	}
	version2 := golden.Must(os.ReadFile(fixtures + "sampled-v2.bin"))(f)
	f.Add(version2)
	fuzz(f)
}

// FuzzWrapped finds what decompressors make of damage.
func FuzzWrapped(f *testing.F) {
	golden.Seed(f, "wrapped")
	for _, text := range []string{sample, perfText, strings.Repeat(sample[:60], 40)} {
		f.Add(packed(f, []byte(text)))
		var gz, s bytes.Buffer
		for to, w := range map[*bytes.Buffer]io.WriteCloser{
			&gz: gzip.NewWriter(&gz),
			&s:  s2.NewWriter(&s, s2.WriterConcurrency(1)),
		} {
			_, err := w.Write([]byte(text))
			golden.OK(f, errors.Join(err, w.Close()))
			f.Add(to.Bytes())
		}
	}
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x88"))
	f.Add([]byte("\xff\x06\x00\x00S2sTwO\x01"))
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"))
	fuzz(f)
}

// contendTrace is the events of a file as a trace.
func contendTrace(f *testing.F, file string, o format.WriterOptions) []byte {
	f.Helper()
	src, err := Open([]string{file}, nil, Options{})
	golden.OK(f, err)
	defer src.Close()
	var b bytes.Buffer
	w := golden.Must(format.NewWriter(&b, o))(f)
	for ev := (format.Event{}); src.Read(&ev) == nil; {
		golden.OK(f, w.Write(&ev))
	}
	golden.OK(f, w.Close())
	return b.Bytes()
}
