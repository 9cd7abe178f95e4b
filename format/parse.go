package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// parseText reads one line of the text twin; what names the wrong part. Fields come in any
// order, each at most once.
func parseText(line string, ev *Event) (what string, err error) {
	word, rest, _ := strings.Cut(line, " ")
	kind, ok := ParseKind(word)
	if !ok || kind == KindNone {
		return "kind", fmt.Errorf("%.40q: %w", word, ErrCorrupt)
	}
	ev.Kind = kind
	var seen [fieldCount]bool
	for rest = strings.TrimLeft(rest, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		key, value, found := strings.Cut(rest, "=")
		f, known := layoutField(kind, key)
		if !found || !known {
			return "field", fmt.Errorf("%s has no %.40q: %w", kind, key, ErrCorrupt)
		}
		if seen[f] {
			return key, fmt.Errorf("given twice: %w", ErrCorrupt)
		}
		seen[f] = true
		p := textParser{rest: value}
		p.field(f, ev)
		if p.bad || p.rest != "" && p.rest[0] != ' ' {
			return key, ErrCorrupt
		}
		rest = p.rest
	}
	return "", nil
}

func layoutField(k Kind, key string) (fieldCode, bool) {
	for _, f := range layouts[k] {
		if fieldNames[f] == key {
			return f, true
		}
	}
	return 0, false
}

// textParser reads values; the first failure sticks.
type textParser struct {
	rest string
	bad  bool
}

// word takes the characters up to one of the stops.
func (p *textParser) word(stops string) string {
	i := strings.IndexAny(p.rest, stops)
	if i < 0 {
		i = len(p.rest)
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

func (p *textParser) skip(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// quoted reads a string in double quotes; Go's other quotes are not allowed.
func (p *textParser) quoted() string {
	q, err := strconv.QuotedPrefix(p.rest)
	if err != nil || q[0] != '"' {
		p.bad = true
		return ""
	}
	p.rest = p.rest[len(q):]
	s, err := strconv.Unquote(q)
	p.bad = p.bad || err != nil
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (p *textParser) unsigned(bits int, stops string) uint64 {
	v, err := strconv.ParseUint(p.word(stops), 10, bits)
	p.bad = p.bad || err != nil
	return v
}

func (p *textParser) signed(stops string) int64 {
	v, err := strconv.ParseInt(p.word(stops), 10, 64)
	p.bad = p.bad || err != nil
	return v
}

func (p *textParser) field(f fieldCode, ev *Event) {
	if v := ev.signed(f); v != nil {
		*v = p.signed(" ")
		return
	}
	if s := ev.text(f); s != nil {
		*s = p.quoted()
		return
	}
	ok := true
	switch f {
	case fFrames:
		ev.Frames = p.frames(ev.Frames)
	case fOwners:
		ev.Owners = p.parties(ev.Owners)
	case fWaiters:
		ev.Waiters = p.parties(ev.Waiters)
	case fMode, fLockKind, fActivity:
		ok = ev.setNumber(f, uint64(slices.Index(words[f], p.word(" "))))
	default:
		ok = ev.setNumber(f, p.unsigned(64, " "))
	}
	p.bad = p.bad || !ok
}

func (p *textParser) frames(list []Frame) []Frame {
	for !p.bad {
		var text [3]string
		for i := range text {
			text[i] = p.quoted()
			p.bad = p.bad || !p.skip(':')
		}
		if f := (Frame{text[0], text[1], text[2], int(p.signed(" ,"))}); len(list) < MaxFrames {
			list = append(list, f)
		}
		if !p.skip(',') {
			break
		}
	}
	return list
}

func (p *textParser) parties(list []Party) []Party {
	for !p.bad {
		thread := p.unsigned(32, "/")
		p.bad = p.bad || !p.skip('/')
		stack := p.unsigned(32, "/")
		p.bad = p.bad || !p.skip('/')
		mode := p.partyMode()
		list = append(list, Party{ThreadID(thread), StackID(stack), mode})
		if !p.skip(',') {
			break
		}
	}
	return list
}

func (p *textParser) partyMode() Mode {
	for m, letter := range partyModes {
		if p.skip(letter) {
			return Mode(m)
		}
	}
	p.bad = true
	return Exclusive
}
