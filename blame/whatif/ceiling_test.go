package whatif

import (
	"strings"
	"testing"

	"contend/format/simulate"
	"contend/golden"
)

// Of over two hundred changes of simulated programs none brings more than its ceiling, and
// no range reaches beyond that. Where tenures are rebuilt one in twenty may: sections for
// which nobody waited are not in such a trace.
func TestNothingExceedsItsCeiling(t *testing.T) {
	golden.Unhurried(t)
	names, _ := simulate.Scenarios()
	pairs, beyond := 0, 0
	for seed := uint64(1); seed <= 12; seed++ {
		for i, name := range names {
			if name == "bulk" || name == "deadlock" {
				continue
			}
			for _, from := range []source{recorded, rebuilt} {
				if from == rebuilt && seed > 4 {
					continue
				}
				c := simulate.Config{Scenario: name, Duration: 1e9, Handoff: 1000, Seed: seed, Threads: 2 + (int(seed)*5+i)%9}
				col, taken, _ := collected(t, c, from)
				for _, one := range col.Sections() {
					by := []float64{.25, .5, .75, .95}[pairs%4]
					res := golden.Must(col.Predict([]Change{{Kind: Shrink, Section: one.Method, By: by}}))(t)
					short := c
					short.Slow, short.SlowBy = one.Method[strings.LastIndexByte(one.Method, '.')+1:], -int64(by*100)
					_, now, _ := collected(t, short, recorded)
					truth := float64(now) / float64(taken)
					pairs++
					r := res.Rows[0]
					if from == rebuilt && r.Ceiling < truth {
						beyond++
					} else if r.Ceiling < truth || r.Ceiling < r.Throughput.High {
						t.Errorf("%v %s, seed %d, %d threads, %s by %v: throughput %.3f, predicted %.3f, at most %.3f", from, name, seed, c.Threads, one.Method, by, truth, r.Throughput, r.Ceiling)
					}
				}
			}
		}
	}
	if pairs < 275 || beyond*20 > 75 {
		t.Errorf("%d pairs, %d of 75 rebuilt ones beyond their ceilings", pairs, beyond)
	}
}
