package jfr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

// set books a setting of an event, and returns what is delivered of it.
func (r *Reader) set(t *testing.T, event, name, value string) (ev format.Event, told bool) {
	t.Helper()
	for id, p := range r.symbols.chunk.meta.programs {
		if p.spec.name == event {
			text := func(s string) int64 { return int64(r.grow(append([]byte{stringUTF8, byte(len(s))}, s...)...)) }
			v := values{slotID: id, slotName: text(name), slotValue: text(value)}
			told = setting(r, &v, &ev)
			return ev, told
		}
	}
	t.Fatal("no event ", event)
	return ev, false
}

// No waits where none were recorded is no answer.
func TestSettingsThatRecordNoWaits(t *testing.T) {
	r := started(t)
	clear(r.evidence.recorded)
	for _, c := range []struct{ event, value, want string }{
		{"ThreadSleep", "false", "it is unknown whether waits were recorded"},
		{"ThreadPark", "false", "disable jdk.ThreadPark;"},
		{"JavaMonitorEnter", "false", "disable jdk.JavaMonitorEnter and jdk.ThreadPark;"},
		{"JavaMonitorEnter", "true", "disable jdk.ThreadPark;"},
		{"JavaMonitorEnter", "false", "disable jdk.ThreadPark;"}, // later: it was recorded before
		{"ThreadPark", "true", ""},
	} {
		r.set(t, c.event, "enabled", c.value)
		said := ""
		for _, w := range r.Stats().Warnings {
			said += w.String()
		}
		golden.Holds(golden.Labelled(t, c.event, c.value), said, c.want)
		golden.Equal(t, said == "", c.want == "", c.event, c.value)
	}
}

// What async-profiler did not record, no setting of the JDK would have.
func TestAdviceForAsyncProfiler(t *testing.T) {
	r := started(t)
	clear(r.evidence.recorded)
	for _, want := range []string{"'contend jfc' prints", "async-profiler records them with -e lock"} {
		r.set(t, "JavaMonitorEnter", "enabled", "false")
		s := r.Stats()
		if w := s.Warnings; len(w) != 1 || !strings.Contains(w[0].Hint, want) ||
			strings.HasSuffix(s.Format, format.OfAsyncProfiler) != r.symbols.chunk.meta.sampler {
			t.Errorf("%s: %v, want %q", s.Format, w, want)
		}
		r.symbols.chunk.meta.sampler = true
	}
}

// async-profiler calls its threshold "lock", in nanoseconds; 0 leaves out none.
func TestThresholdOfAsyncProfiler(t *testing.T) {
	r := started(t)
	if ev, told := r.set(t, "JavaMonitorEnter", "lock", "0"); told {
		t.Errorf("%+v", ev)
	}
	if ev, told := r.set(t, "JavaMonitorEnter", "lock", "10000"); !told ||
		ev.Name != "jdk.JavaMonitorEnter#threshold" ||
		ev.Value != "10000 ns" ||
		ev.Weight != 10000 {
		t.Errorf("%v %+v", told, ev)
	}
}

// A program may set a threshold without a space; the JDK's own settings have
// one.
func TestThresholdsWithAndWithoutSpace(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"20 ms": 20 * time.Millisecond, "10ms": 10 * time.Millisecond, "10000000 ns": 10 * time.Millisecond, "0 ns": 0,
		"1  s": time.Second, "2m": 2 * time.Minute, "infinity": 0, "": 0, "7": 0, "9999999999999 d": math.MaxInt64,
	} {
		golden.Equal(t, nanoseconds(text), int64(want), text, want)
	}
}

// The time a sleep asked for is in the unit that the recording tells.
func TestSleepsHaveTheirUnit(t *testing.T) {
	for name, want := range map[string]int64{"truth-8threads.jfr": 20e6, "truth-8threads-jdk25.jfr": 20} {
		data := load(t, ours+"/"+name)
		r := golden.Must(NewReader(bytes.NewReader(data), name, Options{}))(t)
		unit := r.symbols.chunk.meta.units[slotTime]
		golden.Equal(t, r.symbols.timespan(20, unit), want, name, "20", unit)
	}
	r := started(t)
	golden.Equal(t, r.symbols.timespan(1000, "TICKS"), r.symbols.chunk.head.nanos(1000), "1000 ticks are")
}

func hints(h *unobserved) string {
	var out []string
	for _, w := range h.warnings() {
		out = append(out, w.Code+": "+w.Text)
	}
	return strings.Join(out, "\n")
}

