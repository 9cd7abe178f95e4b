package decode

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contend/format"
)

// openAll opens what a path names: a file, or all traces in a folder. A file
// that is none stops nothing where there are others, but it is told: in a
// folder such files are to be expected, among named ones the answer lacks
// something. What has a label is asked for by name: it cannot be left out.
func (t *Trace) openAll(path, label string, several bool) error {
	files, folder, err := list(path)
	if err != nil {
		return err
	}
	opened := 0
	t.overlaps.several = t.overlaps.several || len(files) > 1
	for _, file := range files {
		err := t.open(file, label)
		foreign, broken := errors.Is(err, format.ErrNotMine), errors.Is(err, format.ErrTruncated)
		switch {
		case err == nil:
			opened++
		case (folder || several) && (foreign || broken):
			t.skip(file, err, broken || !folder)
		default:
			return err
		}
	}
	if opened == 0 && folder {
		return fail(path, "directory", fmt.Errorf("no trace in it: %w", format.ErrNotMine), "name the files themselves to see why each is none")
	}
	return nil
}

// skip leaves a file out.
func (t *Trace) skip(file string, why error, lacks bool) {
	text := file + " is no trace and is left out"
	if errors.Is(why, format.ErrTruncated) {
		text = file + " holds nothing to read and is left out"
	}
	t.skipped.files = append(t.skipped.files, file)
	t.skipped.first = cmp.Or(t.skipped.first, why)
	t.skipped.warnings = append(t.skipped.warnings, format.Warning{Code: "skipped", Text: text})
	if lacks {
		t.skipped.damage.Add(format.Damage{Pos: format.Pos{File: file}, Code: "skipped", Why: why.Error(), Events: format.UnknownEvents, From: format.NoTime, Until: format.NoTime})
	}
}

// skipped are files that were left out.
type skipped struct {
	first    error // what the first one is
	files    []string
	warnings []format.Warning
	damage   format.DamageLog
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
