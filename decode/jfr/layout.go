package jfr

import (
	"bytes"

	"contend/format"
)

// layout is how to pass over the constants of a class.
type layout struct {
	ops  []op
	pool int // the pool of its constants, noPool for unused classes
}

const noPool = -1

// layout returns the layout of a class, compiled once; nil if there is none. It is safe for
// concurrent use.
func (m *metadata) layout(id int64) *layout {
	m.compiling.Lock()
	defer m.compiling.Unlock()
	if l := m.layouts[id]; l != nil {
		return l
	}
	ops, ok := m.value(field{class: id}, 0)
	if !ok {
		return nil
	}
	l := &layout{fused(ops), noPool}
	if pool, ok := m.pooled[id]; ok {
		l.pool = pool
	}
	m.layouts[id] = l
	return l
}

// checkpoint reads one checkpoint event after its size and type. It notes the offset of
// each constant of a wanted pool, and in named the symbols that constants refer to. If the
// cursor has an error, or bytes are left, some are missing.
func (m *metadata) checkpoint(c *cursor, pools pools, named *table, clock *clock) {
	begin, twice := uint32(c.off), false
	clock.sawCheckpoint(c.long("start"))
	c.long("duration")
	c.long("delta")
	if kind := c.bytes("kind", 1); kind != nil && kind[0]&holdsHeader != 0 {
		clock.copied(c.buf[c.off:])
	}
	for range c.count("pools") {
		id := c.long("pool type")
		n := c.count("pool size")
		l := m.layout(id)
		if l == nil {
			c.fail("pool type", format.ErrCorrupt)
		}
		if c.err != nil {
			return
		}
		for range n {
			key := c.long("constant key")
			at := uint32(c.off) + 1
			for i := range l.ops {
				if o := &l.ops[i]; o.name {
					named.set(c.long("name"), 1)
				} else if o.kind == opInts && c.compressed {
					c.skipLongs(o.n)
				} else {
					o.read(c)
				}
			}
			if c.err != nil {
				return
			}
			if l.pool != noPool {
				before := pools[l.pool].get(key)
				twice = twice || before > begin && !bytes.HasPrefix(c.buf[before-1:], c.buf[at-1:c.off])
				pools[l.pool].set(key, at)
			}
		}
	}
	if c.left() > 0 || twice {
		c.fail("end", format.ErrCorrupt)
	}
}
