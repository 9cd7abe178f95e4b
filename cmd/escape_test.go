package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode"

	"contend/golden"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// spoken are the command lines whose output holds names of a trace, for each
// command. TRACE stands for the file; a command without any reads none.
var spoken = map[string][]string{
	"analyze":    {"TRACE", "--format markdown TRACE", "--format csv TRACE", "--format json TRACE", "--by class TRACE"},
	"blame":      {"TRACE", "--format markdown --by owner-stack,waiter-thread,lock TRACE", "--by owner-stack,waiter-thread,lock TRACE", "--format csv TRACE", "--format json TRACE", "--root TRACE"},
	"csp":        {"TRACE", "--format markdown TRACE", "--metrics TRACE", "--chart TRACE", "--format csv TRACE", "--format json TRACE", "--format svg TRACE", "--format html TRACE"},
	"graph":      {"TRACE", "--format markdown --by thread TRACE", "--format markdown --by thread --matrix TRACE", "--format csv --by thread --matrix TRACE", "--format json TRACE", "--by thread --matrix TRACE", "--format dot TRACE", "--format mermaid TRACE"},
	"chains":     {"TRACE", "--format json TRACE", "--format markdown TRACE", "--format csv TRACE"},
	"hist":       {"TRACE", "--format markdown --by lock,waiter-thread TRACE", "--format bars --by lock,waiter-thread TRACE", "--format hgrm TRACE", "--format hlog --by lock,waiter-thread TRACE", "--format svg --by lock TRACE", "--format csv TRACE", "--format json TRACE"},
	"flame":      {"TRACE", "--format folded TRACE", "--format svg TRACE", "--format speedscope TRACE"},
	"diff":       {"TRACE TRACE", "--format markdown TRACE TRACE", "--format csv TRACE TRACE", "--format json TRACE TRACE"},
	"check":      {"--rule max(*)<1ms TRACE", "--rule csp(*)<5% TRACE", "--rule csp(*)<5% --format markdown TRACE", "--rule csp(*)<5% --format json TRACE", "--rule csp(*)<5% --format junit TRACE"},
	"dump":       {"TRACE"},
	"export":     {"-o - TRACE"},
	"why":        {"TRACE", "--format json TRACE"},
	"whatif":     {"TRACE", "--format markdown TRACE", "--format csv TRACE", "--format json TRACE"},
	"verify":     {"TRACE", "--format markdown TRACE", "--format csv TRACE", "--format json TRACE"},
	"convert":    nil, // binary, never to a terminal
	"pprof":      nil, // the same
	"rules":      nil,
	"report":     nil, // a page: TestHostileNamesAreInertInTheReport
	"serve":      nil, // prints a URL, and answers with the page of report
	"record":     nil, // prints what analyze prints
	"jfc":        nil,
	"perf-args":  nil,
	"simulate":   nil,
	"help":       nil,
	"completion": nil,
	"version":    nil,
	"man":        nil,
}

// acts tells what a terminal would obey.
func acts(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r)
}

// What a trace and its file are called never acts on the terminal: neither in
// an answer nor in what is said beside it, of a damaged trace too.
func TestNothingActsOnTheTerminal(t *testing.T) {
	golden.Unhurried(t)
	good := golden.Must(os.ReadFile(hostileTrace(t)))(t)
	name := "# trace\x1b]0;hit\x07\u202e![x](y)_z_.txt"
	if runtime.GOOS == "windows" {
		name = "trace\u202e.txt"
	}
	trace := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(trace, bytes.TrimSuffix(good, []byte("\n")), 0o644); err != nil { // cut within its last line
		t.Fatal(err)
	}
	for _, c := range newRoot(&env{}).Commands() {
		lines, known := spoken[c.Name()]
		if !known {
			t.Errorf("%s is not in the table of this test", c.Name())
		}
		for _, line := range lines {
			args := append([]string{c.Name()}, strings.Fields(line)...)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "TRACE", trace)
			}
			var out, msg bytes.Buffer
			code := Main(args, strings.NewReader(""), &out, &msg)
			if code == exitUsage || code == exitFailed || out.Len() == 0 {
				t.Errorf("%s %s exits with %d and answers %d bytes: %s", c.Name(), line, code, out.Len(), msg.String())
			}
			if strings.Contains(line, "markdown") {
				plainMarkdown(t, out.Bytes())
			}
			if _, form, _ := strings.Cut(line, "--format "); form != "" {
				if holds := parses[strings.Fields(form)[0]]; holds != nil {
					holds(t, out.String())
				}
			}
			for what, said := range map[string]string{"answer": out.String(), "message": msg.String()} {
				if i := strings.IndexFunc(said, acts); i >= 0 {
					t.Errorf("%s %s: the %s holds %q", c.Name(), line, what, said[max(i-30, 0):min(i+30, len(said))])
				}
			}
		}
	}
}

var mentioned = regexp.MustCompile(`(^|\W)@\w|#\d|\bGH-\d`)

// plainMarkdown reads an answer as the places do where people put it, and finds nothing in it
// but paragraphs, heads, tables and code: above all nothing that is fetched or can be
// followed, and outside of code nobody who is mentioned.
func plainMarkdown(t *testing.T, answer []byte) {
	t.Helper()
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(answer))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindCodeSpan:
			return ast.WalkSkipChildren, nil
		case ast.KindText:
			if text := n.(*ast.Text).Value(answer); mentioned.Match(text) {
				t.Errorf("%q mentions in\n%.2000s", text, answer)
			}
		case ast.KindDocument, ast.KindHeading, ast.KindParagraph, ast.KindString,
			east.KindTable, east.KindTableHeader, east.KindTableRow, east.KindTableCell:
		default:
			if entering {
				t.Errorf("a %s in\n%.2000s", n.Kind(), answer)
			}
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
}

// An error names the file; that acts on nothing either.
func TestErrorsOfHostileFiles(t *testing.T) {
	for _, args := range [][]string{{"analyze", "no\x1b[31m\u202e\nsuch"}, {"verify", "no\x1b[31msuch"}, {"no\x1b[31msuch"}, {"blame", "--by", "\x1b[31m", "x"}, {"blame", "--class", "(\x1b[31m", "x"}} {
		var out, msg bytes.Buffer
		if code := Main(args, nil, &out, &msg); code == exitOK || out.Len() > 0 {
			t.Errorf("%q: exit %d, %q", args, code, out.String())
		}
		if strings.ContainsFunc(msg.String(), acts) || strings.Count(msg.String(), "\n") > 2 {
			t.Errorf("%q: %q", args, msg.String())
		}
	}
}
