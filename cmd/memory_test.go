package cmd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// longTrace writes a native sampled trace of at least size bytes before
// compression and returns how many events and bytes it holds: 24 threads on
// 4 locks, sampled every 10 ms, with the owners and waiters drawn at random.
func longTrace(tb testing.TB, path string, codec format.Codec, size int64) (events, raw int64) {
	tb.Helper()
	return sampledTrace(tb, path, codec, size, 10*time.Millisecond)
}

// sampledTrace is longTrace for any period.
func sampledTrace(
	tb testing.TB,
	path string,
	codec format.Codec,
	size int64,
	period time.Duration,
) (events, raw int64) {
	tb.Helper()
	f := golden.Must(os.Create(path))(tb)
	defer f.Close()
	out := bufio.NewWriter(f)
	w := golden.Must(format.NewWriter(out, format.WriterOptions{Codec: codec}))(tb)
	var buf []byte
	last := int64(0)
	write := func(ev *format.Event) {
		golden.OK(tb, w.Write(ev))
		buf = format.AppendEvent(buf[:0], ev, &last)
		events, raw = events+1, raw+int64(len(buf))
	}
	const locks, threads = 4, 24
	for i := range locks {
		write(
			&format.Event{Kind: format.KindObject, Object: format.ObjectID(i + 1), Class: fmt.Sprintf("app.Lock%d", i)},
		)
		write(
			&format.Event{
				Kind:  format.KindStack,
				Stack: format.StackID(i + 1),
				Frames: []format.Frame{
					{Class: "app.Main", Method: fmt.Sprintf("step%d", i), File: "Main.java", Line: 7 + i},
				},
			},
		)
	}
	for i := range threads {
		write(&format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprintf("worker-%d", i)})
	}
	rng := rand.New(rand.NewPCG(8, 1))
	party := func(lock, i int) format.Party {
		return format.Party{
			Thread: format.ThreadID(lock*threads/locks + i + 1),
			Stack:  format.StackID(rng.IntN(locks) + 1),
		}
	}
	var ev format.Event
	for at := int64(1.7e18); raw < size; at += period.Nanoseconds() {
		write(&format.Event{Kind: format.KindTick, Time: at + rng.Int64N(1e6), Intended: at, Live: threads})
		for lock := range locks {
			ev = format.Event{
				Kind:    format.KindContention,
				Time:    last,
				Object:  format.ObjectID(lock + 1),
				Owners:  ev.Owners[:0],
				Waiters: ev.Waiters[:0],
			}
			ev.Owners = append(ev.Owners, party(lock, 0))
			for i := range rng.IntN(threads / locks) {
				ev.Waiters = append(ev.Waiters, party(lock, i+1))
			}
			write(&ev)
		}
	}
	golden.OK(tb, w.Close())
	golden.OK(tb, out.Flush())
	return events, raw
}

// peak runs contend in a process of its own and returns the most memory it
// held, in bytes, as Linux counts it. Where other tests leave it no core to
// collect garbage on, the heap outgrows what is in it: what is above the bound
// is measured twice more, and the least counts.
func peak(t *testing.T, bound int64, args ...string) int64 {
	t.Helper()
	least := int64(math.MaxInt64)
	for try := 0; try < 3 && least > bound; try++ {
		c := exec.Command("contend", args...)
		c.Stderr, c.Env = os.Stderr, ownGC()
		most := golden.Must(peakOf(c))(t)
		least = min(least, most)
	}
	return least
}

// peakOf runs a command to its end. The error is what it ended with.
func peakOf(c *exec.Cmd) (most int64, err error) {
	if err := c.Start(); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	for {
		select {
		case err := <-done:
			return most, err
		case <-time.After(2 * time.Millisecond):
			most = max(most, highWater(c.Process.Pid))
		}
	}
}

// highWater reads VmHWM of a process; 0 once it has ended.
func highWater(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " kB")
	n, _ := strconv.ParseInt(kb, 10, 64)
	return n << 10
}

// onlyLinux skips what reads the memory of a process, and what takes too long
// under the race detector, which has its own.
func onlyLinux(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: the memory of processes, which the race detector's is not")
	}
	if runtime.GOOS != "linux" {
		t.Skip("peak memory is read from /proc, which only Linux has")
	}
}

