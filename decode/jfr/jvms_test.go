package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// met is what a recording tells before an input begins, and behind it.
type met struct {
	threads, locks map[uint32]bool
}

// jvms reads a recording and returns what each of its JVMs has.
func jvms(t *testing.T, data []byte) []met {
	t.Helper()
	r, err := NewReader(bytes.NewReader(data), "test.jfr", Options{})
	golden.OK(t, err)
	begin := func() met { return met{map[uint32]bool{}, map[uint32]bool{}} }
	all := []met{begin()}
	var ev format.Event
	for err = r.Read(&ev); err == nil; err = r.Read(&ev) {
		if ev.Kind == format.KindSetting && ev.Name == format.SettingInput {
			all = append(all, begin())
		}
		last := all[len(all)-1]
		for _, id := range []format.ThreadID{ev.Thread, ev.Owner} {
			last.threads[uint32(id)] = last.threads[uint32(id)] || id != format.NoThread
		}
		last.locks[uint32(ev.Object)] = last.locks[uint32(ev.Object)] || ev.Object != format.NoObject
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return all
}

func shared(a, b map[uint32]bool) (n int) {
	for id, used := range a {
		if used && b[id] {
			n++
		}
	}
	return n
}

// written is the same chunk as if its JVM had written all of it later, events and
// copies of the header included.
func written(t *testing.T, data []byte, by time.Duration) []byte {
	t.Helper()
	out, h := later(data, by, by), parseHeader(data)
	c := chunk{buf: data, head: h}
	ticks := h.ticks(int64(by))
	for at := headerSize; at < len(data); {
		cur := c.cursor(at)
		at += int(cur.long("size"))
		kind, start := cur.long("type"), cur.off
		moved := binary.AppendUvarint(nil, uint64(cur.long("start")+ticks))
		if copy(out[start:], moved); len(moved) != cur.off-start {
			t.Fatal("times of other lengths: move by less")
		}
		if i := bytes.Index(out[start:at], []byte(magic)); i >= 0 && kind == typeCheckpoint {
			copy(out[start+i+32:], out[32:56])
		}
	}
	return out
}

// later is the same chunk as if its JVM had written it after a time; its clock
// may not have counted all of that.
func later(data []byte, by, counted time.Duration) []byte {
	h := parseHeader(data)
	out := patched(data, 32, uint64(h.startNanos)+uint64(by))
	ticks := uint64(counted.Seconds() * float64(h.ticksPerSecond))
	return patched(out, 48, binary.BigEndian.Uint64(out[48:])+ticks)
}

// The threads and locks of one JVM are none of another's, whether their clocks
// tell them apart or only their threads.
func TestJVMsAreApart(t *testing.T) {
	read := func(name string) []byte { return load(t, ours+"/"+name) }
	truth, phases, hsqldb := read("truth-8threads.jfr"), read("phases.jfr"), read("hsqldb-6clients.jfr")
	for what, data := range map[string][]byte{
		"half a minute apart":            append(bytes.Clone(truth), phases...),
		"started within two seconds":     append(bytes.Clone(hsqldb), phases...),
		"the same one, two years later":  append(bytes.Clone(truth), later(truth, 2*365*24*time.Hour, time.Minute)...),
		"the same one, at the same time": append(bytes.Clone(truth), truth...),
	} {
		all := jvms(t, data)
		if len(all) != 2 {
			t.Errorf("%s: %d JVMs", what, len(all))
			continue
		}
		if threads, locks := shared(all[0].threads, all[1].threads), shared(all[0].locks,
			all[1].locks); threads+locks > 0 {
			t.Errorf("%s: %d threads and %d locks are in both", what, threads, locks)
		}
	}
}

// Chunks of one JVM have its threads and locks in common.
func TestChunksOfOneJVM(t *testing.T) {
	data := load(t, ours+"/truth-8threads.jfr")
	alone := jvms(t, data)[0]
	for _, by := range []time.Duration{5 * time.Second, 10 * time.Second} {
		all := jvms(t, append(bytes.Clone(data), written(t, data, by)...))
		if len(all) != 1 || len(all[0].threads) != len(alone.threads) || len(all[0].locks) != len(alone.locks) {
			t.Errorf(
				"%v later: %d JVMs, %d threads and %d locks; in one chunk %d and %d",
				by,
				len(all),
				len(all[0].threads),
				len(all[0].locks),
				len(alone.threads),
				len(alone.locks),
			)
		}
	}
}

// A chunk is of the JVM of the one before if it begins no more than a second before
// that one ends, and numbers its types alike if their clocks are no further apart than
// ten seconds.
func TestHowFarClocksMayBeApart(t *testing.T) {
	const ms = int64(1e6)
	last := header{major: 2, ticksPerSecond: 1e9, startNanos: 1e15, durationNanos: 60e3 * ms}
	for early, want := range map[int64]bool{800 * ms: false, 1500 * ms: true} {
		h := last
		if h.startNanos = last.end() - early; h.another(&last, 1) != want {
			t.Errorf("it begins %d ms early: another is %v", early/ms, !want)
		}
	}
	for off, want := range map[int64]bool{7e3 * ms: true, 15e3 * ms: false} {
		h := last
		if h.startNanos += off; h.sameTypes(&last) != want {
			t.Errorf("its clock is %d ms off: the same types are %v", off/ms, !want)
		}
	}
}

// addThread adds a thread to the constants of the chunk at hand.
func (r *Reader) addThread(key, os, java int64, name string) {
	data := binary.AppendUvarint([]byte{stringNull}, uint64(os))
	data = append(data, stringUTF8, byte(len(name)))
	data = binary.AppendUvarint(append(data, name...), uint64(java))
	r.symbols.chunk.pools[r.symbols.chunk.meta.parts.thread.pool].set(key, uint32(r.grow(append(data, 0)...))+1)
}

// A thread that gets another name in a later chunk stays one thread: as two,
// the first would live on to the end.
func TestRenamedThreadIsOne(t *testing.T) {
	r := started(t)
	const key, os, java = 1 << 20, 4711, 815
	var ids []format.ThreadID
	var names []string
	resolve := func(key, os, java int64, name string) {
		r.symbols.newConstants()
		r.addThread(key, os, java, name)
		ids = append(ids, r.symbols.thread(key))
	}
	r.symbols.queue = format.Queue{}
	for _, name := range []string{"worker", "GET /a", "GET /a", "worker"} {
		resolve(key, os, java, name)
	}
	for ev := (format.Event{}); r.symbols.queue.Pop(&ev); {
		names = append(names, ev.Name)
		if ev.Kind != format.KindThread || ev.Thread != ids[0] {
			t.Errorf("%+v", ev)
		}
	}
	if ids[0] != ids[1] || ids[0] != ids[2] || ids[0] != ids[3] {
		t.Errorf("ids %v of one thread", ids)
	}
	if len(names) != 3 || names[0] != "worker" || names[1] != "GET /a" || names[2] != "worker" {
		t.Errorf("names %q", names)
	}
	ids = nil
	resolve(key, os, java, "worker")
	resolve(key+1, os, java+1, "worker") // of the same name
	r.nextJVM()
	resolve(key, os, java, "another")
	if ids[0] == ids[1] || ids[0] == ids[2] || ids[1] == ids[2] {
		t.Errorf("ids %v of three threads", ids)
	}
}

// What virtual threads hide is at most their lives less what their events tell,
// overlapping events once, up to the end of the recording where their end is not
// recorded.
func TestVirtualThreadsHideTheirLives(t *testing.T) {
	const ms = int64(1e6)
	r := started(t)
	v := &r.symbols.ids.virtual
	v.since = 1000 * ms
	life := func(id format.ThreadID, start, end int64) {
		v.addThread(id)
		v.addThread(id) // as each chunk does
		virtualStart(r, &values{}, &format.Event{Time: start})
		if end > 0 {
			virtualEnd(r, &values{}, &format.Event{Time: end})
		}
	}
	life(3, 1000*ms, 1500*ms)
	life(4, 1200*ms, 0)
	for _, ev := range []format.Event{
		{Thread: 3, Time: 1100 * ms, End: 1200 * ms}, {Thread: 3, Time: 1150 * ms, End: 1250 * ms}, // 150 ms
		{Thread: 4, Time: 1900 * ms, End: 2000 * ms}, {Thread: 5, Time: 0, End: 9000 * ms}, // the last is none of them
	} {
		v.observe(&ev)
	}
	if ns, bounded := v.unobserved(2000 * ms); bounded || ns != (500+800-150-100)*ms {
		t.Errorf("%d, %v", ns, bounded)
	}
	v.jvm.first = true
	if _, bounded := v.unobserved(2000 * ms); !bounded {
		t.Error("all starts are recorded")
	}
	v.next(2000 * ms) // another JVM, without any
	if ns, bounded := v.unobserved(9000 * ms); !bounded || ns != 1050*ms {
		t.Errorf("in all: %d, %v", ns, bounded)
	}
	v.jvm.ran = true // it had some, whose starts are not recorded
	if _, bounded := v.unobserved(9000 * ms); bounded {
		t.Error("not all starts are recorded")
	}
}

// The starts of all count only where they were recorded all the time.
func TestVirtualThreadsAreCountedOrNot(t *testing.T) {
	for want, o := range map[bool][]ofJVM{
		true: {{}, {ran: true, first: true, started: 2, seen: 2}},
		false: {{ran: true}, {ran: true, started: 2, seen: 2}, {ran: true, first: true, started: 1, seen: 2},
			{ran: true, first: true, unlisted: true, started: 2, seen: 2}},
	} {
		for _, one := range o {
			golden.Equal(t, one.counted(), want, one, !want)
		}
	}
}
