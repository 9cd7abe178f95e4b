package csp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Who causes most of each interval's waiting, one letter an interval, lower
// case where it is less than half of it, tells who is the culprit from when on.
func TestTurnsOfAPhase(t *testing.T) {
	for _, c := range []struct {
		intervals string
		want      []Turn
	}{
		{"AAAAAA", nil},
		{"AABAAA", nil}, // one interval is chance
		{"AABCAA", nil},
		{"AAbbbA", nil},
		{"aaaaaa", nil},
		{"AAABBB", []Turn{{0, 30, 30, Cause{Owner: "A", WaitNs: 30}}, {30, 60, 30, Cause{Owner: "B", WaitNs: 30}}}},
		{"AAABaBAABB", []Turn{{0, 80, 80, Cause{Owner: "A", WaitNs: 54}}, {80, 100, 20, Cause{Owner: "B", WaitNs: 20}}}},
		{"AAAABBCCAA", []Turn{{0, 40, 40, Cause{Owner: "A", WaitNs: 40}}, {40, 60, 20, Cause{Owner: "B", WaitNs: 20}}, {60, 80, 20, Cause{Owner: "C", WaitNs: 20}}, {80, 100, 20, Cause{Owner: "A", WaitNs: 20}}}},
		{"BBAAB", []Turn{{0, 20, 20, Cause{Owner: "B", WaitNs: 20}}, {20, 50, 30, Cause{Owner: "A", WaitNs: 20}}}},
	} {
		m := New(Options{IntervalNs: 10})
		m.waits.End = 1000
		var got turns
		for i, r := range c.intervals {
			sums := map[string]int64{string(r): 10}
			if r >= 'a' {
				sums = map[string]int64{string(r - 'a' + 'A'): 4, "x": 3, "y": 3}
			}
			got.add(int32(i), sums)
		}
		if diff := cmp.Diff(c.want, got.list(m)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.intervals, diff)
		}
	}
}
