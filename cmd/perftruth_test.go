package cmd

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contend/golden"
	"contend/report/document"
)

// nativeTruth is what testdata/native/truth.cc and truth.rs log of themselves.
type nativeTruth struct {
	IdleNs    int64 `json:"idle_ns"`
	IdleWaits int64 `json:"idle_waits"`
	Locks     []nativeLock
}

type nativeLock struct {
	Lock      string
	Waits     int64
	WaitNs    int64              `json:"wait_ns"`
	HandoffNs int64              `json:"handoff_ns"`
	Waiters   map[string]float64 // ns by operation
	BlockedBy map[string]float64 `json:"blocked_by"`
}

// handedOff is the operation of who is no thread.
const handedOff = "[handoff]"

// byOperation sums what blame says of each lock by the operations in the stacks of a key:
// functions of the program whose names begin with do. doCheckout is checkout, do_checkout too.
func byOperation(t *testing.T, path, key string) map[string]map[string]float64 {
	t.Helper()
	sums := map[string]map[string]float64{}
	for _, r := range ask[document.Blame](t, "blame", "--by", "lock,"+key, path).Rows {
		if sums[r.Keys[0]] == nil {
			sums[r.Keys[0]] = map[string]float64{}
		}
		by := "[none]"
		if strings.HasPrefix(r.Keys[1], "[") {
			by = r.Keys[1]
		}
		for _, f := range r.Stack {
			name := strings.TrimPrefix(f.Method[strings.LastIndex(f.Method, "::")+1:], ":")
			if op, ok := strings.CutPrefix(name, "do"); ok && op != "" {
				op = strings.TrimPrefix(op, "_")
				by = strings.ToLower(op[:1]) + op[1:]
				break
			}
		}
		sums[r.Keys[0]][by] += float64(r.ThreadNs)
	}
	return sums
}

// lockOf returns the lock that is waited for most by the operations, and no other, that a
// lock of the truth is waited for by.
func lockOf(t *testing.T, waiters map[string]map[string]float64, want *nativeLock) (best string) {
	t.Helper()
	for lock, by := range waiters {
		others := func(op string) bool { return want.Waiters[op] == 0 }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(by)), others) && sum(by) > sum(waiters[best]) {
			best = lock
		}
	}
	if best == "" {
		t.Fatalf("nothing waits for %s as the program does", want.Lock)
	}
	return best
}

// operations are those of threads: hand-off and what is unknown left out.
func operations(by map[string]float64) map[string]float64 {
	by = maps.Clone(by)
	maps.DeleteFunc(by, func(op string, _ float64) bool { return strings.HasPrefix(op, "[") })
	return by
}

// offNative holds what contend says of a recording to what the program logged:
// waiting by lock within 3 %, owners within a distance of 0.10, hand-off within
// 8 % of the waiting: who takes a lock that is free for somebody who is still
// without a processor leaves nothing behind. A few short waits say nothing, nor
// does a lock that threads wait for little but to run.
// It returns what is further off.
func offNative(t *testing.T, path, truthPath string) (wrong []string) {
	t.Helper()
	var want nativeTruth
	readTruth(t, truthPath, &want)
	waiters, owners := byOperation(t, path, "waiter-stack"), byOperation(t, path, "owner-stack")
	checked := 0
	for i := range want.Locks {
		w := &want.Locks[i]
		if w.WaitNs-w.HandoffNs < 50e6 {
			continue
		}
		checked++
		lock := lockOf(t, waiters, w)
		by := owners[lock]
		off := math.Abs(sum(waiters[lock])/float64(w.WaitNs) - 1)
		d, late := pairDistance(
			operations(by),
			operations(w.BlockedBy),
		), math.Abs(
			by[handedOff]-float64(w.HandoffNs),
		)/float64(
			w.WaitNs,
		)
		t.Logf(
			"%s (%s): waiting off by %.2f %%, owners by %.3f, hand-off by %.1f %%",
			w.Lock,
			lock,
			100*off,
			d,
			100*late,
		)
		if off > 0.03 || d > 0.10 || late > 0.08 {
			wrong = append(
				wrong,
				fmt.Sprintf(
					"%s: waiting off by %.3f, owners by %.3f, hand-off by %.3f: %v, want %v",
					w.Lock,
					off,
					d,
					late,
					by,
					w.BlockedBy,
				),
			)
		}
	}
	if checked < 3 {
		wrong = append(wrong, fmt.Sprintf("%d locks are waited for long enough to be checked", checked))
	}
	for lock, by := range waiters {
		if by["[none]"] > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: waits outside of operations: %v", lock, by))
		}
	}
	return wrong
}

// Recordings of a C++ and of a Rust program, against what it logged of itself.
func TestNativeOwnersEqualTheProgramsOwnLog(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for _, name := range []string{"perf-truth-seed1", "perf-truth-seed2", "perf-rust-seed1"} {
		t.Run(name, func(t *testing.T) {
			for _, what := range offNative(t, "../testdata/"+name+".perf.txt.zst", "../testdata/"+name+".truth.json") {
				t.Error(what)
			}
		})
	}
}

