package agent

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contend/decode"
	"contend/format"
	"contend/golden"
)

// beside compiles a class that uses those of the agent, and returns the class path;
// where that cannot be, or would take too long, it skips the test.
func beside(t *testing.T, name string) string {
	t.Helper()
	golden.Thorough(t)
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no JDK here")
	}
	dir := t.TempDir()
	jar := filepath.Join(dir, jarFile)
	golden.OK(t, os.WriteFile(jar, Jar, 0o644))
	source := "testdata/contend/agent/" + name + ".java"
	compile := exec.Command("javac", "-cp", jar, "-sourcepath", "testdata", "-d", dir, source)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return jar + string(os.PathListSeparator) + dir
}

// printed runs a class, and returns what it prints.
func printed(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("java", "-cp", beside(t, name), "contend.agent."+name).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// A thread that has started since the agent last looked is named before it is
// shown to own a lock.
func TestANewOwnerHasItsName(t *testing.T) {
	t.Parallel()
	if got := printed(t, "Fresh"); got != "false true true" {
		t.Errorf("known before, when it owns, and in the trace: %s, want false true true", got)
	}
}

// A trace for whose end there is no room leaves no file open in the program.
func TestATraceIsClosedOnAFullDisk(t *testing.T) {
	t.Parallel()
	if got := printed(t, "Full"); got != "true" {
		t.Errorf("closed: %s, want true", got)
	}
}

// Who has waited for long, and stands at the stop where no thread was seen to wait,
// owns the monitor; who stands where threads wait has been handed it, and does not
// run yet.
func TestWhoStandsWhereThreadsWaitDoesNotRunYet(t *testing.T) {
	t.Parallel()
	if got := printed(t, "Handed"); got != "false true" {
		t.Errorf("waits still: %s, want false true", got)
	}
}

// A method takes locks of java.util.concurrent if its byte code does; the getters of a read-write
// lock take none.
func TestTheByteCodeTellsWhatTakesLocks(t *testing.T) {
	t.Parallel()
	if got := printed(t, "Takes"); got != "true false" {
		t.Errorf("takes locks: %s, want true false", got)
	}
}

// Who was notified and has its monitor back, and has not left Object.wait, does not run
// yet: nobody owns the monitor.
func TestWhoReturnsFromWaitingOwnsNothing(t *testing.T) {
	t.Parallel()
	stacks, owned, free := map[format.StackID][]format.Frame{}, 0, 0
	sampledBy(t, "Notified", []string{"600"}, func(ev *format.Event) {
		switch {
		case ev.Kind == format.KindStack:
			stacks[ev.Stack] = slices.Clone(ev.Frames)
		case ev.Kind == format.KindContention && len(ev.Owners) == 0:
			free++
		case ev.Kind == format.KindContention:
			owned++
			if in := stacks[ev.Owners[0].Stack]; len(in) > 0 && in[0].Class == "java.lang.Object" &&
				strings.HasPrefix(in[0].Method, "wait") {
				t.Errorf("sample %d: owned in %s", owned+free, in[0].Method)
			}
		}
	})
	if owned == 0 {
		t.Errorf("%d samples of a free monitor, none of an owned one", free)
	}
}

// Who was notified and waits for its monitor owns its others: those were not handed to it.
func TestWhoReturnsFromWaitingOwnsItsOtherMonitors(t *testing.T) {
	t.Parallel()
	for name, evidence := range map[string]string{"alone": "", "beside": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names, outer, samples, owned := map[format.ThreadID]string{}, format.NoObject, 0, 0
			sampledBy(t, "Outer", []string{"6", evidence}, func(ev *format.Event) {
				switch {
				case ev.Kind == format.KindThread:
					names[ev.Thread] = ev.Name
				case ev.Kind == format.KindObject && ev.Class == "contend.agent.Outer":
					outer = ev.Object
				case ev.Kind == format.KindTick:
					samples++
				case ev.Kind == format.KindContention && ev.Object == outer && len(ev.Owners) == 1:
					if names[ev.Owners[0].Thread] == "owns" {
						owned++
					}
				}
			})
			if samples != 6 || owned != 6 {
				t.Errorf("%d of %d samples show who owns the monitor, want 6", owned, samples)
			}
		})
	}
}

