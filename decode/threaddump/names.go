package threaddump

import (
	"strconv"
	"strings"

	"contend/format"
)

// names keeps one copy of each string and frame, so that a dump does not hold
// on to the text it was read from and equal lines are parsed once.
type names struct {
	text   map[string]string
	frames [2]map[string]format.Frame // by notation: dotted, slashed
}

// maxNames bounds the tables: names that differ in each dump must not fill
// the memory.
const maxNames = 1 << 17

func newNames() *names {
	n := &names{}
	n.reset()
	return n
}

func (n *names) reset() {
	n.text = make(map[string]string)
	n.frames = [2]map[string]format.Frame{{}, {}}
}

// intern returns the kept copy of s, made valid UTF-8.
func (n *names) intern(s string) string {
	if kept, ok := n.text[s]; ok {
		return kept
	}
	if len(n.text) >= maxNames {
		n.reset()
	}
	key := strings.Clone(s)
	kept := strings.ToValidUTF8(key, "\uFFFD")
	n.text[key] = kept
	return kept
}

// The notations of frames: java.lang.Thread.run and java/lang/Thread.run.
const (
	dotted = iota
	slashed
)

// frame parses the text after "at ". Lines without a class are not frames.
func (n *names) frame(text string, notation int) (format.Frame, bool) {
	if f, ok := n.frames[notation][text]; ok {
		return f, f.Class != ""
	}
	f := format.Frame{}
	if notation == dotted {
		f = dottedFrame(text)
	} else {
		f = slashedFrame(text)
	}
	f.Class = n.intern(f.Class)
	f.Method = n.intern(f.Method)
	f.File = n.intern(f.File)
	if len(n.frames[notation]) >= maxNames {
		n.reset()
	}
	n.frames[notation][strings.Clone(text)] = f
	return f, f.Class != ""
}

// dottedFrame reads `java.lang.Thread.run(java.base@17/Thread.java:840)` and
// `java.base/java.lang.Thread.run(Thread.java:840)`, with a blank before the place as
// consoles of Android print it. Names of Kotlin's and Scala's methods may hold brackets,
// and so may places: the bracket that the last one closes opens the place.
func dottedFrame(text string) (f format.Frame) {
	where := ""
	if i := opening(text); i >= 0 {
		text, where = strings.TrimRight(text[:i], " "), text[i+1:]
	}
	dot := strings.LastIndexByte(text, '.')
	if dot <= 0 {
		return f
	}
	class := ClassName(text[:dot])
	if i := strings.LastIndexByte(class, '/'); i >= 0 { // loader and module before the class
		class = class[i+1:]
	}
	f.Class, f.Method = class, text[dot+1:]
	f.File, f.Line = place(where)
	return f
}

// slashedFrame reads JRockit's `java/lang/Object.wait(J)V(Native Method)` and
// OpenJ9's `java/lang/Object.wait(Object.java:218(Compiled Code))`.
func slashedFrame(text string) (f format.Frame) {
	text = strings.TrimSuffix(text, "(Compiled Code))")
	name, _, _ := strings.Cut(text, "(")
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return f
	}
	f.Class, f.Method = strings.ReplaceAll(ClassName(name[:dot]), "/", "."), name[dot+1:]
	f.File, f.Line = place(text[strings.LastIndexByte(text, '(')+1:])
	return f
}

// place reads `java.base@17/Thread.java:840)`, `Native Method)`,
// `Unknown Source)` or `Bytecode PC:29)`.
func place(where string) (file string, line int) {
	where = strings.TrimSuffix(where, ")")
	where = where[strings.LastIndexByte(where, '/')+1:] // module before the file
	file, number := where, ""
	if i := strings.LastIndexByte(where, ':'); i >= 0 {
		file, number = where[:i], where[i+1:]
	}
	switch {
	case file == "Native Method":
		return "", -1
	case file == "Unknown Source" || file == "Bytecode PC":
		return "", 0
	}
	line, _ = strconv.Atoi(number)
	return file, max(line, 0)
}

