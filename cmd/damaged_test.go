package cmd

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// damages is how often each fixture is cut and how many of its bytes are
// changed, one at a time. 200 takes ten minutes of one core.
var damages = flag.Int("damages", 4, "damage each fixture so many times in each way")

// What any input may take. The time only ends what hangs: a busy machine is no
// fault of the program.
const (
	maxHeap = 512 << 20
	hangs   = 5 * time.Minute
)

// damagedFixtures are the inputs of all kinds there are, ours and others'.
var damagedFixtures = []string{"../testdata/*.jfr", "../testdata/*.txt", "../testdata/*.json", "../testdata/*.trace", "../../shared/fixtures/public/*/*"}

// Every fixture, cut or changed anywhere: an answer or a clear error, in
// bounded time and memory, and verify and analyze agree on what it is.
func TestDamagedFixtures(t *testing.T) {
	golden.Thorough(t)
	t.Setenv("GOGC", "") // the heap is the command's own
	var peak heapPeak
	peak.watch(t)
	var worst worstRuns
	times := *damages
	if testing.Short() {
		times = 1
	}
	for _, pattern := range damagedFixtures {
		paths := golden.Must(filepath.Glob(pattern))(t)
		if len(paths) == 0 {
			t.Logf("nothing matches %s", pattern)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "s.json") && strings.Contains(path, ".t") { // totals and truth: what is expected
				continue
			}
			for d := range damagedCopies(t, path, timesOf(path, times)) {
				if peak.max.Load() > maxHeap/8 {
					runtime.GC() // what the last one left says nothing of this one
				}
				peak.max.Store(0)
				started := time.Now()
				answers(t, d)
				run := damagedRun{what: d.what, took: time.Since(started), heap: peak.max.Load()}
				worst.add(run)
				golden.AtMost(t, run.heap, maxHeap, run)
			}
		}
	}
	t.Logf("%d damaged inputs; most heap: %v; slowest of two commands: %v", worst.runs, worst.largest, worst.slowest)
}

// timesOf is how often a file is damaged: large ones, which take most of the
// time, a quarter as often, but in each way once.
func timesOf(path string, times int) int {
	if info, err := os.Stat(path); err == nil && info.Size() > 200<<10 {
		return (times + 3) / 4
	}
	return times
}

// damagedRun is what one damaged input took of two commands. What names the
// file, the place and the byte: enough to do it again.
type damagedRun struct {
	what string
	took time.Duration
	heap uint64 // the largest, in bytes
}

// String is for a log.
func (r damagedRun) String() string {
	return fmt.Sprintf("%s: %v and a heap of %d MiB", r.what, r.took.Round(time.Millisecond), r.heap>>20)
}

// worstRuns are the ones to look at.
type worstRuns struct {
	runs             int
	slowest, largest damagedRun
}

// add counts one.
func (w *worstRuns) add(r damagedRun) {
	w.runs++
	if r.took > w.slowest.took {
		w.slowest = r
	}
	if r.heap > w.largest.heap {
		w.largest = r
	}
}

// damagedCopy is a fixture with something wrong in it.
type damagedCopy struct {
	what string
	data []byte
}

// damagedCopies cuts a fixture at n places and changes a byte at n others; the
// same ones each time. A copy is good until the next one is asked for.
func damagedCopies(t *testing.T, path string, n int) iter.Seq[damagedCopy] {
	t.Helper()
	whole := golden.Must(os.ReadFile(path))(t)
	h := fnv.New64a()
	h.Write([]byte(filepath.Base(path)))
	random := rand.New(rand.NewPCG(h.Sum64(), 1))
	return func(yield func(damagedCopy) bool) {
		for range n {
			if len(whole) == 0 {
				return
			}
			at := random.IntN(len(whole))
			if !yield(damagedCopy{fmt.Sprintf("%s cut to %d bytes", path, at), whole[:at]}) {
				return
			}
			at, flip := random.IntN(len(whole)), byte(1+random.IntN(255))
			whole[at] ^= flip
			more := yield(damagedCopy{fmt.Sprintf("%s with byte %d changed to %#x", path, at, whole[at]), whole})
			whole[at] ^= flip
			if !more {
				return
			}
		}
	}
}

// answers runs commands on an input.
func answers(t *testing.T, d damagedCopy) {
	t.Helper()
	watchdog := time.AfterFunc(hangs, func() {
		stacks := make([]byte, 1<<20)
		panic(fmt.Sprintf("%s: no answer after %v\n%s", d.what, hangs, stacks[:runtime.Stack(stacks, true)]))
	})
	defer watchdog.Stop()
	verified, _ := answer(t, d, "verify")
	analyzed, said := answer(t, d, "analyze")
	golden.Equal(t, verified, analyzed, d.what, "verify exits with", said)
}

