package analysis

import (
	"strings"
	"testing"
	"unicode/utf8"

	"contend/format"
)

// However long names are, what is kept of them is short, valid, and told apart.
func TestLongNamesAreKeptShort(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"a.B", strings.Repeat("a", maxName), strings.Repeat("a", maxName+1),
		strings.Repeat("a", 200_000),
		strings.Repeat("é", 100_000), "x" + strings.Repeat("語", 70_000), strings.Repeat("a",
			100_000) + "b" + strings.Repeat("a", 100_000)} {
		sym := NewSymbols(
			&format.Event{Kind: format.KindThread, Thread: 1, Name: name},
			&format.Event{Kind: format.KindObject, Object: 1, Class: name, Name: name},
			&format.Event{
				Kind:   format.KindStack,
				Stack:  1,
				Frames: []format.Frame{{Class: name, Method: name, File: name}},
			},
		)
		f := sym.Frames(1)[0]
		for what, kept := range map[string]string{"thread": sym.ThreadName(1), "class": sym.ClassName(1),
			"of a frame": f.Class, "method": f.Method, "file": f.File} {
			if len(kept) > maxName+64 || !utf8.ValidString(kept) || len(name) <= maxName && kept != name {
				t.Errorf("%s of %d bytes: %d are kept", what, len(name), len(kept))
			}
			if other, met := seen[kept]; met && other != name {
				t.Errorf("%s: two names are one", what)
			}
			seen[kept] = name
		}
	}
}
