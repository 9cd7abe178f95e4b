package analysis

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// bookings counts and sums what it receives.
type bookings struct {
	totalOnly
	slices, waiters, runs     int
	firsts, waitNs, runningNs int64
}

func (b *bookings) Begin(*Symbols, int64) {}
func (b *bookings) Running(_, _, ns int64) {
	b.runs++
	b.runningNs += ns
}
func (b *bookings) Slice(s *Slice) {
	b.slices++
	b.waiters += len(s.Waiters)
	b.waitNs += s.Ns()
	b.firsts += s.Firsts()
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

func TestInstantsThatShowTheSame(t *testing.T) {
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
		name           string
		events         []format.Event
		from           int64
		firsts, waitNs int64
	}{
		{"nothing changes", alike(100, held), format.NoTime, 2, 2 * 1000},
		{"nobody waits", alike(100), format.NoTime, 0, 0},
		{"another thread lives", threads, format.NoTime, 2, 2 * 1000},
		{"a lock is renamed", renamed, format.NoTime, 2, 2 * 1000},
		{"not across a gap", gap, format.NoTime, 4, 2 * (1000 - 8)},
		{"a waiter leaves", changes, format.NoTime, 2, 2*500 + 500},
		{"readers share each instant anew", alike(100, readers), format.NoTime, 1, 1000},
		{"a deadlock", alike(100, sample(0, 1, 1, 2), sample(0, 2, 2, 1), sample(0, 3, 1, 3)), format.NoTime, 3, 3 * 1000},
		{"cut: what lies before is not charged", alike(100, held), 1500, 2, 2 * 495},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b bookings
			f := open
			if c.from != format.NoTime {
				f.From = c.from
			}
			golden.Must(Run(&format.List{Events: c.events}, f, &b))(t)
			if b.firsts != c.firsts || b.waitNs != c.waitNs {
				t.Errorf("%+v, want %d waits of %d ns", b, c.firsts, c.waitNs)
			}
		})
	}
}
