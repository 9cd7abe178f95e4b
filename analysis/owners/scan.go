package owners

import (
	"math/bits"
	"slices"

	"contend/format"
	"contend/format/column"
)

// Scan steps through activities of a thread, by start. It is faster than looking each up,
// because it finds a block only once.
type Scan struct {
	Start, End int64 // of the current activity

	s    *store
	b    *block
	room []byte // the bytes of the block
	size int    // of each activity
	off  int    // of the current activity in room
	at   column.Ref
	next column.Ref
	to   column.Ref

	until int64 // blocks that begin later are not searched
}

// Scan returns a scan of some activities of a thread, before the first.
func (s *store) Scan(r Refs) Scan { return s.scanUntil(r, maxTime) }

// scanUntil is Scan for activities that begin before an instant. Later ones may come as well.
func (s *store) scanUntil(r Refs, until int64) Scan {
	return Scan{s: s, next: r.From, to: r.To, until: until}
}

// Next moves to the next activity; it returns false if there is none.
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

// NextWait moves to the next wait for a lock; it returns false if there is none.
func (c *Scan) NextWait() bool { return c.nextOf(0) }

// NextOther moves to the next activity that is not a wait; it returns false if there is none.
func (c *Scan) NextOther() bool { return c.nextOf(^uint64(0)) }

// nextOf moves to the next activity whose bit in block.waits differs from those of skipped.
func (c *Scan) nextOf(skipped uint64) bool {
	for c.next < c.to {
		n := c.next & (blockLen - 1)
		wanted := (c.s.blocks[c.next>>blockBits].waits ^ skipped) >> n
		if wanted&1 != 0 && n != 0 && c.next == c.at+1 && c.b != nil { // fast: the next one is often wanted
			c.off += c.size
			c.read(c.next)
			return true
		}
		if wanted == 0 {
			c.next = c.next | (blockLen - 1) + 1
			if c.next < c.to && c.s.blocks[c.next>>blockBits].base >= c.until {
				break
			}
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

// move makes an activity of any block the current one. It writes pointers only for another
// block, because each costs a write barrier.
func (c *Scan) move(i column.Ref) {
	if c.b == nil || i>>blockBits != c.at>>blockBits {
		c.b = &c.s.blocks[i>>blockBits]
		c.room, c.size = c.s.bytesOf(c.b), c.b.size()
	}
	c.off = int(i&(blockLen-1)) * c.size
	c.read(i)
}

// data returns the bytes of the current activity, and those that follow.
func (c *Scan) data() []byte { return c.room[c.off:] }

// read makes an activity of the block the current one.
func (c *Scan) read(i column.Ref) {
	c.at, c.next = i, i+1
	c.Start, c.End = c.b.span(c.data())
}

func (c *Scan) IsWait() bool { return c.b.waits>>(c.at&(blockLen-1))&1 != 0 }

// Key returns the number of all that the current activity is but its thread and times. Equal numbers are equal
// activities; different ones may be equal, too.
func (c *Scan) Key() uint32 { return c.b.number(c.data()) }

func (c *Scan) key() *activityKey { return c.s.key(c.b, c.data()) }

func (c *Scan) Activity() Activity { return Activity{c.Start, c.End, c.b.thread, *c.key()} }

// EachNotified calls f for each wait to be notified at a lock, thread by thread, if any such wait
// at the lock was ended by a known thread.
func (s *store) EachNotified(f func(*Activity)) {
	notified := map[format.ObjectID]bool{}
	for _, k := range s.keys {
		if k.By != format.NoThread && k.AssociatedLock() != format.NoObject {
			notified[k.AssociatedLock()] = true
		}
	}
	if len(notified) == 0 {
		return
	}
	given := make([]bool, len(s.keys))
	for i, k := range s.keys {
		given[i] = k.What() == format.ActivityWait && notified[k.AssociatedLock()]
	}
	for t := range s.first {
		for c := s.Scan(s.OfThread(format.ThreadID(t))); c.NextOther(); {
			if given[c.b.number(c.data())] {
				a := c.Activity()
				f(&a)
			}
		}
	}
}

// Failed returns the number of waits that ended without the lock, and their total duration.
func (s *store) Failed() (n int, ns int64) {
	if !slices.ContainsFunc(s.keys, activityKey.Failed) {
		return 0, 0
	}
	for t := range s.first {
		for c := s.Scan(s.OfThread(format.ThreadID(t))); c.NextWait(); {
			if c.key().Failed() {
				n, ns = n+1, ns+c.End-c.Start
			}
		}
	}
	return n, ns
}
