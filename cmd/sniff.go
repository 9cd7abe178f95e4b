package cmd

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"contend/analysis/durations"
	"contend/decode"
	"contend/format"
)

// startBytes is the length of the start of an input that distinguishes interval logs, profiles and
// traces.
const startBytes = 4096

// noTraces are other kinds of files that users give to commands that read traces.
var noTraces = []struct {
	what string
	is   func(start []byte) bool
	hint string
}{
	{"an interval log", durations.IsLog, "'contend hist' reads it, one or several"},
	{
		"a profile",
		decode.IsProfile,
		"'go tool pprof' reads it, one or several; it has no waits: contention profiles have, and 'contend record' " +
			"takes a trace of what runs",
	},
}

// areLogs reports whether the inputs are interval logs: either all or none must be. It consumes
// nothing of standard input.
func (e *env) areLogs(paths []string) (bool, error) {
	logs := 0
	for _, path := range paths {
		var start []byte
		if path != decode.Stdin || e.in == nil {
			start = startOf(path)
		} else {
			in, _, err := decode.Decompress(e.in, path)
			if err != nil {
				return false, err
			}
			start, _ = in.Peek(startBytes)
			e.in = in
		}
		if durations.IsLog(start) {
			logs++
		}
	}
	if logs > 0 && logs < len(paths) {
		return false, usageError{
			errors.New("interval logs and traces cannot be read together"),
			"write the trace as a log first: contend hist TRACE -o waits.hlog",
		}
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
		start := startOf(path)
		for _, k := range noTraces {
			if k.is(start) {
				return &format.Error{
					Pos:  format.Pos{File: path},
					What: k.what,
					Err:  fmt.Errorf("not a trace: %w", format.ErrNotMine),
					Hint: k.hint,
				}
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
	in, release, err := decode.Decompress(f, path)
	if err != nil {
		return err
	}
	defer release()
	return use(in)
}

// noAddress refuses the address of a program where a file is needed.
func noAddress(paths []string) error {
	for _, path := range paths {
		if strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://") {
			return usageError{
				errors.New("the trace is an address, and must be a file"),
				"'contend record URL' records the program there, and analyzes it",
			}
		}
	}
	return nil
}

// labelled splits LABEL=FILE unless there is a file of the whole name. labels is nil without a
// label.
func labelled(args []string) (paths, labels []string) {
	for i, arg := range args {
		label, path, ok := strings.Cut(arg, "=")
		if _, err := os.Stat(arg); !ok || label == "" || path == "" || err == nil {
			paths = append(paths, arg)
			continue
		}
		if labels == nil {
			labels = make([]string, len(args))
		}
		labels[i] = label
		paths = append(paths, path)
	}
	return paths, labels
}

// labelsOf splits LABEL=FILE. The label of other files is their name.
func labelsOf(args []string) (paths, labels []string) {
	paths, given := labelled(args)
	labels = slices.Clone(paths)
	for i, label := range given {
		labels[i] = cmp.Or(label, paths[i])
	}
	return paths, labels
}
