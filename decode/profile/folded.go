package profile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/format"
	"contend/format/human"
)

// foldedLine is one stack, outermost frame first, and its value.
var foldedLine = regexp.MustCompile(`^[^;\s][^;]*(;[^;]*)* \d+$`)

// IsFolded reports whether a text begins with folded stacks: at least one of the first
// three lines has several frames.
func IsFolded(start []byte) bool {
	n, stacks := 0, false
	for line := range strings.Lines(string(start)) {
		if !strings.HasSuffix(line, "\n") && n > 0 {
			break // may be cut off
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		if !foldedLine.MatchString(line) {
			return false
		}
		stacks = stacks || strings.Contains(line, ";")
		if n++; n == 3 {
			break
		}
	}
	return stacks
}

// maxLine is how long the line of a stack may be, in bytes.
const maxLine = 4 << 20

// NewFolded reads folded stacks. Their values have no unit: they count as contended
// acquisitions. Any other line is damage.
func NewFolded(in *bufio.Reader, name string, t *rules.Table) (*Reader, error) {
	r := newReader(t, "folded stacks", "their value")
	r.Said.Unit = format.UnitAcquisitions
	r.Said.Warn(format.CodeCountsOnly, "folded stacks do not say what they count: those in methods of locks are "+
		"taken as waiting")
	r.strict = true
	err := r.lines(in, name, "folded stack", func(line string) bool {
		frames, value, ok := folded(line)
		if ok {
			r.addStack(frames, value, value)
		}
		return ok
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if 2*r.unknown > r.sum {
		return nil, notOfLocks(name, r)
	}
	return r, nil
}

// notOfLocks is the error of folded stacks most of which are of something else.
func notOfLocks(name string, r *Reader) error {
	return &format.Error{
		Pos:  format.Pos{File: name},
		What: "folded stacks",
		Err: fmt.Errorf("%s: %w",
			human.Say("%v of %v are in methods of locks, so these look like CPU time or allocations", r.locked, r.sum),
			format.ErrNotMine),
		Hint: "async-profiler writes those of locks with -e lock -o collapsed; if these are, --lock-rules FILE " +
			"declares the methods ('contend rules')",
	}
}

// lines gives each line that is not empty to use, which reports whether it is one of the
// format: others are damage, and so is an early end.
func (r *Reader) lines(in *bufio.Reader, name, what string, use func(line string) bool) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	bad := 0
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		size := int64(len(line)) + 1
		r.Said.BytesTotal += size
		text := strings.ToValidUTF8(strings.TrimRight(line, " \t\r"), "\uFFFD")
		if text == "" || use(text) {
			r.Said.BytesRead += size
			continue
		}
		if bad++; bad == 1 {
			r.Said.Warn(format.CodeLostData, fmt.Sprintf("%s:%d: no %s; such lines are left out", name, n, what))
		}
		r.Said.Damage.AddDamage(
			format.Damage{
				Pos:    format.Pos{File: name, Line: n},
				Code:   format.CodeLostData,
				Why:    "line: " + format.ErrCorrupt.Error(),
				Bytes:  size,
				Events: 1,
				From:   format.NoTime,
				Until:  format.NoTime,
			},
		)
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.Said.Warn(format.CodeTruncated, name+": the input ends early")
		r.Said.Damage.AddDamage(
			format.Damage{
				Pos:    format.Pos{File: name},
				Code:   format.CodeTruncated,
				Why:    "the input ends early",
				Events: format.UnknownEvents,
				From:   format.NoTime,
				Until:  format.NoTime,
			},
		)
		return nil
	}
	return err
}

// folded reads a line; the frames are innermost first.
func folded(line string) (frames []format.Frame, value int64, ok bool) {
	blank := strings.LastIndexByte(line, ' ')
	if blank <= 0 {
		return nil, 0, false
	}
	value, err := strconv.ParseInt(line[blank+1:], 10, 64)
	if err != nil || value < 0 || value > maxDelay {
		return nil, 0, false
	}
	names := strings.Split(line[:blank], ";")
	for i := len(names) - 1; i >= 0; i-- {
		if name := names[i]; name != "" && !(i == 0 && isThread(name)) {
			frames = append(frames, foldedFrame(name, i == len(names)-1))
		}
	}
	return frames, value, len(frames) > 0
}

// isThread reports whether a first frame is the name of a thread: [main tid=12].
func isThread(name string) bool { return name[0] == '[' && strings.HasSuffix(name, "]") }

// annotation is the suffix with which async-profiler marks how a frame was compiled, or a
// class.
var annotation = regexp.MustCompile(`_\[[a-zA-Z0-9]\]$`)

// foldedFrame reads java/lang/Thread.run, java.lang.Thread.run, sync.(*Mutex).Lock or a
// native function. The innermost one may be the class of a lock.
func foldedFrame(name string, innermost bool) (f format.Frame) {
	name = annotation.ReplaceAllString(name, "")
	if goName(name) {
		f.Class, f.Method = gonames.Split(name)
		return f
	}
	dot := strings.LastIndexByte(name, '.')
	slashed := strings.Contains(name, "/")
	switch {
	case strings.ContainsAny(name, ":(<[ ") && !strings.HasSuffix(name, ">") || dot <= 0 && !slashed:
		return format.Frame{Method: name}
	case innermost && isClass(name[dot+1:]):
		return format.Frame{Class: strings.ReplaceAll(name, "/", ".")}
	case dot <= 0:
		return format.Frame{Method: name}
	}
	return format.Frame{Class: strings.ReplaceAll(name[:dot], "/", "."), Method: name[dot+1:]}
}

// goName reports whether a function is called as Go does.
func goName(name string) bool {
	return strings.Contains(name, "(*") || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "sync.") ||
		strings.HasPrefix(name, "main.")
}

// isClass reports whether a last word is a class: methods begin with a small letter.
func isClass(word string) bool {
	return word != "" && (word[0] >= 'A' && word[0] <= 'Z' || strings.Contains(word, "/"))
}
