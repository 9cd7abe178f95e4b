package blame

import (
	"slices"

	"contend/analysis"
	"contend/format"
)

// Kinds are the waiters of each long queue, by the rows that they are charged to: a number
// stands for these. A queue costs as much as it has kinds, however many wait.
type Kinds struct {
	number func(*analysis.QueueChange) int
	coarse func(*analysis.QueueChange) int // nil where all are told apart
	most   int                             // kinds in each queue that number tells apart; coarse does the others
	at     map[format.ObjectID]*kinds
}

// kinds are those of one queue.
type kinds struct {
	list  []*Kind
	place map[int]int // by number
}

// Kind is the waiters of a queue that are charged to the same rows.
type Kind struct {
	analysis.Waiter // one of them
	number          int
	members         analysis.WaitQueue[format.ThreadID]
	met             map[int]uint32 // by row: the latest of them when it was seen last
}

// NewKinds returns the kinds that a function numbers. It must give a waiter that leaves
// the number with which it joined.
func NewKinds(number func(*analysis.QueueChange) int) Kinds {
	return Kinds{number: number, at: map[format.ObjectID]*kinds{}}
}

// Coarse numbers the waiters that join a queue of so many kinds or more by another
// function, less finely and below 0.
func (k Kinds) Coarse(most int, number func(*analysis.QueueChange) int) Kinds {
	k.most, k.coarse = most, number
	return k
}

// KindsBy returns the kinds that rows of some columns tell apart: by those that look at
// waiters.
func KindsBy(r *Resolver, by []Column) Kinds {
	rows := NewRows(r, ofWaiters(by))
	return NewKinds(func(m *analysis.QueueChange) int { return rows.Of(m.Lock, &m.Waiter, AnyShare) })
}

// ofWaiters and ofOwners are the columns that look at waiters and those that do not. A chain
// looks at the waiter's group.
func ofWaiters(by []Column) []Column {
	list := slices.DeleteFunc(slices.Clone(by), func(c Column) bool { return !c.OfWaiter() })
	if i := slices.Index(list, Column{Key: ByChain}); i >= 0 {
		list[i].Key = ByWaiterGroup
	}
	return list
}

func ofOwners(by []Column) []Column { return slices.DeleteFunc(slices.Clone(by), Column.OfWaiter) }

// Change adds a waiter that joins a queue and removes one that leaves it. A kind without
// waiters is dropped: a lock may be waited for in thousands of ways, one after the other.
func (k *Kinds) Change(m *analysis.QueueChange) {
	of := At(k.at, m.Lock)
	if of.place == nil {
		of.place = map[int]int{}
	}
	number := k.number(m)
	at, known := of.place[number]
	if !known && k.coarse != nil && (m.Leaves || len(of.list) >= k.most) {
		number = k.coarse(m)
		at, known = of.place[number]
	}
	if !known {
		at = len(of.list)
		of.place[number] = at
		of.list = append(of.list, &Kind{Waiter: m.Waiter, number: number})
	}
	one := of.list[at]
	if !m.Leaves {
		one.members.Join(m.Number, m.Thread)
		return
	}
	if one.members.Leave(m.Number); one.Len() > 0 {
		return
	}
	last := len(of.list) - 1
	of.list[at] = of.list[last]
	of.place[of.list[at].number] = at
	of.list = of.list[:last]
	delete(of.place, number)
}

// Of returns the kinds of a lock's queue; the list is valid until a waiter joins or leaves.
func (k *Kinds) Of(lock format.ObjectID) []*Kind {
	if of := k.at[lock]; of != nil {
		return of.list
	}
	return nil
}

// IsCoarse reports whether the kind is one of those that come behind the first kinds of a queue.
func (k *Kind) IsCoarse() bool { return k.number < 0 }

// Len returns the number of waiters.
func (k *Kind) Len() int { return k.members.Len() }

// Meets returns to how many of their waits a row is new. Only waiters that have joined
// since the row was asked for last are looked at.
func (k *Kind) Meets(row int, of *waitCounter) (waits int64) {
	if k.met == nil {
		k.met = map[int]uint32{}
	}
	before := k.met[row]
	for number, thread := range k.members.Behind(before) {
		k.met[row] = max(k.met[row], number)
		if of.IsNew(row, thread) {
			waits++
		}
	}
	return waits
}
