package threaddump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/decode/unwrap"
	"contend/format"
)

// stream reads the dumps of one input, in order, with any other text between them.
type stream struct {
	name   string
	lines  *unwrap.Lines // nil for JSON, and once the input is let go
	names  *names
	before []string      // the lines before the current one, in order
	first  string        // the first line that is no dump
	header string        // of a dump without threads
	json   *json.Decoder // nil for lines, and once the input is let go
	format string
	stated bool  // threads may begin with their name and state
	broken error // the error that ended the input, except its end

	read   int64 // bytes, when it was let go
	number int   // of the line, then
}

// keepBefore is how many lines before a dump may give its time.
const keepBefore = 8

// newStream reads an input of which some lines and bytes are already read.
func newStream(in *bufio.Reader, name string, line int, off int64) *stream {
	s := &stream{name: name, names: newNames()}
	if head, _ := in.Peek(jsonStart); IsJSON(head) {
		s.json = json.NewDecoder(in)
		s.format = "thread dump, JSON"
		return s
	}
	head, _ := in.Peek(jsonStart)
	s.stated = StatedThreads(head)
	s.lines = unwrap.NewLines(in, 4096, line, off)
	return s
}

// line returns the next line; false at the end of the input, and at damage within a line.
func (s *stream) line() (string, bool) {
	line, ok := s.lines.Next()
	if err := s.lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		s.broken = err
		return "", false
	}
	return string(line), ok
}

// next returns the next dump, or io.EOF.
func (s *stream) next() (*Dump, error) {
	if s.json != nil {
		return s.nextJSON()
	}
	for {
		line, ok := s.line()
		if !ok {
			return nil, io.EOF
		}
		d := begins(line, false)
		if d == nil && s.stated && statedDialect.thread(line) {
			d = &statedDialect
		}
		if d != nil {
			s.format = "thread dump, " + d.name
			if dump := s.parse(d, line); len(dump.Threads) > 0 {
				return dump, nil
			}
			s.header = line
			continue
		}
		if s.first == "" {
			s.first = line
		}
		s.keep(line)
	}
}

func (s *stream) keep(line string) {
	if line == "" {
		return
	}
	s.before = append(s.before, line)
	if len(s.before) > keepBefore {
		s.before = slices.Delete(s.before, 0, 1)
	}
}

// parse reads the dump that begins at a line.
func (s *stream) parse(d *dialect, line string) *Dump {
	p := d.begin(s.names, s.before, line)
	s.before = s.before[:0]
	for {
		line, ok := s.line()
		if !ok {
			return p.finish(true)
		}
		if begins(line, true) != nil {
			s.lines.Unread()
			return p.finish(true)
		}
		if !p.line(line) {
			s.lines.Unread() // it may begin the next dump
			return p.finish(false)
		}
		s.keep(line) // a time printed before the next header
	}
}

// bytes returns how much was read.
func (s *stream) bytes() int64 {
	switch {
	case s.json != nil:
		return s.json.InputOffset()
	case s.lines != nil:
		return s.lines.Taken()
	}
	return s.read
}

// letGo releases the text and keeps the counts.
func (s *stream) letGo() {
	if s.read = s.bytes(); s.lines != nil {
		s.number = s.lines.Line()
	}
	s.names = nil
	s.before = nil
	s.lines = nil
	s.json = nil
}

// damage is what is missing where the input was read to.
func (s *stream) damage(why string, at int64) format.Damage {
	d := format.Damage{
		Pos:    format.Pos{File: s.name, Off: s.bytes(), Line: s.number},
		Code:   format.CodeTruncated,
		Why:    why,
		Events: format.UnknownEvents,
		From:   at,
		Until:  at,
	}
	if s.lines != nil {
		d.Pos.Line = max(s.lines.Line(), 1)
	}
	return d
}

// notMine is the error of an input without a dump.
func (s *stream) notMine() error {
	e := &format.Error{
		Pos:  format.Pos{File: s.name, Line: 1},
		Err:  fmt.Errorf("not a thread dump: %w", format.ErrNotMine),
		Hint: hintOf(s.first),
	}
	e.What = fmt.Sprintf("%.60q", strings.ToValidUTF8(s.first, "\uFFFD"))
	if s.header != "" {
		e.What, e.Err = fmt.Sprintf(
			"%.60q",
			strings.ToValidUTF8(s.header, "\uFFFD"),
		), fmt.Errorf(
			"no thread follows: %w",
			format.ErrTruncated,
		)
		e.Hint = "take the dump again"
	}
	if s.broken != nil {
		e.What, e.Err = "text", fmt.Errorf("%w before any thread dump", format.ErrTruncated)
	}
	return e
}

// jsonStart bounds the search for a thread dump in JSON: a first thread may have the stack
// before the name.
const jsonStart = 32 << 10

// IsJSON reports whether an input is a thread dump in JSON: of Thread.dump_to_file
// -format=json, or of java.lang.management's ThreadInfo. Loggers write threadName, too.
func IsJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	named := func(key string) bool { return bytes.Contains(head, []byte(key)) }
	return len(head) > 0 && (head[0] == '{' || head[0] == '[') &&
		(named(`"threadDump"`) || named(`"threadName"`) && named(`"threadState"`))
}

// BeforeJSON returns the number of bytes before a thread dump in JSON that begins a line
// after other text; 0 if there is none.
func BeforeJSON(head []byte) (n int) {
	for line := range bytes.Lines(head) {
		if Begins(string(bytes.TrimRight(line, "\r\n"))) != unwrap.None {
			return 0
		}
		if line[0] == '{' || line[0] == '[' {
			if IsJSON(head[n:]) {
				return n
			}
			return 0
		}
		n += len(line)
	}
	return 0
}

// nameJoiner joins the first line of a thread. A thread name may contain line breaks, which
// text dumps print unchanged: the first line is then several, and the rest would look like
// a part of the previous thread.
//
// It counts first lines from which no thread began: the parser did not understand them.
type nameJoiner struct {
	parser  threadParser
	opens   func(line string) bool // a thread begins here; its name may not end there
	lines   []string               // of a name that is not whole
	garbled int                    // first lines that are not understood
	example string                 // one of them
}

// maxNameLines is how many lines the name of a thread may have.
const maxNameLines = 16

func (j *nameJoiner) line(text string) bool {
	whole, done := j.addLine(text, j.opens(text))
	if !done {
		return true
	}
	n := j.parser.threadsBegun()
	if !j.parser.line(whole) {
		return false
	}
	if _, reported := reportedName(text); j.opens(text) && !reported && j.parser.threadsBegun() == n {
		j.garbled, j.example = j.garbled+1, text
	}
	return true
}

func (j *nameJoiner) finish(cut bool) *Dump {
	d := j.parser.finish(cut)
	d.Garbled, d.Example = j.garbled, j.example
	return d
}

// addLine takes a line; done is false if the name continues. A line that cannot belong to a
// name is returned unchanged.
func (j *nameJoiner) addLine(line string, opens bool) (whole string, done bool) {
	if opens && strings.Count(line, `"`) == 1 && !looksLikeHead(line) {
		j.lines = append(j.lines[:0], line)
		return "", false
	}
	if opens || len(j.lines) == 0 || len(j.lines) == maxNameLines || line != "" && (line[0] == ' ' || line[0] == '\t') {
		j.lines = j.lines[:0]
		return line, true
	}
	j.lines = append(j.lines, line)
	if !strings.Contains(line, `"`) {
		return "", false
	}
	whole = strings.Join(j.lines, "\n")
	j.lines = j.lines[:0]
	return whole, true
}
