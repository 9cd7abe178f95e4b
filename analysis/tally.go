package analysis

// TallyVisitor is a Visitor to which it does not matter when stretches were. It is
// told of those that show the same together, n of them, ns long in all, before any
// definition changes: of each that shows another at once, of the others later. It gets no
// slices of them. What does depend on when they were is for its Stretch, if it is a
// StretchVisitor too; one that asks there for slices passes over the tallies.
type TallyVisitor interface {
	Tally(w *Waiting, ns, n int64)
}

// tally sums up stretches that show the same. A program has some few thousand ways
// to stand in line, and each comes again and again.
type tally struct {
	ears  []TallyVisitor
	slots []tallied  // by number of the waiting
	taken []*tallied // the slots that hold something
}

// tallied is some stretches, of which those that hear of them were not told yet.
type tallied struct {
	of    *Waiting
	ns, n int64
}

// tallySlots is a power of two. With fewer, more is told one by one, and as much in all.
const tallySlots = 1 << 12

// add takes a stretch.
func (t *tally) add(s *Stretch) {
	if t.slots == nil {
		t.slots = make([]tallied, tallySlots)
	}
	slot := &t.slots[s.number%tallySlots]
	if slot.of != s.Waiting {
		t.begin(slot, s)
		return
	}
	slot.ns, slot.n = slot.ns+s.Length(), slot.n+1
}

// begin gives a slot to what a stretch shows.
func (t *tally) begin(slot *tallied, s *Stretch) {
	if slot.of == nil {
		t.taken = append(t.taken, slot)
	}
	t.tell(slot)
	*slot = tallied{of: s.Waiting, ns: s.Length(), n: 1}
	t.tell(slot)
	slot.ns, slot.n = 0, 0
}

func (t *tally) tell(slot *tallied) {
	if slot.n == 0 {
		return
	}
	for _, e := range t.ears {
		e.Tally(slot.of, slot.ns, slot.n)
	}
}

// settle tells of all that was summed up, and forgets it.
func (t *tally) settle() {
	for _, slot := range t.taken {
		t.tell(slot)
		*slot = tallied{}
	}
	t.taken = t.taken[:0]
}