// Beside a flight recording, which writes a wait when it ends, the stack of a thread
// that hangs is written once, whether it is one of a few or of many; those of others
// are not.
func TestWhoHangsShowsItsStackOnce(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{2, 90} {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			t.Parallel()
			stacks, hangs := map[format.StackID]string{}, map[format.ThreadID]bool{}
			shown, turns := map[format.ThreadID]int{}, 0
			sampledBy(t, "Hangs", []string{"45", fmt.Sprint(threads)}, func(ev *format.Event) {
				switch ev.Kind {
				case format.KindThread:
					hangs[ev.Thread] = ev.Name == "hangs"
				case format.KindStack:
					for _, f := range ev.Frames {
						stacks[ev.Stack] += f.Method + " "
					}
				case format.KindContention:
					for _, w := range ev.Waiters {
						switch in := stacks[w.Stack]; {
						case !hangs[w.Thread]:
							turns++
							if in != "" {
								t.Errorf("who waits for a moment shows %s", in)
							}
						case in != "":
							shown[w.Thread]++
							if !strings.Contains(in, "atMonitor") && !strings.Contains(in, "atLock") {
								t.Errorf("it hangs in %s", in)
							}
						}
					}
				}
			})
			for id, n := range shown {
				if n != 1 {
					t.Errorf("thread %d: %d stacks", id, n)
				}
			}
			if len(shown) != 2*threads || turns == 0 {
				t.Errorf(
					"%d of %d threads show where they hang; %d samples of the others",
					len(shown),
					2*threads,
					turns,
				)
			}
		})
	}
}

// Beside a flight recording, some of the threads that run are shown where a lock is waited for
// that does not name its owner, and in 40 samples after that; where it names it none is.
func TestWhoMayOwnALockIsShownRunning(t *testing.T) {
	t.Parallel()
	for kind, named := range map[string]bool{"stamped": false, "monitor": true} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			names, stacks := map[format.ThreadID]string{}, map[format.StackID]string{}
			shown, most, waits, ran, later := 0, 0, false, 0, 0
			sampledBy(t, "Runs", []string{"100", kind}, func(ev *format.Event) {
				switch ev.Kind {
				case format.KindThread:
					names[ev.Thread] = ev.Name
				case format.KindStack:
					stacks[ev.Stack] = ev.Frames[0].Method
				case format.KindTick:
					shown, waits = 0, false
				case format.KindContention:
					waits = true
				case format.KindActivity:
					if ev.Activity == format.ActivityTook {
						break
					}
					if shown++; shown == 1 && !waits {
						later++
					}
					most = max(most, shown)
					if ev.Activity == format.ActivityRunnable && names[ev.Thread] == "runs" &&
						strings.HasPrefix(stacks[ev.Stack], "spin") {
						ran++
					}
				}
			})
			if named && most > 0 {
				t.Errorf("up to %d threads are shown running", most)
			}
			if !named && (most != 8 || later < 35 || later > 40 || ran < 5) {
				t.Errorf(
					"up to %d threads are shown running, the owner %d times, and in %d samples in which nobody waits",
					most,
					ran,
					later,
				)
			}
		})
	}
}

// Who waits for a lock, and stands where it stood before, is shown there once, also where
// it is stopped for since others wait for what it owns.
func TestWhoOwnsAndWaitsIsShownOnce(t *testing.T) {
	t.Parallel()
	const threads = 6
	samples, whole := 0, 0
	sampledBy(t, "Inner", []string{"8", fmt.Sprint(threads)}, func(ev *format.Event) {
		switch {
		case ev.Kind == format.KindTick:
			samples++
		case ev.Kind == format.KindContention && len(ev.Waiters) > 1:
			seen := map[format.ThreadID]bool{}
			for _, w := range ev.Waiters {
				seen[w.Thread] = true
				if w.Stack == 0 {
					t.Errorf("sample %d: thread %d waits without a stack", samples, w.Thread)
				}
			}
			if len(seen) != len(ev.Waiters) {
				t.Errorf("sample %d: %d threads wait, shown are %d", samples, len(seen), len(ev.Waiters))
			}
			if len(seen) == threads {
				whole++
			}
		}
	})
	if samples != 8 || whole != 8 {
		t.Errorf("%d of %d samples show who waits, want 8", whole, samples)
	}
}

