package owners

import (
	"encoding/binary"

	"contend/format"
	"contend/format/column"
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

func (o *Owned) Append(v Ownership) {
	o.Threads = max(o.Threads, int(v.Owner.Thread)+1)
	o.Packed.Append(v)
}

// packer packs ownerships. Most repeat the lock and owner of a recent one.
type packer struct {
	times  spans
	recent ring[lockOwner]
}

func (p *packer) Put(to []byte, o *Ownership) []byte {
	k := lockOwner{o.Lock, o.Owner}
	return p.times.put(p.recent.put(to, k, k.place()), o.Start, o.End)
}

func (p *packer) Get(from []byte, o *Ownership) []byte {
	k, from := p.recent.get(from)
	o.Lock, o.Owner = k.lock, k.owner
	o.Start, o.End, from = p.times.get(from)
	return from
}

// lockOwner is an ownership without its times.
type lockOwner struct {
	lock  format.ObjectID
	owner Owner
}

func (k lockOwner) place() uint32 {
	o := &k.owner
	return uint32(
		k.lock,
	)*31 + uint32(
		o.Thread,
	)*7 + uint32(
		o.Stack,
	)*13 + uint32(
		o.Kind,
	)*101 + uint32(
		o.Prov,
	)*37 + uint32(
		o.Did,
	)*59
}

func (k lockOwner) put(to []byte) []byte {
	to = append(to, byte(k.owner.Kind), byte(k.owner.Prov), byte(k.owner.Did))
	return putNumbers(to, uint32(k.lock), uint32(k.owner.Thread), uint32(k.owner.Stack))
}

func (lockOwner) get(from []byte) (k lockOwner, rest []byte) {
	k.owner = Owner{Kind: Kind(from[0]), Prov: Provenance(from[1]), Did: format.Activity(from[2])}
	lock, from := number(from[3:])
	thread, from := number(from)
	stack, from := number(from)
	k.lock = format.ObjectID(lock)
	k.owner.Thread = format.ThreadID(thread)
	k.owner.Stack = format.StackID(stack)
	return k, from
}

// ring packs values most of which repeat a recent one: these are stored as a place among the
// recent ones, the others after unknownPlace.
type ring[K packed[K]] struct{ recent [unknownPlace]K }

const unknownPlace = 255

type packed[K any] interface {
	comparable
	place() uint32 // the same for equal values
	put(to []byte) []byte
	get(from []byte) (k K, rest []byte)
}

// put takes the place from its caller, because a call through a type parameter is slow.
func (r *ring[K]) put(to []byte, k K, place uint32) []byte {
	recent := &r.recent[place%unknownPlace]
	if *recent == k {
		return append(to, byte(place%unknownPlace))
	}
	*recent = k
	return k.put(append(to, unknownPlace))
}

func (r *ring[K]) get(from []byte) (k K, rest []byte) {
	if from[0] != unknownPlace {
		return r.recent[from[0]], from[1:]
	}
	k, rest = k.get(from[1:])
	r.recent[k.place()%unknownPlace] = k
	return k, rest
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

func putNumbers(to []byte, list ...uint32) []byte {
	for _, v := range list {
		to = binary.AppendUvarint(to, uint64(v))
	}
	return to
}

// number reads a number written by binary.AppendUvarint.
func number(from []byte) (v uint64, rest []byte) {
	v, n := binary.Uvarint(from)
	return v, from[n:]
}

// recorded is an activity as it is kept while the trace is read.
type recorded struct {
	start, end int64
	thread     format.ThreadID
	key        uint32 // the number of its activityKey, shifted by one, and otherBit
}

// otherBit, in recorded.key, is set for all activities but waits.
const otherBit = 1

// newRecorded returns a column for activities in any order, of some 8 bytes each.
func newRecorded() *column.Packed[recorded] {
	return &column.Packed[recorded]{
		Start: func(r *recorded) int64 { return r.start },
		Coder: func() column.Coder[recorded] { return &recordedCoder{} },
		Piece: 1 << 14,
	}
}

// recordedCoder packs activities. Most repeat the thread and key of a recent one.
type recordedCoder struct {
	times  spans
	recent ring[threadKey]
}

func (p *recordedCoder) Put(to []byte, r *recorded) []byte {
	k := threadKey{r.thread, r.key}
	return p.times.put(p.recent.put(to, k, k.place()), r.start, r.end)
}

func (p *recordedCoder) Get(from []byte, r *recorded) []byte {
	k, from := p.recent.get(from)
	r.thread, r.key = k.thread, k.key
	r.start, r.end, from = p.times.get(from)
	return from
}

type threadKey struct {
	thread format.ThreadID
	key    uint32
}

func (k threadKey) place() uint32 { return uint32(k.thread)*31 + k.key*7 }

func (k threadKey) put(to []byte) []byte { return putNumbers(to, uint32(k.thread), k.key) }

func (threadKey) get(from []byte) (k threadKey, rest []byte) {
	thread, from := number(from)
	key, from := number(from)
	return threadKey{format.ThreadID(thread), uint32(key)}, from
}
