package perf

import (
	"bytes"

	"contend/format"
)

// sniffLines bounds the lines without an event before the first event.
const sniffLines = 64

// Is reports whether a text begins like one of perf script: an event among its
// first lines.
func Is(start []byte) bool {
	n := 0
	for line := range bytes.Lines(start) {
		var s sample
		if line = bytes.TrimRight(line, "\r\n"); s.parse(line) && ours(s.event) {
			return true
		}
		if len(line) > 0 && line[0] != '#' && line[0] != '\t' {
			if n++; n > sniffLines {
				return false
			}
		}
	}
	return false
}

// ours reports whether an event's name is like perf's: of a tracepoint, or of a
// counter.
func ours(name []byte) bool {
	group, event, ok := bytes.Cut(name, colonMark)
	if bytes.HasPrefix(name, recordPrefix) || sampled[string(group)] {
		return true
	}
	return ok && identifier(group) && identifier(event)
}

func identifier(text []byte) bool {
	for _, c := range text {
		if c != '_' && !isDigit(c) && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(text) > 0
}

// IsData reports whether an input begins like perf.data, of either byte order.
func IsData(start []byte) bool {
	return bytes.HasPrefix(start, []byte("PERFILE2")) || bytes.HasPrefix(start, []byte("2ELIFREP"))
}

// NotText returns the error for perf.data, with a hint how to convert it to text.
func NotText(name string) error {
	return &format.Error{
		Pos:  format.Pos{File: name},
		What: "perf.data",
		Err:  format.ErrNotMine,
		Hint: "names of functions are not in it; print it where it was recorded: perf script -i " + name +
			" --ns -F comm,pid,tid,cpu,time,event,trace,ip,sym,dso > perf.txt",
	}
}
