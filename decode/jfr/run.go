package jfr

import "encoding/binary"

// run reads one value. Fields beyond the end of an older layout are zero.
func (p *program) run(c *cursor, v *values) {
	if p.fields != nil && c.compressed {
		p.integers(c, v)
		return
	}
	for i := range p.ops {
		o := &p.ops[i]
		switch {
		case o.kind == opInt && c.compressed: // else it would be one of opInts
			v[o.slot] = c.long("field")
		case o.kind == opInts && c.compressed:
			c.skipLongs(o.n)
		case o.take:
			v[o.slot] = o.read(c)
		default:
			o.read(c)
		}
	}
}

// integers is run for the fields of nearly all events, and of frames.
func (p *program) integers(c *cursor, v *values) {
	buf, off := c.buf, c.off
	for _, s := range p.fields {
		if off < len(buf) && buf[off] < 0x80 {
			v[s] = int64(buf[off])
			off++
			continue
		}
		c.off = off
		v[s] = c.wide("field")
		off = c.off
	}
	c.off = off
}

func (o *op) read(c *cursor) int64 {
	switch o.kind {
	case opInt:
		return c.integer("field", o.size)
	case opInts:
		if c.compressed {
			c.skipLongs(o.n)
		} else {
			c.bytes("field", o.size)
		}
		return 0
	case opRaw:
		switch b := c.bytes("field", o.size); len(b) {
		case 1:
			return int64(b[0])
		case 4: // the bits of a float
			return int64(binary.BigEndian.Uint32(b))
		}
		return 0
	case opString:
		at := int64(c.off)
		c.raw()
		return at
	}
	at := int64(c.off)
	if o.kind == opHere {
		return at
	}
	n := c.count("array length")
	if len(o.body) == 1 && o.body[0].kind == opInts && c.compressed {
		c.skipLongs(n * o.body[0].n)
		return at
	}
	for range n {
		if c.err != nil || len(o.body) == 0 {
			break
		}
		for i := range o.body {
			o.body[i].read(c)
		}
	}
	return at
}
