package perf

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"contend/format"

	"github.com/ianlancetaylor/demangle"
)

// KernelClass is the class of the frames of the kernel.
const KernelClass = "kernel"

// stacks gives each call stack one id. It looks the text of a stack up before it parses it,
// because the same few stacks repeat.
type stacks struct {
	byText map[string]chain  // of a bounded number of texts
	ids    format.Stacks     // by the frames, which have less than the text
	byID   []stack           // by id; 0 is the absent one
	names  map[string]string // of functions, as they are shown
	frames []format.Frame
	lines  []frameLine
	python bool // functions of Python are among them
}

// chain is the parsed text of a stack.
type chain struct {
	id     format.StackID
	sleeps format.Activity // the activity of a thread that sleeps there
}

// stack is the cached information about a call stack.
type stack struct {
	frames []format.Frame
	use    use
}

// texts bounds the texts that are remembered.
const texts = 1 << 15

// deepest bounds the frames of a stack.
const deepest = 512

func (s *stacks) init() {
	*s = stacks{byText: map[string]chain{}, names: map[string]string{}, byID: make([]stack, 1)}
}

// chain returns the parsed text, and the frames of its stack when it is new. With user, it
// leaves the frames of the kernel out.
func (s *stacks) chain(text []byte, user bool) (c chain, added []format.Frame) {
	if len(text) == 0 {
		return chain{}, nil
	}
	if user {
		text = append(text, 'u') // one text may make two stacks
	}
	if c, ok := s.byText[string(text)]; ok {
		return c, nil
	}
	if len(s.byText) >= texts {
		clear(s.byText)
	}
	s.read(text, user)
	c.sleeps = s.sleeper()
	if len(s.frames) > 0 {
		c.id, added = s.intern()
	}
	s.byText[string(text)] = c
	return c, added
}

func (s *stacks) intern() (id format.StackID, added []format.Frame) {
	id, isNew := s.ids.ID(s.frames)
	if isNew {
		added = slices.Clone(s.frames)
		s.byID = append(s.byID, stack{frames: added, use: useOf(added)})
	}
	return id, added
}

// frameLine is a line of a call chain, and the line of source that may follow:
//
//	1234abcd bank::Account::spin+0x10 (/usr/bin/bank)
//	  bank.cc:12
type frameLine struct {
	ip      uint64
	fn      []byte
	dso     []byte
	inlined bool
	file    []byte
	line    int
}

// read makes frames of the text of a stack.
func (s *stacks) read(text []byte, user bool) {
	s.lines = s.lines[:0]
	for line := range bytes.Lines(text) {
		if len(s.lines) == deepest {
			break
		}
		var f frameLine
		if f.parse(bytes.TrimRight(line, "\n")) {
			s.lines = append(s.lines, f)
		} else if n := len(s.lines); n > 0 {
			s.lines[n-1].source(bytes.TrimSpace(line))
		}
	}
	s.frames = s.frames[:0]
	for i := range s.lines {
		f := &s.lines[i]
		if kernel := f.kernel(); kernel && user || s.again(i) {
			continue
		}
		s.frames = append(s.frames, s.frame(f))
	}
}

func (f *frameLine) parse(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	ip, rest, ok := hexadecimal(line)
	if !ok || len(rest) == 0 || rest[0] != ' ' {
		return false
	}
	rest = bytes.TrimSpace(rest)
	*f = frameLine{ip: ip, fn: rest}
	if n := len(rest); n > 0 && rest[n-1] == ')' {
		if open := format.OpeningBracket(rest); open >= 0 && (open == 0 || rest[open-1] == ' ') {
			f.fn, f.dso = bytes.TrimSpace(rest[:open]), rest[open+1:n-1]
		}
	}
	if string(f.dso) == "inlined" {
		f.inlined, f.dso = true, nil
	}
	if plus := bytes.LastIndex(f.fn, offsetMark); plus > 0 {
		f.fn = f.fn[:plus]
	}
	return len(f.fn) > 0
}

var (
	offsetMark  = []byte("+0x")
	inlinedMark = []byte(" (inlined)")
)

