package whatif

// Action is the effect of a change.
type Action uint8

// The actions.
const (
	Shrink     Action = iota // sections of a method become shorter
	RemoveLock               // the locks of a class are not acquired any more
	Split                    // a lock of a class becomes several, and its holds are spread evenly
	Readers                  // sections of a method share the lock with each other
)

// Actions are the names of the actions.
var Actions = [...]string{Shrink: "shrink", RemoveLock: "remove-lock", Split: "split", Readers: "readers"}

// Change is one modification of a program.
type Change struct {
	Action  Action
	Section string  // of Shrink and Readers: a method
	Class   string  // of RemoveLock and Split; else the class that the section locks, for the reader
	By      float64 // of Shrink: the share of the section that is saved, 0 to 1
	Stripes int     // of Split
}

// effect is a change in terms of one trace.
type effect struct {
	section, readers []bool // by section; nil without such a change
	keep             float64
	// by lock: the share of the waiting for known owners that is for owners in the section
	share   []float64
	classes map[string]bool // of the locks that are removed or split
	removed []bool          // by lock
	stripes []stripes
}

// stripes are the locks of a replay that stand for one lock of the trace.
type stripes struct{ first, count int32 }

// shrinks reports whether a section becomes shorter.
func (e *effect) shrinks(section uint32) bool { return contains(e.section, section) }

func contains(set []bool, i uint32) bool { return int(i) < len(set) && set[i] }

// shrunk returns the length of a time in a section after the change, ns.
func (e *effect) shrunk(inside uint32, ns int64) int64 {
	if !e.shrinks(inside) {
		return ns
	}
	return int64(float64(ns) * e.keep)
}

// reads reports whether a hold may be shared with others of which this is true.
func (e *effect) reads(readable bool, section uint32) bool {
	return readable || contains(e.readers, section)
}

// unchanged returns the effect of no change.
func (c *Collector) unchanged() *effect {
	e := &effect{keep: 1, removed: make([]bool, len(c.locks.List)), share: make([]float64, len(c.locks.List))}
	for l := range c.locks.List {
		e.stripes = append(e.stripes, stripes{int32(l), 1})
	}
	return e
}

// smallChanges are the factors by which sections are shorter in the controls. There are
// several, because a single one may gain or lose by chance.
var smallChanges = [...]float64{0.0002, 0.0005, 0.001}

// slightlyShorter returns the effect of shortening all sections a little.
func (c *Collector) slightlyShorter(by float64) *effect {
	e := c.unchanged()
	e.keep, e.section = 1-by, make([]bool, c.sites.Names().Len())
	for i := range e.section {
		e.section[i] = true
	}
	return e
}

// effect finds what a change names in the trace. The error says that the trace has no such
// thing, with the nearest names.
func (c *Collector) effect(ch *Change) (*effect, error) {
	e := c.unchanged()
	switch ch.Action {
	case Shrink, Readers:
		set, err := c.findSections(ch.Section)
		if err != nil {
			return nil, err
		}
		if ch.Action == Readers {
			e.readers = set
			return e, nil
		}
		e.section = set
		e.keep = 1 - ch.By
		e.share = c.shares(set)
	case RemoveLock, Split:
		classes, err := c.findClass(ch.Class)
		if err != nil {
			return nil, err
		}
		e.classes = classes
		next := int32(0)
		for l, id := range c.locks.List {
			e.stripes[l].first = next
			if classes[c.sym.ClassName(id)] {
				e.removed[l] = ch.Action == RemoveLock
				e.stripes[l].count = int32(max(ch.Stripes, 1))
			}
			next += e.stripes[l].count
		}
	}
	return e, nil
}
