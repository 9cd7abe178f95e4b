package cmd

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/screen"
	"contend/report/table"
)

func readCSV(t *testing.T, args ...string) [][]string {
	t.Helper()
	return golden.Must(
		csv.NewReader(strings.NewReader(run(t, append([]string{"analyze", "--format", "csv"}, args...)...))).ReadAll(),
	)(
		t,
	)
}

const deadlockDump = "../testdata/deadlock-monitors-and-juc-jdk17.txt"

// As CSV, too, a deadlock is told, every row says what it is a row of, and a
// section alone has the same values.
func TestCSVHoldsAllSections(t *testing.T) {
	t.Parallel()
	rows := readCSV(t, deadlockDump)
	head, met := rows[0], map[string][][]string{}
	for _, r := range rows[1:] {
		met[r[0]] = append(met[r[0]], r)
	}
	if head[0] != "section" || len(met["deadlocks"]) != 5 || len(met["findings"]) != 2 ||
		met["deadlocks"][0][slices.Index(head, "thread")] != "teller-1" {
		t.Errorf("%q", rows)
	}
	for _, name := range table.Sections {
		alone := readCSV(t, "--section", name, deadlockDump)
		golden.Equal(
			t,
			len(slices.Compact(slices.Sorted(slices.Values(alone[0])))),
			len(alone[0]),
			name,
			alone[0],
		) // else a sum would mix two columns
		golden.Equal(t, len(alone)-1, len(met[name]), name, "among all")
		for i, r := range alone[1:] {
			for j, v := range r {
				golden.Equal(t, met[name][i][slices.Index(head, alone[0][j])], v, name, alone[0][j])
			}
		}
	}
}

// A screen shows no phases, and whole stacks of owners only if asked for all: what is not
// shown is not summed.
func TestWhatIsNotShownIsNotSummed(t *testing.T) {
	golden.SkipIfShort(t)
	for _, c := range []struct {
		format         string
		shape          shape
		phases, stacks bool
	}{
		{"table", shape{}, false, false},
		{"table", shape{screen: screen.Options{Full: true}}, false, true},
		{"table", shape{tables: true}, true, true},
		{"markdown", shape{}, true, true},
		{"json", shape{}, true, true},
	} {
		o := analyzeOptions{by: "lock", shape: c.shape}
		o.out.format = c.format
		o.trace.paths = []string{"../testdata/truth-8threads.jfr"}
		want, stacks := o.wanted()
		_, about, _, err := o.trace.summarize(&env{out: io.Discard, msg: io.Discard}, want)
		golden.OK(t, err)
		golden.Equal(t, about.Phases.RunningNs > 0, c.phases, c.format, c.shape)
		golden.Equal(t, stacks, c.stacks, c.format, c.shape)
	}
}
