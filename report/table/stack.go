package table

import (
	"fmt"
	"strings"

	"contend/analysis"
	"contend/report/document"
)

// compactFrames is how many frames of a stack a table shows.
const compactFrames = 4

// Compact writes a stack for a table: from the innermost frame that is not
// the lock or the runtime itself outwards, as Class.method:line, packages
// shortened to their initials.
func Compact(s document.Stack) string {
	frames := s.Frames()
	if len(frames) == 0 {
		return analysis.UnknownStack
	}
	for len(frames) > 1 && analysis.RuntimeFrame(frames[0]) {
		frames = frames[1:]
	}
	var parts []string
	for i, f := range frames {
		if i == compactFrames {
			parts = append(parts, fmt.Sprintf("… %d more", len(frames)-i))
			break
		}
		f.Class = short(f.Class)
		text := analysis.MethodName(f)
		if f.Line > 0 {
			text += fmt.Sprintf(":%d", f.Line)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " < ")
}

// short writes java.util.logging.FileHandler as j.u.l.FileHandler. Machines
// and JSON get the whole name. What is no Java class, such as the Go package
// github.com/x/y or a name made of words, stays as it is.
func short(class string) string {
	parts := strings.Split(class, ".")
	if strings.ContainsAny(class, " /(") || strings.HasPrefix(class, "sync.") {
		return class
	}
	for i, p := range parts[:len(parts)-1] {
		if p != "" {
			parts[i] = string([]rune(p)[:1])
		}
	}
	return strings.Join(parts, ".")
}
