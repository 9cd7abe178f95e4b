package gate

import (
	"math"
	"strings"
	"testing"

	"contend/blame/compare"
	"contend/golden"
)

// The limit of an estimate from samples decides only outside of its interval.
func TestALimitWithinTheSamplesIsUndecided(t *testing.T) {
	r := golden.Must(Parse("csp(*) < 5%"))(t)
	for _, c := range []struct {
		what    string
		half    float64
		samples bool
		near    bool
		want    Status
	}{
		{"exact", 0.236, false, false, Fail},
		{"far from it", 0.1, true, false, Fail},
		{"within it", 0.236, true, true, Pass},
		{"of unknown width", math.Inf(1), true, true, Pass},
	} {
		s := r.absolute(measured{rate: compare.Rate{Value: 0.219, Half: c.half}}, 1, c.samples)
		golden.Equal(t, s.Status, c.want, c.what)
		golden.Equal(t, s.near && s.Status == Pass, c.near, c.what)
		golden.Equal(t, nearLimit(&r, &s, nil).Reason != "", s.near, c.what)
	}
}

// Who has recorded all waits is not told to record all waits.
func TestAdviceFitsTheSettings(t *testing.T) {
	r, run := recorded(t, "csp(total) < 5%")
	s := Subject{Value: 0.1, Limit: 0.05}
	golden.Equal(t, strings.Contains(unknownRunning(r, &s, run).Hint, "jfc"), false)
	run.Trace.Coverage.Threshold = 1e7
	golden.Equal(t, strings.Contains(unknownRunning(r, &s, run).Hint, "jfc"), true)
}
