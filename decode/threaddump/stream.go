package threaddump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/format"
)

// stream reads the dumps of one input, one after the other, with whatever
// other text stands between them.
type stream struct {
	name   string
	lines  *lines
	names  *names
	before []string // the lines before the one looked at, the last one last
	first  string   // the first line that is no dump
	header string   // of a dump without threads
	json   *jsonDumps
	format string
	broken error // what ended the reading, if not the end of the input
}

// keepBefore is how many lines before a dump may give its time.
const keepBefore = 3

func newStream(in *bufio.Reader, name string) *stream {
	s := &stream{name: name, names: newNames()}
	if head, _ := in.Peek(jsonStart); IsJSON(head) {
		s.json = newJSONDumps(in, s.names)
		s.format = "thread dump, JSON"
		return s
	}
	s.lines = newLines(in)
	return s
}

// from says where in the input the text begins.
func (s *stream) from(line int, off int64) {
	if s.lines != nil {
		s.lines.number, s.lines.read = line, off
	}
}

// next returns the next dump, or io.EOF.
func (s *stream) next() (*Dump, error) {
	if s.json != nil {
		return s.json.next()
	}
	for {
		line, err := s.lines.next()
		if err != nil {
			return nil, s.end(err)
		}
		if d := begins(line, false); d != nil {
			s.format = "thread dump, " + d.name
			dump, err := s.parse(d, line)
			if err != nil || len(dump.Threads) > 0 {
				return dump, err
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

// end ends the input: damage of a compressed file is its end too.
func (s *stream) end(err error) error {
	if !errors.Is(err, io.EOF) {
		s.broken = err
	}
	return io.EOF
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
func (s *stream) parse(d *dialect, line string) (*Dump, error) {
	p := d.begin(s.names, s.before, line)
	s.before = s.before[:0]
	for {
		line, err := s.lines.next()
		if err != nil {
			s.end(err)
			return p.finish(true), nil
		}
		if begins(line, true) != nil {
			s.lines.again = true
			return p.finish(true), nil
		}
		if !p.line(line) {
			s.lines.again = true // it may begin the next dump
			return p.finish(false), nil
		}
		s.keep(line) // a time printed before the next header
	}
}

// bytes returns how much was read.
func (s *stream) bytes() int64 {
	if s.json != nil {
		return s.json.bytes()
	}
	return s.lines.read
}

// letGo forgets all but what was read.
func (s *stream) letGo() {
	s.names, s.before = nil, nil
	if s.json != nil {
		s.json = &jsonDumps{read: s.json.bytes()}
		return
	}
	s.lines = &lines{number: s.lines.number, read: s.lines.read}
}

// damage is what is missing where the input was read to.
func (s *stream) damage(why string, at int64) format.Damage {
	d := format.Damage{Pos: format.Pos{File: s.name, Off: s.bytes()}, Code: "truncated", Why: why, Events: format.UnknownEvents, From: at, Until: at}
	if s.lines != nil {
		d.Pos.Line = max(s.lines.number, 1)
	}
	return d
}

// notMine is the error of an input without a dump.
func (s *stream) notMine() error {
	e := &format.Error{Pos: format.Pos{File: s.name, Line: 1}, Err: fmt.Errorf("not a thread dump: %w", format.ErrNotMine), Hint: hintOf(s.first)}
	e.What = fmt.Sprintf("%.60q", strings.ToValidUTF8(s.first, "\uFFFD"))
	if s.header != "" {
		e.What, e.Err = fmt.Sprintf("%.60q", strings.ToValidUTF8(s.header, "\uFFFD")), fmt.Errorf("no thread follows: %w", format.ErrTruncated)
		e.Hint = "take the dump again"
	}
	if s.broken != nil {
		e.What, e.Err = "text", fmt.Errorf("%w before any thread dump", format.ErrTruncated)
	}
	return e
}

// jsonStart is how much tells a thread dump in JSON: a first thread may have
// the stack before the name.
const jsonStart = 32 << 10

// IsJSON reports whether an input is a thread dump in JSON: of Thread.dump_to_file
// -format=json, or of java.lang.management's ThreadInfo. Loggers write threadName, too.
func IsJSON(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	named := func(key string) bool { return bytes.Contains(head, []byte(key)) }
	return len(head) > 0 && (head[0] == '{' || head[0] == '[') && (named(`"threadDump"`) || named(`"threadName"`) && named(`"threadState"`))
}

// BeforeJSON is how many bytes stand before a thread dump in JSON that begins a line
// behind other text; 0 where none does.
func BeforeJSON(head []byte) (n int) {
	for line := range bytes.Lines(head) {
		header, thread := Begins(string(bytes.TrimRight(line, "\r\n")))
		if header || thread {
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
