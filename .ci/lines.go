// Lines counts the statements and lines of the Go files of this tree, and prints
// the lines that are too long to be read, with which it fails:
//
//	go run .ci/lines.go
//
// A raw string is text that a program reads or writes: it is as long as that
// text, and counts nothing.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"strings"
	"unicode/utf8"
)

const (
	maxColumns = 120
	tab        = "    " // as wide as a tab counts
)

// size is that of some files.
type size struct{ files, statements, lines int }

func main() {
	list, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.go").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "git ls-files:", err)
		os.Exit(2)
	}
	var code, tests size
	tooLong := 0
	for _, name := range strings.Fields(string(list)) {
		sum := &code
		if strings.HasSuffix(name, "_test.go") {
			sum = &tests
		}
		long, err := sum.addFile(name)
		if os.IsNotExist(err) { // removed, and not yet committed
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for _, line := range long {
			fmt.Printf("%s:%d: over %d columns\n", name, line, maxColumns)
		}
		tooLong += len(long)
	}
	fmt.Printf("code:  %d statements, %d lines in %d files\n", code.statements, code.lines, code.files)
	fmt.Printf("tests: %d statements, %d lines in %d files\n", tests.statements, tests.lines, tests.files)
	fmt.Printf("%d lines are over %d columns\n", tooLong, maxColumns)
	if tooLong > 0 {
		os.Exit(1)
	}
}

// addFile adds a file, and returns the numbers of its lines that are too long.
func (s *size) addFile(name string) (long []int, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	inText := map[int]bool{} // lines within a raw string of several lines
	texts := map[int]int{}   // by line: the columns of raw strings
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt: // count as what is in them
		case ast.Stmt:
			s.statements++
		case *ast.BasicLit:
			first, last := files.Position(n.Pos()).Line, files.Position(n.End()).Line
			for line := first; line <= last && first < last; line++ {
				inText[line] = true
			}
			if n.Value[0] == '`' && first == last {
				texts[first] += columns(n.Value)
			}
		}
		return true
	})
	s.files++
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		s.lines++
		if columns(line)-texts[i+1] > maxColumns && !inText[i+1] {
			long = append(long, i+1)
		}
	}
	return long, nil
}

func columns(text string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(text, "\t", tab))
}
