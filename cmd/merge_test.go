package cmd

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
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
			if code := Main(append([]string{"merge", "-o", merged}, pair...), nil, t.Output(), t.Output()); code != exitOK {
				t.Fatalf("merge: exit %d", code)
			}
			if again := ask[document.Analyze](t, "analyze", merged); again.Total != got.Total || again.Trace.Threads != threads {
				t.Errorf("merged %+v, read together %+v", again.Total, got.Total)
			}
		})
	}
}

// What exports of several traces say when merged is the sum of what each says,
// to the nanosecond, and every sample and interval tells whose it is.
func TestMergedExportsAddUp(t *testing.T) {
	golden.Unhurried(t)
	t.Parallel()
	traces := map[string]string{"one": "../testdata/phases.jfr", "two": "../testdata/truth-8threads.jfr", "three": "../testdata/truth-8threads-jdk25.jfr"}
	var profiles, logs []string
	wantNs, wantWaits, lengths := map[string]int64{}, map[string]int64{}, map[string]*document.HistRow{}
	for label, path := range traces {
		total := analyzed(t, path).Total
		wantNs[label], wantWaits[label] = total.WaitNs, total.Waits
		log := filepath.Join(t.TempDir(), "part.hlog")
		run(t, "hist", "--by", "class", path, "-o", log)
		alone := ask[document.Hist](t, "hist", log).Total
		lengths[label] = &alone
		profiles, logs = append(profiles, label+"="+exported(t, path, "chain")), append(logs, label+"="+log)
	}

	merged := filepath.Join(t.TempDir(), "merged.pb.gz")
	run(t, append([]string{"merge", "-o", merged}, profiles...)...)
	p := profileOf(t, merged)
	gotNs, gotWaits := map[string]int64{}, map[string]int64{}
	for _, s := range p.Sample {
		if len(s.Label["input"]) != 1 {
			t.Fatalf("labels %v", s.Label)
		}
		gotWaits[s.Label["input"][0]] += s.Value[0]
		gotNs[s.Label["input"][0]] += s.Value[1]
	}
	if !maps.Equal(gotNs, wantNs) || !maps.Equal(gotWaits, wantWaits) {
		t.Errorf("profiles: %v in %v waits, the traces %v in %v", gotNs, gotWaits, wantNs, wantWaits)
	}
	lines := map[string]bool{}
	for _, l := range p.Location {
		if k := fmt.Sprint(l.Line[0].Function.Name, l.Line[0].Function.Filename, l.Line[0].Line); lines[k] {
			t.Errorf("two locations are %s", k)
		} else {
			lines[k] = true
		}
	}

	all := filepath.Join(t.TempDir(), "merged.hlog")
	run(t, append([]string{"merge", "-o", all}, logs...)...)
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

// A trace exported with labels makes the profile that its parts make merged.
func TestProfilesOfSeveralTracesAreLabelled(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	a, b := "../testdata/truth-8threads.jfr", "../testdata/truth-8threads-jdk25.jfr"
	together := filepath.Join(t.TempDir(), "together.pb.gz")
	run(t, "pprof", "--view", "blame", "web1="+a, "web2="+b, "-o", together)
	merged := filepath.Join(t.TempDir(), "merged.pb.gz")
	run(t, "merge", "web1="+exported(t, a, "blame"), "web2="+exported(t, b, "blame"), "-o", merged)
	sums := func(path string) map[string]int64 {
		by := map[string]int64{}
		for _, s := range profileOf(t, path).Sample {
			by[fmt.Sprint(s.Label["input"], s.Label["class"], s.Label["waiter_thread"], s.Location[0].Line[0].Function.Name)] += s.Value[1]
		}
		return by
	}
	if got, want := sums(merged), sums(together); !maps.Equal(got, want) {
		t.Errorf("merged\n%v\ntogether\n%v", got, want)
	}
}

func profileOf(t *testing.T, path string) *profile.Profile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
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
	run(t, "merge", a, b, "-o", merged)
	want := elapsed(a) + elapsed(b)
	for _, args := range [][]string{{a, b}, {merged}} {
		if got := elapsed(args...); got != want {
			t.Errorf("%v: %v, want %v", args, got, want)
		}
	}
}