func TestMemoryDoesNotGrowWithSampledTraces(t *testing.T) {
	golden.Thorough(t)
	onlyLinux(t)
	const bound, slack = 128 << 20, 24 << 20 // an event that is kept takes ten times its bytes
	dir := t.TempDir()
	short, long := filepath.Join(dir, "short.bin"), filepath.Join(dir, "long.bin")
	longTrace(t, short, format.Zstd, 4<<20)
	longTrace(t, long, format.Zstd, 20<<20)
	// csp prints a row for every interval: an answer of one length for both.
	for _, command := range []string{"analyze", "blame", "csp --interval 10m"} {
		args := strings.Fields(command)
		a := peak(t, bound, append(args, short)...)
		b := peak(t, min(bound, a+slack), append(args, long)...)
		t.Logf("%s: %d MB for 4 MB, %d MB for 20 MB", command, a>>20, b>>20)
		if a == 0 || b == 0 {
			t.Fatalf("%s: no memory was measured", command)
		}
		golden.AtMost(t, b, a+slack, command)
		golden.AtMost(t, b, bound, command)
	}
}

// A trace of many intervals: each is a row of pressure for each of four locks,
// and its pressure comes and goes, so that it is many phases as well. To keep
// the 200,000 rows, or half as many of a table, takes 50 to 100 MB.
func TestMemoryDoesNotGrowWithIntervals(t *testing.T) {
	golden.Thorough(t)
	onlyLinux(t)
	dir := t.TempDir()
	hours14, hours7 := filepath.Join(dir, "14.bin"), filepath.Join(dir, "7.bin")
	for path, size := range map[string]int64{hours14: 4 << 20, hours7: 2 << 20} {
		if events, _ := sampledTrace(t, path, format.Zstd, size, time.Second); events < size/20 {
			// a tick and four locks a second
			t.Fatalf("%d events in %d bytes: the trace is too short", events, size)
		}
	}
	const bound = 96 << 20
	for _, c := range [][2]string{ // tables take long to lay out
		{"analyze", hours14}, {"csp", hours7}, {"csp --format csv", hours14}, {"csp --chart --interval 1s", hours14},
		{"csp --format json", hours14},
	} {
		most := peak(t, bound, append(strings.Fields(c[0]), c[1])...)
		t.Logf("%s: %d MB", c[0], most>>20)
		if most == 0 || most > bound {
			t.Errorf("%s: the peak is %d MB, the bound %d", c[0], most>>20, bound>>20)
		}
	}
}

// base and perHold bound the peak resident size of an analysis of an exact
// trace, in bytes: perHold for each wait and each recorded tenure.
const (
	base    = 128 << 20
	perHold = 40
)

func TestMemoryOfExactTraces(t *testing.T) {
	golden.Thorough(t)
	onlyLinux(t)
	path := filepath.Join(t.TempDir(), "trace.bin")
	run(t, "simulate", "--scenario", "random", "--threads", "16", "--exact", "--duration", "600s", "-o", path)
	holds := ask[document.Verify](t, "verify", path).Events // most are waits and tenures
	limit := base + perHold*holds
	most := peak(t, limit, "analyze", path)
	t.Logf("%d events: peak %d MB", holds, most>>20)
	if most == 0 || most > limit || holds < 1e6 {
		t.Errorf("peak %d bytes for %d events, bound %d", most, holds, limit)
	}
}

const wildHead = `contend 1
thread thread=1 name="a" group="b"
thread thread=2 name="b" group="b"
object lock=1 class="c" hash=7
stack stack=1 frames="a.B":"m":"B.java":3
`

