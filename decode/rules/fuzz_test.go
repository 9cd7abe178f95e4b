package rules

import (
	"errors"
	"strings"
	"testing"

	"contend/format"
)

// Whatever the text: a table, or an error that says where; and a table tells
// the same of the same stack twice.
func FuzzParse(f *testing.F) {
	f.Add(string(defaultText))
	f.Add(header + "\nlock a.*\nidle b.C.d")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse(strings.NewReader(text), "x")
		if (table == nil) == (err == nil) {
			t.Fatal("a table or an error")
		}
		var fe *format.Error
		if err != nil && (!errors.As(err, &fe) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%q is no positioned error on one line", err)
		}
		if table == nil {
			return
		}
		frames := []format.Frame{{Class: "a.a.a.a.a.a.a", Method: "aaaaaaaaaaaaaaaa"}, {Class: text, Method: text}}
		if again := table.Classify(text, frames); again != table.Classify(text, frames) {
			t.Fatalf("%q: %v", text, again)
		}
	})
}
