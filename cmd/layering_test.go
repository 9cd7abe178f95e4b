package cmd

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/golden"
)

// allowed lists, for each package, the packages of this module it may import.
// Arrows point down: nothing below cmd sees both a decoder and an analysis.
var allowed = map[string][]string{
	"contend": {"contend/cmd"},
	"contend/cmd": {
		"contend/cmd/atomicfile",
		"contend/cmd/record",
		"contend/cmd/record/*",
		"contend/report/*",
		"contend/blame",
		"contend/csp",
		"contend/analysis",
		"contend/analysis/*",
		"contend/decode",
		"contend/decode/rules",
		"contend/format",
		"contend/format/*",
		"contend/blame/*",
	},
	"contend/report/table": {
		"contend/report/text",
		"contend/report/document",
		"contend/analysis",
		"contend/format",
		"contend/format/human",
	},
	"contend/report/screen": {
		"contend/report/text",
		"contend/report/document",
		"contend/analysis",
		"contend/format",
	},
	"contend/report/pprof": {"contend/report/document", "contend/analysis", "contend/format"},
	"contend/report/flame": {
		"contend/report/document",
		"contend/report/look",
		"contend/report/text",
		"contend/analysis",
		"contend/format",
	},
	"contend/report/document": {
		"contend/blame",
		"contend/csp",
		"contend/analysis",
		"contend/analysis/*",
		"contend/format",
		"contend/blame/*",
	},
	"contend/blame/locks": {
		"contend/blame",
		"contend/analysis",
		"contend/format",
		"contend/analysis/durations",
		"contend/analysis/bootstrap",
	},
	"contend/blame/findings": {
		"contend/blame/locks",
		"contend/blame",
		"contend/analysis/bootstrap",
		"contend/analysis",
		"contend/format",
		"contend/format/human",
	},
	"contend/blame": {
		"contend/analysis",
		"contend/analysis/durations",
		"contend/format",
		"contend/format/human",
		"contend/analysis/bootstrap",
	},
	"contend/csp": {
		"contend/blame",
		"contend/blame/cube",
		"contend/analysis",
		"contend/format",
		"contend/analysis/bootstrap",
	},
	"contend/analysis": {
		"contend/format",
		"contend/format/natives",
		"contend/analysis/durations",
		"contend/analysis/owners",
		"contend/analysis/internal/times",
	},
	"contend/analysis/pass": {
		"contend/format",
		"contend/format/column",
		"contend/format/human",
		"contend/analysis",
		"contend/analysis/owners",
		"contend/analysis/internal/*",
	},
	"contend/analysis/internal/sweep": {
		"contend/format",
		"contend/analysis",
		"contend/analysis/owners",
		"contend/analysis/internal/record",
		"contend/analysis/internal/deliver",
		"contend/analysis/internal/graph",
		"contend/format/column",
	},
	"contend/analysis/internal/sampled": {
		"contend/format",
		"contend/format/human",
		"contend/analysis",
		"contend/analysis/owners",
		"contend/analysis/internal/sleeps",
		"contend/analysis/internal/record",
		"contend/analysis/internal/deliver",
		"contend/analysis/internal/graph",
		"contend/analysis/internal/times",
		"contend/format/column",
	},
	"contend/analysis/internal/sleeps": {
		"contend/format",
		"contend/analysis",
		"contend/analysis/owners",
		"contend/analysis/internal/record",
		"contend/analysis/internal/times",
	},
	"contend/analysis/internal/record": {
		"contend/format",
		"contend/format/human",
		"contend/analysis",
		"contend/analysis/owners",
		"contend/analysis/moved",
		"contend/analysis/internal/times",
		"contend/format/column",
	},
	"contend/analysis/internal/deliver": {
		"contend/format",
		"contend/format/workers",
		"contend/analysis",
		"contend/analysis/owners",
		"contend/analysis/internal/graph",
		"contend/analysis/internal/times",
		"contend/format/column",
	},
	"contend/analysis/internal/graph": {"contend/format", "contend/analysis", "contend/analysis/owners"},
	"contend/analysis/internal/times": {},
	"contend/analysis/moved":          {"contend/format"},
	"contend/analysis/owners": {
		"contend/format/column",
		"contend/analysis/internal/times",
		"contend/analysis/owners/model",
		"contend/format",
		"contend/format/workers",
	},
	"contend/analysis/owners/model": {"contend/format/column", "contend/analysis/internal/times", "contend/format"},
	"contend/format/column":         {"contend/format/workers"},
	"contend/decode": {
		"contend/decode/*",
		"contend/format",
		"contend/format/human",
		"contend/format/workers",
	},
	"contend/format/workers": {},
	"contend/decode/jfr": {
		"contend/decode/rules",
		"contend/decode/threaddump",
		"contend/format",
		"contend/format/column",
		"contend/format/human",
		"contend/format/workers",
	},
	"contend/decode/jfrprint": {
		"contend/decode/rules",
		"contend/decode/threaddump",
		"contend/decode/unwrap",
		"contend/format",
	},
	"contend/decode/native": {"contend/format"},
	"contend/decode/profile": {
		"contend/decode/gonames",
		"contend/decode/rules",
		"contend/decode/threaddump",
		"contend/decode/unwrap",
		"contend/format",
		"contend/format/human",
	},
	"contend/decode/perf": {
		"contend/decode/rules",
		"contend/decode/unwrap",
		"contend/format",
		"contend/format/human",
		"contend/format/natives",
	},
	"contend/format/natives": {},
	"contend/decode/unwrap":  {},
	"contend/decode/threaddump": {
		"contend/decode/rules",
		"contend/decode/unwrap",
		"contend/format",
		"contend/format/human",
	},
	"contend/decode/rules":       {"contend/format"},
	"contend/decode/gonames":     {"contend/format"},
	"contend/format/simulate":    {"contend/format"},
	"contend/format":             {"contend/format/human"},
	"contend/cmd/atomicfile":     {},
	"contend/format/human":       {},
	"contend/golden":             {"contend/format/simulate", "contend/format"},
	"contend/cmd/record":         {"contend/format", "contend/cmd/record/*", "contend/cmd/atomicfile"},
	"contend/cmd/record/agent":   {},
	"contend/cmd/record/attach":  {"contend/cmd/record/foreign", "contend/cmd/atomicfile"},
	"contend/cmd/record/foreign": {"contend/cmd/atomicfile"},
	"contend/report/graph":       {"contend/report/look", "contend/report/document", "contend/report/text"},
	"contend/report/plot":        {"contend/report/look", "contend/report/document", "contend/report/text"},
	"contend/blame/waits": {
		"contend/blame",
		"contend/analysis",
		"contend/analysis/durations",
		"contend/format",
	},
	"contend/analysis/durations": {"contend/format"},
	"contend/decode/godump": {
		"contend/decode/gonames",
		"contend/decode/rules",
		"contend/decode/unwrap",
		"contend/format",
		"contend/format/human",
	},
	"contend/decode/gotrace": {
		"contend/decode/gonames",
		"contend/decode/rules",
		"contend/format",
		"contend/format/column",
		"contend/format/human",
	},
	"contend/blame/gate": {
		"contend/blame",
		"contend/blame/cube",
		"contend/blame/compare",
		"contend/blame/findings",
		"contend/blame/locks",
		"contend/analysis/bootstrap",
		"contend/analysis",
		"contend/format",
		"contend/format/human",
	},
	"contend/blame/compare": {
		"contend/blame",
		"contend/blame/locks",
		"contend/analysis/bootstrap",
		"contend/analysis",
		"contend/format",
	},
	"contend/analysis/bootstrap": {"contend/analysis"},
	"contend/report/text": {
		"contend/report/document",
		"contend/analysis",
		"contend/format",
		"contend/format/human",
	},
	"contend/blame/whatif": {
		"contend/blame",
		"contend/analysis",
		"contend/format/workers",
		"contend/format",
	},
	"contend/report/document/facts": {
		"contend/report/document",
		"contend/blame",
		"contend/blame/cube",
		"contend/blame/waits",
		"contend/blame/locks",
		"contend/analysis",
		"contend/analysis/durations",
		"contend/format",
	},
	"contend/report/parquet": {"contend/report/document/facts"},
	"contend/report/look":    {},
	"contend/report/server":  {},
	"contend/report/page":    {"contend/report/document/columns", "contend/report/look"},
	"contend/report/document/columns": {
		"contend/report/document",
		"contend/report/text",
		"contend/blame",
		"contend/blame/*",
		"contend/analysis",
		"contend/format",
	},
	"contend/report/document/perfetto": {"contend/blame/waits", "contend/analysis", "contend/format"},
	"contend/blame/cube":               {"contend/blame", "contend/analysis", "contend/format"},
	"contend/blame/dumps":              {"contend/blame", "contend/blame/locks", "contend/analysis", "contend/format"},
	"contend/blame/stacks":             {"contend/blame", "contend/analysis", "contend/format"},
}

