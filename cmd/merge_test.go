package cmd

import (
	"path/filepath"
	"testing"

	"contend/report/schema"
)

// What several traces say together is the sum of what each says: waiting,
// running time, threads, and what each owner caused. Their times may overlap,
// and their order does not matter.
func TestMergedTracesAddUp(t *testing.T) {
	sim := simulated(t)
	for _, pair := range [][]string{
		{"../testdata/phases.jfr", "../testdata/xalan-8threads.jfr"},
		{"../testdata/truth-8threads-jdk25.jfr", "../testdata/truth-8threads.jfr"},
		{sim[0], sim[2]}, {sim[2], sim[0]}, // exact
		{sim[1], sim[3]}, {sim[3], sim[1], sim[7]}, // sampled, at the same times
	} {
		t.Run(filepath.Base(pair[0])+" "+filepath.Base(pair[1]), func(t *testing.T) {
			var want schema.Total
			threads, caused := 0, map[string]int64{}
			for _, path := range pair {
				a := ask[schema.Analyze](t, "analyze", path)
				want.Waits += a.Total.Waits
				want.WaitNs += a.Total.WaitNs
				want.RunningNs += a.Total.RunningNs
				threads += a.Trace.Threads
				for _, r := range ask[schema.Blame](t, "blame", path).Rows {
					caused[r.Keys[0]] += r.ThreadNs
				}
			}
			got := ask[schema.Analyze](t, append([]string{"analyze"}, pair...)...)
			want.WallNs = got.Total.WallNs // no sum
			if got.Total != want || got.Trace.Threads != threads {
				t.Errorf("together %+v and %d threads, the parts sum to %+v and %d", got.Total, got.Trace.Threads, want, threads)
			}
			for _, r := range ask[schema.Blame](t, append([]string{"blame"}, pair...)...).Rows {
				if caused[r.Keys[0]] != r.ThreadNs {
					t.Errorf("%s caused %d ns, in the parts %d", r.Keys[0], r.ThreadNs, caused[r.Keys[0]])
				}
			}
			merged := filepath.Join(t.TempDir(), "merged.bin")
			if code := Main(append([]string{"merge", "-o", merged}, pair...), nil, t.Output(), t.Output()); code != exitOK {
				t.Fatalf("merge: exit %d", code)
			}
			if again := ask[schema.Analyze](t, "analyze", merged); again.Total != got.Total || again.Trace.Threads != threads {
				t.Errorf("merged %+v, read together %+v", again.Total, got.Total)
			}
		})
	}
}
