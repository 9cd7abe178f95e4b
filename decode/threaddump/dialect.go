package threaddump

import (
	"strings"

	"contend/decode/unwrap"
)

// parser builds one dump from its lines.
type parser interface {
	// line takes the next line, without its end. It returns false when the
	// dump was over before it.
	line(text string) bool
	// finish returns the dump. cut tells that the input ended, or another
	// dump began, before line said that it was over.
	finish(cut bool) *Dump
}

// dialect is one way of writing a thread dump as lines of text.
type dialect struct {
	name   string
	header func(line string) bool                              // a dump begins here, even within another
	thread func(line string) bool                              // a dump without header begins here; nil if there are none
	opens  func(line string) bool                              // a thread begins here, whose name may go on in the next line; nil if none does
	open   func(n *names, before []string, line string) parser // before are the lines before the first one, the last one last
}

// dialects are the ways of writing a dump, the unmistakable first.
var dialects = []dialect{
	hotspotDialect,
	androidDialect,
	{name: "JRockit", header: jrockitHeader, opens: quoted, open: newJRockit},
	{name: "javacore", header: javacoreHeader, thread: javacoreThread, open: newJavacore},
	{name: "Thread.dump_to_file", header: never, thread: fileThread, opens: fileOpens, open: newFile},
	{name: "ThreadInfo", header: never, thread: infoThread, opens: quoted, open: newInfo},
}

var hotspotDialect = dialect{name: "HotSpot", header: hotspotHeader, thread: hotspotThread, opens: quoted, open: newHotSpot}

func never(string) bool { return false }

func quoted(line string) bool { return strings.HasPrefix(line, `"`) }

// begin returns the parser of a dump that begins at a line.
func (d *dialect) begin(n *names, before []string, line string) parser {
	p := d.open(n, before, line)
	if d.opens != nil {
		p = &nameJoiner{parser: p, opens: d.opens}
	}
	if !d.header(line) { // it is a thread's, or a report's
		p.line(line)
	}
	return p
}

// Begins says what begins with a line: a dump, or a thread of one that has no header. A
// line that may also be a sentence of a log is taken for a thread's.
func Begins(line string) unwrap.Mark {
	switch d := begins(line, false); {
	case d == nil:
		return unwrap.None
	case quoted(line) || line[0] == '#' || d.name == hotspotDialect.name && !strings.HasSuffix(line, ":"):
		return unwrap.Thread
	}
	return unwrap.Header
}

// Firsts are the bytes that dumps begin with.
const Firsts = "\"F=0#-DT3"

// begins finds the dialect of which a dump begins at a line, nil if none
// does. Only a header ends the dump a line stands in.
func begins(line string, within bool) *dialect {
	if line == "" || strings.IndexByte(Firsts, line[0]) < 0 {
		return nil
	}
	for i := range dialects {
		d := &dialects[i]
		if d.header(line) || !within && d.thread != nil && d.thread(line) {
			return d
		}
	}
	return nil
}
