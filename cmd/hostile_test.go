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

	"contend/format"
	"contend/golden"
)

// evil acts wherever it is not escaped: in a terminal, a spreadsheet, HTML,
// SVG, DOT, Mermaid, Markdown, and where text runs from right to left.
const evil = "=cmd()\"'<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">&lt;\x1b[31m\x00\u202e\u009b2J\ufeff![p](http://evil.example/p.png)[q](javascript:x) https://evil.example www.evil.example <http://evil.example> &copy; ~~s~~ __b__ `c` \\N|a|\n--> x{{.}}</title></svg>]]>"

// hostileTrace writes a trace in which every name is evil: two threads exclude
// each other for a second.
func hostileTrace(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile.txt")
	f := golden.Must(os.Create(path))(t)
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
		golden.OK(t, w.Write(&events[i]))
	}
	golden.OK(t, errors.Join(w.Close(), f.Close()))
	return path
}

// parses hold an answer to its format, by what --format is.
var parses = map[string]func(*testing.T, string){"csv": parsesCSV, "svg": parsesXML, "json": parsesJSON, "junit": parsesXML}

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
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") {
		t.Errorf("an element got through:\n%s", text)
	}
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
