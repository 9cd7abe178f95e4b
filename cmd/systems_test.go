//go:build !race

package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"

	"golang.org/x/tools/go/packages"
)

// A release has each of these systems. What is right by its types compiles, and is found in
// a tenth of the time it takes to build all that contend stands on once more.
func TestOtherSystemsAreRightByTheirTypes(t *testing.T) {
	t.Parallel()
	golden.Thorough(t)
	for _, system := range []string{"windows/amd64", "darwin/arm64"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			all, err := typed("..", system)
			if err != nil || len(all) < 40 {
				t.Fatalf("%d packages: %v", len(all), err)
			}
			for _, p := range all {
				for _, wrong := range p.Errors {
					t.Error(wrong)
				}
			}
		})
	}
}

// typed returns the packages of a module with the types they have on another system. Of
// what they import only what can be seen from outside is looked at.
func typed(dir, system string) ([]*packages.Package, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	goos, goarch, _ := strings.Cut(system, "/")
	return packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
		Dir: dir,
		Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if f != nil && !strings.HasPrefix(name, dir) {
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok {
						fn.Body = nil
					}
				}
			}
			return f, err
		},
	}, "./...")
}
