package threaddump

import (
	"bufio"
	"slices"

	"contend/format"
)

// pending is an input with its next dump.
type pending struct {
	stream *stream
	dump   *Dump
	cut    format.Damage                 // of the dump, if it was cut
	ahead  []readAhead                   // the dumps read after it
	size   int64                         // their bytes
	ended  bool                          // there are no more
	begins *Dump                         // its first dump, without threads, while it is put off
	reopen func() (*bufio.Reader, error) // not nil while it is put off
	close  func()                        // nil for an input that belongs to the caller
}

// readAhead is a dump that was read before its turn.
type readAhead struct {
	dump *Dump
	cut  format.Damage
	size int64
}

// The limits of reading ahead for dumps that come too late: files joined in order of their
// names have the tenth after the first.
const (
	maxAhead      = 1000
	maxAheadBytes = 32 << 20
)

// SetAside closes the reader's input until its first dump is the earliest of the joined
// inputs, so that there may be more inputs than open files. The input is then opened again,
// and closed at its end. It must be called before anything is read or joined.
func (r *Reader) SetAside(open func() (*bufio.Reader, error), close func()) {
	p := r.inputs[0]
	p.begins = &Dump{Time: p.dump.Time, Uptime: p.dump.Uptime}
	p.reopen = open
	p.close = close
	p.dump = nil
	p.ahead = nil
	p.size = 0
	p.ended = false
	p.stream.letGo()
	close()
}

// resume opens an input put off. One that cannot be opened ends there.
func (p *pending) resume() {
	in, err := p.reopen()
	p.reopen = nil
	if err != nil {
		p.stream.broken = err
		p.close()
		return
	}
	p.stream = newStream(in, p.stream.name, 0, 0)
	p.advance()
}

// advance goes to the next dump; false when there is none, and the input closed.
func (p *pending) advance() bool {
	p.readAhead()
	if len(p.ahead) > 0 {
		next := p.ahead[0]
		p.dump = next.dump
		p.cut = next.cut
		p.size -= next.size
		p.ahead = slices.Delete(p.ahead, 0, 1)
		return true
	}
	p.dump = nil
	if p.close != nil {
		p.stream.letGo()
		p.close()
	}
	return false
}

const fused = "lines of several processes are interleaved in a thread dump, without a label of the process: frames " +
	"and locks may belong to other threads"

// readAhead reads dumps and sorts them by time. A dump without time stays in place, and so
// do the dumps on either side of it.
func (p *pending) readAhead() {
	for !p.ended && len(p.ahead) < maxAhead && p.size < maxAheadBytes {
		from := p.stream.bytes()
		d, err := p.stream.next()
		if err != nil {
			p.ended = true
			return
		}
		r := readAhead{dump: d, size: p.stream.bytes() - from}
		if d.Fused {
			r.cut = p.stream.damage(fused, d.Time)
			r.cut.Code = format.CodeLostData
		} else if d.Cut {
			const cut = "a thread dump is cut off: its last thread may be incomplete, and others missing"
			r.cut = p.stream.damage(cut, d.Time)
		}
		p.size += r.size
		at := len(p.ahead)
		for at > 0 && d.before(p.ahead[at-1].dump) {
			at--
		}
		p.ahead = slices.Insert(p.ahead, at, r)
	}
}

// before reports whether a dump was taken before another; of the same second, the shorter
// uptime is earlier.
func (d *Dump) before(other *Dump) bool {
	if d.Time == format.NoTime || other.Time == format.NoTime || d.Time != other.Time {
		return d.Time != format.NoTime && other.Time != format.NoTime && d.Time < other.Time
	}
	return d.Uptime != 0 && d.Uptime < other.Uptime
}

// earliest finds the input with the earliest dump. A dump without time keeps its place.
func earliest(inputs []*pending) (first *pending) {
	var least *Dump
	for _, p := range inputs {
		next := p.dump
		if next == nil && p.reopen == nil {
			continue
		} else if next == nil {
			next = p.begins
		}
		if first == nil || next.before(least) {
			first, least = p, next
		}
	}
	return first
}
