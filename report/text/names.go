package text

import (
	"fmt"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/report/document"
)

// Class writes java.util.logging.FileHandler as j.u.l.FileHandler. Machines
// and JSON get the whole name. What is no Java class, such as the Go package
// github.com/x/y or a name made of words, stays as it is.
func Class(name string) string {
	parts := strings.Split(name, ".")
	if strings.ContainsAny(name, " /(") || strings.HasPrefix(name, "sync.") {
		return name
	}
	for i, p := range parts[:len(parts)-1] {
		if p != "" {
			parts[i] = string([]rune(p)[:1])
		}
	}
	return strings.Join(parts, ".")
}

// Method shortens the packages of a method; other names have no dots that
// stand before one.
func Method(name string) string {
	if strings.ContainsAny(name, " [/") {
		return name
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		return Class(name[:dot]) + name[dot:]
	}
	return name
}

// shownFrames is how many frames of a stack a table shows.
const shownFrames = 4

// Stack writes a stack on one line: from the innermost frame that is not the
// lock or the runtime itself outwards, as Class.method:line, packages
// shortened to their initials.
func Stack(s document.Stack) string { return stack(s, false) }

// StackWithLock is Stack that says which method of the lock or the runtime the program
// called in its innermost frame.
func StackWithLock(s document.Stack) string { return stack(s, true) }

func stack(s document.Stack, within bool) string {
	frames, called := s.Frames(), ""
	if len(frames) == 0 {
		return analysis.UnknownStack
	}
	for len(frames) > 1 && analysis.RuntimeFrame(frames[0]) {
		f := frames[0]
		f.Class = f.Class[strings.LastIndexByte(f.Class, '.')+1:]
		frames, called = frames[1:], " (in "+analysis.MethodName(f)+")"
	}
	var parts []string
	for i, f := range frames {
		if i == shownFrames {
			parts = append(parts, fmt.Sprintf("… %d more", len(frames)-i))
			break
		}
		f.Class = Class(f.Class)
		part := analysis.MethodName(f)
		if f.Line > 0 {
			part += fmt.Sprintf(":%d", f.Line)
		}
		if i == 0 && within {
			part += called
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " < ")
}

// StackText shortens a stack that is given as text: the first frames, less
// the runtime's own.
func StackText(owner string) string {
	frames := strings.Split(owner, " < ")
	for len(frames) > 1 && analysis.RuntimeFrame(format.Frame{Class: frames[0][:max(strings.LastIndexByte(frames[0], '.'), 0)]}) {
		frames = frames[1:]
	}
	frames = frames[:min(len(frames), 2)]
	for i, f := range frames {
		frames[i] = Method(f)
	}
	return strings.Join(frames, " < ")
}
