package cmd

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/decode"
	"contend/format"
	"contend/golden"
	"contend/report/document"

	"github.com/google/pprof/profile"
)

// What several traces say together is the sum of what each says: waiting,
// running time, threads, and what each owner caused. Their times may overlap,
// and their order does not matter. Time between recordings is not elapsed.
func TestMergedTracesAddUp(t *testing.T) {
	golden.ParallelUnlessShort(t)
	sim := simulated(t)
	for _, pair := range [][]string{
		{"../testdata/phases.jfr", "../testdata/xalan-8threads.jfr"},
		{"../testdata/truth-8threads-jdk25.jfr", "../testdata/truth-8threads.jfr"},
		{sim[0], sim[2]}, {sim[2], sim[0]}, // exact
		{sim[1], sim[3]}, {sim[3], sim[1], sim[7]}, // sampled, at the same times
	} {
		t.Run(filepath.Base(pair[0])+" "+filepath.Base(pair[1]), func(t *testing.T) {
			var want document.Total
			threads, elapsed, caused := 0, int64(0), map[string]int64{}
			for _, path := range pair {
				a := analyzed(t, path)
				want.Waits += a.Total.Waits
				want.WaitNs += a.Total.WaitNs
				want.RunningNs += a.Total.RunningNs
				threads, elapsed = threads+a.Trace.Threads, elapsed+a.ElapsedNs
				for _, r := range ask[document.Blame](t, "blame", path).Rows {
					caused[r.Keys[0]] += r.ThreadNs
				}
			}
			got := ask[document.Analyze](t, append([]string{"analyze"}, pair...)...)
			want.WallNs = got.Total.WallNs // no sum
			golden.Equal(t, got.Total, want)
			golden.Equal(t, got.Trace.Threads, threads)
			for _, r := range ask[document.Blame](t, append([]string{"blame"}, pair...)...).Rows {
				golden.Equal(t, caused[r.Keys[0]], r.ThreadNs, r.Keys[0], "caused", "in the parts")
			}
			merged := filepath.Join(t.TempDir(), "merged.bin")
			if code := Main(append([]string{"convert", "-o", merged}, pair...), nil, t.Output(),
				t.Output()); code != exitOK {
				t.Fatalf("convert: exit %d", code)
			}
			again := ask[document.Analyze](t, "analyze", merged)
			golden.Equal(t, again.Total, got.Total, "merged")
			golden.Equal(t, again.Trace.Threads, threads, "merged: threads")
			if strings.HasSuffix(pair[0], ".jfr") { // minutes lie between these, and nobody records then
				golden.Equal(t, got.ElapsedNs, elapsed, "elapsed")
				golden.Equal(t, again.ElapsedNs, elapsed, "merged: elapsed")
			}
		})
	}
}

// JVMs that run at one time teach each other nothing of their owners: what is said of each, and
// how sure it is, is what its recording alone says.
func TestOwnersAreThoseOfEachJVMAlone(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const start = int64(1.7e18)
	for _, names := range [][2]string{
		{"lab-striped-jdk17-profile.jfr", "owners/lat2-jdk17-jfc.jfr.gz"}, // samples of the one would speak for
		{"phases-default-settings.jfr", "real/hdr-jdk17-profile.jfr.gz"},  // silent sites of the other
		{"real/c3p0-jdk17-record.trace.gz", "truth-8threads.jfr"},
	} {
		t.Run(filepath.Base(names[0])+" "+filepath.Base(names[1]), func(t *testing.T) {
			t.Parallel()
			a, b := "a="+beginningAt(t, start, names[0]), "b="+beginningAt(t, start, names[1])
			apart := ownersOf(t, a)
			maps.Copy(apart, ownersOf(t, b))
			golden.Same(t, ownersOf(t, a, b), apart, "together")
			golden.Same(t, ownersOf(t, b, a), apart, "the other way round")
		})
	}
}

// beginningAt copies a recording of testdata to a trace that begins at an instant.
func beginningAt(t *testing.T, start int64, name string) (path string) {
	t.Helper()
	src := golden.Must(decode.Open([]string{"../testdata/" + name}, nil, decode.Options{}))(t)
	defer src.Close()
	var list format.List
	var ev format.Event
	first := int64(math.MaxInt64)
	for src.Read(&ev) == nil {
		golden.OK(t, list.Write(&ev))
		if ev.Kind == format.KindRecording {
			first = min(first, ev.Time)
		}
	}
	path = filepath.Join(t.TempDir(), "later.bin")
	out := golden.Must(os.Create(path))(t)
	defer out.Close()
	w := golden.Must(format.NewWriter(out, format.WriterOptions{}))(t)
	for i := range list.Events {
		ev := &list.Events[i]
		for _, at := range []*int64{&ev.Time, &ev.End} {
			if *at != 0 {
				*at += start - first
			}
		}
		golden.OK(t, w.Write(ev))
	}
	golden.OK(t, w.Close())
	return path
}

