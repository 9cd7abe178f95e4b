package decode

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contend/decode/unwrap"
	"contend/format"
)

// openAll opens a path: a file, or all traces in a folder. Unreadable files are left out
// and reported if others are readable. In a folder that is a warning of its own kind,
// because a folder may well hold other files. A labelled path is required, so it is never
// left out.
func (t *Trace) openAll(path, label string, several bool) error {
	files, folder, err := t.source.list(path)
	if err != nil {
		return err
	}
	opened := 0
	t.overlaps.several = t.overlaps.several || len(files) > 1
	for _, file := range files {
		switch err := t.open(file, label); {
		case err == nil:
			opened++
		case folder || several:
			t.skip(file, err, !folder || !errors.Is(err, format.ErrNotMine))
		default:
			return err
		}
	}
	if opened > 0 || !folder {
		return nil
	}
	err = fail(
		path,
		"directory",
		fmt.Errorf("no trace in it: %w", format.ErrNotMine),
		"name the files one by one to see why each is not a trace",
	)
	if len(files) == 0 {
		err = fail(path, "directory", errEmptyFolder, "name a folder with recordings in it; hidden files do not count")
	}
	if several {
		t.skip(path, err, true)
		return nil
	}
	return err
}

// errEmptyFolder says that there is nothing to read.
var errEmptyFolder = errors.New("no file is in it")

// skip leaves a file out.
func (t *Trace) skip(file string, why error, lacks bool) {
	text := file + " cannot be read and is left out: " + reason(why)
	switch {
	case errors.Is(why, format.ErrNotMine):
		text = file + " is not a trace and is left out"
	case errors.Is(why, format.ErrTruncated):
		text = file + " holds nothing to read and is left out"
	}
	t.skipped.files = append(t.skipped.files, file)
	t.skipped.first = cmp.Or(t.skipped.first, why)
	t.skipped.addFile(format.CodeSkipped, text, file, why, lacks)
}

// breaks notes that a file cannot be read to its end.
func (s *skipped) breaks(file string, why error) {
	s.addFile(format.CodeLostData, file+" cannot be read to its end: "+reason(why), file, why, true)
}

// addFile warns of a skipped file. lacks says that the answer is incomplete without the file.
func (s *skipped) addFile(code, text, file string, why error, lacks bool) {
	s.warnings = append(s.warnings, format.Warning{Code: code, Text: text})
	if lacks {
		s.damage.AddDamage(
			format.Damage{
				Pos:    format.Pos{File: file},
				Code:   code,
				Why:    why.Error(),
				Events: format.UnknownEvents,
				From:   format.NoTime,
				Until:  format.NoTime,
			},
		)
	}
}

// reason is an error without the name of the file, which is written before it.
func reason(err error) string {
	var path *fs.PathError
	var at *format.Error
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &at):
		return at.What + ": " + at.Err.Error()
	}
	return err.Error()
}

// skipped are files that were left out, or ended early.
type skipped struct {
	first    error // the error of the first one
	files    []string
	warnings []format.Warning
	damage   format.DamageLog
}

// openAtOnce bounds the inputs that stay open until they are read. Further inputs are
// closed and opened again later: a folder may hold more files than the operating system
// lets one program open.
const openAtOnce = 16

// open opens a file.
func (t *Trace) open(file, label string) error {
	in := &input{name: file, label: label, from: &t.source}
	skip, all := t.overlaps.addChunks(in)
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
	t.split(in)
	return nil
}

// split makes inputs of the other processes whose lines are in the same stream, labelled
// with the names of the processes. A process without a dump makes none.
func (t *Trace) split(in *input) {
	given := in.label
	for _, other := range in.others {
		label := strings.TrimPrefix(given+"/"+other.Process, "/")
		part := &input{name: in.name, label: label, from: in.from, part: true}
		src, err := part.openText(bufio.NewReaderSize(other.Text, sniffed), unwrap.Skipped{})
		if err != nil {
			if !errors.Is(err, format.ErrNotMine) {
				t.skip(in.name+" ("+other.Process+")", err, true)
			}
			continue
		}
		part.decodes(src)
		t.inputs = append(t.inputs, part)
		in.label = strings.TrimPrefix(given+"/"+in.process, "/")
	}
	in.others = nil
}

// Regular reports whether a link leads to a file, not to a device or a pipe. A broken link
// counts as one, and fails when it is opened.
func Regular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Mode().IsRegular()
}

// list returns the files of a folder in order of their names, less hidden
// ones and those in folders below it; of a file itself.
func (s *source) list(path string) (files []string, folder bool, err error) {
	if path == Stdin || s.options.Opened[path] != nil {
		return []string{path}, false, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, false, nil // opening it returns the error
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, true, err
	}
	for _, e := range entries {
		file := filepath.Join(path, e.Name())
		if !strings.HasPrefix(e.Name(), ".") && e.Type()&^fs.ModeSymlink == 0 && Regular(file) {
			files = append(files, file)
		}
	}
	return files, true, nil
}
