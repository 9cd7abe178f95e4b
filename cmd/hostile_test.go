package cmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"contend/format"
	"contend/format/workers"
	"contend/golden"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// evil acts wherever it is not escaped: in a terminal, a spreadsheet, HTML,
// SVG, DOT, Mermaid, Markdown, and where text runs from right to left.
const evil = "=cmd()\"'<script>document.title='hit'</script><img src=x " +
	"onerror=\"document.title='hit'\">&lt;\x1b[31m\x00\u202e\u009b2J\ufeff![p](http://evil.example/" +
	"p.png)[q](javascript:x) https://evil.example www.evil.example <http://evil.example> &copy; ~~s~~ __b__ `c` " +
	"\\N|a|\n--> x{{.}}</title></svg>]]>"

// hostileTrace writes a trace in which every name is evil: two threads exclude
// each other for a second.
func hostileTrace(t *testing.T) string {
	t.Helper()
	events := []format.Event{
		{Kind: format.KindThread, Thread: 1, Name: evil + "1"},
		{
			Kind:   format.KindThread,
			Thread: 3,
			Name:   "—_a_— 😀_b_😀",
		}, {Kind: format.KindThread, Thread: 4, Name: "a@b.example.com"},
		{
			Kind:   format.KindThread,
			Thread: 5,
			Name:   "mailto:a",
		}, {Kind: format.KindThread, Thread: 6, Name: `$\color{red}{x}$ %1`}, {Kind: format.KindThread, Thread: 7,
			Name: ":tada:"}, {Kind: format.KindThread, Thread: 8, Name: "deadbee"},
		{Kind: format.KindThread, Thread: 2, Name: "@octocat #1 GH-2 " + evil + "2"},
		{Kind: format.KindObject, Object: 1, Class: evil, Hash: 7},
		{
			Kind:   format.KindStack,
			Stack:  1,
			Frames: []format.Frame{{Class: evil, Method: "@octocat" + evil, File: evil, Line: 3}},
		},
		{Kind: format.KindThreadStart, Thread: 1, Time: 0}, {Kind: format.KindThreadStart, Thread: 2, Time: 0},
		{Kind: format.KindTenure, Thread: 1, Object: 1, Time: 0, End: 5e8, Stack: 1},
		{Kind: format.KindWait, Thread: 2, Object: 1, Time: 0, End: 5e8, Stack: 1},
		{Kind: format.KindTenure, Thread: 2, Object: 1, Time: 5e8, End: 1e9, Stack: 1},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: 5e8, End: 1e9, Stack: 1},
		{Kind: format.KindThreadEnd, Thread: 1, Time: 1e9}, {Kind: format.KindThreadEnd, Thread: 2, Time: 1e9},
	}
	for thread := range format.ThreadID(6) { // each waits behind the second
		events = append(
			events,
			format.Event{Kind: format.KindWait, Thread: 3 + thread, Object: 1, Time: 5e8, End: 1e9, Stack: 1},
		)
	}
	return textTrace(t, events...)
}

// textTrace writes a trace as text.
func textTrace(t *testing.T, events ...format.Event) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.txt")
	f := golden.Must(os.Create(path))(t)
	w := format.NewTextWriter(f)
	for i := range events {
		golden.OK(t, w.Write(&events[i]))
	}
	golden.OK(t, errors.Join(w.Close(), f.Close()))
	return path
}

// parses hold an answer to its format, by what --format is.
var parses = map[string]func(*testing.T, string){
	"csv":   parsesCSV,
	"svg":   parsesXML,
	"json":  parsesJSON,
	"junit": parsesXML,
}

func parsesCSV(t *testing.T, text string) {
	t.Helper()
	rows := golden.Must(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+@", rune(cell[0])) {
				t.Errorf("a formula: %q", cell)
			}
		}
	}
}

func parsesXML(t *testing.T, text string) {
	t.Helper()
	golden.Lacks(t, text, "<script", "<img")
	for dec := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
}

func parsesJSON(t *testing.T, text string) {
	t.Helper()
	if !json.Valid([]byte(text)) {
		t.Errorf("no JSON: %s", text)
	}
}