// heavy lists the packages that may import each heavy dependency.
var heavy = map[string][]string{
	"github.com/spf13/cobra":               {"contend/cmd"},
	"github.com/olekukonko/tablewriter":    {"contend/report/table"},
	"github.com/clipperhouse/displaywidth": {"contend/report/text"},
	"github.com/google/pprof/": {
		"contend/decode/profile",
		"contend/report/pprof",
		"contend/report/server",
	},
	"github.com/HdrHistogram/hdrhistogram-go": {"contend/analysis/durations"},
	"github.com/klauspost/compress/": {
		"contend/decode",
		"contend/decode/native",
		"contend/format",
		"contend/golden",
	},
	"golang.org/x/sys/": {
		"contend/cmd/atomicfile",
		"contend/cmd/record",
		"contend/cmd/record/attach",
		"contend/cmd/record/foreign",
	},
	"github.com/parquet-go/":             {"contend/report/parquet"},
	"net/http":                           {"contend/cmd/record", "contend/report/server"},
	"golang.org/x/text/":                 {"contend/decode/unwrap"},
	"github.com/chromedp/chromedp":       nil,
	"golang.org/x/exp/":                  {"contend/decode/gotrace"},
	"github.com/ianlancetaylor/demangle": {"contend/decode/perf"},
	"github.com/rogpeppe/go-internal/":   nil,
	"gonum.org/v1/gonum/":                nil,                // reads DOT in tests
	"pgregory.net/rapid":                 {"contend/golden"}, // which tests import
}

