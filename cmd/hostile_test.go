package cmd

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"contend/format"
)

// evil acts wherever it is not escaped: in a terminal, a spreadsheet, HTML,
// SVG, DOT, Mermaid, Markdown, and where text runs from right to left.
const evil = "=cmd()\"'<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">&lt;\x1b[31m\x00\u202e\u009b2J\ufeff![p](http://evil.example/p.png)[q](javascript:x) https://evil.example www.evil.example <http://evil.example> &copy; ~~s~~ __b__ `c` \\N|a|\n--> x{{.}}</title></svg>]]>"

// hostileTrace writes a trace in which every name is evil: two threads exclude
// each other for a second.
func hostileTrace(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile.txt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := format.NewTextWriter(f)
	events := []format.Event{
		{Kind: format.KindThread, Thread: 1, Name: evil + "1"},
		{Kind: format.KindThread, Thread: 2, Name: "@octocat #1 GH-2 " + evil + "2"},
		{Kind: format.KindObject, Object: 1, Class: evil, Hash: 7},
		{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: evil, Method: "@octocat" + evil, File: evil, Line: 3}}},
		{Kind: format.KindThreadStart, Thread: 1, Time: 0}, {Kind: format.KindThreadStart, Thread: 2, Time: 0},
		{Kind: format.KindTenure, Thread: 1, Object: 1, Time: 0, End: 5e8, Stack: 1},
		{Kind: format.KindWait, Thread: 2, Object: 1, Time: 0, End: 5e8, Stack: 1},
		{Kind: format.KindTenure, Thread: 2, Object: 1, Time: 5e8, End: 1e9, Stack: 1},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: 5e8, End: 1e9, Stack: 1},
		{Kind: format.KindThreadEnd, Thread: 1, Time: 1e9}, {Kind: format.KindThreadEnd, Thread: 2, Time: 1e9},
	}
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// views are the outputs this file holds to their formats, by how to read them.
var views = []struct {
	args   []string
	parses func(*testing.T, string)
}{
	{[]string{"graph"}, nil},
	{[]string{"graph", "--by", "thread", "--format", "markdown"}, nil},
	{[]string{"graph", "--by", "thread", "--matrix"}, nil},
	{[]string{"graph", "--by", "thread", "--matrix", "--format", "csv"}, parsesCSV},
	{[]string{"graph", "--by", "group", "--format", "csv"}, parsesCSV},
	{[]string{"graph", "--by", "thread", "--format", "dot"}, nil},
	{[]string{"graph", "--by", "thread", "--format", "mermaid"}, nil},
	{[]string{"graph", "--by", "thread", "--format", "svg"}, parsesXML},
	{[]string{"graph", "--by", "thread", "--format", "json"}, parsesJSON},
	{[]string{"chains"}, nil},
	{[]string{"chains", "--format", "markdown"}, nil},
	{[]string{"chains", "--format", "csv"}, parsesCSV},
	{[]string{"chains", "--format", "json"}, parsesJSON},
	{[]string{"csp", "--chart"}, nil},
	{[]string{"csp", "--format", "svg"}, parsesXML},
	{[]string{"csp", "--format", "html"}, nil},
}

func TestHostileNamesAreHarmless(t *testing.T) {
	path := hostileTrace(t)
	for _, v := range views {
		out := run(t, append(v.args, path)...)
		if !strings.Contains(out, "cmd") && !strings.Contains(out, "svg") {
			t.Errorf("%v: the name is gone:\n%s", v.args, out)
		}
		for _, r := range out {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' {
				t.Errorf("%v: %U got through", v.args, r)
			}
		}
		if v.parses != nil {
			v.parses(t, out)
		}
		if f := v.args[len(v.args)-1]; (f == "svg" || f == "html") && (strings.Contains(out, "<script") || strings.Contains(out, "<img")) {
			t.Errorf("%v: an element got through:\n%s", v.args, out)
		}
	}
}

func parsesCSV(t *testing.T, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
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
