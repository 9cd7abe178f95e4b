package cmd

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"

	"github.com/google/pprof/profile"
)

// What several traces say together is the sum of what each says: waiting,
// running time, threads, and what each owner caused. Their times may overlap,
// and their order does not matter.
func TestMergedTracesAddUp(t *testing.T) {
	golden.Unhurried(t)
	t.Parallel()
	sim := simulated(t)
	for _, pair := range [][]string{
		{"../testdata/phases.jfr", "../testdata/xalan-8threads.jfr"},
		{"../testdata/truth-8threads-jdk25.jfr", "../testdata/truth-8threads.jfr"},
		{sim[0], sim[2]}, {sim[2], sim[0]}, // exact
		{sim[1], sim[3]}, {sim[3], sim[1], sim[7]}, // sampled, at the same times
	} {
		t.Run(filepath.Base(pair[0])+" "+filepath.Base(pair[1]), func(t *testing.T) {
			var want document.Total
			threads, caused := 0, map[string]int64{}
			for _, path := range pair {
				a := analyzed(t, path)
				want.Waits += a.Total.Waits
				want.WaitNs += a.Total.WaitNs
				want.RunningNs += a.Total.RunningNs
				threads += a.Trace.Threads
				for _, r := range ask[document.Blame](t, "blame", path).Rows {
					caused[r.Keys[0]] += r.ThreadNs
				}
			}
			got := ask[document.Analyze](t, append([]string{"analyze"}, pair...)...)
			want.WallNs = got.Total.WallNs // no sum
			if got.Total != want || got.Trace.Threads != threads {
				t.Errorf("together %+v and %d threads, the parts sum to %+v and %d", got.Total, got.Trace.Threads, want, threads)
			}
			for _, r := range ask[document.Blame](t, append([]string{"blame"}, pair...)...).Rows {
				if caused[r.Keys[0]] != r.ThreadNs {
					t.Errorf("%s caused %d ns, in the parts %d", r.Keys[0], r.ThreadNs, caused[r.Keys[0]])
				}
			}
			merged := filepath.Join(t.TempDir(), "merged.bin")
			if code := Main(append([]string{"convert", "-o", merged}, pair...), nil, t.Output(), t.Output()); code != exitOK {
				t.Fatalf("convert: exit %d", code)
			}
			if again := ask[document.Analyze](t, "analyze", merged); again.Total != got.Total || again.Trace.Threads != threads {
				t.Errorf("merged %+v, read together %+v", again.Total, got.Total)
			}
		})
	}
}

// What interval logs of several traces say when joined is the sum of what each says,
// to the nanosecond, and every interval tells which input it is of.
func TestJoinedLogsAddUp(t *testing.T) {
	golden.Unhurried(t)
	t.Parallel()
	traces := map[string]string{"one": "../testdata/phases.jfr", "two": "../testdata/truth-8threads.jfr", "three": "../testdata/truth-8threads-jdk25.jfr"}
	var logs []string
	wantWaits, lengths := map[string]int64{}, map[string]*document.HistRow{}
	for label, path := range traces {
		total := analyzed(t, path).Total
		wantWaits[label] = total.Waits
		log := filepath.Join(t.TempDir(), "part.hlog")
		run(t, "hist", "--by", "class", path, "-o", log)
		alone := ask[document.Hist](t, "hist", log).Total
		lengths[label] = &alone
		logs = append(logs, label+"="+log)
	}

	all := filepath.Join(t.TempDir(), "merged.hlog")
	run(t, append([]string{"hist", "--by", "input,tag", "-o", all}, logs...)...)
	rows := ask[document.Hist](t, "hist", "--by", "input", all).Rows
	if len(rows) != len(traces) {
		t.Fatalf("%d inputs of %d", len(rows), len(traces))
	}
	for _, r := range rows {
		if want := lengths[r.Keys[0]]; r.Waits != wantWaits[r.Keys[0]] || !reflect.DeepEqual(r.Exact, want.Exact) {
			t.Errorf("%s: merged %+v, alone %+v", r.Keys[0], r.Exact, want.Exact)
		}
	}
}

// A profile of several traces is labelled, and has what the profiles of its parts have.
func TestProfilesOfSeveralTracesAreLabelled(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
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
	if !maps.Equal(got, want) {
		t.Errorf("together %v, by themselves %v", got, want)
	}
}

func profileOf(t *testing.T, path string) *profile.Profile {
	t.Helper()
	f := golden.Must(os.Open(path))(t)
	defer f.Close()
	p := golden.Must(profile.Parse(f))(t)
	return p
}

// Two recordings with minutes between them last as long as both, however they
// are given.
func TestTimeBetweenRecordingsIsNotElapsed(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const a, b = "../testdata/truth-8threads.jfr", "../testdata/truth-8threads-jdk25.jfr"
	elapsed := func(args ...string) int64 {
		return ask[document.Analyze](t, append([]string{"analyze"}, args...)...).ElapsedNs
	}
	merged := filepath.Join(t.TempDir(), "both.bin")
	run(t, "convert", a, b, "-o", merged)
	want := elapsed(a) + elapsed(b)
	for _, args := range [][]string{{a, b}, {merged}} {
		if got := elapsed(args...); got != want {
			t.Errorf("%v: %v, want %v", args, got, want)
		}
	}
}
