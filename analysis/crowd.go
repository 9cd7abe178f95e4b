package analysis

import (
	"iter"
	"slices"

	"contend/format"
)

// Crowd is those who wait for one lock together, in the order in which they joined,
// each with a number that is higher than those before. To join and to leave costs the
// same however many there are, but for finding a number. The zero value is empty.
type Crowd[T any] struct {
	of   []T
	keys []uint32 // of each twice its number, and one more when it has left
	left int      // how many have
	head int      // all before it have
}

// Join adds who has a number.
func (c *Crowd[T]) Join(number uint32, one T) {
	c.of, c.keys = append(c.of, one), append(c.keys, 2*number)
}

// Leave takes who has a number away.
func (c *Crowd[T]) Leave(number uint32) {
	c.keys[c.at(number)]++
	for c.left++; c.head < len(c.keys) && c.keys[c.head]&1 == 1; {
		c.head++
	}
	if 2*c.left > len(c.of) {
		c.pack()
	}
}

// Of returns who has a number.
func (c *Crowd[T]) Of(number uint32) *T { return &c.of[c.at(number)] }

func (c *Crowd[T]) at(number uint32) int {
	at, _ := slices.BinarySearch(c.keys, 2*number)
	return at
}

// Len returns how many there are.
func (c *Crowd[T]) Len() int { return len(c.of) - c.left }

// First returns who joined before all others that are there.
func (c *Crowd[T]) First() *T { return &c.of[c.head] }

// All returns all of them; it is good until one joins or leaves.
func (c *Crowd[T]) All() []T {
	c.pack()
	return c.of
}

// Behind goes through those whose number is higher than one, the latest first.
func (c *Crowd[T]) Behind(number uint32) iter.Seq2[uint32, T] {
	return func(yield func(uint32, T) bool) {
		for i := len(c.of) - 1; i >= 0 && c.keys[i]/2 > number; i-- {
			if c.keys[i]&1 == 0 && !yield(c.keys[i]/2, c.of[i]) {
				return
			}
		}
	}
}

// pack forgets who has left.
func (c *Crowd[T]) pack() {
	if c.left == 0 {
		return
	}
	kept := 0
	for i, key := range c.keys {
		if key&1 == 0 {
			c.of[kept], c.keys[kept] = c.of[i], key
			kept++
		}
	}
	clear(c.of[kept:])
	c.of, c.keys, c.left, c.head = c.of[:kept], c.keys[:kept], 0, 0
}

// Move is one who joins a crowd or leaves it, or who is in it when it turns out that its
// thread waits elsewhere, too, as where two recorders wrote the same.
type Move struct {
	Waiter
	Lock   format.ObjectID
	Number uint32
	Leaves bool
	Twice  bool
}

// CrowdVisitor is a Visitor that can take the slices of crowds without who is in them: it
// is told of each that joins or leaves. What else there is of their waits comes as Slices,
// before and after, of those that begin and of those that end.
type CrowdVisitor interface {
	Moved(m *Move)
	// Crowd is Slice for a crowd of n. Of the waiters the first is given, and there is
	// one share.
	Crowd(s *Slice, n int)
}

// crowds are the crowds at locks, for visitors that do not follow them.
type crowds map[format.ObjectID]*Crowd[Waiter]

func (c crowds) move(m *Move) {
	at := c[m.Lock]
	if at == nil {
		at = &Crowd[Waiter]{}
		c[m.Lock] = at
	}
	switch {
	case m.Twice:
	case m.Leaves:
		at.Leave(m.Number)
	default:
		at.Join(m.Number, m.Waiter)
	}
}
