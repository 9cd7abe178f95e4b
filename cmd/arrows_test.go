package cmd

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/golden"
)

// sheets are the rooms whose package comment lists their files from top to
// bottom.
var sheets = []string{"../analysis", "../analysis/owners", "../analysis/moved", "../report/screen", "../analysis/internal/column"}

var listed = regexp.MustCompile(`(?m)^\t(\w+\.go) `)

// exports finds what the compiler wrote about each package that the rooms
// import: it has done so for the tests already.
func exports(t *testing.T) importer.Lookup {
	t.Helper()
	out := golden.Must(exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}, sheets...)...).Output())(t)
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
	golden.Unhurried(t)
	t.Parallel()
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
