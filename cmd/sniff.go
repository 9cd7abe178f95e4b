package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"contend/analysis/dist"
	"contend/decode"
	"contend/format"
)

// startBytes is how much of an input tells interval logs, profiles and traces
// apart.
const startBytes = 4096

// inputKind is a kind of file that commands take.
type inputKind struct {
	name string
	is   func(start []byte) bool
	hint string // where it is given to a command that reads traces; "" for a trace
}

// inputKinds lists the kinds of files. A file of no listed kind is a trace; if not, the
// decoders return the error.
func inputKinds() []inputKind {
	return []inputKind{
		{"interval log", dist.IsLog, "'contend hist' reads it, one or several"},
		{"profile", decode.IsProfile, "'go tool pprof' reads it, one or several; it has no waits: contention profiles have, and 'contend record' takes a trace of what runs"},
		{"trace", func([]byte) bool { return true }, ""},
	}
}

// kindOf finds what an input is by its first bytes.
func kindOf(start []byte) inputKind {
	kinds := inputKinds()
	return kinds[slices.IndexFunc(kinds, func(k inputKind) bool { return k.is(start) })]
}

func (k inputKind) article() string {
	if strings.HasPrefix(k.name, "i") {
		return "an " + k.name
	}
	return "a " + k.name
}

// firstBytes returns the first bytes of each input, decompressed. Standard
// input still holds all of them.
func (e *env) firstBytes(paths []string) ([][]byte, error) {
	starts := make([][]byte, len(paths))
	for i, path := range paths {
		if path != decode.Stdin || e.in == nil {
			starts[i] = startOf(path)
			continue
		}
		in, _, err := decode.Decompress(e.in, path)
		if err != nil {
			return nil, err
		}
		starts[i], _ = in.Peek(startBytes)
		e.in = in
	}
	return starts, nil
}

// areLogs reports whether the inputs are interval logs. They must all be, or
// none.
func (e *env) areLogs(paths []string) (bool, error) {
	starts, err := e.firstBytes(paths)
	if err != nil {
		return false, err
	}
	logs := 0
	for _, start := range starts {
		if dist.IsLog(start) {
			logs++
		}
	}
	if logs > 0 && logs < len(paths) {
		return false, usageError{errors.New("interval logs and traces cannot be read together"), "write the trace as a log first: contend hist TRACE -o waits.hlog"}
	}
	return logs > 0, nil
}

// startOf returns the first bytes of a file, decompressed, nil if it cannot be read. It does
// not read pipes, which can be read only once.
func startOf(path string) (start []byte) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	_ = withPlain(path, func(in *bufio.Reader) error {
		start, _ = in.Peek(startBytes)
		start = slices.Clone(start)
		return nil
	})
	return start
}

// noTrace names the program that reads a file, if contend exports such files but does not
// read them.
func noTrace(paths []string, err error) error {
	for _, path := range paths {
		if k := kindOf(startOf(path)); k.hint != "" {
			return &format.Error{Pos: format.Pos{File: path}, What: k.article(), Err: fmt.Errorf("no trace: %w", format.ErrNotMine), Hint: k.hint}
		}
	}
	return err
}

// withPlain opens a file, decompressed, for as long as use takes.
func withPlain(path string, use func(*bufio.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, release, err := decode.Decompress(f, path)
	if err != nil {
		return err
	}
	if release != nil {
		defer release()
	}
	return use(in)
}
