package cmd

import (
	"os"
	"strings"
	"testing"

	"contend/blame/findings"
	"contend/golden"
)

// The table of findings in the documents is that of the registry; -update writes
// it.
func TestReadmeNamesEveryFinding(t *testing.T) {
	const begin, end = "<!-- findings -->\n", "<!-- end -->"
	var b strings.Builder
	b.WriteString("| name | found where | rests on |\n| --- | --- | --- |\n")
	for k := range findings.Kinds() {
		f := findings.Kind(k)
		b.WriteString("| " + f.String() + " | " + f.Title() + " | " + f.Basis() + " |\n")
	}
	data := golden.Must(os.ReadFile("README.md"))(t)
	before, rest, ok := strings.Cut(string(data), begin)
	got, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("README.md has no table of findings")
	}
	if got == b.String() {
		return
	}
	if !golden.Update() {
		t.Fatalf("the table is\n%s\nwant\n%s", got, b.String())
	}
	golden.OK(t, os.WriteFile("README.md", []byte(before+begin+b.String()+end+after), 0o644))
}
