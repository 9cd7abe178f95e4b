package format

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"
)

// Arena holds the owners and waiters of the event that was decoded last, so that decoding
// allocates only as it grows, and counts the frames of a block's stacks.
type Arena struct {
	parties []Party
	frames  int
}

// Reset begins another block.
func (a *Arena) Reset() { a.frames = 0 }

// CutEvent splits the event at the head of src, of any kind, from the bytes after it. It
// fails with ErrTruncated.
func CutEvent(src []byte) (kind uint64, body, rest []byte, err error) {
	if len(src) >= 2 && src[0]|src[1] < 0x80 && len(src)-2 >= int(src[1]) { // nearly all events
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

// DecodeFields reads the fields of an event from the body that CutEvent returned; an
// unknown kind gives KindNone. last is the time of the previous event, and is updated. It
// fails with plain ErrCorrupt. The event's owners and waiters are valid until the next
// call.
func DecodeFields(kind uint64, body []byte, ev *Event, last *int64, a *Arena) error {
	*ev = Event{}
	if kind >= uint64(kindCount) {
		return nil
	}
	ev.Kind = Kind(kind)
	a.parties = a.parties[:0]
	fields := layouts[ev.Kind]
	var list [8]uint64 // no kind begins with more
	n := leading[ev.Kind]
	d := decoder{body: cutUvarints(body, list[:n])}
	d.bad = d.body == nil
	switch ev.Kind {
	case KindContention: // nearly all events of a sampled trace
		*last += signed(list[0])
		ev.Time = *last
		ev.Weight = signed(list[1])
		ev.Object = ObjectID(list[2])
		d.bad = d.bad || list[2]>>32 != 0
		ev.Owners = d.parties(a)
		ev.Waiters = d.parties(a)
		n += 2
	case KindWait, KindTenure: // most events of an exact trace
		*last += signed(list[0])
		ev.Time, ev.End = *last, *last+signed(list[1])
		ev.Thread = ThreadID(
			list[2],
		)
		ev.Object = ObjectID(
			list[3],
		)
		ev.Mode = Mode(
			list[4],
		)
		ev.Stack = StackID(
			list[5],
		)
		ev.Owner = ThreadID(
			list[6],
		)
		d.bad = d.bad || (list[2]|list[3]|list[5]|list[6])>>32 != 0 || list[4] >= uint64(len(modeNames))
	default:
		for i, v := range list[:n] {
			d.number(fields[i], v, ev, last)
		}
	}
	for _, f := range fields[n:] {
		if appended[f] && len(d.body) == 0 {
			break
		}
		d.field(f, ev, last, a)
	}
	if d.bad {
		return ErrCorrupt
	}
	return nil
}

// leading is, for each kind, the number of numeric fields at its beginning that every event
// has.
var leading = leadingNumbers()

func leadingNumbers() (n [kindCount]int) {
	for k, fields := range layouts {
		n[k] = len(fields)
		if at := slices.IndexFunc(fields, func(f fieldCode) bool { return appended[f] || !f.isNumber() }); at >= 0 {
			n[k] = at
		}
	}
	return n
}

// decoder reads the fields of one event; the first failure sticks.
type decoder struct {
	body []byte
	bad  bool
}

func (d *decoder) uvarint() uint64 {
	if b := d.body; len(b) > 0 && b[0] < 0x80 { // the usual case
		d.body = b[1:]
		return uint64(b[0])
	}
	var one [1]uint64
	d.body = cutUvarints(d.body, one[:])
	d.bad = d.bad || d.body == nil
	return one[0]
}

// count reads the length of a list whose items take at least size bytes each.
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
	case fName, fGroup, fClass, fValue:
		*ev.text(f) = d.string()
	case fFrames:
		ev.Frames = d.frames(a)
	case fOwners:
		ev.Owners = d.parties(a)
	case fWaiters:
		ev.Waiters = d.parties(a)
	default:
		d.number(f, d.uvarint(), ev, last)
	}
}

// number sets a field of an event to a decoded number.
func (d *decoder) number(f fieldCode, v uint64, ev *Event, last *int64) {
	switch f {
	default:
		d.bad = !ev.setNumber(f, v) || d.bad
	case fTime:
		*last += signed(v)
		ev.Time = *last
	case fEnd:
		ev.End = ev.Time + signed(v)
	case fIntended:
		ev.Intended = ev.Time + signed(v)
	case fWeight, fBytes, fAgain:
		*ev.signed(f) = signed(v)
	}
}

// frames reads the innermost frames and skips the others.
func (d *decoder) frames(a *Arena) []Frame {
	n := d.count(4)
	kept := min(n, MaxFrames)
	if a.frames += kept; a.frames > MaxBlockFrames {
		d.bad = true
		return nil
	}
	list := make([]Frame, kept)
	for i := range list {
		list[i] = Frame{d.string(), d.string(), d.string(), int(signed(d.uvarint()))}
	}
	for range n - kept {
		for range 3 {
			d.body = d.body[d.count(1):]
		}
		d.uvarint()
	}
	return list
}

func (d *decoder) parties(a *Arena) []Party {
	n := d.count(3)
	at := len(a.parties)
	a.parties = slices.Grow(a.parties, n)[:at+n]
	list := a.parties[at : at+n : at+n]
	small := 0 // ids, the common case
	for b := d.body; small < n && len(b) >= 3 && b[0]|b[1] < 0x80 && int(b[2]) < len(modeNames); b = b[3:] {
		list[small] = Party{ThreadID(b[0]), StackID(b[1]), Mode(b[2])}
		small++
	}
	d.body = d.body[3*small:]
	for i := small; i < n; i++ {
		thread := d.uvarint()
		stack := d.uvarint()
		mode := d.uvarint()
		if thread > 1<<32-1 || stack > 1<<32-1 || mode >= uint64(len(modeNames)) {
			d.bad = true
		}
		list[i] = Party{ThreadID(thread), StackID(stack), Mode(mode)}
	}
	return list
}
