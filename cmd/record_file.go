package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode"

	"contend/cmd/atomicfile"
	"contend/decode"
	"contend/format"
)

// recordingFile is the file of a recording. It is opened before the recording starts, so that an
// unwritable path costs no recording. It gets its name when it is complete.
type recordingFile struct {
	io.Writer
	path string // "-" is standard output
	file *atomicfile.File
	kept func()   // cancels the removal at a signal
	read *os.File // the complete data; a copy if the output is a device or a pipe
	went string   // the begin of the message: is in, or went to
	used bool
}

// openFile opens the file of a recording: the one of -o, else one named after the program and
// the time.
func (o *recordOptions) openFile(ctx context.Context, e *env, program, ending string) (r *recordingFile, err error) {
	if o.out == "-" {
		out, _, err := e.create("-", true)
		return &recordingFile{Writer: out, path: "-"}, err
	}
	r = &recordingFile{path: o.out, went: "is in "}
	switch { // a name that contend chose replaces no file
	case o.always.used():
		r.file, err = atomicfile.NewIn(o.always.folder.Root(), r.path)
	case r.path == "":
		r.file, err = atomicfile.New(recordingName(program, ending))
	default:
		r.file, err = atomicfile.Create(ctx, r.path)
	}
	if err != nil {
		return nil, err
	}
	if err := r.file.Restrict(); err != nil { // a recording has environments and command lines
		return nil, errors.Join(err, r.file.Discard())
	}
	if r.file.Replaces() {
		e.say("contend: " + r.path + " is replaced when the recording is complete")
	}
	r.Writer, r.kept = r.file, func() {}
	if !r.file.InPlace() {
		return r, nil
	}
	if e.prints(r.file.File) {
		r.path = "-"
		return r, nil
	}
	if r.read, err = atomicfile.Scratch(); err != nil {
		r.discard()
		return nil, err
	}
	r.Writer, r.went = io.MultiWriter(r.file, r.read), "went to "
	return r, nil
}

// removeAtEnd has a signal that ends the program remove the file while it is not whole.
func (r *recordingFile) removeAtEnd(e *env) {
	if file := r.file; file != nil {
		r.kept = e.removeAtEnd(func() { _ = file.Discard() })
	}
}

// stamp is the format of the time in names that contend chooses.
const stamp = "20060102-150405"

// recordingName returns the name of a recording of a program that begins now.
func recordingName(program, ending string) string {
	return fileName(program) + "-" + time.Now().Format(stamp) + ending
}

// A file name has at most longestName characters and longestBytes bytes of the program's
// name. File systems allow 255 bytes.
const (
	longestName  = 60
	longestBytes = 180
)

// fileName turns a program's name into one that needs no quotes in a path or a shell.
func fileName(program string) string {
	before := ' '
	name := []rune(strings.Map(func(r rune) rune {
		letter := unicode.In(r, unicode.L, unicode.N) ||
			unicode.Is(unicode.M, r) &&
				unicode.In(before, unicode.L, unicode.M, unicode.N) // a mark belongs to a letter
		unseen := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		if letter && !unseen && r != unicode.ReplacementChar || strings.ContainsRune("._-+@,", r) {
			before = r
			return r
		}
		return -1
	}, program))
	short := string(name[:min(len(name), longestName)])
	short = strings.ToValidUTF8(short[:min(len(short), longestBytes)], "")
	if short = strings.TrimFunc(short, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) }); short != "" {
		return short
	}
	return "recording"
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

// analyze analyses the recording as the command analyze does, and prints its path, unless it
// went to standard output.
func (r *recordingFile) analyze(e *env) error {
	if r.path == "-" {
		return nil
	}
	signal.Reset(syscall.SIGPIPE) // the recording is complete
	e.ownOutputs = map[string]*os.File{r.path: r.read}
	c := newAnalyze(e)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs([]string{r.path})
	err := c.Execute()
	e.say("contend: the recording " + r.went + r.path)
	return err
}

// Write implements io.Writer.
func (r *recordingFile) Write(p []byte) (int, error) {
	r.used = true
	return r.Writer.Write(p)
}

// writeEvents writes the events of a source as a contend trace, and closes the source and its inputs. If
// no analysis follows, it prints the warnings.
func (r *recordingFile) writeEvents(e *env, src decode.Source, of ...io.Closer) error {
	w, err := format.NewWriter(r, format.WriterOptions{Codec: codecs["zstd"]})
	if err == nil {
		err = errors.Join(copyTrace(w, src), w.Close())
	}
	err = errors.Join(err, src.Close())
	for _, c := range of {
		err = errors.Join(err, c.Close())
	}
	if err = r.end(err); err != nil {
		return err
	}
	st := src.Stats()
	if w, fewer := format.FindWarning(st.Warnings, format.CodeFewerSamples); fewer {
		e.say("contend: " + w.String())
	}
	if r.path == "-" {
		(&result{stats: st}).warn(e, false)
	}
	return nil
}

// end gives the file its name if there was no error and some data was written. It returns the given
// error or its own.
func (r *recordingFile) end(err error) error {
	if r.file == nil {
		return err
	}
	if err != nil || !r.used {
		r.discard()
		return err
	}
	defer r.kept()
	file := r.file
	r.file = nil
	if file.InPlace() {
		if err = file.Commit(); r.read != nil {
			_, again := r.read.Seek(0, io.SeekStart)
			err = errors.Join(err, again)
		}
		return err
	}
	r.read, err = file.Keep()
	r.path = file.Path()
	return err
}

// leave keeps an unfinished file, whose data cannot be recorded again.
func (r *recordingFile) leave(e *env) error {
	if r.file == nil || r.file.InPlace() || !r.used {
		return nil
	}
	r.kept()
	path, err := r.file.Leave()
	r.file = nil
	e.warn("the data received is kept in " + path)
	return err
}

// discard removes an unfinished file. A file that had its name before stays.
func (r *recordingFile) discard() {
	if r.read != nil {
		r.read.Close()
	}
	if r.file != nil {
		_ = r.file.Discard()
		r.file = nil
		r.kept()
	}
}
