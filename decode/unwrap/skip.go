package unwrap

import "bytes"

// Skipped describes the text that Skip skipped.
type Skipped struct {
	Lines int
	Bytes int64
}

// Skip passes over text up to the lines before a dump; false when there is
// none, and then only the first line is left. Nothing may have been read.
func (r *Reader) Skip() bool {
	var head []byte
	for !r.anchored() {
		if len(head) == 0 {
			head = bytes.Clone(r.out)
		}
		if r.err != nil {
			r.out = head
			r.pos = 0
			r.ready = len(head)
			r.starts = nil
			return false
		}
		if len(r.starts) == lookback {
			r.skip(r.starts[0])
		}
		r.next()
	}
	return true
}

// anchored reports whether a dump begins with a line not looked at before.
func (r *Reader) anchored() bool {
	for r.looked < len(r.out) {
		line := r.out[r.looked:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if at, mark := r.anchor(bytes.TrimRight(line, "\r\n")); mark != None && at == 0 {
			return true
		}
		r.looked += len(line)
	}
	return false
}

func (r *Reader) skip(to int) {
	r.skipped.Lines += bytes.Count(r.out[r.pos:to], newlines)
	r.skipped.Bytes += int64(to - r.pos)
	r.pos, r.ready = to, to
	if to > chunk {
		r.drop(to)
	}
}

var newlines = []byte("\n")

// Skipped returns the skipped text's description.
func (r *Reader) Skipped() Skipped { return r.skipped }
