package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// recordingFile is where a recording goes. It is opened before anything is
// recorded, since a recording that has nowhere to go costs as much; what the
// file held goes at the first byte of the new one.
type recordingFile struct {
	io.Writer
	path string // "-" is standard output
	file *os.File
	copy *os.File // of what goes to a device or a pipe, which cannot be read again
	made bool     // by this command
	used bool
}

// openFile opens the file of a recording: that of -o, else one named after the
// program and the time.
func (o *recordOptions) openFile(e *env, program, ending string) (*recordingFile, error) {
	if o.out == "-" {
		out, _, err := e.create("-", true)
		return &recordingFile{Writer: out, path: "-"}, err
	}
	r := &recordingFile{path: o.out}
	if r.path == "" {
		r.path = fmt.Sprintf("%s-%s.%s", strings.Trim(program, "-"), time.Now().Format("20060102-150405"), ending)
	}
	_, err := os.Stat(r.path)
	r.made = errors.Is(err, os.ErrNotExist)
	if r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return nil, err
	}
	r.Writer = r.file
	if r.regular() {
		return r, nil
	}
	if e.prints(r.file) {
		r.path = "-"
		return r, nil
	}
	if r.copy, err = os.CreateTemp("", "contend-*"); err != nil {
		return nil, errors.Join(err, r.file.Close())
	}
	_ = os.Remove(r.copy.Name()) // here where it can be while it is open
	r.Writer = io.MultiWriter(r.file, r.copy)
	return r, nil
}

// prints reports whether a file is standard output.
func (e *env) prints(f *os.File) bool {
	out, ok := e.out.(*os.File)
	if !ok {
		return false
	}
	a, err := out.Stat()
	b, again := f.Stat()
	return err == nil && again == nil && os.SameFile(a, b)
}

// analyze prints what analyze prints, and where the recording is.
func (r *recordingFile) analyze(e *env) error {
	path, where := r.path, "the recording is in "+r.path
	if r.copy != nil {
		if _, err := r.copy.Seek(0, io.SeekStart); err != nil {
			return err
		}
		defer func() { _ = os.Remove(r.copy.Name()) }()
		defer r.copy.Close()
		defer func(in io.Reader) { e.in = in }(e.in)
		e.in = r.copy
		path, where = "-", "the recording went to "+r.path
	}
	c := newAnalyze(e)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs([]string{path})
	err := c.Execute()
	e.say("contend: " + where)
	return err
}

// Write implements io.Writer.
func (r *recordingFile) Write(p []byte) (int, error) {
	if !r.used && r.file != nil {
		if err := r.file.Truncate(0); err != nil && r.regular() {
			return 0, err
		}
	}
	r.used = true
	return r.Writer.Write(p)
}

func (r *recordingFile) regular() bool {
	info, err := r.file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// discard closes the file, and removes it when it is new: what it holds is of no use.
func (r *recordingFile) discard() error {
	err := r.Close()
	if r.made && r.used { // else it is gone
		err = errors.Join(err, os.Remove(r.path))
	}
	return err
}

// Close closes the file, and removes it when it is new and nothing came.
func (r *recordingFile) Close() error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	if r.made && !r.used {
		err = errors.Join(err, os.Remove(r.path))
	}
	return err
}
