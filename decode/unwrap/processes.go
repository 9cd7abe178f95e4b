package unwrap

import (
	"bytes"
	"cmp"
	"io"
)

// Part is the text of one process among several whose lines came in one stream.
type Part struct {
	Process string
	Text    *bytes.Buffer
}

// How far is read for a second process, and how much text of several is held, in
// bytes. A log of one process is not held at all.
const (
	lookAhead = 32 << 20
	maxHeld   = 256 << 20
)

// Processes tells the processes of a stream apart by what stands before their lines:
// pods, containers, units. The Reader then is the text of the first of them only. It
// returns that one's name and the others; none where nothing tells of a second one.
// Lines without any of that belong to the process of the line before. Where the text of
// all is more than is held, the input ends early.
func (r *Reader) Processes() (first string, others []Part) {
	if r.first == "" {
		return "", nil
	}
	for r.err == nil && (len(r.order) == 0 && len(r.out) < lookAhead || len(r.order) > 0 && len(r.out)+r.held < maxHeld) {
		r.next()
	}
	if r.err != nil {
		r.ready = len(r.out)
	}
	if len(r.order) == 0 {
		r.first, r.others, r.one = "", nil, true // as far as can be seen
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

// divert keeps a line of another process than the first apart from the Reader's text.
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
