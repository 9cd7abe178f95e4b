package unwrap

import (
	"bytes"
	"regexp"
)

// odd removes characters that terminals, web pages and forums add to text: colours,
// no-break and zero-width blanks, and bold letters.
type odd struct{}

var (
	colour = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)
	bold   = regexp.MustCompile(`\*\*(### )?`)
	blank  = []byte("\u00a0")
	none   = []byte("\u200b")
	stars  = []byte("**")
)

func (odd) occursIn(text []byte) bool {
	return bytes.IndexByte(text, 0x1b) >= 0 || bytes.Contains(text, blank) || bytes.Contains(text, none) ||
		bytes.Contains(text, stars)
}

func findOdd(r *Reader, text []byte) layer {
	if !(odd{}).occursIn(text) {
		return nil
	}
	plain := odd{}.strip(text)
	if _, mark := r.anchor(plain); mark == None &&
		!(r.begun && (part(plain) || bytes.HasPrefix(text, blank) || bytes.HasPrefix(text, []byte("3XM")))) {
		return nil
	}
	return odd{}
}

func (o odd) strip(line []byte) []byte {
	if !o.occursIn(line) {
		return line
	}
	line = bold.ReplaceAll(colour.ReplaceAll(line, nil), nil)
	return bytes.ReplaceAll(bytes.ReplaceAll(line, blank, []byte(" ")), none, nil)
}

// section is the line that tail and head print before each of several files, which
// identifies the process.
type section struct{ file string }

var sectionMark = []byte("==> ")

func findSection(_ *Reader, text []byte) layer {
	if !bytes.HasPrefix(text, sectionMark) || !bytes.HasSuffix(text, []byte(" <==")) {
		return nil
	}
	return &section{}
}

func (s *section) strip(line []byte) []byte {
	file, marked := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), sectionMark)
	file, whole := bytes.CutSuffix(file, []byte(" <=="))
	if !marked || !whole {
		return line
	}
	s.file = string(file)
	return nil
}

func (s *section) last() string { return s.file }
