package pass

import (
	"strings"
	"testing"
	"time"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

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
	took := golden.CPUTime(t, func() {
		golden.Must(Run(&l, open, &b))(t)
	})
	golden.AtMost(t, took, patience, "took")
	golden.Equal(t, b.firsts, manyTimes(), "waits: no wait is known to go on across a gap")
}

// A warning gives the time of waits in gaps. Overlapping gaps count once, and gaps without
// waits do not.
func TestWaitsAcrossGapsAreCensored(t *testing.T) {
	_, tr := run(
		t,
		[]format.Event{
			recorded(0, 10e6),
			waits(1, 1, 1e6, 3e6),
			waits(2, 1, 1e6, 5e6),
			waits(1, 1, 6e6, 7e6),
			lost(2e6, 4e6),
			lost(25e5, 45e5),
			lost(8e6, 9e6),
		},
		open,
	)
	var got []string
	for _, w := range tr.Coverage.Warnings {
		if w.Code == "censored" {
			got = append(got, w.Text)
		}
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "2 waits reach into intervals with lost data (3.50 ms in total)") {
		t.Errorf("%q", got)
	}
}

func TestLatenessOfSamples(t *testing.T) {
	for _, c := range []struct {
		name                         string
		ticks                        []format.Event
		samples, entries, late, span int64
		longest                      int64
	}{
		{"on time", []format.Event{tick(100, 100, 1, 0), tick(110, 110, 1, 0), tick(120, 120, 1, 0)}, 3, 3, 0, 20, 0},
		{"a little late", []format.Event{tick(100, 100, 1, 0), tick(113, 110, 1, 0), tick(120, 120, 1, 0)}, 3, 3, 3,
			20, 3},
		// 110 was 35 late, 120 25, 130 15; 140's 5 is less than a period
		{"late, and the samples due meanwhile were skipped",
			[]format.Event{tick(90, 90, 1, 0), tick(100, 100, 1, 0), tick(145, 110, 1, 0),
				tick(150, 150, 1, 0)}, 4, 6, 35, 60, 35},
		{"late, and the sampler catches up",
			[]format.Event{tick(90, 90, 1, 0), tick(100, 100, 1, 0), tick(145, 110, 1, 0), tick(146, 120, 1, 0),
				tick(147, 130, 1, 0), tick(148, 140, 1, 0)}, 6, 6, 38, 58, 35},
		{"early is not late", []format.Event{tick(100, 100, 1, 0), tick(108, 110, 1, 0), tick(120, 120, 1, 0)}, 3, 3,
			0, 20, 0},
		{"nobody says when samples were due", []format.Event{tick(100, 0, 1, 0), tick(150, 0, 1, 0)}, 0, 0, 0, 0, 0},
		{"times run backwards: only the last lies in the trace",
			[]format.Event{tick(100, 100, 1, 0), tick(50, 40, 1, 0), tick(130, 120, 1, 0)}, 1, 1, 10, 10, 10},
	} {
		_, tr := run(t, c.ticks, open)
		s := tr.Coverage.Stalls
		if s.Samples != c.samples || s.Late.Count() != c.entries || s.LateNs != c.late || s.SpanNs != c.span ||
			s.Late.Max() != c.longest {
			t.Errorf(
				"%s: %d samples, %d entries, late for %d of %d, at most %d",
				c.name,
				s.Samples,
				s.Late.Count(),
				s.LateNs,
				s.SpanNs,
				s.Late.Max(),
			)
		}
		golden.Equal(t, strings.Contains(codes(tr), "stalls"), c.late*20 > c.span, c.name, "warned")
	}
}

func codes(tr *analysis.Trace) (all string) {
	for _, w := range tr.Coverage.Warnings {
		all += w.Code + " "
	}
	return all
}

