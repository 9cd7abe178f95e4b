package sampled

import (
	"testing"

	"contend/analysis"
	"contend/golden"
)

// The factor of samples is between a sixteenth and sixteen, and the rest is carried over.
// More than an hour is not scaled.
func TestHowFarSamplesAreScaled(t *testing.T) {
	const hour = int64(3600e9)
	for _, c := range []struct {
		to, by, length int64
		least, most    int64
	}{
		{12, 1, 100, 1200, 1200}, {24, 1, 100, 1300, 2000},
		{100, 1200, 1200, 100, 100}, {100, 2400, 2400, 120, 190},
		{2, 1, hour * 3 / 4, hour * 3 / 2, hour * 3 / 2}, {2, 1, hour * 3 / 2, hour * 3 / 2, hour * 3 / 2},
	} {
		golden.Within(t, (scale{c.to, c.by}).scaled(c.length), c.least, c.most)
	}
}

// Instants are scaled together if about sixty show waiting, sooner if they take the memory
// of a quarter of a million, and unmeasured ones at a million.
func TestHowManyInstantsAreScaledTogether(t *testing.T) {
	for _, c := range []struct {
		m    measured
		want bool
	}{
		{measured{fresh: true, ticks: 50}, false}, {measured{fresh: true, ticks: 80}, true},
		{measured{ticks: 80}, false},
		{measured{fresh: true, size: 2e5}, false}, {measured{fresh: true, size: 3e5}, true},
		{measured{size: 9e5}, false}, {measured{size: 1.2e6}, true},
	} {
		s := Sampler{Booker: booker{Measured: c.m}}
		s.Booker.Measured.pending = []booking{}
		before := s.Booker.Measured.ticks + s.Booker.Measured.size
		if s.Booker.bookEnough(); (s.Booker.Measured.ticks+s.Booker.Measured.size == 0) != c.want {
			t.Errorf("%d: booked %v", before, !c.want)
		}
	}
}

// A sampler that is late for more than a twentieth of the time is reported.
func TestWhichStallsAreReported(t *testing.T) {
	for late, want := range map[int64]bool{4: false, 6: true} {
		golden.Equal(
			t,
			len((&stalls{Total: analysis.Stalls{LateNs: late, SpanNs: 100}}).Warning()) > 0,
			want,
			"late for",
			late,
			"of 100",
		)
	}
}
