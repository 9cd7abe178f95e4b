package analysis

import "slices"

// WaitQueue is the threads that wait for one lock, in the order in which they
// joined. Each has a number higher than the numbers before it. Joining and leaving take
// constant time, except for a binary search by number. The zero value is empty.
type WaitQueue[T any] struct {
	of   []T
	keys []uint32 // of each twice its number, plus one if it has left
	left int      // elements that have left
	head int      // all elements before it have left
}

// Join adds a waiter under a number.
func (c *WaitQueue[T]) Join(number uint32, one T) {
	c.of, c.keys = append(c.of, one), append(c.keys, 2*number)
}

// Leave removes the waiter with a number.
func (c *WaitQueue[T]) Leave(number uint32) {
	c.keys[c.indexOf(number)]++
	for c.left++; c.head < len(c.keys) && c.keys[c.head]&1 == 1; {
		c.head++
	}
	if 2*c.left > len(c.of) {
		c.pack()
	}
}

// Waiter returns the waiter with a number.
func (c *WaitQueue[T]) Waiter(number uint32) *T { return &c.of[c.indexOf(number)] }

func (c *WaitQueue[T]) indexOf(number uint32) int {
	at, _ := slices.BinarySearch(c.keys, 2*number)
	return at
}

// Len returns the number of waiters.
func (c *WaitQueue[T]) Len() int { return len(c.of) - c.left }

// First returns the waiter that has been in the queue longest.
func (c *WaitQueue[T]) First() *T { return &c.of[c.head] }

// All returns all waiters, valid until the next change.
func (c *WaitQueue[T]) All() []T {
	c.pack()
	return c.of
}

// pack drops the elements that have left.
func (c *WaitQueue[T]) pack() {
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
	c.of = c.of[:kept]
	c.keys = c.keys[:kept]
	c.left = 0
	c.head = 0
}
