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

// openAll opens what a path names: a file, or all traces in a folder.
func (t *Trace) openAll(path, label string) error {
	files, folder, err := list(path)
	if err != nil {
		return err
	}
	opened := 0
	t.overlaps.several = t.overlaps.several || len(files) > 1
	for _, file := range files {
		err := t.open(file, label)
		if folder && errors.Is(err, format.ErrNotMine) {
			t.skipped = append(t.skipped, format.Warning{Code: "skipped", Text: file + " is no trace and is left out"})
			continue
		}
		if err != nil {
			return err
		}
		opened++
	}
	if opened == 0 {
		return fail(path, "directory", fmt.Errorf("no trace in it: %w", format.ErrNotMine), "name the files themselves to see why each is none")
	}
	return nil
}

// openAtOnce is how many inputs stay open until they are read. Of more, the
// others are closed again until their turn comes: a folder may hold more of
// them than the operating system lets one program have open.
const openAtOnce = 16

// open opens a file.
func (t *Trace) open(file, label string) error {
	in := &input{name: file, label: label, from: &t.source}
	skip, all := t.overlaps.meet(in)
	if all {
		return nil
	}
	in.skip = skip
	if err := in.open(); err != nil {
		return err
	}
	t.inputs = append(t.inputs, in)
	if len(t.inputs) > openAtOnce {
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