// Owners of locks wait for processors where there are locks that somebody waits for.
func TestSaturationNeedsAFifthOfTheSamplesAndWaiting(t *testing.T) {
	for _, c := range []struct {
		busy, all       int
		contended, said bool
	}{{0, 0, true, false}, {1, 10, true, false}, {2, 10, true, true}, {2, 10, false, false}} {
		golden.Equal(
			t,
			hints(&unobserved{loads: c.all, saturated: c.busy, contended: c.contended}) != "",
			c.said,
			c.busy,
			c.all,
		)
	}
}

// Waits whose stacks are cut count with their time; a machine is saturated when
// hardly any of it is idle.
func TestTruncatedStacksAndLoads(t *testing.T) {
	r := started(t)
	const key = 1 << 20
	where := r.grow(1, 0) // truncated, and of no frames
	r.symbols.chunk.pools[r.symbols.chunk.meta.parts.stack.pool].set(key, uint32(where)+1)
	id := r.symbols.stack(key)
	r.inspect(&format.Event{Kind: format.KindWait, Stack: id, Time: 5, End: 3_000_005})
	for _, share := range []float32{0.5, 0.9, 0.97, 1} {
		cpuLoad(r, &values{slotLoad: int64(math.Float32bits(share))}, nil)
	}
	hidden := &r.evidence.unobserved
	if hidden.cut != (amount{1, 3_000_000}) || !hidden.contended || hidden.loads != 4 || hidden.saturated != 2 {
		t.Errorf("%+v", r.evidence.unobserved)
	}
	golden.Holds(t, hints(&r.evidence.unobserved), "truncated-stacks: the stacks of 1 wait, 3.00 ms")
}

// environments are the events that tell what else a machine runs, and with which
// variables: secrets among them.
var environments = []string{"jdk.InitialEnvironmentVariable", "jdk.SystemProcess"}

// No recording that is committed tells of the machine it was made on.
func TestRecordingsAreScrubbed(t *testing.T) {
	recordings := 0
	err := filepath.WalkDir(ours, func(path string, _ fs.DirEntry, err error) error {
		if name := strings.TrimSuffix(path, ".gz"); err != nil || !strings.HasSuffix(name, ".jfr") {
			return err
		}
		recordings++
		found := eventsOf(t, path)
		if len(found) == 0 {
			t.Errorf("%s holds no events", path)
		}
		for _, name := range environments {
			golden.AtMost(t, found[name], 0, path, "holds", "events of", name, "scrub it")
		}
		return nil
	})
	if err != nil || recordings < 30 {
		t.Fatalf("%d recordings: %v", recordings, err)
	}
}

// eventsOf counts the events of a recording by their class, wanted or not.
func eventsOf(t *testing.T, path string) map[string]int {
	t.Helper()
	data := load(t, path)
	count := map[string]int{}
	s := splitter{in: input{in: bytes.NewReader(data)}, name: path, specs: wanted(), metas: map[string]*metadata{}}
	for {
		var c chunk
		if err := s.next(&c); errors.Is(err, io.EOF) {
			return count
		} else if err != nil || c.meta == nil {
			t.Fatalf("%s: no metadata: %v", path, err)
		}
		for at := headerSize; at < len(c.buf); {
			cur := c.cursor(at)
			at += int(cur.integer("size", 4))
			if cl := c.meta.classes[cur.long("type")]; cl != nil {
				count[cl.name]++
			}
		}
	}
}

// begun returns a reader that has read a chunk of a recording, and whose bytes
// may be added to.
func started(t *testing.T) *Reader {
	t.Helper()
	r := golden.Must(NewReader(bytes.NewReader(load(t, ours+"/truth-8threads.jfr")), "test.jfr", Options{}))(t)
	var ev format.Event
	err := r.Read(&ev)
	if chunk := &r.symbols.chunk; err != nil || chunk.meta.parts.stack == nil || chunk.head.features&compressed == 0 {
		t.Fatal("no chunk with stacks: ", err)
	}
	return r
}

// grow adds bytes to the chunk and returns where they are.
func (r *Reader) grow(data ...byte) (at int) {
	at = len(r.symbols.chunk.buf)
	r.symbols.chunk.buf = append(bytes.Clone(r.symbols.chunk.buf), data...)
	return at
}

// Strings that are a constant which is another one, or themselves: a cycle of
// any length ends at the second.
func TestConstantsInCycles(t *testing.T) {
	r := started(t)
	const ping, pong, self = 1 << 20, 1<<20 + 1, 1<<20 + 2
	for key, next := range map[int64]uint64{ping: pong, pong: ping, self: self} {
		at := r.grow(append([]byte{stringConstant}, binary.AppendUvarint(nil, next)...)...)
		r.symbols.chunk.pools[r.symbols.chunk.meta.parts.texts].set(key, uint32(at)+1)
		golden.Equal(t, r.symbols.text(int64(at)), "", "constant", key, "reads")
	}
}

func TestMain(m *testing.M) { golden.Main(m) }
