package jfr

import (
	"maps"
	"slices"
	"strings"
)

// A program reads one kind of value: an event, or a constant. It is compiled
// once from the recording's metadata, so that layouts of any version are read
// without a lookup for each field.
type program struct {
	spec   *eventSpec
	class  *class
	number int // among the programs of events
	pool   int // of a constant: the number of its class's pool
	ops    []op
	fields []slot // as above, if they are few integers: the slot of each
	takes  []slot
	pools  [slots]int64 // by slot: the class of the pool that a key belongs to
	has    [slots]bool
}

type op struct {
	kind opKind
	slot slot
	take bool
	name bool // a reference to a symbol
	size int  // bytes; of an integer, when not compressed
	n    int  // of opInts: how many
	body []op // of opArray: the ops of one item
}

type opKind uint8

const (
	opInt    opKind = iota // integer
	opInts                 // successive integers that are not kept
	opRaw                  // size bytes
	opString               // a string; its slot gets the offset
	opArray                // a count, then body for each; its slot gets the offset
	opHere                 // an opArray after which nothing is read
)

// slot names a value that a program reads.
type slot uint8

// values are the results of one run of a program: integers, keys, offsets.
type values [slots + 1]int64

// noSlot is the slot of values that are not kept.
const noSlot = slots

// primitives are the types with a fixed layout.
var primitives = map[string]op{
	"boolean": {kind: opRaw, size: 1}, "byte": {kind: opRaw, size: 1},
	"char": {kind: opInt, size: 2}, "short": {kind: opInt, size: 2},
	"int": {kind: opInt, size: 4}, "long": {kind: opInt, size: 8},
	"float": {kind: opRaw, size: 4}, "double": {kind: opRaw, size: 8},
	"java.lang.String": {kind: opString},
}

// compileClass builds the program that reads the named fields of a class.
func (m *metadata) compileClass(cl *class, want map[string]slot) *program {
	p := &program{class: cl}
	for _, f := range cl.fields {
		s, take := want[f.name]
		if !take {
			m.checkNearMisses(f.name, maps.Keys(want))
		} else if is := fieldTypes[s]; is != "" && m.classes[f.class] != nil &&
			!strings.HasSuffix(m.classes[f.class].name, is) {
			m.setFault("field " + f.name + " of " + cl.name + " is of a wrong type")
		}
		ops, ok := m.field(f, 0)
		if !ok {
			return nil
		}
		if take && len(ops) == 1 {
			ops[0].slot, ops[0].take = s, true
			p.takes = append(p.takes, s)
			p.pools[s], p.has[s] = f.class, true
			if f.unit != "" {
				m.units[s] = f.unit
			}
		}
		p.ops = append(p.ops, ops...)
	}
	p.ops = fused(p.ops)
	p.fields = integers(p.ops)
	return p
}

// maxInline bounds the integers that are read one by one; more are skipped together.
const maxInline = 12

// integers returns the slots of a program's values if they are few, and all integers; else
// nil.
func integers(ops []op) (takes []slot) {
	for _, o := range ops {
		switch {
		case o.kind == opInt && o.take:
			takes = append(takes, o.slot)
		case o.kind == opInts && len(takes)+o.n <= maxInline:
			takes = append(takes, slices.Repeat([]slot{noSlot}, o.n)...)
		default:
			return nil
		}
	}
	return takes
}

// fused joins successive ops that keep no value.
func fused(ops []op) []op {
	out := make([]op, 0, len(ops))
	for _, o := range ops {
		if o.kind == opInt && !o.take {
			o.kind, o.n = opInts, 1
		}
		if n := len(out) - 1; n >= 0 && out[n].kind == o.kind && !o.take && !out[n].take && !o.name && !out[n].name &&
			(o.kind == opInts || o.kind == opRaw) {
			out[n].size, out[n].n = out[n].size+o.size, out[n].n+o.n
			continue
		}
		out = append(out, o)
	}
	return out
}

// field returns the ops that read one field; ok is false for a type the
// metadata does not describe, or one that contains itself.
func (m *metadata) field(f field, depth int) (ops []op, ok bool) {
	item, ok := m.value(f, depth)
	if !ok || !f.array {
		return item, ok
	}
	return []op{{kind: opArray, body: fused(item)}}, true
}

func (m *metadata) value(f field, depth int) ([]op, bool) {
	if f.constant {
		return []op{{kind: opInt, size: 8, name: isSymbol(m.classes[f.class])}}, true
	}
	cl := m.classes[f.class]
	if cl == nil || depth > maxDepth {
		return nil, false
	}
	if o, ok := primitives[cl.name]; ok {
		return []op{o}, true
	}
	var ops []op
	for _, inner := range cl.fields {
		part, ok := m.field(inner, depth+1)
		m.work += 1 + len(part)
		if !ok || m.work > maxWork {
			return nil, false
		}
		ops = append(ops, part...)
	}
	return ops, true
}

// maxWork bounds the fields visited and the ops made for one metadata. A JDK's needs some
// thousand; classes that each hold the next one twice would need 2 to the power of the
// depth.
const maxWork = 1 << 18

// parts are the programs for the constants this package looks into.
type parts struct {
	thread, group, class, pack, symbol, method, stack, frame, operation, state *program
	strings                                                                    int64 // java.lang.String
	texts                                                                      int   // its pool
}

