package analysis

import (
	"strings"

	"contend/format"
)

// Symbols resolves the ids of a trace for visitors and reports, and caches derived names.
// Its methods are for one goroutine at a time.
type Symbols struct {
	*definitions
	methods format.Interner[string] // Class.Method of innermost application frames
	appOf   []uint32                // stack -> methods id + 1, 0 when not computed yet
}

// Fork returns symbols of the same trace for another goroutine.
func (s *Symbols) Fork() *Symbols { return &Symbols{definitions: s.definitions} }

// Methods names method ids.
func (s *Symbols) Methods() *format.Interner[string] { return &s.methods }

// Method returns the dense id of a stack's innermost application frame; Methods names it as
// Class.Method.
func (s *Symbols) Method(id format.StackID) uint32 {
	if int(id) >= len(s.stacks) || id == format.NoStack {
		return s.methods.ID(UnknownStack)
	}
	for len(s.appOf) < len(s.stacks) {
		s.appOf = append(s.appOf, 0)
	}
	if s.appOf[id] == 0 {
		text := UnknownStack
		if f, ok := AppFrame(s.stacks[id]); ok {
			text = MethodName(f)
		}
		s.appOf[id] = s.methods.ID(text) + 1
	}
	return s.appOf[id] - 1
}

// Annotation returns the dense id of the task or region that the program declared on a
// stack; class is format.TaskClass or format.RegionClass, and Methods names the id. Without
// one it is "[no task]" or "[no region]".
func (s *Symbols) Annotation(id format.StackID, class string) uint32 {
	frames := s.Frames(id)
	for i := len(frames) - 1; i >= 0 && strings.HasPrefix(frames[i].Class, "["); i-- {
		if frames[i].Class == class {
			return s.methods.ID(frames[i].Method)
		}
	}
	return s.methods.ID("[no " + class[1:])
}