// wildTimes are traces whose times lie as far apart as numbers do: what a
// flipped bit makes of any.
var wildTimes = map[string]string{
	"exact": `recording time=-9223372036854775808 end=9223372036854775807
thread-start time=-4611686018427387904 thread=1
tenure time=0 end=1 thread=1 lock=1 stack=1
wait time=1 end=1000 thread=1 lock=1 stack=1
wait time=1 end=4611686018427387904 thread=1 lock=1 stack=1
wait time=4611686018427387904 end=4611686018427388904 thread=2 lock=1 stack=1
wait time=-5 end=9223372036854775807 thread=2 lock=1 stack=1
tenure time=-9223372036854775808 end=9223372036854775807 thread=1 lock=1 stack=1
`,
	"sampled": `tick time=-9223372036854775808 intended=1 live=2
contention time=-9223372036854775808 lock=1 owners=1/1/x waiters=2/1/x
tick time=1 intended=1 live=2
contention time=1 weight=9223372036854775807 lock=1 owners=1/1/x waiters=2/1/x
tick time=10000001 intended=10000001 weight=9223372036854775807 live=2
contention time=10000001 lock=1 owners=1/1/x waiters=2/1/x
tick time=4611686018427387904 intended=1 weight=4611686018427387904 live=4000000000
contention time=4611686018427387904 weight=4611686018427387904 lock=1 owners=1/1/x waiters=2/1/x
`,
}

// wildCommands are those that make something for each stretch of time, or
// could. TRACE is the input.
var wildCommands = []string{
	"verify TRACE", "analyze TRACE", "analyze --format json TRACE", "analyze --from 1s --to 2s TRACE", "blame TRACE",
	"blame --root --by owner-thread,lock TRACE",
	"csp TRACE", "csp --format json TRACE", "csp --chart TRACE", "csp --format svg TRACE",
	"csp --interval 100000h TRACE", "csp --interval 1000h --metrics TRACE",
	"hist TRACE", "hist --format json TRACE", "hist -o OUT.svg TRACE", "hist -o OUT.hlog TRACE",
	"hist --interval 1ms -o OUT.hlog TRACE",
	"flame -o OUT.html TRACE", "flame --format folded TRACE", "chains TRACE", "graph TRACE",
	"graph -o OUT.html TRACE", "diff TRACE TRACE",
	"whatif TRACE", "check --rule csp(*)_<_5% TRACE", "pprof -o OUT.pb.gz TRACE", "dump TRACE",
	"convert -o OUT.bin TRACE", "convert -o OUT.bin a=TRACE b=TRACE",
}

// maxWild bounds what a command may take of memory, all that a process has:
// these traces have six events.
const maxWild = 192 << 20

// Whatever the times, no command fills the memory with what lies between: it
// answers, or says which interval to choose.
func TestWildTimes(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("each command is a process of its own: slow under the race detector")
	}
	dir := t.TempDir()
	for name, text := range wildTimes {
		path := filepath.Join(dir, name+".txt")
		golden.OK(t, os.WriteFile(path, []byte(wildHead+text+"end\n"), 0o600))
		for _, command := range wildCommands {
			args := strings.Fields(command)
			for i, arg := range args {
				args[i] = strings.NewReplacer("TRACE", path, "OUT", filepath.Join(dir, "out"), "_<_", " < ").
					Replace(arg)
			}
			wildly(t, name+": "+command, args)
		}
		code, out, _ := runLine("analyze", "--tables", path)
		if code != exitDamaged || !strings.Contains(out, "impossible times") ||
			strings.Contains(out, "WALL") && strings.Contains(out, "wall-time -") {
			t.Errorf("%s: nothing said of the times, or a negative wall-time:\n%s", name, out)
		}
	}
}

// wildly runs one command.
func wildly(t *testing.T, what string, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	var msg bytes.Buffer
	c := exec.CommandContext(ctx, "contend", args...)
	c.Stderr, c.Env = &msg, ownGC()
	most, err := peakOf(c)
	code := c.ProcessState.ExitCode()
	tooLong := code == exitUsage && strings.Contains(msg.String(), "--interval: ")
	outside := code == exitUsage && strings.Contains(msg.String(), "nothing of the input lies within --from and --to")
	broken := args[0] == "check" && code == exitRules // the rule
	if code != exitDamaged && !tooLong && !outside && !broken {
		t.Errorf("%s: exit %d, %v: %s", what, code, err, msg.String())
	}
	golden.AtMost(t, most, maxWild, what, most>>20, "MiB of memory")
}