// spoken are the command lines whose output holds names of a trace, for each
// command. TRACE stands for the file; a command without any reads none.
var spoken = map[string][]string{
	"analyze": {"TRACE", "--format markdown TRACE", "--format csv TRACE", "--format json TRACE", "--by class TRACE"},
	"blame": {
		"TRACE",
		"--format markdown --by owner-stack,waiter-thread,lock TRACE",
		"--by owner-stack,waiter-thread,lock TRACE",
		"--format csv TRACE",
		"--format json TRACE",
		"--root TRACE",
	},
	"csp": {
		"TRACE",
		"--format markdown TRACE",
		"--metrics TRACE",
		"--chart TRACE",
		"--format csv TRACE",
		"--format json TRACE",
		"--format svg TRACE",
		"--format html TRACE",
	},
	"graph": {
		"TRACE",
		"--format markdown --by thread TRACE",
		"--format markdown --by thread --matrix TRACE",
		"--format csv --by thread --matrix TRACE",
		"--format json TRACE",
		"--by thread --matrix TRACE",
		"--format dot TRACE",
		"--format mermaid TRACE",
	},
	"chains": {"TRACE", "--format json TRACE", "--format markdown TRACE", "--format csv TRACE"},
	"hist": {
		"TRACE",
		"--format markdown --by lock,waiter-thread TRACE",
		"--format bars --by lock,waiter-thread TRACE",
		"--format hgrm TRACE",
		"--format hlog --by lock,waiter-thread TRACE",
		"--format svg --by lock TRACE",
		"--format csv TRACE",
		"--format json TRACE",
	},
	"flame": {"TRACE", "--format folded TRACE", "--format svg TRACE", "--format speedscope TRACE"},
	"diff": {
		"TRACE TRACE",
		"--format markdown TRACE TRACE",
		"--format csv TRACE TRACE",
		"--format json TRACE TRACE",
	},
	"check": {
		"--rule max(*)<1ms TRACE",
		"--rule csp(*)<5% TRACE",
		"--rule csp(*)<5% --format markdown TRACE",
		"--rule csp(*)<5% --format json TRACE",
		"--rule csp(*)<5% --format junit TRACE",
	},
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
	"threads":    nil, // it answers of thread dumps only
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
	golden.SkipIfShort(t)
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

var mentioned = regexp.MustCompile(`@\w|#\d|\bGH-\d|mailto:|xmpp:|(^|\W)\$\S|%\d|:tada:|deadbee`)

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
	for _, args := range [][]string{{"analyze", "no\x1b[31m\u202e\nsuch"}, {"verify", "no\x1b[31msuch"},
		{"no\x1b[31msuch"}, {"blame", "--by", "\x1b[31m", "x"}, {"blame", "--class", "(\x1b[31m", "x"}} {
		var out, msg bytes.Buffer
		if code := Main(args, nil, &out, &msg); code == exitOK || out.Len() > 0 {
			t.Errorf("%q: exit %d, %q", args, code, out.String())
		}
		if strings.ContainsFunc(msg.String(), acts) || strings.Count(msg.String(), "\n") > 2 {
			t.Errorf("%q: %q", args, msg.String())
		}
	}
}

// What a worker panics with is one line, and a failure.
func TestPanicsAreOneLine(t *testing.T) {
	var g workers.Group
	g.Go(func() { _ = strings.Repeat("x", -1) })
	var msg bytes.Buffer
	e := &env{msg: &msg}
	if code := e.exit(workers.Try(g.Wait)); code != exitFailed || strings.Count(msg.String(), "\n") != 1 ||
		!strings.HasPrefix(
			msg.String(),
			"contend: internal error: strings: negative Repeat count (contend/cmd/hostile_test.go:",
		) {
		t.Errorf("exit %d: %s", code, msg.String())
	}
}

// Bytes inserted into a recording, or taken out, leave an answer: what is behind them is
// shifted, and of other times.
func TestShiftedBytesAreAnswered(t *testing.T) {
	whole := golden.Must(os.ReadFile("../testdata/truth-8threads.jfr"))(t)
	const at = 0x27100
	for name, data := range map[string][]byte{
		"two inserted":    slices.Concat(whole[:at], []byte{7, 7}, whole[at:]),
		"8,000 taken out": slices.Concat(whole[:at], whole[at+8000:]),
	} {
		for _, command := range []string{"verify", "analyze", "whatif"} {
			var out, msg bytes.Buffer
			if code := Main([]string{command, "-"}, bytes.NewReader(data), &out, &msg); code != exitDamaged ||
				out.Len() == 0 {
				t.Errorf("%s: %s exits with %d: %s", name, command, code, msg.String())
			}
		}
	}
}
