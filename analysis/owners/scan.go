package owners

import (
	"math/bits"
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// Scan steps through what a thread did, by start. It reads what lies side by side
// in the store without finding the block of each anew, which is most of what it
// costs to look a single one up.
type Scan struct {
	Start, End int64 // of the activity at hand

	s    *store
	b    *block
	room []byte // of it
	size int    // of an activity in it
	off  int    // of the activity at hand in room
	at   column.Ref
	next column.Ref
	to   column.Ref
}

// Scan begins before the first of some activities of a thread.
func (s *store) Scan(r Refs) Scan { return Scan{s: s, next: r.From, to: r.To} }

// Next moves to the next activity; false when there is none.
func (c *Scan) Next() bool {
	if c.next >= c.to {
		return false
	}
	if c.b == nil || c.next&(blockLen-1) == 0 {
		c.move(c.next)
		return true
	}
	c.off += c.size
	c.read(c.next)
	return true
}

// NextWait moves to the next wait for a lock; false when there is none.
func (c *Scan) NextWait() bool { return c.nextOf(0) }

// NextOther moves to the next activity that is none; false when there is none.
func (c *Scan) NextOther() bool { return c.nextOf(^uint64(0)) }

// nextOf moves to the next activity whose bit among the waits of its block is not
// that of skipped.
func (c *Scan) nextOf(skipped uint64) bool {
	for c.next < c.to {
		n := c.next & (blockLen - 1)
		wanted := (c.s.blocks[c.next>>blockBits].waits ^ skipped) >> n
		if wanted&1 != 0 && n != 0 && c.next == c.at+1 && c.b != nil { // many in a row are alike
			c.off += c.size
			c.read(c.next)
			return true
		}
		if wanted == 0 {
			c.next = c.next | (blockLen - 1) + 1
			continue
		}
		if i := c.next + column.Ref(bits.TrailingZeros64(wanted)); i < c.to {
			c.move(i)
			return true
		}
		break
	}
	c.next = c.to
	return false
}

// move makes an activity of any block the one at hand. Only another block costs a
// write of pointers, which the garbage collector wants to hear of.
func (c *Scan) move(i column.Ref) {
	if c.b == nil || i>>blockBits != c.at>>blockBits {
		c.b = &c.s.blocks[i>>blockBits]
		c.room, c.size = c.s.of(c.b), c.b.size()
	}
	c.off = int(i&(blockLen-1)) * c.size
	c.read(i)
}

// data is the activity at hand, and what is behind it.
func (c *Scan) data() []byte { return c.room[c.off:] }

// read takes in the times of the activity at hand.
func (c *Scan) read(i column.Ref) {
	c.at, c.next = i, i+1
	c.Start, c.End = c.b.span(c.data())
}

// IsWait reports whether the activity at hand is a wait for a lock.
func (c *Scan) IsWait() bool { return c.b.waits>>(c.at&(blockLen-1))&1 != 0 }

// deed returns what the activity at hand is but for its thread and times.
func (c *Scan) deed() *doer { return c.s.deed(c.b, c.data()) }

// Other returns the activity at hand, which is no wait.
func (c *Scan) Other() Other {
	d := c.deed()
	return Other{c.Start, c.End, c.b.thread, d.info, d.stack}
}

// Failed returns how many waits ended without the lock, and how long they were together.
func (s *store) Failed() (n int, ns int64) {
	if !slices.ContainsFunc(s.what, doer.failed) {
		return 0, 0
	}
	for t := range s.first {
		for c := s.Scan(s.Of(format.ThreadID(t))); c.NextWait(); {
			if c.deed().failed() {
				n, ns = n+1, ns+c.End-c.Start
			}
		}
	}
	return n, ns
}
