package owners

import (
	"slices"
	"testing"

	"contend/format"
)

// Of waits that cannot all have been inside a lock those were that its last acquirer made,
// and those during which nobody else is known to be inside, or looks so as much.
func TestOneOwnerAtATime(t *testing.T) {
	at := func(thread format.ThreadID, from, to int64) anchor {
		return anchor{start: from, end: to, thread: thread}
	}
	for _, c := range []struct {
		name        string
		seen, waits []anchor
		acquired    []acquisition
		want        []anchor
	}{
		{"nobody else", nil, []anchor{at(1, 10, 20), at(2, 20, 30)}, nil, []anchor{at(1, 10, 20), at(2, 20, 30)}},
		{"another one is inside", []anchor{at(3, 5, 15)}, []anchor{at(1, 10, 20), at(2, 20, 30)}, nil, []anchor{at(2, 20, 30)}},
		{"it is inside itself", []anchor{at(1, 5, 15)}, []anchor{at(1, 10, 20)}, nil, []anchor{at(1, 10, 20)}},
		{"two as much", nil, []anchor{at(1, 10, 30), at(2, 20, 40), at(3, 30, 35), at(4, 50, 60)}, nil, []anchor{at(4, 50, 60)}},
		{"one got the lock last", nil, []anchor{at(1, 10, 30), at(2, 20, 40)}, []acquisition{{time: 15, thread: 2}}, []anchor{at(2, 20, 40)}},
		{"that one has gone", nil, []anchor{at(1, 20, 40)}, []acquisition{{time: 5, thread: 1}, {time: 15, thread: 2}}, []anchor{at(1, 20, 40)}},
		{"a long one before", []anchor{at(3, 0, 100), at(3, 1, 2)}, []anchor{at(1, 10, 20)}, nil, nil},
	} {
		s := &section{seen: slices.Clone(c.seen), acquired: c.acquired}
		s.contest(c.waits)
		if got := s.seen[len(c.seen):]; len(got) != len(c.want) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for _, a := range c.want {
			if !s.single[stint{a.start, a.thread}] {
				t.Errorf("%s: %v is not known to be inside", c.name, a)
			}
		}
	}
}
