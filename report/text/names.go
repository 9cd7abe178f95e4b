package text

import (
	"fmt"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/report/document"
)

// Class writes a class, or a lock of it with its address, without the package: machines and
// JSON get the whole name.
func Class(name string) string {
	if strings.Contains(name, "@") {
		return Plain{}.Address(name)
	}
	return Plain{}.Class(name)
}

// Method writes a method of the program, with its line, without the package.
func Method(name string) string { return Plain{}.Name(name) }

// OwnerAt writes the site of an owner: where it took the lock, or, in, where it was meanwhile.
func OwnerAt(site string, in bool) string {
	if in {
		return "in " + site
	}
	return site
}

// Lock writes a lock as Plain.Lock does, by its name in the trace. Several with one class and
// site differ by the end of their address.
func Lock(name string, known document.Places) string {
	at, ok := known[name]
	if !ok {
		return Class(name)
	}
	out := strings.Join(Plain{}.Lock(strings.TrimSuffix(name, document.NumberOf(name)), at.Class, at.Site), " ")
	class, _, addressed := strings.Cut(name, "@")
	if addressed && at.Digits > 0 && class == at.Class && document.Placed(at.Site) {
		address := document.Address(name)
		out += " @" + address[max(len(address)-at.Digits, 0):]
	}
	return out + at.Number
}

// Locks writes a number of locks of a class at the site of one of them.
func Locks(name string, n int, known document.Places) string {
	if n == 1 {
		return Lock(name, known)
	}
	at := known[name]
	return strings.Join(Plain{}.Lock(name, at.Class, at.Site), " ") + " (" + Amount(int64(n), "lock") + ")"
}

// LocksOf writes a class of locks as Lock writes a lock, by the place with most waiting.
func LocksOf(class string, known document.Places) string {
	site, n := known.OfClass(class)
	out := strings.Join(Plain{}.Lock(class, class, site), " ")
	if n > 1 {
		out += fmt.Sprintf(" and %s", Amount(int64(n-1), "more place"))
	}
	return out
}

// shownFrames is how many frames of a stack a table shows.
const shownFrames = 4

// Stack writes a stack on one line: from the innermost frame that is not the
// lock or the runtime itself outwards, as Class.method:line, packages
// shortened to their initials. Within says which method of the lock or the runtime the
// program called in its innermost frame.
func Stack(s document.Stack, within bool) string {
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
		part := analysis.StackText([]format.Frame{f})
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
	for len(frames) > 1 {
		class := frames[0][:max(strings.LastIndexByte(frames[0], '.'), 0)]
		if !analysis.RuntimeFrame(format.Frame{Class: class}) {
			break
		}
		frames = frames[1:]
	}
	return Chain(strings.Join(frames[:min(len(frames), 2)], " < "))
}

// Cause writes the owner that caused some waiting: the site that acquired the lock and the
// owner's activity, or the innermost frames of its stack.
func Cause(c *document.Cause) string {
	site, doing := c.Place()
	switch {
	case site == "":
		return StackText(c.Owner)
	case doing == "":
		return Method(site)
	}
	return Method(site) + ", " + doing
}

// Chain writes frames that are given as text without their packages.
func Chain(frames string) string {
	list := strings.Split(frames, " < ")
	for i, f := range list {
		list[i] = Method(f)
	}
	return strings.Join(list, " < ")
}
