package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"

	"contend/analysis/dist"
	"contend/decode"
	"contend/format"
	"contend/report/pprof"
)

// headBytes is how much of an input tells interval logs, profiles and traces
// apart.
const headBytes = 4096

// heads returns the first bytes of each input, decompressed. The environment
// it returns still holds all of standard input.
func (e *env) heads(paths []string) ([][]byte, *env, error) {
	heads := make([][]byte, len(paths))
	for i, path := range paths {
		if path != decode.Stdin || e.in == nil {
			heads[i] = headOf(path)
			continue
		}
		in, _, err := decode.Unwrap(e.in, path)
		if err != nil {
			return nil, e, err
		}
		heads[i], _ = in.Peek(headBytes)
		e = &env{in: in, out: e.out, msg: e.msg, reading: e.reading}
	}
	return heads, e, nil
}

// areLogs reports whether the inputs are interval logs. They must all be, or
// none. The environment it returns still holds all of standard input.
func (e *env) areLogs(paths []string) (bool, *env, error) {
	heads, e, err := e.heads(paths)
	if err != nil {
		return false, e, err
	}
	logs := 0
	for _, head := range heads {
		if dist.IsLog(head) {
			logs++
		}
	}
	if logs > 0 && logs < len(paths) {
		return false, e, usageError{errors.New("interval logs and traces cannot be read together"), "write the trace as a log first: contend hist TRACE -o waits.hlog"}
	}
	return logs > 0, e, nil
}

// headOf returns the first bytes of a file, decompressed. It leaves pipes
// alone, of which they could not be read again; whoever reads a file says what
// is wrong with it.
func headOf(path string) (head []byte) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	_ = withPlain(path, func(in *bufio.Reader) error {
		head, _ = in.Peek(headBytes)
		head = slices.Clone(head)
		return nil
	})
	return head
}

// noTrace says of an input that is no trace but something contend exports who
// reads it.
func noTrace(paths []string, err error) error {
	for _, path := range paths {
		for _, k := range []struct {
			kind, hint string
			is         func([]byte) bool
		}{
			{"an interval log", "'contend hist' reads it, 'contend merge' joins several", dist.IsLog},
			{"a profile", "'go tool pprof' reads it, 'contend merge' joins several", pprof.Is},
		} {
			if k.is(headOf(path)) {
				return &format.Error{Pos: format.Pos{File: path}, What: k.kind, Err: fmt.Errorf("no trace: %w", format.ErrNotMine), Hint: k.hint}
			}
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
	in, release, err := decode.Unwrap(f, path)
	if err != nil {
		return err
	}
	if release != nil {
		defer release()
	}
	return use(in)
}