// answer runs one command and holds its exit code to what it says.
func answer(t *testing.T, d damagedCopy, command string) (code int, said string) {
	t.Helper()
	var out, msg bytes.Buffer
	code = Main([]string{command, "-"}, io.NopCloser(bytes.NewReader(d.data)), &out, &msg)
	lines := strings.Split(strings.TrimRight(msg.String(), "\n"), "\n")
	switch {
	case code == exitOK || code == exitDamaged && strings.Contains(msg.String(), "contend: warning: "):
		if out.Len() == 0 {
			t.Errorf("%s: %s exits with %d and answers nothing", d.what, command, code)
		}
	case code == exitFailed:
		if out.Len() > 0 || !strings.HasPrefix(lines[len(lines)-1], "hint: ") && !strings.HasPrefix(lines[len(lines)-1], "contend: -:") {
			t.Errorf("%s: %s fails with\n%s%s", d.what, command, out.String(), msg.String())
		}
	default:
		t.Errorf("%s: %s exits with %d: %s", d.what, command, code, msg.String())
	}
	return code, msg.String()
}

// heapPeak is the largest heap seen, garbage not yet collected included.
type heapPeak struct{ max atomic.Uint64 }

// watch looks at the heap until the test ends.
func (p *heapPeak) watch(t *testing.T) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			metrics.Read(s)
			p.max.Store(max(p.max.Load(), s[0].Value.Uint64()))
			select {
			case <-tick.C:
			case <-stop:
				tick.Stop()
				return
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}

// A file that an agent wrote (60 samples of four threads, two locks).
const agentFile = "../testdata/agent-small.bin"

// An agent's file that is cut, wherever that is, as by a kill or a full disk: the
// blocks before are read, all of them, and the rest is told.
func TestEveryCutOfAnAgentsFile(t *testing.T) {
	t.Parallel()
	data := golden.Must(os.ReadFile(agentFile))(t)
	if n := len(blockEnds(data)); n < 4 {
		t.Fatalf("%d blocks", n)
	}
	complete := false
	step := 1
	if testing.Short() {
		step = 13
	}
	for n := 0; n <= len(data); n += step {
		var out, msg bytes.Buffer
		code := Main([]string{"verify", "--format", "json", "-"}, bytes.NewReader(data[:n]), &out, &msg)
		switch {
		case n < len(magicOf(data)):
			if code != exitFailed || out.Len() > 0 || strings.Count(msg.String(), "\n") > 2 || !strings.HasPrefix(msg.String(), "contend: ") {
				t.Fatalf("%d bytes: exit %d, %s", n, code, msg.String())
			}
			continue
		case n == len(data):
			complete = true
			if code != exitOK {
				t.Fatalf("whole: exit %d, %s", code, msg.String())
			}
		case code != exitDamaged:
			t.Fatalf("%d bytes: exit %d, %s", n, code, msg.String())
		}
		var doc document.Verify
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if want := eventsBefore(data, n); doc.Events != want {
			t.Fatalf("%d bytes: %d events, want %d", n, doc.Events, want)
		}
	}
	if !complete && !testing.Short() {
		t.Error("the whole file was not tried")
	}
}

// What is left of a file analyzes, from the first sample that shows a wait on.
func TestWhatIsLeftOfAnAgentsFileIsAnalyzed(t *testing.T) {
	t.Parallel()
	data := golden.Must(os.ReadFile(agentFile))(t)
	last, whole := int64(0), int64(0)
	ends := blockEnds(data)
	for _, n := range ends {
		var out, msg bytes.Buffer
		if code := Main([]string{"analyze", "--format", "json", "-"}, bytes.NewReader(data[:n]), &out, &msg); code != exitDamaged && n < len(data) {
			t.Fatalf("%d bytes: exit %d, %s", n, code, msg.String())
		}
		var doc document.Analyze
		golden.OK(t, json.Unmarshal(out.Bytes(), &doc))
		whole = 0
		for _, l := range doc.Locks {
			whole += l.WaitNs
		}
		golden.AtLeast(t, whole, last, n, "bytes", "with fewer")
		last = whole
	}
	golden.AtLeast(t, whole, 4e9, "in all")
}

func magicOf(data []byte) []byte { return data[:bytes.Index(data, []byte(format.Marker))] }

// blockEnds returns where the blocks of a trace end.
func blockEnds(data []byte) (ends []int) {
	for at := len(magicOf(data)); at < len(data); {
		stored := int(binary.LittleEndian.Uint32(data[at+len(format.Marker):]))
		at += format.BlockHeaderSize(format.Version) + stored
		ends = append(ends, at)
	}
	return ends
}

// eventsBefore counts the events of the blocks that end within n bytes, by their
// headers. The end of the trace counts as none.
func eventsBefore(data []byte, n int) (sum int64) {
	at := len(magicOf(data))
	for _, end := range blockEnds(data) {
		if end <= n {
			sum += int64(binary.LittleEndian.Uint32(data[at+len(format.Marker)+9:]))
		}
		at = end
	}
	if n == len(data) {
		sum-- // the end itself
	}
	return sum
}
