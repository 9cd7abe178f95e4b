package format

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"
)

// Arena holds the owners and waiters of many decoded events, so that decoding
// allocates only as it grows.
type Arena struct {
	parties []Party
	frames  int // of all stacks
}

// Reset makes the arena empty. Events decoded into it are no longer valid.
func (a *Arena) Reset() { a.parties, a.frames = a.parties[:0], 0 }

// CutEvent cuts the event at the head of src, whatever its kind, into its
// fields and what follows it. It fails with ErrTruncated.
func CutEvent(src []byte) (kind uint64, body, rest []byte, err error) {
	if len(src) >= 2 && src[0]|src[1] < 0x80 && len(src)-2 >= int(src[1]) { // nearly all
		end := 2 + int(src[1])
		return uint64(src[0]), src[2:end], src[end:], nil
	}
	kind, n := binary.Uvarint(src)
	if n <= 0 {
		return 0, nil, nil, ErrTruncated
	}
	length, m := binary.Uvarint(src[n:])
	if m <= 0 || length > uint64(len(src)-n-m) {
		return 0, nil, nil, ErrTruncated
	}
	return kind, src[n+m : n+m+int(length)], src[n+m+int(length):], nil
}

// DecodeFields reads the fields of an event of some kind, which CutEvent cut out; an unknown
// kind gives KindNone. last is the time that the event before left, and is updated. It fails
// with ErrCorrupt, bare.
func DecodeFields(kind uint64, body []byte, ev *Event, last *int64, a *Arena) error {
	*ev = Event{}
	if kind >= uint64(kindCount) {
		return nil
	}
	ev.Kind = Kind(kind)
	d := decoder{body: body}
	fields := layouts[ev.Kind]
	switch ev.Kind {
	case KindContention: // nearly all of a sampled trace
		*last += d.varint()
		ev.Time = *last
		ev.Weight = d.varint()
		ev.Object = ObjectID(d.id())
		ev.Owners = d.parties(a)
		ev.Waiters = d.parties(a)
		fields = nil
	case KindWait, KindTenure: // of an exact one
		*last += d.varint()
		ev.Time = *last
		ev.End = ev.Time + d.varint()
		ev.Thread = ThreadID(d.id())
		ev.Object = ObjectID(d.id())
		ev.Mode = d.mode()
		ev.Stack = StackID(d.id())
		fields = fields[6:]
	}
	d.event(fields, ev, last, a)
	if d.bad {
		return ErrCorrupt
	}
	return nil
}

// event reads some fields of an event.
func (d *decoder) event(fields []fieldCode, ev *Event, last *int64, a *Arena) {
	for _, f := range fields {
		if late[f] && len(d.body) == 0 {
			break
		}
		d.field(f, ev, last, a)
	}
}

// decoder reads the fields of one event; the first failure sticks.
type decoder struct {
	body []byte
	bad  bool
}

func (d *decoder) uvarint() uint64 {
	b := d.body
	if len(b) == 0 || b[0] >= 0x80 {
		return d.long()
	}
	d.body = b[1:] // as most
	return uint64(b[0])
}

// long is uvarint for more than one byte.
func (d *decoder) long() uint64 {
	v, rest := cutUvarint(d.body)
	if d.body = rest; rest == nil {
		d.bad = true
	}
	return v
}

func (d *decoder) mode() Mode {
	v := d.uvarint()
	if v >= uint64(len(modeNames)) {
		d.bad = true
	}
	return Mode(v)
}

// id reads an unsigned number of 32 bits.
func (d *decoder) id() uint32 {
	v := d.uvarint()
	if v > 1<<32-1 {
		d.bad = true
	}
	return uint32(v)
}

func (d *decoder) varint() int64 { return signed(d.uvarint()) }

// count reads the length of a list whose items take at least size bytes.
func (d *decoder) count(size int) int {
	n := d.uvarint()
	if n > uint64(len(d.body)/size) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) string() string {
	n := d.count(1)
	s := d.body[:n]
	d.body = d.body[n:]
	if utf8.Valid(s) {
		return string(s)
	}
	return strings.ToValidUTF8(string(s), "\uFFFD")
}

func (d *decoder) field(f fieldCode, ev *Event, last *int64, a *Arena) {
	switch f {
	default:
		d.bad = !ev.setNumber(f, d.uvarint()) || d.bad
	case fTime:
		*last += d.varint()
		ev.Time = *last
	case fEnd:
		ev.End = ev.Time + d.varint()
	case fIntended:
		ev.Intended = ev.Time + d.varint()
	case fWeight, fBytes, fAgain:
		*ev.signed(f) = d.varint()
	case fName, fGroup, fClass, fValue:
		*ev.text(f) = d.string()
	case fFrames:
		ev.Frames = d.frames(a)
	case fOwners:
		ev.Owners = d.parties(a)
	case fWaiters:
		ev.Waiters = d.parties(a)
	}
}

// frames reads the innermost frames and passes over the others.
func (d *decoder) frames(a *Arena) []Frame {
	n := d.count(4)
	kept := min(n, MaxFrames)
	if a.frames += kept; a.frames > MaxBlockFrames {
		d.bad = true
		return nil
	}
	list := make([]Frame, kept)
	for i := range list {
		list[i] = Frame{d.string(), d.string(), d.string(), int(d.varint())}
	}
	for range n - kept {
		for range 3 {
			d.body = d.body[d.count(1):]
		}
		d.varint()
	}
	return list
}

func (d *decoder) parties(a *Arena) []Party {
	n := d.count(3)
	at := len(a.parties)
	a.parties = slices.Grow(a.parties, n)[:at+n]
	list := a.parties[at : at+n : at+n]
	for i := range list {
		if b := d.body; len(b) >= 3 && b[0]|b[1] < 0x80 && int(b[2]) < len(modeNames) { // small ids, the common case
			list[i] = Party{ThreadID(b[0]), StackID(b[1]), Mode(b[2])}
			d.body = b[3:]
			continue
		}
		thread, stack, mode := d.uvarint(), d.uvarint(), d.uvarint()
		if thread > 1<<32-1 || stack > 1<<32-1 || mode >= uint64(len(modeNames)) {
			d.bad = true
		}
		list[i] = Party{ThreadID(thread), StackID(stack), Mode(mode)}
	}
	return list
}
