package cmd

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"contend/cmd/atomicfile"
	"contend/decode"
)

// shard is a flag that holds a part of all recordings.
type shard struct{ part, parts uint64 }

// String implements pflag.Value.
func (s *shard) String() string {
	if s.parts == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.part, s.parts)
}

// Set implements pflag.Value.
func (s *shard) Set(text string) error {
	part, parts, ok := strings.Cut(text, "/")
	i, err1 := strconv.ParseUint(part, 10, 32)
	n, err2 := strconv.ParseUint(parts, 10, 32)
	switch {
	case !ok || err1 != nil || err2 != nil || n == 0:
		return fmt.Errorf("%q is not a part: write 0/7", text)
	case i >= n:
		return fmt.Errorf("there is no part %s: the %d parts are 0/%d to %d/%d", text, n, n, n-1, n)
	}
	s.part, s.parts = i, n
	return nil
}

// Type implements pflag.Value.
func (s *shard) Type() string { return "shard" }

// namesIn returns the names in the part. It depends on each name alone, so that
// machines that list different files still share them out.
func (s *shard) namesIn(names []string) []string {
	if s.parts < 2 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		h := fnv.New64a()
		_, _ = io.WriteString(h, name)
		return h.Sum64()%s.parts != s.part
	})
}

// names returns the names of all recordings in the order in which they were
// given, each once.
func (o *exportOptions) names(e *env) ([]string, error) {
	list := o.trace.inputs
	if o.from != "" {
		list = func(e *env) ([]string, error) { return e.lines(o.from) }
	}
	given, err := list(e)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(refuseStdin(given), noAddress(given)); err != nil {
		return nil, err
	}
	var names []string
	seen := map[string]bool{}
	for _, path := range given {
		if _, err := os.Stat(path); err != nil && o.from == "" { // a list may be older than its files
			return nil, &fs.PathError{Op: "open", Path: path, Err: atomicfile.Cause(err)}
		}
		for _, file := range below(path, o.out) {
			if !seen[file] {
				seen[file] = true
				names = append(names, file)
			}
		}
	}
	if len(names) == 0 {
		return nil, noRecording(given)
	}
	return names, nil
}

// noRecording is the error that there is nothing to export.
func noRecording(given []string) error {
	if len(given) > 0 {
		return usageError{
			errors.New(given[0] + ": no recording is in it"),
			"hidden files, and what -o names, do not count",
		}
	}
	return usageError{errors.New("no recording is named"), "name files or folders of them"}
}

// lines reads names, one a line.
func (e *env) lines(file string) (names []string, err error) {
	in := e.in
	if file != decode.Stdin {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	if in == nil {
		return nil, errors.New("--files-from -: there is no standard input")
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name := strings.TrimSuffix(lines.Text(), "\r"); name != "" {
			names = append(names, name)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("--files-from %s: %w", file, err)
	}
	return names, nil
}

// below returns a file, or all files in a folder and its subfolders. It skips hidden files
// and the output folder.
func below(path, out string) (files []string) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path} // reading it later returns the error
	}
	written, _ := os.Stat(out)
	_ = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && file != path
		switch {
		case err != nil:
			files = append(files, file) // its row reports the error
			return fs.SkipDir
		case d.IsDir():
			if info, err := d.Info(); hidden || err == nil && written != nil && os.SameFile(info, written) {
				return fs.SkipDir
			}
		case !hidden && (d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0 && decode.Regular(file)):
			files = append(files, file)
		}
		return nil
	})
	return files
}

// partName returns the name of the files for some recordings. Another export of the same
// recordings replaces them; one of other recordings does not.
func partName(names []string) string {
	h := sha256.New()
	for _, name := range names {
		_, _ = io.WriteString(h, name+"\n")
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
