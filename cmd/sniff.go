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

// inputKinds are the kinds of files there are. What is none of the others is a
// trace, or else the decoders say what it is not.
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

// startOf returns the first bytes of a file, decompressed. It leaves pipes
// alone, of which they could not be read again; whoever reads a file says what
// is wrong with it.
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

// noTrace says of an input that is no trace but something contend exports who
// reads it.
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
