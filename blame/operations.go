package blame

import (
	"regexp"
	"strings"

	"contend/analysis"
	"contend/format"
)

// OtherOperation is the operation of stacks no frame of which matches.
const OtherOperation = "[other operation]"

// operations names stacks by what their thread was set to do: the outermost
// frame that matches an expression. The innermost one would name a helper
// that many operations share.
type operations struct {
	frames *regexp.Regexp
	names  analysis.Interner
	byID   []uint32 // stack -> names id + 1, 0 when not computed yet
}

// id returns the operation of a stack.
func (t *operations) id(sym *analysis.Symbols, stack format.StackID) uint32 {
	if len(sym.Frames(stack)) == 0 {
		return t.names.ID(analysis.UnknownStack)
	}
	for len(t.byID) <= int(stack) {
		t.byID = append(t.byID, 0)
	}
	if t.byID[stack] == 0 {
		t.byID[stack] = t.names.ID(t.name(sym.Frames(stack))) + 1
	}
	return t.byID[stack] - 1
}

func (t *operations) name(frames []format.Frame) string {
	for i := len(frames) - 1; i >= 0 && t.frames != nil; i-- {
		if strings.HasPrefix(frames[i].Method, "lambda$") {
			continue // a compiler's name; it stands outside of what its body calls
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