func TestImportsPointDown(t *testing.T) {
	golden.ParallelUnlessShort(t)
	out := golden.Must(exec.Command("go", "list", "-json=ImportPath,Imports", "contend/...").Output())(t)
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		golden.OK(t, dec.Decode(&p))
		seen++
		may, known := allowed[p.ImportPath]
		if !known {
			t.Errorf("%s has no place in the house", p.ImportPath)
		}
		for _, i := range p.Imports {
			if strings.HasPrefix(i, "contend") &&
				!slices.ContainsFunc(may, func(a string) bool { return covers(a, i) }) {
				t.Errorf("%s must not import %s", p.ImportPath, i)
			}
			for dep, rooms := range heavy {
				if strings.HasPrefix(i, dep) && !slices.Contains(rooms, p.ImportPath) {
					t.Errorf("%s must not import %s", p.ImportPath, i)
				}
			}
		}
	}
	golden.Equal(t, seen, len(allowed))
}

// The binary holds no interpreter, nor what only tests need: each was there once
// for the sake of a small thing. net/http, 4 MB, is there for recordings of Go
// programs and the page that is served, and 7 MB for Parquet; see heavy.
func TestTheBinaryStaysLight(t *testing.T) {
	golden.SkipIfShort(t)
	out := golden.Must(exec.Command("go", "list", "-deps", "contend").Output())(t)
	deps := strings.Fields(string(out))
	for _, unwanted := range []string{"github.com/dop251/goja", "golang.org/x/text/collate", "testing"} {
		if slices.Contains(deps, unwanted) {
			t.Errorf("%s is linked in", unwanted)
		}
	}
	if !slices.Contains(deps, "contend/cmd") {
		t.Error("the list is empty")
	}
}

func covers(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(path, prefix)
	}
	return pattern == path
}

func TestTopLevelIsTheHouse(t *testing.T) {
	want := []string{
		"ARCHITECTURE.md",
		"CHANGELOG.md",
		"CONTRIBUTING.md",
		"LICENSE",
		"README.md",
		"analysis",
		"blame",
		"cmd",
		"csp",
		"decode",
		"format",
		"go.mod",
		"go.sum",
		"golden",
		"main.go",
		"report",
		"testdata",
	}
	entries := golden.Must(os.ReadDir(".."))(t)
	list, err := os.ReadFile("../.gitignore") // what is built in the clone is not of the house
	golden.OK(t, err)
	ignored := strings.Fields(string(list))
	var got []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.ContainsFunc(ignored, func(pattern string) bool {
			match, _ := filepath.Match(strings.TrimPrefix(pattern, "/"), e.Name())
			return match
		}) {
			got = append(got, e.Name())
		}
	}
	golden.Same(t, got, want, "top level is")
}

// sheets are the rooms whose package comment lists their files from top to
// bottom.
var sheets = []string{
	"../analysis",
	"../analysis/pass",
	"../analysis/internal/sweep",
	"../analysis/internal/sampled",
	"../analysis/internal/record",
	"../analysis/internal/deliver",
	"../analysis/internal/graph",
	"../analysis/owners",
	"../analysis/moved",
	"../report/screen",
	"../report/plot",
	"../format/column",
}

