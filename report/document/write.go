package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Write prints a document as indented JSON. Characters that act on a terminal
// or reorder text are written as \u escapes: to a program they are the same.
func Write(w io.Writer, doc any) error {
	if d, ok := doc.(*CSP); ok {
		return d.write(w)
	}
	text, err := encode(doc, "")
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// encode returns a document as JSON; the lines behind the first begin with
// prefix.
func encode(doc any, prefix string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	return Escape(b.Bytes()), nil
}

// Escape escapes what encoding/json lets through; all of it is inside strings,
// but for line ends.
func Escape(text []byte) []byte {
	acts := func(r rune) bool { return r != '\n' && Acts(r) }
	if plain(text) || bytes.IndexFunc(text, acts) < 0 {
		return text
	}
	var out []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case !acts(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// plain reports whether a text is of printed ASCII and ends of lines, as nearly all are: to
// see that takes a tenth of the time.
func plain(text []byte) bool {
	for _, b := range text {
		if b != '\n' && (b < ' ' || b >= unicode.MaxASCII) {
			return false
		}
	}
	return true
}

// Acts reports whether a character acts on a terminal: controls, and those
// that reorder or hide text.
func Acts(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