// The simulator delays every hundredth sample by a known duration: that is the longest
// stall, and their sum is their part of the run.
func TestSimulatedStallsAreFound(t *testing.T) {
	golden.SkipIfShort(t)
	for _, stall := range []int64{0, 3e6, 400e6} {
		var l format.List
		golden.Must(
			simulate.Run(simulate.Config{Scenario: "convoy", Duration: 15e9, Period: 10e6, Stall: stall}, nil, &l),
		)(
			t,
		)
		tr := golden.Must(Run(&l, open))(t)
		s := tr.Coverage.Stalls
		per := 99*int64(10e6) + max(stall, 10e6) // one stall, and the samples to the next
		if want := s.SpanNs / per * stall; s.Late.Max() != stall || max(s.LateNs-want, want-s.LateNs) > stall {
			t.Errorf("stalls of %d: at most %d, %d in all, want %d", stall, s.Late.Max(), s.LateNs, want)
		}
		golden.Equal(
			t,
			strings.Contains(codes(tr), "stalls"),
			stall == 400e6,
			"stalls of",
			stall,
			"warnings",
			codes(tr),
		)
	}
}

// Stalls outside the filter's cut are not counted.
func TestStallsAreCutLikeAllElse(t *testing.T) {
	cut := open
	cut.From = 130
	_, tr := run(
		t,
		[]format.Event{tick(100, 100, 1, 0), tick(119, 110, 1, 0), tick(140, 140, 1, 0), tick(152, 150, 1, 0)},
		cut,
	)
	if s := tr.Coverage.Stalls; s.Samples != 2 || s.LateNs != 2 || s.SpanNs != 12 {
		t.Errorf("%+v", s)
	}
}

// An input that ends early was recorded up to its last event: what its header says of the time after is no time
// without waiting. An input that goes on was recorded until then.
func TestLostTimeIsNotTimeWithoutWaiting(t *testing.T) {
	for _, c := range []struct {
		name    string
		after   []format.Event
		elapsed int64
	}{
		{"cut off", []format.Event{lost(4e6, 4e6)}, 5e6},
		{"cut off, and goes on", []format.Event{lost(4e6, 4e6), waits(1, 1, 6e6, 7e6)}, 7e6},
		{"cut off, and another recording follows", []format.Event{lost(4e6, 4e6), recorded(3e9, 3e9+2e6)}, 7e6},
		{"damaged within", []format.Event{lost(2e6, 4e6)}, 10e6},
		{"whole", nil, 10e6},
	} {
		events := append([]format.Event{recorded(0, 10e6), waits(1, 1, 1e6, 3e6), waits(2, 1, 1e6, 5e6)}, c.after...)
		_, tr := run(t, events, open)
		golden.Equal(t, tr.ElapsedNs, c.elapsed, c.name)
	}
}

// Where an input is cut off that was written thread by thread, each thread is known until what it recorded last:
// averages and running time are over that, also in a part of the time. A thread that ended is known to the end.
func TestThreadsAreKnownUntilWhatTheyRecordedLast(t *testing.T) {
	buffered := format.Event{Kind: format.KindSetting, Name: format.SettingIdle, Value: format.IdleEnded}
	events := []format.Event{
		buffered, recorded(0, 20e6), waits(1, 1, 0, 2e6), waits(2, 1, 4e6, 8e6), waits(3, 1, 2e6, 4e6),
		{Kind: format.KindThreadEnd, Time: 4e6, Thread: 3}, lost(8e6, 8e6),
	}
	for _, c := range []struct {
		from, to, elapsed int64
		events            []format.Event
	}{
		{0, 20e6, 4571429, events}, // 1, 1/2 and 1/4 threads: 8 ms of waiting are 1.75 for so long
		{0, 2e6, 2e6, events},      // all of them are known
		{2e6, 8e6, 2571429, events},
		{0, 20e6, 8e6, events[1:]}, // written in order of time: nothing else is missing
		{0, 20e6, 20e6, events[:len(events)-1]},
		{0, 20e6, 8e6, append(events, waits(1, 1, 7e6, 8e6))},
	} {
		_, tr := run(t, c.events, analysis.Filter{From: c.from, To: c.to})
		golden.Equal(t, tr.ElapsedNs, c.elapsed, c.from, c.to)
	}
	_, tr := run(t, events, open)
	golden.Equal(t, tr.RunningHigh, 8e6+6e6, "running, and before what the threads recorded first")
}