var listed = regexp.MustCompile(`(?m)^\t(\w+\.go) `)

// exports finds what the compiler wrote about each package that the rooms
// import: it has done so for the tests already.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	out := golden.Must(
		exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"},
			sheets...)...).
			Output(),
	)(
		t,
	)
	files := map[string]string{}
	for _, line := range strings.Fields(string(out)) {
		path, file, _ := strings.Cut(line, "=")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }
}

// Inside a room, too, arrows point down: a file uses only what is declared in
// itself or in files listed after it.
func TestFilesUseOnlyWhatComesAfterThem(t *testing.T) {
	golden.ParallelUnlessShort(t)
	fset := token.NewFileSet()
	compiled := importer.ForCompiler(fset, "gc", exports(t))
	for _, room := range sheets {
		var files []*ast.File
		var sheet []string
		paths, _ := filepath.Glob(room + "/*.go")
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f := golden.Must(parser.ParseFile(fset, path, nil, parser.ParseComments))(t)
			files = append(files, f)
			for _, m := range listed.FindAllStringSubmatch(f.Doc.Text(), -1) {
				sheet = append(sheet, m[1])
			}
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		pkg := golden.Must((&types.Config{Importer: compiled}).Check(room, fset, files, info))(t)
		file := func(at token.Pos) string { return filepath.Base(fset.Position(at).Filename) }
		for _, f := range files {
			if !slices.Contains(sheet, file(f.Pos())) {
				t.Errorf("%s: %s is not on the sheet", room, file(f.Pos()))
			}
		}
		for id, obj := range info.Uses {
			if obj.Pkg() == pkg && slices.Index(sheet, file(obj.Pos())) < slices.Index(sheet, file(id.Pos())) {
				t.Errorf("%s: %s of %s, further up", fset.Position(id.Pos()), id.Name, file(obj.Pos()))
			}
		}
	}
}

// What is printed is shaped in one place: no type below report knows its names in JSON, and documents have
// nothing in them that is not printed. Formats of others, which are read, have their own names.
func TestOnlyReportShapesDocuments(t *testing.T) {
	tags := 0
	for _, room := range []string{"format", "analysis", "blame", "csp", "report"} {
		golden.OK(t, filepath.WalkDir("../"+room, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "/simulate/") { // whose truth is a document of its own
				return err
			}
			text := string(golden.Must(os.ReadFile(path))(t))
			switch found := strings.Count(text, "`json:\""); {
			case room == "report":
				tags += found
				if strings.Contains(text, "`json:\"-\"`") {
					t.Errorf("%s has a field that is not printed", path)
				}
			case found > 0:
				t.Errorf("%s has %d names of JSON", path, found)
			}
			return nil
		}))
	}
	golden.AtLeast(t, tags, 100, "names of JSON in documents")
}

// A package of more than a few files describes itself in doc.go, and one of many lists them
// there, so that a reader finds the file that a question is about.
func TestRoomsDescribeThemselves(t *testing.T) {
	const few, many = 3, 8 // files, besides doc.go and tests
	named := regexp.MustCompile(`\b\w+\.go\b`)
	rooms := 0
	golden.OK(t, filepath.WalkDir("..", func(room string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := entry.Name(); strings.HasPrefix(name, ".") && name != ".." || name == "testdata" {
			return filepath.SkipDir
		}
		var files []string
		for _, path := range golden.Must(filepath.Glob(room + "/*.go"))(t) {
			if name := filepath.Base(path); name != "doc.go" && !strings.HasSuffix(name, "_test.go") {
				files = append(files, name)
			}
		}
		if len(files) <= few {
			return nil
		}
		rooms++
		doc, err := parser.ParseFile(token.NewFileSet(), room+"/doc.go", nil, parser.ParseComments)
		if err != nil {
			t.Errorf("%s has %d files and describes them nowhere: %v", room, len(files), err)
			return nil
		}
		list := named.FindAllString(doc.Doc.Text(), -1)
		if len(list) == 0 && len(files) <= many {
			return nil
		}
		list, want := append(list, "doc.go"), append(files, "doc.go")
		slices.Sort(list)
		slices.Sort(want)
		golden.Same(t, slices.Compact(list), want, room+"/doc.go lists files that")
		return nil
	}))
	if rooms < 10 {
		t.Errorf("%d rooms were looked at", rooms)
	}
}