// compile builds the programs of all wanted events and, from the classes
// their fields name, of the constants.
func (m *metadata) compile(specs map[string]*eventSpec) {
	m.programs, m.pooled = make(map[int64]*program), make(map[int64]int)
	most := int64(0)
	m.checkFieldClasses()
	for _, id := range slices.Sorted(maps.Keys(m.classes)) {
		cl := m.classes[id]
		most = max(most, id)
		if cl.name == "java.lang.String" {
			m.parts.strings = id
		}
		spec, ok := specs[eventName(cl.name)]
		if !ok {
			m.checkNearMisses(cl.name, allNames(specs))
			continue
		}
		m.checkRequiredFields(cl, spec.needs)
		if p := m.compileClass(cl, spec.fields); p != nil {
			p.spec, p.number = spec, len(m.numbered)
			m.programs[id] = p
			m.numbered = append(m.numbered, p)
			m.tracing = m.tracing || spec.name == "MethodTrace"
			m.unmounts = m.unmounts || spec.name == "JavaMonitorNotify"
		}
	}
	m.dense = make([]*program, min(most, densePrograms-1)+1)
	for id := range m.dense {
		m.dense[id] = m.programs[int64(id)]
		if m.dense[id] == nil && m.classes[int64(id)].isEvent() {
			m.dense[id] = unwanted
		}
	}
	for _, p := range m.programs { // in any order: all events agree on the classes of their fields
		m.part(
			&m.parts.thread,
			p,
			slotThread,
			[]string{"osName", "osThreadId", "javaName", "javaThreadId"},
			map[string]slot{
				"osName":       slotOSName,
				"osThreadId":   slotOSID,
				"javaName":     slotName,
				"javaThreadId": slotID,
				"virtual":      slotVirtual,
				"group":        slotGroup,
			},
		)
		m.part(
			&m.parts.stack,
			p,
			slotStack,
			[]string{"frames"},
			map[string]slot{"truncated": slotTruncated, "frames": slotFrames},
		)
		m.part(&m.parts.operation, p, slotOperation, []string{"type"}, map[string]slot{"type": slotName})
		m.part(&m.parts.state, p, slotState, []string{"name"}, map[string]slot{"name": slotName})
		m.part(
			&m.parts.class,
			p,
			slotClass,
			[]string{"name"},
			map[string]slot{"name": slotName, "package": slotPackage},
		)
	}
	m.part(&m.parts.group, m.parts.thread, slotGroup, nil, map[string]slot{"name": slotName})
	m.frames()
	for _, p := range [...]*program{m.parts.thread, m.parts.group, m.parts.class, m.parts.pack, m.parts.symbol,
		m.parts.method, m.parts.stack, m.parts.operation, m.parts.state} {
		if p != nil {
			p.pool = m.poolOf(p.class.id)
		}
	}
	m.parts.texts = m.poolOf(m.parts.strings)
}

// poolOf numbers a class whose constants are read.
func (m *metadata) poolOf(class int64) int {
	n, ok := m.pooled[class]
	if !ok {
		n = len(m.pooled)
		m.pooled[class] = n
	}
	return n
}

// densePrograms bounds the array of programs. A JDK has a few hundred types, and programs'
// own events have larger numbers; these are looked up in a map.
const densePrograms = 1 << 15

// part compiles the program for the constants a slot refers to, if it is not
// there yet. Some of the fields no version lacks.
func (m *metadata) part(into **program, from *program, s slot, needs []string, want map[string]slot) {
	if *into != nil || from == nil || !from.has[s] {
		return
	}
	if cl := m.classes[from.pools[s]]; cl != nil {
		m.checkRequiredFields(cl, needs)
		if *into = m.compileClass(cl, want); *into != nil {
			(*into).shorten()
		}
	}
}

// shorten removes the ops after the last kept value from a program for constants: index
// skips whole constants.
func (p *program) shorten() {
	n := len(p.ops)
	for n > 0 && !p.ops[n-1].take {
		n--
	}
	p.ops = p.ops[:n]
	p.fields = integers(p.ops)
	if n > 0 && p.ops[n-1].kind == opArray {
		p.ops[n-1].kind = opHere
	}
}

// frames follows stack -> frame -> method -> class -> symbol.
func (m *metadata) frames() {
	q := &m.parts
	if q.stack == nil || !q.stack.has[slotFrames] {
		return
	}
	if cl := m.classes[q.stack.pools[slotFrames]]; cl != nil {
		m.checkRequiredFields(cl, []string{"method"})
		q.frame = m.compileClass(
			cl,
			map[string]slot{"method": slotMethod, "lineNumber": slotLine, "bytecodeIndex": slotBytecode},
		)
	}
	m.part(
		&q.method,
		q.frame,
		slotMethod,
		[]string{"type", "name"},
		map[string]slot{"type": slotClass, "name": slotName, "modifiers": slotModifiers},
	)
	m.part(&q.class, q.method, slotClass, []string{"name"}, map[string]slot{"name": slotName, "package": slotPackage})
	m.part(&q.pack, q.class, slotPackage, nil, map[string]slot{"name": slotName})
	m.part(&q.symbol, q.class, slotName, nil, map[string]slot{"string": slotName})
	m.part(&q.symbol, q.method, slotName, nil, map[string]slot{"string": slotName})
}
