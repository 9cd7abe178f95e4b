package cmd

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"contend/golden"

	"github.com/spf13/cobra"
)

// wide returns the lines of a text that are wider than a terminal, except words that are.
func wide(text string, columns int) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > columns &&
			len(strings.Fields(line)) > 1 {
			lines = append(lines, line)
		}
	}
	return lines
}

// Help fits the terminal, as tables do.
func TestHelpFitsTheTerminal(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	root := newRoot(&env{out: io.Discard, msg: io.Discard})
	for _, c := range append(root.Commands(), root) {
		var out bytes.Buffer
		c.SetOut(&out)
		golden.OK(t, c.Help())
		for _, line := range wide(out.String(), 80) {
			t.Errorf("%s: %d columns: %s", c.Name(), utf8.RuneCountInString(line), line)
		}
	}
}

func TestAFilledHelpKeepsItsListsAndParagraphs(t *testing.T) {
	const text = `A first sentence that is long. A second
one goes on here.

Keys:
  one    the first of all
         and more of it
  other  the second
Of others:
  command --flag`
	golden.Equal(t, filled(text, 24), `A first sentence that is
long. A second one goes
on here.

Keys:
  one    the first of
         all and more of
         it
  other  the second
Of others:
  command --flag`)
	golden.Equal(t, filledCommands("  contend pprof --view chain a.jfr -o c.pb.gz && go tool pprof c.pb.gz", 40),
		"  contend pprof --view chain a.jfr \\\n      -o c.pb.gz &&\n      go tool pprof c.pb.gz")
}

func TestManualPagesNameTheValuesOfFlags(t *testing.T) {
	folder := t.TempDir()
	golden.OK(t, writeManuals(newRoot(&env{out: io.Discard, msg: io.Discard}), folder))
	page := string(golden.Must(os.ReadFile(filepath.Join(folder, "contend-blame.1")))(t))
	for _, want := range []string{"--class\\fP=REGEXP\n",
		"--top\\fP=N\n\tshow at most N rows; 0 shows all (default 10)"} {
		golden.Holds(t, page, want)
	}
	golden.Lacks(t, page, `=""`)
}

// The package bash-completion splits words for cobra's script. Without it, the script does.
func TestBashCompletesWithoutFurtherPackages(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not here")
	}
	for line, want := range map[string]string{
		"contend ana":                     "analyze",
		"contend blame --format=ma":       "markdown",
		"contend analyze --format ma":     "markdown",
		"contend blame --by class,waiter": "class,waiter-group",
	} {
		root := newRoot(&env{out: io.Discard, msg: io.Discard})
		script, _, err := root.Find([]string{"completion", "bash"})
		golden.OK(t, err)
		var out bytes.Buffer
		root.SetOut(&out)
		golden.OK(t, script.RunE(script, nil))
		// Instead of a built program, this test answers what the script asks.
		out.WriteString(`
contend() { printf '%s\n' "$*" >>"$ASKED"; cat "$ANSWER"; }
split() { COMP_LINE=$1; COMP_POINT=${#1}; COMP_TYPE=9; COMP_WORDBREAKS=$' \t\n=:'
  local IFS=' ' w; COMP_WORDS=(); for w in ${1//=/ = }; do COMP_WORDS+=("$w"); done
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); }
split "$LINE"; __start_contend; printf '%s\n' "${COMPREPLY[@]}"
`)
		folder := t.TempDir()
		asked, answer := filepath.Join(folder, "asked"), filepath.Join(folder, "answer")
		golden.OK(t, os.WriteFile(answer, completionsOf(t, strings.Fields(line)[1:]), 0o600))
		run := exec.Command(bash, "--norc", "--noprofile")
		run.Stdin = &out
		run.Env = append(os.Environ(), "LINE="+line, "ASKED="+asked, "ANSWER="+answer)
		said, err := run.CombinedOutput()
		golden.OK(t, err)
		golden.Holds(t, string(said), want)
		golden.Lacks(t, string(said), "not found")
		golden.Equal(
			t,
			strings.TrimSpace(string(golden.Must(os.ReadFile(asked))(t))),
			cobra.ShellCompRequestCmd+strings.TrimPrefix(line, "contend"),
		)
	}
}

// completionsOf returns what contend answers a shell.
func completionsOf(t *testing.T, words []string) []byte {
	t.Helper()
	var out, msg bytes.Buffer
	if code := Main(append([]string{cobra.ShellCompRequestCmd}, words...), nil, &out, &msg); code != exitOK {
		t.Fatalf("completing %q exits with %d: %s", words, code, msg.String())
	}
	return out.Bytes()
}
