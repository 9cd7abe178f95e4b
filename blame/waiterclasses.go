package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// WaiterClasses groups the waiters of each long queue by the rows they are charged to, which have a
// number. The cost of a slice is the number of classes, not of waiters.
type WaiterClasses struct {
	number func(*analysis.QueueChange) int
	coarse func(*analysis.QueueChange) int // nil if number handles all waiters
	max    int                             // the classes in each queue by number; coarse numbers the others
	queues map[format.ObjectID]*queueClasses
}

// queueClasses are the classes of one queue.
type queueClasses struct {
	list  []*WaiterClass
	place map[int]int // by number
}

// WaiterClass is the waiters of a queue that are charged to the same rows.
type WaiterClass struct {
	Waiter analysis.Waiter // one of them
	number int
	n      int // waiters
}

// NewWaiterClasses returns the classes that a function numbers. It must return the same number when
// a waiter joins and when it leaves.
func NewWaiterClasses(number func(*analysis.QueueChange) int) WaiterClasses {
	return WaiterClasses{number: number, queues: map[format.ObjectID]*queueClasses{}}
}

// Coarse sets a coarser function, with numbers below 0, for waiters that join a queue of at least
// from classes.
func (c WaiterClasses) Coarse(from int, number func(*analysis.QueueChange) int) WaiterClasses {
	c.max, c.coarse = from, number
	return c
}

// ofWaiters and ofOwners are the columns that look at waiters and those that do not. A chain
// looks at the waiter's group.
func ofWaiters(by []Column) []Column {
	list := slices.DeleteFunc(slices.Clone(by), func(c Column) bool { return !c.Key.OfWaiter() })
	if i := slices.Index(list, Column{Key: ByChain}); i >= 0 {
		list[i].Key = ByWaiterGroup
	}
	return list
}

func ofOwners(by []Column) []Column {
	return slices.DeleteFunc(slices.Clone(by), func(c Column) bool { return c.Key.OfWaiter() })
}

// Change adds a waiter that joins a queue and removes one that leaves it. It drops a class without
// waiters, since a lock may have thousands of classes, one after the other.
func (c *WaiterClasses) Change(m *analysis.QueueChange) {
	queue := Entry(c.queues, m.Lock)
	if queue.place == nil {
		queue.place = map[int]int{}
	}
	number := c.number(m)
	at, known := queue.place[number]
	if !known && c.coarse != nil && (m.Leaves || len(queue.list) >= c.max) {
		number = c.coarse(m)
		at, known = queue.place[number]
	}
	if !known {
		at = len(queue.list)
		queue.place[number] = at
		queue.list = append(queue.list, &WaiterClass{Waiter: m.Waiter, number: number})
	}
	class := queue.list[at]
	if !m.Leaves {
		class.n++
		return
	}
	if class.n--; class.n > 0 {
		return
	}
	last := len(queue.list) - 1
	queue.list[at] = queue.list[last]
	queue.place[queue.list[at].number] = at
	queue.list = queue.list[:last]
	delete(queue.place, number)
}

// OfLock returns the classes of a lock's queue; the list is valid until a waiter joins or leaves.
func (c *WaiterClasses) OfLock(lock format.ObjectID) []*WaiterClass {
	if queue := c.queues[lock]; queue != nil {
		return queue.list
	}
	return nil
}

// IsCoarse reports whether the coarse function numbered the class.
func (c *WaiterClass) IsCoarse() bool { return c.number < 0 }

// Len returns the number of waiters.
func (c *WaiterClass) Len() int { return c.n }
