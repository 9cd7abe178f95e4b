package analysis

import (
	"testing"

	"contend/format"

	"github.com/google/go-cmp/cmp"
)

// sightings collects the samples slices rest on.
type sightings struct{ list []Sighting }

func (s *sightings) Begin(*Symbols, int64) {}
func (s *sightings) Running(_, _, _ int64) {}
func (s *sightings) Slice(sl *Slice)       { s.list = append(s.list, sl.Sighting) }
func at(before, t, after int64) Sighting   { return Sighting{true, true, before, t, after} }
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
		want   []Sighting
	}{
		{"between two others", ticked(tick(100, 100, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)), []Sighting{at(100, 110, 120)}},
		{"at both ends", ticked(sample(110, 1, 1, 2)), []Sighting{at(format.NoTime, 110, format.NoTime)}},
		{"a gap before it", ticked(tick(100, 100, 2, 0), lost(103, 105), sample(110, 1, 1, 2), tick(120, 120, 2, 0)), []Sighting{at(format.NoTime, 110, 120)}},
		{"a gap after it", ticked(tick(100, 100, 2, 0), sample(110, 1, 1, 2), lost(113, 118), tick(120, 120, 2, 0)), []Sighting{at(100, 110, format.NoTime)}},
		{"a gap elsewhere", ticked(tick(90, 90, 2, 0), lost(93, 95), tick(100, 100, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)), []Sighting{at(100, 110, 120)}},
		{"a wait recorded whole rests on none", []format.Event{waits(2, 1, 100, 130)}, []Sighting{{}}},
	} {
		s := &sightings{}
		if _, err := Run(&format.List{Events: c.events}, open, s); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, s.list); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
