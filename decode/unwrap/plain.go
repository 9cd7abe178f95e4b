package unwrap

import "bytes"

// plain passes on all buffered lines of a dump without layers, the usual input; false if a
// layer might begin, or too little is buffered.
func (r *Reader) plain() bool {
	if !r.begun || len(r.found) > 0 || r.maybe != nil || r.rest || r.slowly > 0 {
		return false
	}
	text, err := r.in.Peek(min(r.in.Buffered(), chunk))
	if err != nil || len(text) == 0 {
		return false
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if len(text) == 0 || r.suspicious(text) {
		r.slowly = max(len(text), 1)
		return false
	}
	r.starts = r.starts[:0]
	at := len(r.out)
	r.out = append(r.out, text...)
	for end := len(text) - 1; len(r.starts) < lookback && end >= 0; {
		begin := bytes.LastIndexByte(text[:end], '\n')
		r.starts = append(r.starts, at+begin+1)
		end = begin
	}
	for i, j := 0, len(r.starts)-1; i < j; i, j = i+1, j-1 {
		r.starts[i], r.starts[j] = r.starts[j], r.starts[i]
	}
	_, err = r.in.Discard(len(text))
	return err == nil
}

// marks are rare in a dump without layers: escapes, the beginning of an object or a file,
// odd characters, and Windows line ends.
var marks = [...][]byte{
	[]byte("&"),
	[]byte("\\"),
	[]byte("\n{"),
	[]byte("\r"),
	[]byte("\x1b"),
	blank,
	none,
	stars,
	[]byte("\n==> "),
}

// suspicious reports whether a layer might begin in some lines.
func (r *Reader) suspicious(text []byte) bool {
	if text[0] == '{' {
		return true
	}
	for _, m := range marks {
		if bytes.Contains(text, m) {
			return true
		}
	}
	for rest := text; ; { // headers end so
		end := bytes.Index(rest, []byte(":\n"))
		if end < 0 {
			return false
		}
		begin := bytes.LastIndexByte(rest[:end], '\n') + 1
		if at, mark := r.anchor(rest[begin : end+1]); mark != None && at > 0 {
			return true
		}
		rest = rest[end+2:]
	}
}
