package jfr

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Metadata describes the layout of all events, so a flipped byte in it may hide any of
// them. It has no checksum, but some redundancy: each text is used, each class of a field
// exists, and no name differs in one byte from a name that this package uses.

// setFault records a fault. Only the first one is reported.
func (m *metadata) setFault(what string) {
	if m.flaw == "" {
		m.flaw = what
	}
}

// checkTexts looks for texts that are invalid or unused.
func (p *metadataParser) checkTexts() {
	for i, text := range p.texts {
		switch {
		case strings.ContainsRune(text, 0) || strings.ContainsRune(text, utf8.RuneError):
			p.m.setFault("a text is not valid UTF-8")
		case !p.used[i]:
			p.m.setFault("a text that nothing uses")
		}
	}
}

// checkFieldClasses looks for fields with a missing class.
func (m *metadata) checkFieldClasses() {
	for _, id := range slices.Sorted(maps.Keys(m.classes)) {
		cl := m.classes[id]
		for _, f := range cl.fields {
			if m.classes[f.class] == nil {
				m.setFault("field " + f.name + " of " + cl.name + " is of a class that is missing")
			}
		}
	}
}

// checkRequiredFields looks for missing fields that every version of a class has.
func (m *metadata) checkRequiredFields(cl *class, fields []string) {
	for _, name := range fields {
		if !slices.ContainsFunc(cl.fields, func(f field) bool { return f.name == name }) {
			m.setFault(cl.name + " lacks " + name)
		}
	}
}

// checkNearMisses looks for a name that differs from a wanted one in one byte.
func (m *metadata) checkNearMisses(name string, wanted iter.Seq[string]) {
	for w := range wanted {
		if nearly(w, name) {
			m.setFault("a name is nearly " + w)
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

// constantClasses are the classes to which events and stacks refer.
var constantClasses = [...]string{
	"java.lang.Thread",
	"java.lang.Class",
	"jdk.types.StackTrace",
	"jdk.types.StackFrame",
	"jdk.types.Method",
	"jdk.types.Symbol",
	"jdk.types.ThreadState",
	"jdk.types.VMOperationType",
}

// fieldTypes are the endings of the type names of fields that are read; "" if versions
// differ, or if any type will do.
var fieldTypes = [slots]string{
	slotStart:     "long",
	slotDuration:  "long",
	slotThread:    ".Thread",
	slotOwner:     ".Thread",
	slotSubject:   ".Thread",
	slotStack:     "StackTrace",
	slotAddress:   "long",
	slotFrames:    "StackFrame",
	slotMethod:    "Method",
	slotOperation: "VMOperationType",
	slotState:     "ThreadState",
}
