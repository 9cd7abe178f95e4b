package unwrap

import (
	"bytes"
	"cmp"
	"io"
)

// Part is the text of one process among several in one stream.
type Part struct {
	Process string
	Text    *bytes.Buffer
}

// The limits of reading ahead for a second process, and of the text kept for several, in
// bytes. A log of one process is not kept.
const (
	lookAhead = 32 << 20
	maxHeld   = 256 << 20
)

// Processes separates the processes of a stream by the prefixes of their lines: pods,
// containers, units. The Reader then is the text of the first process. It returns the name
// of that process and the other texts; none without evidence of a second process. Lines
// without a prefix belong to the process of the previous line. If the texts exceed the
// limit, the input ends early.
func (r *Reader) Processes() (first string, others []Part) {
	if r.first == "" {
		return "", nil
	}
	for r.err == nil && (len(r.order) == 0 && len(r.out) < lookAhead || len(r.order) > 0 &&
		len(r.out)+r.held < maxHeld) {
		r.next()
	}
	if r.err != nil {
		r.ready = len(r.out)
	}
	if len(r.order) == 0 {
		r.first = ""
		r.others = nil
		r.one = true // within the limit
		return "", nil
	}
	r.err, r.ready = cmp.Or(r.err, io.ErrUnexpectedEOF), len(r.out)
	for _, process := range r.order {
		others = append(others, Part{process, r.others[process]})
	}
	return r.first, others
}

// chooseFirst makes the process of the last line the first one, unless others are known.
func (r *Reader) chooseFirst() {
	if len(r.order) > 0 || r.one {
		return
	}
	if r.first = r.process(); r.first != "" {
		r.others = map[string]*bytes.Buffer{}
	}
}

// divert keeps a line of another process than the first out of the Reader's text.
func (r *Reader) divert(line []byte) bool {
	process := r.process()
	if process == r.first || process == "" {
		return false
	}
	text := r.others[process]
	if text == nil {
		text = &bytes.Buffer{}
		r.others[process] = text
		r.order = append(r.order, process)
	}
	r.held += len(line)
	text.Write(line)
	return true
}