// source takes the source line, file.c:12; other text has no number. A mark for inlined
// functions may follow.
func (f *frameLine) source(text []byte) {
	if rest, ok := bytes.CutSuffix(text, inlinedMark); ok {
		text, f.inlined = rest, true
	}
	colon := bytes.LastIndexByte(text, ':')
	if colon <= 0 {
		return
	}
	digits, _, _ := bytes.Cut(text[colon+1:], blank) // (discriminator 2) may follow
	if n, ok := decimal(digits); ok && n > 0 && n < 1<<31 && text[0] != '?' {
		f.file, f.line = text[:colon], int(n)
	}
}

func (f *frameLine) kernel() bool {
	return bytes.HasPrefix(f.dso, kernelDSO) || bytes.HasPrefix(f.dso, modulesDSO) || f.ip>>63 != 0
}

var (
	kernelDSO  = []byte("[kernel")
	modulesDSO = []byte("[guest.kernel")
)

// again reports whether a frame is the same function as a later one of the same address,
// after the functions inlined into it: perf lists the outermost first, too.
func (s *stacks) again(i int) bool {
	f := &s.lines[i]
	if f.inlined || i+1 >= len(s.lines) || !s.lines[i+1].inlined || s.lines[i+1].ip != f.ip {
		return false
	}
	for j := i + 1; j < len(s.lines) && s.lines[j].ip == f.ip; j++ {
		if bytes.HasSuffix(f.fn, s.lines[j].fn) {
			return true
		}
	}
	return false
}

// frame returns the frame that is shown for a line.
func (s *stacks) frame(f *frameLine) format.Frame {
	if bytes.HasPrefix(f.fn, []byte(pythonPrefix)) {
		if out, ok := pythonFrame(strings.ToValidUTF8(string(f.fn), "\uFFFD")); ok {
			s.python = true
			return out
		}
	}
	out := format.Frame{Method: s.name(f.fn), File: fileName(string(f.dso)), Line: 0}
	if f.kernel() {
		out.Class, out.File = KernelClass, ""
	}
	if f.line > 0 {
		out.File, out.Line = fileName(string(f.file)), f.line
	}
	return out
}

// name returns a function as it is shown: demangled, and without arguments.
func (s *stacks) name(fn []byte) string {
	if name, ok := s.names[string(fn)]; ok {
		return name
	}
	if len(s.names) >= texts {
		clear(s.names)
	}
	name := plainName(string(fn))
	s.names[string(fn)] = name
	return name
}

func plainName(fn string) string {
	name := strings.ToValidUTF8(fn, "\uFFFD")
	if strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__Z") {
		name = demangle.Filter(name, demangle.NoParams, demangle.NoEnclosingParams)
	}
	return withoutHash(withoutArguments(withoutBrackets(name)))
}

// withoutBrackets rewrites a method of a Rust type from older compilers:
// <std::sync::Mutex>::lock becomes std::sync::Mutex::lock. A method of a trait does not
// change: <shop::Order as Drop>::drop.
func withoutBrackets(name string) string {
	if !strings.HasPrefix(name, "<") {
		return name
	}
	depth := 0
	for i, c := range name {
		switch c {
		case '<':
			depth++
		case '>':
			if depth--; depth > 0 || name[i-1] == '-' {
				continue
			}
			if !strings.HasPrefix(name[i:], ">::") || strings.Contains(name[:i], " as ") ||
				strings.HasPrefix(name, "<&") {
				return name
			}
			return name[1:i] + name[i+1:]
		}
	}
	return name
}

// withoutArguments cuts the parentheses after a name, and the qualifiers after them.
func withoutArguments(name string) string {
	name = strings.TrimSuffix(name, " const")
	if !strings.HasSuffix(name, ")") {
		return name
	}
	open := format.OpeningBracket(name)
	if open <= 0 || strings.HasSuffix(name[:open], "operator") || strings.HasSuffix(name[:open], "::") ||
		name[open-1] == ' ' {
		return name
	}
	return name[:open]
}

// withoutHash cuts the hash that Rust appends to a name.
func withoutHash(name string) string {
	const mark = "::h"
	n := len(name) - len(mark) - 16
	if n <= 0 || name[n:n+len(mark)] != mark {
		return name
	}
	if _, err := strconv.ParseUint(name[n+len(mark):], 16, 64); err != nil {
		return name
	}
	return name[:n]
}

// fileName returns the last part of a path.
func fileName(of string) string {
	if of == "" {
		return ""
	}
	return strings.ToValidUTF8(path.Base(strings.TrimSuffix(of, " (deleted)")), "\uFFFD")
}
