package compare

import (
	"strings"

	"contend/analysis"
	"contend/blame"
)

// ownerName names an owner by its call chain: without line numbers, which any
// edit of a file moves, and without the frames of the lock and the runtime,
// which differ between versions of a JVM.
func ownerName(sym *analysis.Symbols, o analysis.Owner) string {
	frames := sym.Frames(o.Stack)
	if o.Kind != analysis.OwnerThread || len(frames) == 0 {
		return sym.OwnerText(o)
	}
	var names []string
	for _, f := range frames {
		if !analysis.RuntimeFrame(f) {
			names = append(names, blame.StableName(analysis.MethodName(f)))
		}
	}
	if len(names) == 0 { // nothing else is known of it
		return blame.StableName(analysis.MethodName(frames[0]))
	}
	return strings.Join(names, callOf)
}

// callOf stands between a frame and the one that called it.
const callOf = " < "
