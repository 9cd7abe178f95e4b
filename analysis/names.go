package analysis

import (
	"fmt"
	"strings"

	"contend/format"
)

// PseudoOwner names an owner that is not a thread; cycle is the number of a deadlock.
func PseudoOwner(kind OwnerKind, cycle int32) string {
	switch kind {
	case OwnerHandoff:
		return "[handoff]"
	case OwnerExternal:
		return "[external]"
	case OwnerGCPause:
		return "[gc pause]"
	case OwnerPause:
		return "[safepoint]"
	case OwnerDeadlock:
		return fmt.Sprintf("[deadlock #%d]", cycle)
	}
	return "[unknown owner]"
}

// StackText formats a stack on one line, innermost frame first, as Class.Method:line
// separated by " < ".
func StackText(frames []format.Frame) string {
	if len(frames) == 0 {
		return UnknownStack
	}
	var b strings.Builder
	for i, f := range frames {
		if i > 0 {
			b.WriteString(" < ")
		}
		b.WriteString(MethodName(f))
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
		}
	}
	return b.String()
}
