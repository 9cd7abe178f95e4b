package analysis

import (
	"slices"
	"testing"

	"contend/format"
)

// bookings counts what it is given, and sums it.
type bookings struct {
	crowds, slices, runs      int
	firsts, waitNs, runningNs int64
}

func (b *bookings) Begin(*Symbols, int64) {}
func (b *bookings) Running(_, _, ns int64) {
	b.runs++
	b.runningNs += ns
}
func (b *bookings) Slice(s *Slice) {
	b.slices++
	b.waitNs += s.End - s.Start
	if s.First {
		b.firsts++
	}
}
func (b *bookings) Crowd(c *Crowd) {
	b.crowds++
	before := b.slices
	c.Each(b.Slice)
	b.slices = before
}

// single takes slices one by one.
type single struct {
	*bookings
	at []int64 // when the waiters were seen
}

func (s *single) Crowd() {} // hides that of bookings: it is another method
func (s *single) Slice(sl *Slice) {
	s.bookings.Slice(sl)
	s.at = append(s.at, sl.Sighting.At)
}

// alike returns ticks 10 ns apart at which the same locks are contended.
func alike(n int, locks ...format.Event) (events []format.Event) {
	for i := range n {
		at := int64(1000 + 10*i)
		events = append(events, tick(at, at, 9, 1))
		for _, ev := range locks {
			ev.Time = at
			events = append(events, ev)
		}
	}
	return events
}

func TestInstantsAlikeAreBookedTogether(t *testing.T) {
	held := sample(0, 1, 1, 2, 3)
	readers := sample(0, 1, 1, 2)
	readers.Owners = append(readers.Owners, format.Party{Thread: 5})
	threads := alike(100, held)
	for i := 50; i < len(threads); i++ {
		threads[i].Live++ // of ticks: from the 26th on
	}
	renamed := append(alike(50, held), format.Event{Kind: format.KindObject, Object: 1, Class: "Renamed"})
	renamed = append(renamed, alike(100, held)[2*50:]...)
	gap := append(alike(50, held), format.Event{Kind: format.KindGap, Time: 1491, End: 1499})
	gap = append(gap, alike(100, held)[2*50:]...)
	changes := append(alike(50, held), alike(100, sample(0, 1, 1, 2))[2*50:]...)
	for _, c := range []struct {
		name                string
		events              []format.Event
		from                int64
		crowds, slices, run int // bookings
		firsts, waitNs      int64
	}{
		{"nothing changes", alike(100, held), format.NoTime, 1, 0, 1, 2, 2 * 1000},
		{"nobody waits", alike(100), format.NoTime, 0, 0, 1, 0, 0},
		{"another thread lives", threads, format.NoTime, 2, 0, 2, 2, 2 * 1000},
		{"a lock is renamed", renamed, format.NoTime, 2, 0, 2, 2, 2 * 1000},
		{"not across a gap", gap, format.NoTime, 2, 0, 2, 4, 2 * (1000 - 8)},
		{"a waiter leaves", changes, format.NoTime, 2, 0, 2, 2, 2*500 + 500},
		{"readers share each instant anew", alike(100, readers), format.NoTime, 0, 100, 100, 1, 1000},
		{"a deadlock", alike(100, sample(0, 1, 1, 2), sample(0, 2, 2, 1), sample(0, 3, 1, 3)), format.NoTime, 0, 300, 100, 3, 3 * 1000},
		{"cut: what lies before is not charged", alike(100, held), 1500, 2, 0, 2, 2, 2 * 495},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bookings
			f := open
			if c.from != format.NoTime {
				f.From = c.from
			}
			if _, err := Run(&format.List{Events: c.events}, f, &b); err != nil {
				t.Fatal(err)
			}
			want := bookings{c.crowds, c.slices, c.run, c.firsts, c.waitNs, b.runningNs}
			if b != want {
				t.Errorf("%+v, want %+v", b, want)
			}
			o := &single{bookings: &bookings{}}
			if _, err := Run(&format.List{Events: c.events}, f, o); err != nil {
				t.Fatal(err)
			}
			if o.firsts != b.firsts || o.waitNs != b.waitNs || o.runningNs != b.runningNs {
				t.Errorf("one by one %+v, together %+v", *o.bookings, b)
			}
			if instants := contended(c.events, c.from); !slices.Equal(slices.Compact(o.at), instants) {
				t.Errorf("one by one at %d of %d instants", len(o.at), len(instants))
			}
		})
	}
}

// contended returns the instants at which somebody waits. What is cut off
// right before one of them is charged in part.
func contended(events []format.Event, from int64) (at []int64) {
	for _, ev := range events {
		if ev.Kind == format.KindContention && ev.Time >= from && (len(at) == 0 || at[len(at)-1] != ev.Time) {
			at = append(at, ev.Time)
		}
	}
	return at
}
