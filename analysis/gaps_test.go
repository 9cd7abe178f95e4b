package analysis

import (
	"strings"
	"testing"
	"time"

	"contend/format"
	"contend/golden"

	"pgregory.net/rapid"
)

func TestGapsAroundAnInstant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var g gapIndex
		var list []span
		for range rapid.IntRange(0, 20).Draw(t, "gaps") {
			start := rapid.Int64Range(0, 50).Draw(t, "start")
			s := span{start, start + rapid.Int64Range(0, 9).Draw(t, "length")}
			g.add(s.start, s.end)
			list = append(list, s)
		}
		at := rapid.Int64Range(0, 60).Draw(t, "at")
		end, start := format.NoTime, format.NoTime
		for _, s := range list {
			if s.end <= at {
				end = max(end, s.end)
			}
			if s.start >= at && s.end > s.start && (start == format.NoTime || s.start < start) {
				start = s.start
			}
		}
		if near := g.around(at); near.start != end || near.end != start {
			t.Fatalf("the last gap before %d ends at %d, the first behind it starts at %d, want %d and %d", at, near.start, near.end, end, start)
		}
	})
}

// Work that grows with the product of two counts takes a hundred times as long in these
// tests. The race detector, which takes ten times as long, needs a tenth of the events to
// show it.
const patience = 20 * time.Second

func manyTimes() int64 {
	if testing.Short() {
		return 20_000
	}
	return 200_000
}

// 200,000 samples with a gap after each took minutes when each sample looked at every gap.
func TestManyGapsAreCheap(t *testing.T) {
	var l format.List
	for i := range manyTimes() {
		at := 100 * i
		for _, ev := range []format.Event{tick(at, at, 3, 0), sample(at, 1, 1, 2), lost(at+40, at+50)} {
			_ = l.Write(&ev)
		}
	}
	var b bookings
	took := golden.Spent(t, func() {
		golden.Must(Run(&l, open, &b))(t)
	})
	if took > patience {
		t.Errorf("took %v", took)
	}
	if b.firsts != manyTimes() {
		t.Errorf("%d waits: no wait is known to go on across a gap", b.firsts)
	}
}

// A warning gives the time of waits in gaps. Overlapping gaps count once, and gaps without
// waits do not.
func TestWaitsAcrossGapsAreCensored(t *testing.T) {
	_, tr := run(t, []format.Event{recorded(0, 10e6), waits(1, 1, 1e6, 3e6), waits(2, 1, 1e6, 5e6), waits(1, 1, 6e6, 7e6), lost(2e6, 4e6), lost(25e5, 45e5), lost(8e6, 9e6)}, open)
	var got []string
	for _, w := range tr.Coverage.Warnings {
		if w.Code == "censored" {
			got = append(got, w.Text)
		}
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "2 waits reach into stretches of which data is lost, 3.50 ms of") {
		t.Errorf("%q", got)
	}
}
