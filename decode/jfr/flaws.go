package jfr

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Metadata describes the layout of all events, so a flipped byte in it may hide any of them.
// It has no checksum, but some redundancy: each text is used, each class of a field exists,
// and no name is nearly one of those that this package looks for.

// flawed records what is wrong. Only the first fault is reported.
func (m *metadata) flawed(what string) {
	if m.flaw == "" {
		m.flaw = what
	}
}

// check looks for texts that are none, or that nothing uses.
func (p *metadataParser) check() {
	for i, text := range p.texts {
		switch {
		case strings.ContainsRune(text, 0) || strings.ContainsRune(text, utf8.RuneError):
			p.m.flawed("a text holds bytes that are none")
		case !p.used[i]:
			p.m.flawed("a text that nothing uses")
		}
	}
}

// refers looks for fields with a missing class.
func (m *metadata) refers() {
	for _, id := range slices.Sorted(maps.Keys(m.classes)) {
		cl := m.classes[id]
		for _, f := range cl.fields {
			if m.classes[f.class] == nil {
				m.flawed("field " + f.name + " of " + cl.name + " is of a class that is missing")
			}
		}
	}
}

// needs looks for fields that no version of a class lacks.
func (m *metadata) needs(cl *class, fields []string) {
	for _, name := range fields {
		if !slices.ContainsFunc(cl.fields, func(f field) bool { return f.name == name }) {
			m.flawed(cl.name + " lacks " + name)
		}
	}
}

// resembles looks for a name that differs from a wanted one in one byte.
func (m *metadata) resembles(name string, wanted iter.Seq[string]) {
	for w := range wanted {
		if nearly(w, name) {
			m.flawed("a name is nearly " + w)
		}
	}
}

// allNames yields the names of all events that are read, and of the classes of their
// fields.
func allNames(specs map[string]*eventSpec) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, prefix := range prefixes {
			for name := range specs {
				if !yield(prefix + name) {
					return
				}
			}
		}
		for _, name := range slices.Concat(slices.Collect(maps.Keys(primitives)), constantClasses[:]) {
			if !yield(name) {
				return
			}
		}
	}
}

// constantClasses are those that events and stacks refer to.
var constantClasses = [...]string{"java.lang.Thread", "java.lang.Class", "jdk.types.StackTrace", "jdk.types.StackFrame", "jdk.types.Method", "jdk.types.Symbol",
	"jdk.types.ThreadState", "jdk.types.VMOperationType"}

// kinds are the ends of the names of the types that fields have which are taken; ""
// where versions differ, or it does not matter.
var kinds = [slots]string{slotStart: "long", slotDuration: "long", slotThread: ".Thread", slotOwner: ".Thread", slotSubject: ".Thread",
	slotStack: "StackTrace", slotAddress: "long", slotFrames: "StackFrame", slotMethod: "Method", slotOperation: "VMOperationType", slotState: "ThreadState"}