// Of many threads a sample shows a part, each for as many as there are parts. On average that
// is how many wait: after each round of all parts, exactly so where all stand. The owner of what
// they wait for is shown with what it waits for itself, for none where it is of another part.
func TestOfManyThreadsAPartIsShown(t *testing.T) {
	t.Parallel()
	const samples, atMonitor, atLock = 12, 300, 60 // three parts, with the owner and main
	names, waiting, most := map[format.ThreadID]string{}, map[format.LockKind]int{}, 0
	kinds, linked, drawn := map[format.ObjectID]format.LockKind{}, 0, ""
	sampledBy(
		t,
		"Drawn",
		[]string{fmt.Sprint(samples), fmt.Sprint(atMonitor), fmt.Sprint(atLock)},
		func(ev *format.Event) {
			switch ev.Kind {
			case format.KindSetting:
				if ev.Name == "threads-drawn" {
					drawn = ev.Value
				}
			case format.KindThread:
				names[ev.Thread] = ev.Name
			case format.KindObject:
				kinds[ev.Object] = ev.LockKind
			case format.KindContention:
				seen := map[format.ThreadID]bool{}
				for _, w := range ev.Waiters {
					seen[w.Thread] = true
				}
				most = max(most, len(seen))
				if ev.Weight == format.WeightFromTicks {
					waiting[kinds[ev.Object]] += len(ev.Waiters)
				} else if len(seen) == 1 && names[ev.Waiters[0].Thread] == "owns" {
					linked++
				}
			}
		},
	)
	want := map[format.LockKind]int{
		format.KindMonitor:      samples * atMonitor,
		format.KindSynchronizer: samples * (atLock + 1),
	}
	if !maps.Equal(waiting, want) || drawn != "1/3" {
		t.Errorf("in %d samples of %q of the threads wait %v, want %v", samples, drawn, waiting, want)
	}
	if linked != samples*2/3 || most > 128 {
		t.Errorf("%d samples show the owner for none, want 8; at most %d threads wait in one", linked, most)
	}
}

// Where samples cost more than they may, as 200 a second of 400 threads, the agent takes
// fewer, and says how far apart they are from then on.
func TestTheAgentSlowsDown(t *testing.T) {
	t.Parallel()
	var told []time.Duration
	meant, first, last := time.Duration(0), int64(0), int64(0)
	sampledBy(t, "Paced", []string{"200", "400", "6"}, func(ev *format.Event) {
		switch {
		case ev.Kind == format.KindSetting && ev.Name == format.SettingPeriod:
			ns, err := strconv.ParseInt(ev.Value, 10, 64)
			if err != nil {
				t.Error(err)
			}
			told = append(told, time.Duration(ns))
		case ev.Kind == format.KindTick && first == 0:
			first = ev.Intended
		case ev.Kind == format.KindTick:
			meant += told[len(told)-1]
			last = ev.Intended
		}
	})
	if len(told) < 2 || told[len(told)-1] < 30*time.Millisecond {
		t.Fatalf("periods of %v, want several, the last of 30 ms or more", told)
	}
	if apart := time.Duration(last - first); apart < meant*7/10 || meant < time.Second {
		t.Errorf("samples are said to be apart for %v in all, and are for %v", meant, apart)
	}
}

// What samples may cost: 1.2 % of the processors the program keeps busy, and of one at
// least, or the share that was asked for, and stops no more of the time than that. One sample
// that cost much changes nothing, many do, and where they cost little again as many are taken as
// were asked for. The first ones are lent what they cost more.
func TestWhatSamplesMayCost(t *testing.T) {
	t.Parallel()
	want := map[string][2]int{
		"cheap":   {50, 50},
		"outlier": {50, 50},
		"soon":    {90, 150},
		"dear":    {340, 430},
		"again":   {50, 50},
		"idle": {
			340,
			430,
		},
		"four":    {340, 430},
		"stops":   {340, 430},
		"begin":   {50, 50},
		"start":   {220, 340},
		"settled": {50, 55},
		"lent":    {50, 50},
		"spent":   {150, 170},
		"often":   {10, 10},
		"over":    {17, 22},
	}
	for _, line := range strings.Split(printed(t, "Budget"), "\n") {
		var what string
		var ms int
		golden.Must(fmt.Sscan(line, &what, &ms))(t)
		if w, ok := want[what]; !ok || ms < w[0] || ms > w[1] {
			t.Errorf("%s: samples %d ms apart, want %v", what, ms, w)
		}
		delete(want, what)
	}
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
}

