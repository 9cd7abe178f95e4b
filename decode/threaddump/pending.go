package threaddump

import (
	"bufio"

	"contend/format"
)

// pending is an input with the dump that comes next in it.
type pending struct {
	*stream
	dump   *Dump
	begins int64                         // time of its first dump, while it is set aside
	reopen func() (*bufio.Reader, error) // not nil while it is set aside
	close  func()                        // nil for an input that belongs to the caller
}

// SetAside lets go of the reader's input until its first dump is the earliest
// of the inputs that are joined: so that there may be more of them than files
// can be open. The input is then opened again, and closed at its end. Nothing
// may have been read, and none joined.
func (r *Reader) SetAside(open func() (*bufio.Reader, error), close func()) {
	p := r.inputs[0]
	p.begins, p.reopen, p.close = p.dump.Time, open, close
	p.dump = nil
	p.letGo()
	close()
}

// resume opens an input set aside. One that cannot be opened ends there.
func (p *pending) resume() {
	in, err := p.reopen()
	p.reopen = nil
	if err != nil {
		p.broken = err
		p.close()
		return
	}
	p.stream = newStream(in, p.name)
	p.advance()
}

// advance reads the next dump; false when there is none, and the input closed.
func (p *pending) advance() bool {
	var err error
	if p.dump, err = p.next(); err == nil {
		return true
	}
	p.dump = nil
	if p.close != nil {
		p.letGo()
		p.close()
	}
	return false
}

// earliest finds the input with the earliest dump. One without time comes
// where it stands.
func earliest(inputs []*pending) (first *pending) {
	least := format.NoTime
	for _, p := range inputs {
		at := p.begins
		if p.dump != nil {
			at = p.dump.Time
		} else if p.reopen == nil {
			continue
		}
		if first == nil || at != format.NoTime && at < least {
			first, least = p, at
		}
	}
	return first
}