// opening returns the position of the bracket that a text's last one closes, or of the last
// opening bracket in a text that is cut off; -1 for none.
func opening(text string) int {
	if i := format.OpeningBracket(text); i >= 0 {
		return i
	}
	return strings.LastIndexByte(text, '(')
}

// ClassName removes the part of a hidden class's name that differs in each run:
// Truth$$Lambda$87/0x00007f6bd0008210 becomes Truth$$Lambda. Flight recordings write a
// plus, LambdaForm$MH+0x00007fa778083800/2086996804, and JDK 8 a decimal number.
func ClassName(name string) string {
	if i := strings.Index(name, "$$Lambda"); i >= 0 {
		return name[:i+len("$$Lambda")]
	}
	for _, mark := range [...]string{"/0x", "+0x"} {
		if i := strings.LastIndex(name, mark); i > 0 {
			return name[:i]
		}
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 && i+1 < len(name) &&
		strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// ref makes a lock of a class as the JVM writes it, [I or java/util/Vector
// or `java.lang.Class for Foo`, and an address.
func (n *names) ref(class string, addr uint64) LockRef {
	class, of, isClass := strings.Cut(class, " for ")
	ref := LockRef{Class: n.intern(JavaName(class)), Addr: addr}
	if isClass {
		ref.Name = n.intern("class " + JavaName(of))
	}
	return ref
}

// bracketed reads `<0x000000069d4004f8> (a java.util.Vector)`; the zero ref
// when no object is named.
func (n *names) bracketed(text string) LockRef {
	text = strings.TrimLeft(text, " ")
	if text == "" || text[0] != '<' {
		return LockRef{}
	}
	hex, rest, _ := strings.Cut(text[1:], ">")
	addr, err := strconv.ParseUint(strings.TrimPrefix(hex, "0x"), 16, 64)
	_, class, ok := strings.Cut(rest, "(a ")
	if err != nil || !ok {
		return LockRef{}
	}
	class, _, ok = strings.Cut(class, ")")
	if !ok { // cut off within the class
		return LockRef{}
	}
	return n.ref(strings.TrimSpace(class), addr)
}

// named reads a lock in either notation: bracketed, or `demo.Pool@39faacaf` as programs
// print it.
func (n *names) named(text string) LockRef {
	text = strings.TrimPrefix(text, "on ") // "locked on"
	if ref := n.bracketed(text); ref != (LockRef{}) {
		return ref
	}
	text, _, _ = strings.Cut(strings.TrimLeft(text, " "), " ")
	return n.hashed(text)
}

// hashed reads `java.util.Vector@1ec5bbfd`, possibly within <...>, with [fat lock] after
// it. It returns the zero LockRef if no object is named.
func (n *names) hashed(text string) LockRef {
	if strings.HasPrefix(text, "<") && !strings.Contains(text, ">") { // cut off within the hash
		return LockRef{}
	}
	text = strings.Trim(text, " <>")
	at := strings.LastIndexByte(text, '@')
	if at <= 0 {
		return LockRef{}
	}
	hex := text[at+1:]
	if end := strings.IndexAny(hex, " [>,"); end >= 0 {
		hex = hex[:end]
	}
	addr, err := strconv.ParseUint(strings.TrimPrefix(hex, "0x"), 16, 64)
	if err != nil {
		return LockRef{}
	}
	return n.ref(text[:at], addr)
}

// primitives are the JVM's letters for arrays of each.
var primitives = map[string]string{
	"Z": "boolean",
	"B": "byte",
	"C": "char",
	"S": "short",
	"I": "int",
	"J": "long",
	"F": "float",
	"D": "double",
}

// JavaName writes a class as Java does: java/util/Map becomes java.util.Map,
// [I int[], [Ljava/lang/String; java.lang.String[].
func JavaName(class string) string {
	element := strings.TrimLeft(class, "[")
	depth := len(class) - len(element)
	if p, ok := primitives[element]; ok && depth > 0 {
		element = p
	} else if depth > 0 {
		element = strings.TrimSuffix(strings.TrimPrefix(element, "L"), ";")
	}
	return strings.ReplaceAll(ClassName(element), "/", ".") + strings.Repeat("[]", min(depth, 255))
}