// ownersOf returns the waiting that each owner is charged with, and how much of it is expected
// to be right.
func ownersOf(t *testing.T, labelled ...string) map[string][2]float64 {
	t.Helper()
	sums := map[string][2]float64{}
	for _, r := range ask[owned](t, append([]string{"blame", "--by",
		"input,class,owner-stack,owner-thread,waiter-thread"}, labelled...)...).Rows {
		sums[fmt.Sprint(r.Keys)] = [2]float64{r.ThreadNs, r.RightNs}
	}
	return sums
}

// A profile of several traces is labelled, and has what the profiles of its parts have.
func TestProfilesOfSeveralTracesAreLabelled(t *testing.T) {
	golden.ParallelUnlessShort(t)
	a, b := "../testdata/truth-8threads.jfr", "../testdata/truth-8threads-jdk25.jfr"
	together := filepath.Join(t.TempDir(), "together.pb.gz")
	run(t, "pprof", "--view", "blame", "web1="+a, "web2="+b, "-o", together)
	got := map[string]int64{}
	for _, s := range profileOf(t, together).Sample {
		got[strings.Join(s.Label["input"], ",")] += s.Value[1]
	}
	want := map[string]int64{}
	for label, path := range map[string]string{"web1": a, "web2": b} {
		for _, s := range profileOf(t, exported(t, path, "blame")).Sample {
			want[label] += s.Value[1]
		}
	}
	golden.Same(t, got, want, "together")
}

// The profile of a contention profile has its waiting and its number of waits, and no duration, which it lacks.
func TestProfilesOfSumsAreSums(t *testing.T) {
	t.Parallel()
	p := profileOf(t, exported(t, "../decode/profile/testdata/mutex.pprof", "site"))
	golden.Equal(t, len(p.SampleType), 2)
	golden.Equal(t, p.SampleType[0].Type, "contentions")
	golden.Equal(t, p.SampleType[1].Type, "delay")
	golden.Equal(t, p.DurationNanos, 0)
	golden.Equal(t, p.Sample[0].Value[0], 199)
	golden.Equal(t, p.Sample[0].Value[1], 1732713758)
}

// A sum of waits is as many waits as its source counted, in documents, tables and copies, and a sum without
// instants has no threads, duration, wall-time or pressure.
func TestSumsHaveTheNumbersOfTheirSource(t *testing.T) {
	t.Parallel()
	counts := filepath.Join(t.TempDir(), "counts.txt")
	golden.OK(t, os.WriteFile(counts, []byte("contention detected on [0] Vault Vault.audit:40,\n"+
		"2026-11-21 03:03:58.871 0=551,\n2026-11-21 03:04:00.871 0=1551,\n"), 0o600))
	for path, waits := range map[string]int64{"../decode/profile/testdata/mutex.pprof": 248, counts: 1551} {
		whole := filepath.Join(t.TempDir(), "copy.bin")
		run(t, "convert", path, "-o", whole)
		for _, from := range []string{path, whole} {
			var a document.Analyze
			documentOf(t, &a, "analyze", from)
			golden.Equal(t, a.Total.Waits, waits, from)
			golden.Equal(t, [4]int64{int64(a.Trace.Threads), a.Total.WallNs, a.Total.RunningNs, int64(a.Locks[0].CSP)},
				[4]int64{}, from)
			var g document.Graph
			documentOf(t, &g, "chains", from)
			golden.Equal(t, g.Total.Waits, waits, from)
			var b document.Blame
			documentOf(t, &b, "blame", "--by", "lock", from)
			sum := int64(0)
			for _, r := range b.Rows {
				sum += r.Waits
			}
			golden.Equal(t, sum, waits, from)
		}
	}
}

func profileOf(t *testing.T, path string) *profile.Profile {
	t.Helper()
	f := golden.Must(os.Open(path))(t)
	defer f.Close()
	return golden.Must(profile.Parse(f))(t)
}

// Recordings of several JVMs in one file say what they say as several files:
// nobody runs between them, nor in the other's time.
func TestRecordingsInOneFile(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const dir = "../testdata/"
	for _, names := range [][]string{
		{"truth-8threads.jfr", "phases.jfr"},
		{"hsqldb-6clients.jfr", "phases.jfr"}, // two seconds between their beginnings
		{"xalan-8threads.jfr", "truth-8threads-jdk25.jfr", "derby-8clients.jfr"},
	} {
		var paths []string
		var all []byte
		for _, name := range names {
			data := golden.Must(os.ReadFile(dir + name))(t)
			paths, all = append(paths, dir+name), append(all, data...)
		}
		file := filepath.Join(t.TempDir(), "all.jfr")
		golden.OK(t, os.WriteFile(file, all, 0o600))
		apart, joined := ask[document.Analyze](
			t,
			append([]string{"analyze"}, paths...)...), ask[document.Analyze](
			t,
			"analyze",
			file,
		)
		golden.Equal(t, joined.Total, apart.Total, names)
		golden.Equal(t, joined.Trace.Threads, apart.Trace.Threads, names)
		var sum int64
		for _, path := range paths {
			sum += ask[document.Analyze](t, "analyze", path).Total.RunningNs
		}
		golden.Within(t, joined.Total.RunningNs, sum*9/10, sum*11/10, names)
	}
}

