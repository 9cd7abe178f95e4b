package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"contend/golden"

	"github.com/google/go-cmp/cmp"
)

// TestReadmeShowsWhatCommandsPrint runs every "$ contend" line of the README
// and compares what follows it; -update rewrites it.
func TestReadmeShowsWhatCommandsPrint(t *testing.T) {
	unhurried(t)
	t.Chdir("..")
	t.Setenv("COLUMNS", "100")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
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
		var out, msg bytes.Buffer
		if code := Main(strings.Fields(args), nil, &out, &msg); code != exitOK || msg.Len() > 0 {
			t.Fatalf("contend %s: exit %d, %s", args, code, msg.String())
		}
		for _, l := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n") {
			want = append(want, strings.TrimRight(l, " "))
		}
		for i++; i < len(lines) && lines[i] != "```" && !strings.HasPrefix(lines[i], "$ "); i++ {
		}
		if strings.HasPrefix(lines[i], "$ ") {
			want = append(want, "")
		}
		i--
	}
	if ran == 0 {
		t.Fatal("the README runs no command")
	}
	rewritten := strings.Join(want, "\n")
	if golden.Update() {
		if err := os.WriteFile("README.md", []byte(rewritten), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(rewritten, string(text)); diff != "" {
		t.Errorf("README.md differs from what the commands print (-printed +README):\n%s", diff)
	}
}
