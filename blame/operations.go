package blame

import (
	"regexp"
	"strings"

	"contend/analysis"
	"contend/format"
)

// OtherOperation is the operation of stacks without a matching frame.
const OtherOperation = "[other operation]"

// operations names stacks by their operation: the outermost frame that matches an expression. The
// innermost one would name a helper that many operations share.
type operations struct {
	frames *regexp.Regexp
	names  format.Interner[string]
	of     PerStack
}

// id returns the operation of a stack.
func (t *operations) id(sym *analysis.Symbols, stack format.StackID) uint32 {
	return t.of.ID(stack, func() uint32 { return t.names.ID(t.name(sym.Frames(stack))) })
}

func (t *operations) name(frames []format.Frame) string {
	if len(frames) == 0 {
		return analysis.UnknownStack
	}
	for i := len(frames) - 1; i >= 0 && t.frames != nil; i-- {
		if strings.HasPrefix(frames[i].Method, "lambda$") {
			continue // the compiler generated this frame, outside of the method with the body
		}
		text := analysis.MethodName(frames[i])
		m := t.frames.FindStringSubmatch(text)
		switch {
		case len(m) > 1 && m[1] != "":
			return m[1]
		case m != nil:
			return text
		}
	}
	return OtherOperation
}

// PerStack caches an id for each stack.
type PerStack struct{ ids ByID[uint32] } // plus 1; 0 is not computed yet

// ID returns the id of a stack; the first call for a stack computes it with of.
func (p *PerStack) ID(stack format.StackID, of func() uint32) uint32 {
	if id := *p.ids.Entry(int(stack)); id > 0 {
		return id - 1
	}
	id := of()
	p.ids[stack] = id + 1
	return id
}
