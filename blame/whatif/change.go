package whatif

// Kind is what a change does.
type Kind uint8

// The kinds.
const (
	Shrink     Kind = iota // sections of a method become shorter
	RemoveLock             // the locks of a class are not taken any more
	Split                  // a lock of a class becomes several, among which its tenures are spread evenly
	Readers                // sections of a method share the lock with each other
)

// Kinds are the names of the kinds.
var Kinds = [...]string{Shrink: "shrink", RemoveLock: "remove-lock", Split: "split", Readers: "readers"}

// Change is one thing done to a program.
type Change struct {
	Kind    Kind
	Section string  // of Shrink and Readers: a method
	Class   string  // of RemoveLock and Split; else what the section locks, as a hint to the reader
	By      float64 // of Shrink: which part of the section goes, 0 to 1
	Stripes int     // of Split
}

// effect is a change in the numbers of one trace.
type effect struct {
	section, readers []bool // by section; none where there is no such change
	keep             float64
	share            []float64       // by lock: which part of the waiting for known owners is for those in the section
	classes          map[string]bool // of the locks that go or become stripes
	gone             []bool          // by lock
	stripes          []stripes
}

// stripes are the locks of a replay that one of the trace becomes.
type stripes struct{ first, count int32 }

// shrinks reports whether a section is one that becomes shorter.
func (e *effect) shrinks(section uint32) bool { return among(e.section, section) }

func among(set []bool, i uint32) bool { return int(i) < len(set) && set[i] }

// shrunk returns what becomes of a time in a section.
func (e *effect) shrunk(inside uint32, ns int64) int64 {
	if !e.shrinks(inside) {
		return ns
	}
	return int64(float64(ns) * e.keep)
}

// reads reports whether a tenure may be shared with others that may.
func (e *effect) reads(readable bool, section uint32) bool {
	return readable || among(e.readers, section)
}

// unchanged is the effect of no change.
func (c *Collector) unchanged() *effect {
	e := &effect{keep: 1, gone: make([]bool, len(c.locks)), share: make([]float64, len(c.locks))}
	for l := range c.locks {
		e.stripes = append(e.stripes, stripes{int32(l), 1})
	}
	return e
}

// slight are how much shorter sections are in a program that is hardly changed. There are
// several, as one alone may gain or lose by chance.
var slight = [...]float64{0.0002, 0.0005, 0.001}

// hardly is the effect of all sections being a little shorter.
func (c *Collector) hardly(by float64) *effect {
	e := c.unchanged()
	e.keep, e.section = 1-by, make([]bool, c.sites.Names().Len())
	for i := range e.section {
		e.section[i] = true
	}
	return e
}

// effect finds what a change names in the trace. The error says that the trace
// has no such thing, and what comes nearest.
func (c *Collector) effect(ch *Change) (*effect, error) {
	e := c.unchanged()
	switch ch.Kind {
	case Shrink, Readers:
		set, err := c.find(ch.Section)
		if err != nil {
			return nil, err
		}
		if ch.Kind == Readers {
			e.readers = set
			return e, nil
		}
		e.section, e.keep, e.share = set, 1-ch.By, c.shares(set)
	case RemoveLock, Split:
		classes, err := c.findClass(ch.Class)
		if err != nil {
			return nil, err
		}
		e.classes = classes
		next := int32(0)
		for l, id := range c.locks {
			e.stripes[l].first = next
			if classes[c.sym.ClassName(id)] {
				e.gone[l] = ch.Kind == RemoveLock
				e.stripes[l].count = int32(max(ch.Stripes, 1))
			}
			next += e.stripes[l].count
		}
	}
	return e, nil
}
