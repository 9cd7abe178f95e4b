package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contend/cmd/atomicfile"

	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(s any) bool {
	f, ok := s.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// colorful reports whether an answer may be coloured: it goes to a terminal, and NO_COLOR is
// not set (https://no-color.org).
func colorful(out io.Writer) bool {
	return isTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// bitmaps are file endings that no command writes; a file of another format under such a name
// could not be opened.
var bitmaps = []string{".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp"}

// create opens the file of an answer; "-" and "" are standard output, which must not be a terminal
// if the answer is binary. end(nil) gives the file its name. end returns the error that it is given,
// or its own.
func (e *env) create(path string, binary bool) (to io.Writer, end func(error) error, err error) {
	if ending := strings.ToLower(filepath.Ext(path)); slices.Contains(bitmaps, ending) {
		return nil, nil, usageError{
			fmt.Errorf("-o %s: no command writes %s files", path, ending[1:]),
			"pictures are .svg and .html; a browser prints them",
		}
	}
	if path != "" && path != "-" {
		f := &lateFile{path: path, env: e}
		return f, f.end, nil
	}
	if binary && isTerminal(e.out) {
		return nil, nil, usageError{
			errors.New("refusing to write binary data to a terminal"),
			"name a file with -o, or redirect the output",
		}
	}
	return e.out, func(err error) error { return err }, nil
}

// lateFile is created at its first byte, so that a command that fails leaves
// no empty file behind. It never replaces an input, which may still be read
// and may be the only copy.
type lateFile struct {
	path string
	env  *env
	file *atomicfile.File
	kept func() // cancels the removal at a signal
}

func (l *lateFile) Write(p []byte) (n int, err error) {
	if l.file == nil {
		if l.env.isInput(l.path) {
			return 0, usageError{
				fmt.Errorf("%s is an input; will not write over it", l.path),
				"name another file with -o",
			}
		}
		if l.file, err = atomicfile.Create(context.Background(), l.path); err != nil {
			return 0, err
		}
		l.kept = l.env.removeAtEnd(func() { _ = l.file.Discard() })
	}
	return l.file.Write(p)
}

func (l *lateFile) end(err error) error {
	if l.file == nil {
		return err
	}
	defer l.kept()
	if err != nil {
		return errors.Join(err, l.file.Discard())
	}
	return l.file.Commit()
}

// reads adds inputs of this command.
func (e *env) reads(paths ...string) { e.inputs = append(e.inputs, paths...) }

// isInput reports whether a path leads to one of the inputs.
func (e *env) isInput(path string) bool {
	out, err := os.Stat(path)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(e.inputs, func(name string) bool {
		in, err := os.Stat(name)
		return err == nil && os.SameFile(in, out)
	})
}
