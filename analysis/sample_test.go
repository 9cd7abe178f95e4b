package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
)

// samples collects the samples of slices.
type samples struct{ list []Sample }

func (s *samples) Begin(*Symbols, int64) {}
func (s *samples) Slice(sl *Slice)       { s.list = append(s.list, sl.Sample) }
func at(before, t, after int64) Sample   { return Sample{true, true, before, t, t, after} }
func lost(from, to int64) format.Event {
	return format.Event{Kind: format.KindGap, Time: from, End: to}
}
func ticked(events ...format.Event) []format.Event {
	var out []format.Event
	for _, ev := range events {
		if ev.Kind == format.KindContention {
			out = append(out, tick(ev.Time, ev.Time, 2, 0))
		}
		out = append(out, ev)
	}
	return out
}

func TestSlicesKnowTheSampleTheyRestOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []format.Event
		want   []Sample
	}{
		{"between two others", ticked(tick(100, 100, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)), []Sample{at(100, 110, 120)}},
		{"at both ends", ticked(sample(110, 1, 1, 2)), []Sample{at(format.NoTime, 110, format.NoTime)}},
		{"a gap before it", ticked(tick(100, 100, 2, 0), lost(103, 105), sample(110, 1, 1, 2), tick(120, 120, 2, 0)), []Sample{at(format.NoTime, 110, 120)}},
		{"a gap after it", ticked(tick(100, 100, 2, 0), sample(110, 1, 1, 2), lost(113, 118), tick(120, 120, 2, 0)), []Sample{at(100, 110, format.NoTime)}},
		{"a gap elsewhere", ticked(tick(90, 90, 2, 0), lost(93, 95), tick(100, 100, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)), []Sample{at(100, 110, 120)}},
		{"a wait recorded whole rests on none", []format.Event{waits(2, 1, 100, 130)}, []Sample{{}}},
	} {
		s := &samples{}
		golden.Must(Run(&format.List{Events: c.events}, open, s))(t)
		if diff := cmp.Diff(c.want, s.list); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Samples outside of the cut are ignored: whether a wait continued there is unknown.
func TestTheCutHidesTheSamplesBeyondIt(t *testing.T) {
	events := ticked(sample(100, 1, 1, 2), sample(110, 1, 1, 3), sample(120, 1, 1, 2), sample(130, 1, 1, 3)) // no two alike
	for _, c := range []struct {
		name     string
		from, to int64
		want     []Sample
	}{
		{"between two samples", 105, 125, []Sample{at(format.NoTime, 110, 120), at(110, 120, format.NoTime)}},
		{"within what a sample stands for", 112, 123, []Sample{at(format.NoTime, 110, 120), at(110, 120, format.NoTime)}},
		{"from the start, to the end", 95, 135, []Sample{at(format.NoTime, 100, 110), at(100, 110, 120), at(110, 120, 130), at(120, 130, format.NoTime)}},
	} {
		s := &samples{}
		golden.Must(Run(&format.List{Events: events}, Filter{From: c.from, To: c.to}, s))(t)
		if diff := cmp.Diff(c.want, s.list); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// A wait that began before the cut counts in it, recorded or sampled.
func TestAWaitGoingOnWhereTheCutBeginsCounts(t *testing.T) {
	for name, events := range map[string][]format.Event{
		"recorded": {waits(2, 1, 100, 130)},
		"sampled":  ticked(sample(100, 1, 1, 2), sample(110, 1, 1, 2), sample(120, 1, 1, 2), sample(130, 1, 1, 2)),
	} {
		s, _ := run(t, events, Filter{From: 115, To: format.NoTime})
		if s.waits != 1 {
			t.Errorf("%s: %d waits", name, s.waits)
		}
	}
}

// A gap hides whether a wait continued: a thread that waits after it begins a new wait.
func TestNoWaitIsKnownToGoOnAcrossAGap(t *testing.T) {
	s, _ := run(t, ticked(sample(100, 1, 1, 2), sample(110, 1, 1, 2), lost(113, 9000), sample(9010, 1, 1, 2), sample(9020, 1, 1, 2)), open)
	if s.waits != 2 {
		t.Errorf("%d waits, want one before the gap and one behind it", s.waits)
	}
}
