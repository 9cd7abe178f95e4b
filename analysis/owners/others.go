package owners

import (
	"math"

	"contend/analysis/internal/column"
	"contend/format"
)

// others keeps what threads were seen doing other than waiting for a lock, in 16
// bytes each: there may be more of them than of waits. Threads do few things at
// few places, so whose each is, and where, is told by a number; the same may have
// several.
type others struct {
	column column.Column[shortOther]
	doers  column.Column[doer]
	recent [recentDoers]uint32 // numbers of doers, plus one
	long   []int64             // lengths that do not fit
}

// shortOther is an Other as it is stored.
type shortOther struct {
	start  int64
	length uint32 // ns; with longBit its place in long
	doer   uint32 // and longBit
}

// doer is what an Other is but for its times.
type doer struct {
	who   uint32
	stack format.StackID
}

const (
	longBit     = 1 << 31
	recentDoers = 1 << 12 // a power of two
)

// Add appends one. It may not be asked for before all are added.
func (s *others) Add(o Other) {
	if s.column.Start == nil {
		s.column.Start = func(o *shortOther) int64 { return o.start }
	}
	short := shortOther{start: o.Start, doer: s.number(doer{o.who, o.Stack})}
	if n := uint64(o.End) - uint64(o.Start); n <= math.MaxUint32 {
		short.length = uint32(n)
	} else {
		short.doer, short.length = short.doer|longBit, uint32(len(s.long))
		s.long = append(s.long, int64(n))
	}
	s.column.Add(short)
}

// number returns the number of a doer, a new one if it was not met lately.
func (s *others) number(d doer) uint32 {
	recent := &s.recent[(d.who*0x9e3779b1^uint32(d.stack)*0x85ebca6b)>>16%recentDoers]
	if *recent == 0 || *s.doers.At(*recent - 1) != d {
		s.doers.Add(d)
		*recent = uint32(s.doers.Len())
	}
	return *recent - 1
}

// At returns one of them.
func (s *others) At(r column.Ref) Other { return s.whole(s.column.At(r)) }

func (s *others) whole(o *shortOther) Other {
	d := s.doers.At(o.doer &^ longBit)
	length := int64(o.length)
	if o.doer&longBit != 0 {
		length = s.long[o.length]
	}
	return Other{o.start, o.start + length, d.who, d.stack}
}

// start returns when one begins.
func (s *others) start(r column.Ref) int64 { return s.column.At(r).start }

// Order returns the refs of all by start, those that start together in the order
// they were added in. Nothing can be added any more.
func (s *others) Order() []column.Ref { return s.column.Order() }

// Each visits all as they lie in memory, when none of them is being moved.
func (s *others) Each(f func(column.Ref, *Other)) {
	s.column.Each(func(r column.Ref, short *shortOther) {
		o := s.whole(short)
		f(r, &o)
	})
}
