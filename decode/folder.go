package decode

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contend/format"
)

// openAll opens what the paths name: files, or all traces in a folder. Several
// are closed again until their turn comes: there may be more than the operating
// system lets one program have open.
func (t *Trace) openAll(paths []string) error {
	lists, folders, several := make([][]string, len(paths)), make([]bool, len(paths)), len(paths) > 1
	for i, path := range paths {
		var err error
		if lists[i], folders[i], err = list(path); err != nil {
			return err
		}
		several = several || len(lists[i]) > 1
	}
	for i, files := range lists {
		before := len(t.inputs)
		for _, file := range files {
			if err := t.open(file, t.labelOf(i), several); folders[i] && errors.Is(err, format.ErrNotMine) {
				t.skipped = append(t.skipped, format.Warning{Code: "skipped", Text: file + " is no trace and is left out"})
			} else if err != nil {
				return err
			}
		}
		if len(t.inputs) == before {
			return fail(paths[i], "directory", fmt.Errorf("no trace in it: %w", format.ErrNotMine), "name the files themselves to see why each is none")
		}
	}
	return nil
}

func (t *Trace) labelOf(path int) string {
	if path < len(t.Labels) {
		return t.Labels[path]
	}
	return ""
}

// open opens a file.
func (t *Trace) open(file, label string, several bool) error {
	in := &input{name: file, label: label, from: &t.source}
	if err := in.open(); err != nil {
		return err
	}
	t.inputs = append(t.inputs, in)
	if several {
		in.setAside()
	}
	return nil
}

// regular reports whether a link leads to a file, not to a device or a pipe. One
// that leads nowhere says so when it is opened.
func regular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// list returns the files of a folder in order of their names, less hidden
// ones and those in folders below it; of a file itself.
func list(path string) (files []string, folder bool, err error) {
	if path == Stdin {
		return []string{path}, false, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, false, nil // opening it says what is wrong
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, true, err
	}
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if !strings.HasPrefix(e.Name(), ".") && e.Type()&^fs.ModeSymlink == 0 && regular(file) {
			files = append(files, file)
		}
	}
	return files, true, nil
}
