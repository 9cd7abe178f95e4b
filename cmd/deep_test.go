package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"contend/blame/stacks"
	"contend/format"
	"contend/golden"
	"contend/report/document"
	"contend/report/flame"
)

// deepTrace writes a trace of threads that wait for one another in a row, with
// stacks of so many frames: each sight of them is another combination.
func deepTrace(t *testing.T, threads, frames int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("contend 1\n")
	for i := 1; i <= threads; i++ {
		fmt.Fprintf(&b, "thread thread=%d name=\"t%d\" group=\"g\"\nobject lock=%d class=\"Lock%d\" hash=%d\n", i, i, i, i, i)
	}
	const stacks = 8
	for s := 1; s <= stacks; s++ {
		fmt.Fprintf(&b, "stack stack=%d frames=\"Leaf\":\"leaf%d\":\"L.java\":%d%s\n", s, s, s, strings.Repeat(`,"Walker":"visit":"W.java":7`, frames-1))
	}
	for tick := range 20 {
		at := tick*1_000_000 + 1
		fmt.Fprintf(&b, "tick time=%d intended=%d weight=1000000 live=%d\n", at, at, threads)
		for i := 1; i < threads; i++ {
			stack := func(thread int) int { return (tick*tick+thread*(tick+3))%stacks + 1 }
			fmt.Fprintf(&b, "contention time=%d weight=1000000 lock=%d owners=%d/%d/x waiters=%d/%d/x\n", at, i+1, i+1, stack(i+1), i, stack(i))
		}
	}
	b.WriteString("end\n")
	path := filepath.Join(t.TempDir(), "deep.txt")
	golden.OK(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

// folded reads what flame folds: the sum, and the most frames of a line.
func folded(t *testing.T, args ...string) (sum int64, most, marked int) {
	t.Helper()
	for line := range strings.Lines(run(t, append([]string{"flame", "--format", "folded"}, args...)...)) {
		at := strings.LastIndexByte(line, ' ')
		ns := golden.Must(strconv.ParseInt(strings.TrimSpace(line[at:]), 10, 64))(t)
		sum += ns
		most = max(most, strings.Count(line, ";")+1)
		if strings.Contains(line, "[… ") {
			marked++
		}
	}
	return sum, most, marked
}

// However deep the stacks and long the chains, what is shown of one stays
// small, says what is left out, and sums to the same.
func TestChainsOfDeepStacks(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	deep := deepTrace(t, 30, 1000)
	want, _, _ := folded(t, "--view", "blocked", deep)
	sum, most, marked := folded(t, "--view", "chain", deep)
	if sum != want || want == 0 || marked == 0 || most > 1300 {
		t.Errorf("chains sum to %d, all waiting to %d; up to %d frames, %d marked", sum, want, most, marked)
	}
	if out := run(t, "flame", "--format", "folded", "--view", "chain", deepTrace(t, 4, 64)); strings.Contains(out, "[… ") {
		t.Error("a chain of usual depth is cut")
	}
}

// A chain of many locks is told without those in its middle, and says how many they
// are; what was waited along it stays.
func TestChainsOfManyLocks(t *testing.T) {
	doc := ask[document.Chains](t, "chains", "--top", "0", deepTrace(t, 30, 3))
	sum, cut := int64(0), 0
	for _, c := range doc.Chains {
		sum += c.ThreadNs
		whole := 2*c.Hops + 1
		switch {
		case c.Hops <= 17 && len(c.Steps) != whole, len(c.Steps) > 36:
			t.Errorf("%d locks in %d steps", c.Hops, len(c.Steps))
		case c.Hops > 17:
			cut++
			if !strings.Contains(c.Signature, fmt.Sprintf(" -> [… %s] -> ", format.Some(c.Hops-17, "lock", "locks"))) {
				t.Errorf("%d locks: %s", c.Hops, c.Signature)
			}
		}
	}
	if sum != doc.Total.WaitNs || cut == 0 {
		t.Errorf("chains sum to %d, all waiting to %d; %d are cut", sum, doc.Total.WaitNs, cut)
	}
}

// A picture needs as many samples as there are stacks, whoever waits for whom, and
// shows the same as one of every pair of threads.
func TestFlameOfManyThreads(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const fixture = "../testdata/truth-8threads.jfr"
	for _, view := range []stacks.View{stacks.Blame, stacks.Blocked, stacks.Chain, stacks.Site} {
		pairs, shown := stacks.New(view, nil), stacks.New(view, nil)
		shown.Shown = true
		golden.Must((&traceOptions{paths: []string{fixture}}).run(&env{out: io.Discard, msg: io.Discard}, pairs, shown))(t)
		var want, got strings.Builder
		if err := errors.Join(flame.Folded(&want, document.NewProfile(pairs)), flame.Folded(&got, document.NewProfile(shown))); err != nil || got.String() != want.String() || got.Len() == 0 {
			t.Errorf("%s: %v, or not the same", stacks.Views[view], err)
		}
		if 2*len(shown.Samples()) > len(pairs.Samples()) {
			t.Errorf("%s: %d samples of %d", stacks.Views[view], len(shown.Samples()), len(pairs.Samples()))
		}
	}
}
