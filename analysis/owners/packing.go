package owners

import (
	"encoding/binary"

	"contend/analysis/internal/column"
	"contend/format"
)

// Owned keeps ownerships, in some 7 bytes each. They are many more than waits and are read only
// in order of time.
type Owned struct {
	column.Packed[Ownership]
	Threads int // an upper bound of the ids of the owners
}

func newOwned() *Owned {
	return &Owned{Packed: column.Packed[Ownership]{
		Start: func(o *Ownership) int64 { return o.Start },
		Coder: func() column.Coder[Ownership] { return &packer{} },
	}}
}

// Add adds an ownership.
func (o *Owned) Add(v Ownership) {
	o.Threads = max(o.Threads, int(v.Holder.Thread)+1)
	o.Packed.Add(v)
}

// AddAll adds several.
func (o *Owned) AddAll(list []Ownership) {
	for i := range list {
		o.Threads = max(o.Threads, int(list[i].Holder.Thread)+1)
	}
	o.Packed.AddAll(list)
}

// packer packs ownerships. Most repeat the lock and holder of a recent one, so these are stored
// as a place among the recent ones.
type packer struct {
	times  spans
	recent [unknownPlace]whose
}

// whose is an ownership without its times.
type whose struct {
	lock   format.ObjectID
	holder Holder
}

// unknownPlace stands for one that is not among the recent ones: it follows.
const unknownPlace = 255

func (w *whose) place() int {
	h := &w.holder
	n := uint32(w.lock)*31 + uint32(h.Thread)*7 + uint32(h.Stack)*13 + uint32(h.Kind)*101 + uint32(h.Prov)*37 + uint32(h.Did)*59
	return int(n % unknownPlace)
}

// Put implements column.Coder.
func (p *packer) Put(to []byte, o *Ownership) []byte {
	w := whose{o.Lock, o.Holder}
	at := w.place()
	if p.recent[at] == w {
		to = append(to, byte(at))
	} else {
		p.recent[at] = w
		to = append(to, unknownPlace, byte(w.holder.Kind), byte(w.holder.Prov), byte(w.holder.Did))
		to = binary.AppendUvarint(to, uint64(w.lock))
		to = binary.AppendUvarint(to, uint64(w.holder.Thread))
		to = binary.AppendUvarint(to, uint64(w.holder.Stack))
	}
	return p.times.put(to, o.Start, o.End)
}

// Get implements column.Coder.
func (p *packer) Get(from []byte, o *Ownership) []byte {
	at := int(from[0])
	from = from[1:]
	if at == unknownPlace {
		w := whose{holder: Holder{Kind: Kind(from[0]), Prov: Provenance(from[1]), Did: format.Activity(from[2])}}
		var lock, thread, stack uint64
		lock, from = number(from[3:])
		thread, from = number(from)
		stack, from = number(from)
		w.lock, w.holder.Thread, w.holder.Stack = format.ObjectID(lock), format.ThreadID(thread), format.StackID(stack)
		at = w.place()
		p.recent[at] = w
	}
	o.Lock, o.Holder = p.recent[at].lock, p.recent[at].holder
	o.Start, o.End, from = p.times.get(from)
	return from
}

// spans packs intervals: the start, since that of the one before, and the duration.
type spans struct{ start int64 }

func (p *spans) put(to []byte, start, end int64) []byte {
	to = binary.AppendUvarint(to, uint64(start-p.start))
	p.start = start
	return binary.AppendUvarint(to, uint64(end-start))
}

func (p *spans) get(from []byte) (start, end int64, rest []byte) {
	since, from := number(from)
	length, from := number(from)
	p.start += int64(since)
	return p.start, p.start + int64(length), from
}

// number reads a number written by binary.AppendUvarint.
func number(from []byte) (v uint64, rest []byte) {
	v, n := binary.Uvarint(from)
	return v, from[n:]
}
