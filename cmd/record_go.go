package cmd

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"contend/cmd/record"
)

// address reports whether a target is a program's address and not its number or
// main class.
func address(target string) bool { return strings.Contains(target, ":") }

// goHint is the way to record a Go program.
const goHint = "'contend record http://HOST:PORT' asks one that serves net/http/pprof"

// buildID begins the note in which Go's linker writes the build ID. The length of the note precedes
// it, and its type is 4.
var buildID = append(binary.NativeEndian.AppendUint32(nil, 4), "Go\x00\x00"...)

// isGo reports whether a process runs a Go program: the build ID is at the beginning of its file.
// isGo does not read the rest, since another user may have made the file.
func isGo(process string) bool {
	f, err := os.Open("/proc/" + filepath.Base(process) + "/exe")
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 32<<10))
	return bytes.Contains(head, buildID)
}

// recordGo fetches the trace of a Go program, and analyses it. The file is opened first, so that an
// unwritable path costs no trace.
func recordGo(e *env, o *recordOptions) error {
	if o.with != "both" || o.raw != "" {
		return usageError{errors.New("--with and --raw are for JVMs"), "a Go program records its trace itself"}
	}
	u, d, err := record.GoAddress(o.target, o.duration)
	if err != nil {
		return err
	}
	ctx, stop := e.untilEnded()
	defer stop()
	out, err := o.openFile(ctx, e, u.Hostname()+"-"+u.Port(), ".trace")
	if err != nil {
		return err
	}
	defer out.discard() // unless the recording succeeds
	e.say(fmt.Sprintf("contend: asking %s to record for %v; Ctrl-C ends it early", u.Redacted(), d))
	n, err := record.FetchGo(ctx, u, d, out, e.bytesLeft())
	early := ctx.Err() != nil
	out.removeAtEnd(e)
	stop() // from here a signal ends the program as usual
	var refused *record.Error
	if err != nil && !early && !errors.As(err, &refused) { // the trace could not be written
		return errors.Join(err, out.leave(e))
	}
	if err := out.end(nil); err != nil {
		return err
	}
	switch {
	case n == 0 && early:
		return errors.New("ended before any data arrived")
	case n == 0 && err == nil:
		return &record.Error{What: u.Redacted() + ": answers nothing", Hint: "is that a program's debug/pprof?"}
	case n == 0:
		return err
	case early:
		e.warn("ended early: the data received so far is kept")
	case err != nil:
		e.warn(err.Error() + ": the data received before is kept")
	}
	return out.analyze(e)
}

// bytesLeft returns a callback that shows the received bytes on a terminal.
func (e *env) bytesLeft() func(left time.Duration, bytes int64) {
	show := e.timeLeft()
	if show == nil {
		return nil
	}
	return func(left time.Duration, bytes int64) {
		show(left)
		if left > 0 {
			fmt.Fprintf(e.msg, ", %.1f MB so far", float64(bytes)/1e6)
		}
	}
}
