package unwrap

import (
	"bytes"
	"regexp"
)

// colours are what programs write for terminals between words.
type colours struct{}

var colour = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

func findColours(r *Reader, text []byte) layer {
	if bytes.IndexByte(text, 0x1b) < 0 {
		return nil
	}
	if _, mark := r.anchor(colours{}.strip(text)); mark == None {
		return nil
	}
	return colours{}
}

func (colours) strip(line []byte) []byte {
	if bytes.IndexByte(line, 0x1b) < 0 {
		return line
	}
	return colour.ReplaceAll(line, nil)
}

// section is what tail and head print before the lines of each of several files: the file
// tells processes apart.
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
