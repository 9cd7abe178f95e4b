package analysis

// ByGroup remembers what a visitor found out of groups of slices, see Slice.Group.
// It forgets some of them when there are many.
type ByGroup[T any] struct {
	slots []groupSlot[T]
}

type groupSlot[T any] struct {
	group uint32
	of    T
}

// groupSlots is a power of two. What is forgotten is found out again.
const groupSlots = 1 << 12

// At returns the place of what is known of a group; the first time, and when it was
// forgotten, there is what was known of another one.
func (b *ByGroup[T]) At(group uint32) (of *T, known bool) {
	if b.slots == nil {
		b.slots = make([]groupSlot[T], groupSlots)
	}
	slot := &b.slots[group%groupSlots]
	known = slot.group == group
	slot.group = group
	return &slot.of, known
}