// What consumers wait for at a condition variable is no waiting for a lock, and
// neither is a join: it stands beside, by the instant at which they were woken.
func TestNativeIdleWaitsAreNotCounted(t *testing.T) {
	golden.ParallelUnlessShort(t)
	var want nativeTruth
	readTruth(t, "../testdata/perf-truth-seed1.truth.json", &want)
	doc := analyzed(t, "../testdata/perf-truth-seed1.perf.txt.zst")
	var waited, waits int64
	for _, r := range doc.Resources {
		if r.Site == "doDrain" {
			waited, waits = waited+r.WaitNs, waits+r.Waits
		} else if r.WaitNs > want.IdleNs/50 { // a condition waits for those that it has woken
			t.Errorf("%+v is neither a lock nor what consumers wait for", r)
		}
	}
	golden.Within(t, waits, want.IdleWaits*95/100, want.IdleWaits)
	golden.Within(t, waited, want.IdleNs*3/4, want.IdleNs)
	logged := int64(0)
	for _, l := range want.Locks {
		logged += l.WaitNs
	}
	golden.AtMost(
		t,
		math.Abs(float64(doc.Total.WaitNs)/float64(logged)-1),
		0.03,
		"of waiting for locks, the program says",
		logged,
	)
}

// A Python program's locks, its interpreter's apart, whose names perf has from
// python3 -X perf. The program logs a wait from asking to going on: the waiting for
// the lock, for the GIL behind it, which has the call that takes the lock in its
// stack, and for a processor before and between, which is no waiting for a lock.
func TestPythonLocksEqualTheProgramsOwnLog(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for _, name := range []string{"perf-python312-seed1", "perf-python312-seed2"} {
		var want nativeTruth
		readTruth(t, "../testdata/"+name+".truth.json", &want)
		locks, got := map[string]bool{}, map[string]float64{}
		for _, r := range ask[document.Blame](t, "blame", "--by", "lock,waiter-stack", "--top", "0",
			"../testdata/"+name+".perf.txt.zst").Rows {
			locks[r.Keys[0]] = true
			at := slices.IndexFunc(r.Stack, func(f document.Frame) bool { return f.Class == "truth" })
			if at > 0 &&
				slices.ContainsFunc(r.Stack[:at], func(f document.Frame) bool { return f.Method == "acquire_timed" }) {
				got[r.Stack[at].Method] += float64(r.ThreadNs)
			}
		}
		golden.Equal(t, len(locks), 3, name, "locks", locks, "want two and the GIL")
		for i := range want.Locks {
			w, sum := &want.Locks[i], 0.0
			for op := range w.Waiters {
				sum += got[op]
			}
			part := sum / float64(w.WaitNs)
			t.Logf("%s: %s: %.3f of what the program says", name, w.Lock, part)
			if part > 1.01 || part < 0.8 {
				t.Errorf("%s: %s: %.0f ns, the program says %d", name, w.Lock, sum, w.WaitNs)
			}
		}
	}
}

// The same live, on this machine, which may be too busy for some of the time.
func TestPerfRecordsLive(t *testing.T) {
	golden.Thorough(t)
	for _, tool := range []string{"perf", "g++", "sleep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s here", tool)
		}
	}
	program := filepath.Join(t.TempDir(), "truth")
	if said, err := exec.Command("g++", "-std=c++17", "-O1", "-g1", "-pthread", "-o", program,
		"../testdata/native/truth.cc").CombinedOutput(); err != nil {
		t.Skipf("g++: %v: %s", err, said)
	}
	var wrong []string
	for range 3 {
		if wrong = recordedLive(t, program); len(wrong) == 0 {
			return
		}
	}
	for _, what := range wrong {
		t.Error(what)
	}
}

// recordedLive records a run of the program and returns what of it is wrong.
func recordedLive(t *testing.T, program string) []string {
	t.Helper()
	dir := t.TempDir()
	gate, out := filepath.Join(dir, "gate"), filepath.Join(dir, "live.bin")
	c := exec.Command(program, filepath.Join(dir, "truth.json"), "1500", "5", gate)
	golden.OK(t, c.Start())
	defer c.Wait()
	seconds := fmt.Sprintf("20.%d1", c.Process.Pid) // nobody else sleeps as long
	opened := make(chan error, 1)
	go func() {
		for try := 0; try < 200 && !runs("sleep "+seconds); try++ { // perf begins its command when it records
			time.Sleep(50 * time.Millisecond)
		}
		opened <- os.WriteFile(gate, nil, 0o644)
	}()
	var answer, msg bytes.Buffer
	code := Main(
		[]string{"record", "--perf", "--duration", seconds + "s", "-o", out, strconv.Itoa(c.Process.Pid)},
		nil,
		&answer,
		&msg,
	)
	golden.OK(t, <-opened)
	if code != exitOK &&
		(strings.Contains(msg.String(), "lets this user") || strings.Contains(msg.String(), "may not read") ||
			strings.Contains(msg.String(), "no futex events")) {
		t.Skip(msg.String())
	}
	if code != exitOK || !strings.Contains(msg.String(), "the process ended") {
		t.Fatalf("exit %d: %s\n%s", code, msg.String(), answer.String())
	}
	golden.OK(t, c.Wait())
	wrong := offNative(t, out, filepath.Join(dir, "truth.json"))
	if !strings.Contains(answer.String(), "doExportReport") {
		wrong = append(wrong, "nothing says doExportReport: "+answer.String())
	}
	return wrong
}

// runs reports whether a process has a command line.
func runs(line string) bool {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		if text, err := os.ReadFile(path); err == nil &&
			strings.TrimRight(strings.ReplaceAll(string(text), "\x00", " "), " ") == line {
			return true
		}
	}
	return false
}
