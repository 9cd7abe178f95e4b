package cmd

import (
	"io"
	"testing"

	"contend/golden"
)

// A screen shows no phases, and whole stacks of owners only if asked for all: what is not
// shown is not summed.
func TestWhatIsNotShownIsNotSummed(t *testing.T) {
	golden.Unhurried(t)
	for _, c := range []struct {
		format         string
		shape          shape
		phases, stacks bool
	}{
		{"table", shape{}, false, false},
		{"table", shape{full: true}, false, true},
		{"table", shape{tables: true}, true, true},
		{"markdown", shape{}, true, true},
		{"json", shape{}, true, true},
	} {
		o := analyzeOptions{by: "lock", shape: c.shape}
		o.out.format = c.format
		o.trace.paths = []string{"../testdata/truth-8threads.jfr"}
		want, stacks := o.wanted(nil)
		_, about, _, err := o.trace.summarize(&env{out: io.Discard, msg: io.Discard}, want)
		golden.OK(t, err)
		if told := about.Phases.RunningNs > 0; told != c.phases || stacks != c.stacks {
			t.Errorf("%s, %+v: the meter was told of running time: %v, stacks are wanted: %v", c.format, c.shape, told, stacks)
		}
	}
}
