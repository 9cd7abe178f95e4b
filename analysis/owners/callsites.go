package owners

import (
	"encoding/binary"
	"math/bits"

	"contend/analysis/internal/column"
	"contend/format"
)

// callSite is a point of the program: a stack and, since one line may enter
// several locks, what was waited for there.
type callSite struct {
	stack format.StackID
	lock  format.ObjectID
}

// callSites lists the activities at each call site of each input, as they lie
// in memory: they are many, and who counts them goes through all.
type callSites struct {
	lists []siteList
	index map[inputSite]int
	known []knownSite // by doer, of what is no wait and of waits in turns
}

// siteList is the refs of activities, each as its distance from the one before.
type siteList struct {
	bytes []byte
	n     int
	last  column.Ref
}

// all visits the refs.
func (l siteList) all(yield func(column.Ref) bool) {
	at := column.Ref(0)
	for rest := l.bytes; len(rest) > 0; {
		by, n := uint64(rest[0]), 1
		if by >= 1<<7 { // few are
			by, n = binary.Uvarint(rest)
		}
		rest = rest[n:]
		at += column.Ref(by)
		if !yield(at) {
			return
		}
	}
}

// inputSite is a call site of one input: what a program did in one run tells
// nothing of another.
type inputSite struct {
	callSite
	input uint32
}

// fill counts the activities at each call site, and then deals them out in one
// array, once.
func (p *callSites) fill(r *Record, s *store) {
	if p.lists != nil {
		return
	}
	p.known = make([]knownSite, 2*len(s.what))
	var size counts
	var last []column.Ref
	total := 0
	p.each(r, s, func(list int, i column.Ref) {
		for len(last) <= list {
			last = append(last, 0)
		}
		n := (bits.Len32(i-last[list]|1) + 6) / 7
		size.add(list, n)
		total += n
		last[list] = i
	})
	all := make([]byte, total)
	p.lists = make([]siteList, len(size))
	for i, n := range size {
		p.lists[i].bytes, all = all[:0:n], all[n:]
	}
	p.each(r, s, func(list int, i column.Ref) {
		l := &p.lists[list]
		l.bytes = binary.AppendUvarint(l.bytes, uint64(i-l.last))
		l.last = i
		l.n++
	})
	p.known = nil
}

// each visits what has a stack and some length, with the number of its call
// site.
func (p *callSites) each(r *Record, s *store, f func(list int, i column.Ref)) {
	for t := range format.ThreadID(s.Threads()) {
		done := uint32(0)
		if int(t) < len(r.doneIn) {
			done = r.doneIn[t]
		}
		for of := s.Scan(s.Of(t)); of.Next(); {
			if of.End <= of.Start {
				continue
			}
			if list := p.of(r, s, of.number(), of.IsWait(), done); list >= 0 {
				f(list, of.at)
			}
		}
	}
}

// knownSite is the number of the call site of a doer in an input, plus one; 0 where
// it has no stack.
type knownSite struct {
	asked bool
	input uint32
	list  int32
}

// of returns the number of the call site of a doer, -1 for none. Doers are few, and
// those of waits are of one input; so are mostly those of what a thread did else, of
// which done is the input.
func (p *callSites) of(r *Record, s *store, doer uint32, wait bool, done uint32) int {
	at := &p.known[doer<<1]
	if wait {
		at = &p.known[doer<<1|1]
	}
	if at.asked && (wait || at.input == done) {
		return int(at.list) - 1
	}
	d := &s.what[doer]
	if wait {
		done = r.inputOf[d.lock]
	}
	*at = knownSite{asked: true, input: done}
	if d.stack != format.NoStack {
		at.list = int32(p.number(inputSite{callSite{d.stack, d.lock}, done})) + 1
	}
	return int(at.list) - 1
}

// number returns the dense number of a call site.
func (p *callSites) number(at inputSite) int {
	n, ok := p.index[at]
	if !ok {
		if p.index == nil {
			p.index = map[inputSite]int{}
		}
		n = len(p.index)
		p.index[at] = n
	}
	return n
}
