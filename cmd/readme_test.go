package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"contend/golden"

	"github.com/google/go-cmp/cmp"
)

// TestDocsShowWhatCommandsPrint runs every "$ contend" line of the README and
// of the pages beside the rooms, in the root folder, and compares what follows
// it; -update rewrites it.
func TestDocsShowWhatCommandsPrint(t *testing.T) {
	golden.Unhurried(t)
	t.Chdir("..")
	t.Setenv("COLUMNS", "80")
	for _, doc := range []string{"README.md", "cmd/README.md", "decode/README.md"} {
		t.Run(doc, func(t *testing.T) { checkDoc(t, doc) })
	}
}

func checkDoc(t *testing.T, doc string) {
	text := golden.Must(os.ReadFile(doc))(t)
	var want []string
	ran := 0
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		want = append(want, lines[i])
		args, ok := strings.CutPrefix(lines[i], "$ contend ")
		if !ok {
			continue
		}
		ran++
		want = append(want, printed(t, strings.Fields(args))...)
		for i++; i < len(lines) && lines[i] != "```" && !strings.HasPrefix(lines[i], "$ "); i++ {
		}
		if strings.HasPrefix(lines[i], "$ ") {
			want = append(want, "")
		}
		i--
	}
	if ran == 0 {
		t.Fatal("runs no command")
	}
	rewritten := strings.Join(want, "\n")
	if golden.Update() {
		golden.OK(t, os.WriteFile(doc, []byte(rewritten), 0o644))
		return
	}
	if diff := cmp.Diff(rewritten, string(text)); diff != "" {
		t.Errorf("differs from what the commands print (-printed +%s):\n%s", doc, diff)
	}
}

// printed returns the lines a command prints.
func printed(t *testing.T, args []string) (lines []string) {
	t.Helper()
	var out, msg bytes.Buffer
	if code := Main(args, nil, &out, &msg); code != exitOK || msg.Len() > 0 {
		t.Fatalf("contend %s: exit %d, %s", strings.Join(args, " "), code, msg.String())
	}
	for _, l := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n") {
		lines = append(lines, strings.TrimRight(l, " "))
	}
	return lines
}