// A recording ends when its lease does, however far apart its samples are.
func TestALeaseEndsBetweenSamples(t *testing.T) {
	t.Parallel()
	if got := printed(t, "Leased"); got != "true" {
		t.Errorf("ended: %s, want true", got)
	}
}

// No code of the program's runs for the agent, as its class loaders are, and a program that ends
// does not wait for an agent that cannot write.
func TestAProgramEndsWhileItIsRecorded(t *testing.T) {
	t.Parallel()
	full := filepath.Join(t.TempDir(), "full")
	if err := exec.Command("mkfifo", full).Run(); err != nil {
		t.Skip(err)
	}
	reader := golden.Must(os.OpenFile(full, os.O_RDWR, 0))(t) // which reads nothing
	defer reader.Close()
	golden.OK(t, reader.SetWriteDeadline(time.Now().Add(time.Second)))
	_, _ = reader.Write(make([]byte, 1<<20)) // more than it takes
	golden.Must(io.ReadFull(reader, make([]byte, 8<<10)))(t)
	for _, trace := range []string{filepath.Join(t.TempDir(), "trace.bin"), full} {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		out, err := exec.CommandContext(ctx, "java", "-cp", beside(t, "Exits"), "contend.agent.Exits", trace).Output()
		if err != nil || string(out) != "false\n" {
			t.Errorf("%q, %v, %v", out, err, ctx.Err())
		}
	}
}

// What a thread was blocked after an agent last looked at it, no JVM tells once it has
// ended: samples stand for it. Threads of which each is seen once or never are
// measured to wait as long as they do by their own clock; and so are threads that wait when
// they begin and when they end, so that between two looks at them they wait for less. So many
// samples of batches that come at random are off by a tenth, and busy processors add as much.
func TestThreadsThatEndAreMeasured(t *testing.T) {
	t.Parallel()
	for _, sleep := range []string{"0", "50"} {
		t.Run(sleep, func(t *testing.T) {
			t.Parallel()
			measured, seen, samples := 0.0, 0, 0
			printed := sampledBy(t, "Brief", []string{"250", "40", sleep}, func(ev *format.Event) {
				switch ev.Kind {
				case format.KindBlocked:
					measured += float64(ev.Weight)
				case format.KindContention:
					seen += len(ev.Waiters)
				case format.KindTick:
					samples++
				}
			})
			waited := golden.Must(strconv.ParseFloat(printed, 64))(t)
			t.Logf(
				"measured %.0f ms, waited %.0f ms, %d waiters in %d samples",
				measured/1e6,
				waited/1e6,
				seen,
				samples,
			)
			if measured < 0.6*waited || measured > 1.67*waited {
				t.Errorf("measured %.0f ms, waited %.0f ms", measured/1e6, waited/1e6)
			}
		})
	}
}

// sampledBy runs a class that samples itself, calls each with what it wrote, and returns
// what it printed.
func sampledBy(t *testing.T, name string, args []string, each func(*format.Event)) string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace.bin")
	args = append([]string{"-cp", beside(t, name), "contend.agent." + name, trace}, args...)
	out, err := exec.Command("java", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	src := golden.Must(decode.Open([]string{trace}, nil, decode.Options{}))(t)
	defer src.Close()
	for {
		var ev format.Event
		if err := src.Read(&ev); err == io.EOF {
			return strings.TrimSpace(string(out))
		} else if err != nil {
			t.Fatal(err)
		}
		each(&ev)
	}
}

// Threads and locks come and go, more of them than an agent remembers: what it
// holds does not grow with them. 1000 rounds, 100,000 of each, take a minute.
func TestTheAgentsMemoryIsBounded(t *testing.T) {
	t.Parallel()
	path := beside(t, "Bound")
	rounds := "360" // 36,000 locks: 16,384 are remembered
	if given := os.Getenv("CONTEND_ROUNDS"); given != "" {
		rounds = given
	}
	out, err := exec.Command("java", "-Xmx48m", "-XX:+UseSerialGC", "-cp", path, "contend.agent.Bound", rounds).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var half, end int
	if _, err := fmt.Sscan(strings.TrimSpace(string(out)), &half, &end); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s rounds: %d bytes half way, %d at the end", rounds, half, end)
	const most = 16 << 20 // with the JVM's own
	if end > half+3<<20 || end > most {
		t.Errorf("%d bytes half way, %d at the end", half, end)
	}
}