// Each command counts from the start of the trace, whatever part of it is looked at.
func TestOneClock(t *testing.T) {
	t.Parallel()
	const trace = "../testdata/truth-8threads.jfr"
	start := ask[document.Analyze](t, "analyze", trace).Trace.StartNs
	cut := []string{"--from", "3s", "--to", "3.5s", trace}
	for _, command := range []string{"csp", "csp --chart", "csp --format markdown"} {
		if out := run(t, append(strings.Fields(command), cut...)...); !strings.Contains(out, " 3.000 s") ||
			!strings.Contains(out, " 3.500 s") ||
			strings.Contains(out, " 0.500 s") {
			t.Errorf("%s:\n%s", command, out)
		}
	}
	for _, name := range []string{"csp.svg", "csp.html"} {
		path := filepath.Join(t.TempDir(), name)
		run(t, append([]string{"csp", "-o", path}, cut...)...)
		if drawn, err := os.ReadFile(path); err != nil || !strings.Contains(string(drawn), "3.000 s") ||
			strings.Contains(string(drawn), ">0.500 s") {
			t.Errorf("%s: %v", name, err)
		}
	}
	golden.Equal(
		t,
		ask[document.CSP](t, append([]string{"csp"}, cut...)...).Intervals[0].StartNs,
		start+3e9,
		"the first interval begins",
		"behind the trace's start",
	)
	golden.Equal(
		t,
		ask[document.Analyze](t, append([]string{"analyze"}, cut...)...).Phases[0].StartNs,
		start+3e9,
		"a phase from",
	)
}

// dumpsOf are some of one process, in which three threads wait for a fourth.
func dumpsOf(process int, times ...string) string {
	var b strings.Builder
	for _, at := range times {
		fmt.Fprintf(&b, "2026-11-21 %s\nFull thread dump OpenJDK 64-Bit Server VM (17+35 mixed mode):\n\n", at)
		fmt.Fprintf(
			&b,
			"\"owner\" #10 prio=5 tid=0x1 nid=0x%d0 runnable [0x1]\n   java.lang.Thread.State: RUNNABLE\n\tat "+
				"App.b(App.java:9)\n\t- locked <0x1f> (a App$Lock)\n\n",
			process,
		)
		for i := 1; i <= 3; i++ {
			fmt.Fprintf(
				&b,
				"\"w-%d\" #%d prio=5 tid=0x1 nid=0x%d%d waiting for monitor entry [0x1]\n   java.lang.Thread.State: "+
					"BLOCKED (on object monitor)\n\tat App.a(App.java:1)\n\t- waiting to lock <0x1f> (a App$Lock)\n\n",
				i,
				10+i,
				process,
				i,
			)
		}
		b.WriteString("JNI global refs: 5\n\n")
	}
	return b.String()
}

// Thread dumps tell of the time between the first and the last of a process, and of
// no other.
func TestDumpsTellOfTheTimeBetweenThem(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		texts   []string
		elapsed int64
	}{
		"two":   {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.700")}, 57e8},
		"three": {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.700", "07:00:06.000")}, 6e9},
		"a process after another": {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.000"),
			dumpsOf(2, "08:00:00.000", "08:00:04.000")}, 9e9},
		"in one file": {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.000") + dumpsOf(2, "08:00:00.000",
			"08:00:04.000")}, 9e9},
		"one process in two files": {[]string{dumpsOf(1, "07:00:00.000", "07:00:05.000"),
			dumpsOf(1, "07:00:10.000", "07:00:15.000")}, 15e9},
	} {
		var paths []string
		for i, text := range c.texts {
			path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".txt"))
			golden.OK(t, os.WriteFile(path, []byte(text), 0o644))
			paths = append(paths, path)
		}
		a := ask[document.Analyze](t, append([]string{"analyze"}, paths...)...)
		golden.Equal(t, a.ElapsedNs, c.elapsed, what)
		golden.Equal(t, a.Total.WaitNs, 3*c.elapsed, what)
	}
}

// What two processes recorded one after the other took as long as both recordings.
func TestNoTimePassesBetweenTwoProcesses(t *testing.T) {
	t.Parallel()
	for _, exact := range []string{"--exact=false", "--exact"} {
		first, second := filepath.Join(t.TempDir(), "1.txt"), filepath.Join(t.TempDir(), "2.txt")
		run(t, "simulate", exact, "--text", "--duration", "2s", "-o", first)
		text := golden.Must(os.ReadFile(first))(t)
		golden.OK(t, os.WriteFile(second, []byte(strings.ReplaceAll(string(text), "=170000000", "=170000900")), 0o644))
		one, both := ask[document.Analyze](t, "analyze", first), ask[document.Analyze](t, "analyze", first, second)
		golden.Equal(t, both.ElapsedNs, 2*one.ElapsedNs, exact)
		golden.Equal(t, both.Total.WaitNs, 2*one.Total.WaitNs, exact)
		m, n := ask[document.CSP](t, "csp", "--metrics", first).Metrics[0], ask[document.CSP](t, "csp", "--metrics",
			first, second).Metrics[0]
		golden.Within(t, 2*n.FailedPerSecond-m.FailedPerSecond, -1e-9, 1e-9, exact)
	}
}
