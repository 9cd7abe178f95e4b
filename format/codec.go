package format

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"
)

// AppendEvent appends the binary form of an event: its kind, the length of
// what follows, and its fields. last is the time the previous event of the
// block left, and is updated.
func AppendEvent(dst []byte, ev *Event, last *int64) []byte {
	dst = append(dst, byte(ev.Kind), 0)
	at := len(dst)
	for _, f := range layouts[ev.Kind] {
		if !late[f] || ev.number(f) != 0 {
			dst = appendField(dst, f, ev, last)
		}
	}
	n := len(dst) - at
	if n < 0x80 {
		dst[at-1] = byte(n)
		return dst
	}
	var length [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(length[:], uint64(n))
	return slices.Insert(append(dst[:at-1], dst[at:]...), at-1, length[:k]...)
}

func appendField(dst []byte, f fieldCode, ev *Event, last *int64) []byte {
	if v := ev.signed(f); v != nil {
		diff := *v
		switch f {
		case fTime:
			diff -= *last
			*last = ev.Time
		case fEnd, fIntended:
			diff -= ev.Time
		}
		return binary.AppendVarint(dst, diff)
	}
	if s := ev.text(f); s != nil {
		return appendString(dst, *s)
	}
	switch f {
	case fFrames:
		return appendFrames(dst, ev.Frames)
	case fOwners:
		return appendParties(dst, ev.Owners)
	case fWaiters:
		return appendParties(dst, ev.Waiters)
	}
	return binary.AppendUvarint(dst, ev.number(f))
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendFrames(dst []byte, list []Frame) []byte {
	kept := list[:min(len(list), MaxFrames)]
	dst = binary.AppendUvarint(dst, uint64(len(kept)))
	for _, fr := range kept {
		dst = appendString(appendString(appendString(dst, fr.Class), fr.Method), fr.File)
		dst = binary.AppendVarint(dst, int64(fr.Line))
	}
	return dst
}

func appendParties(dst []byte, list []Party) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, p := range list {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(p.Thread)), uint64(p.Stack))
		dst = append(dst, byte(p.Mode))
	}
	return dst
}

// text returns the string field f, nil when f is no string.
func (e *Event) text(f fieldCode) *string {
	switch f {
	case fName:
		return &e.Name
	case fGroup:
		return &e.Group
	case fClass:
		return &e.Class
	case fValue:
		return &e.Value
	}
	return nil
}

// number returns the unsigned field f.
func (e *Event) number(f fieldCode) uint64 {
	switch f {
	case fThread:
		return uint64(e.Thread)
	case fOwner:
		return uint64(e.Owner)
	case fWoken:
		return uint64(e.Woken)
	case fObject:
		return uint64(e.Object)
	case fStack:
		return uint64(e.Stack)
	case fMode:
		return uint64(e.Mode)
	case fLockKind:
		return uint64(e.LockKind)
	case fActivity:
		return uint64(e.Activity)
	case fLive:
		return uint64(e.Live)
	case fIdle:
		return uint64(e.IdleThreads)
	case fHash:
		return e.Hash
	case fFailed:
		return truth(e.Failed)
	case fResource:
		return truth(e.Resource)
	}
	return e.Count
}

// truth is how a field writes what is so or not.
func truth(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// setNumber sets the unsigned field f; false when v does not fit it.
func (e *Event) setNumber(f fieldCode, v uint64) bool {
	small := v <= 1<<32-1
	switch f {
	case fThread:
		e.Thread = ThreadID(v)
	case fOwner:
		e.Owner = ThreadID(v)
	case fWoken:
		e.Woken = ThreadID(v)
	case fObject:
		e.Object = ObjectID(v)
	case fStack:
		e.Stack = StackID(v)
	case fMode:
		e.Mode, small = Mode(v), v < uint64(len(modeNames))
	case fLockKind:
		e.LockKind, small = LockKind(v), v < uint64(len(lockKindNames))
	case fActivity:
		e.Activity, small = Activity(v), v < uint64(len(activityNames))
	case fLive:
		e.Live = uint32(v)
	case fIdle:
		e.IdleThreads = uint32(v)
	case fHash:
		e.Hash, small = v, true
	case fFailed:
		e.Failed, small = v == 1, v <= 1
	case fResource:
		e.Resource, small = v == 1, v <= 1
	case fCount:
		e.Count, small = v, true
	}
	return small
}

// Arena holds the owners and waiters of many decoded events, so that decoding
// allocates only as it grows.
type Arena struct {
	parties []Party
	frames  int // of all stacks
}

// Reset makes the arena empty. Events decoded into it are no longer valid.
func (a *Arena) Reset() { a.parties, a.frames = a.parties[:0], 0 }

// DecodeEvent reads one event from the head of src and returns what follows
// it. An event of an unknown kind gives KindNone. It fails with ErrCorrupt or
// ErrTruncated, bare.
func DecodeEvent(src []byte, ev *Event, last *int64, a *Arena) (rest []byte, err error) {
	kind, n := binary.Uvarint(src)
	if n <= 0 {
		return nil, ErrTruncated
	}
	length, m := binary.Uvarint(src[n:])
	if m <= 0 || length > uint64(len(src)-n-m) {
		return nil, ErrTruncated
	}
	body := src[n+m : n+m+int(length)]
	rest = src[n+m+int(length):]
	*ev = Event{}
	if kind >= uint64(kindCount) {
		return rest, nil
	}
	ev.Kind = Kind(kind)
	d := decoder{body: body}
	switch ev.Kind {
	case KindContention: // nearly all of a sampled trace
		*last += d.varint()
		ev.Time = *last
		ev.Weight = d.varint()
		ev.Object = ObjectID(d.id())
		ev.Owners = d.parties(a)
		ev.Waiters = d.parties(a)
	case KindTick: // and nearly all of the rest
		*last += d.varint()
		ev.Time = *last
		ev.Intended = ev.Time + d.varint()
		ev.Weight = d.varint()
		ev.Live, ev.IdleThreads = d.id(), d.id()
	default:
		for _, f := range layouts[kind] {
			if late[f] && len(d.body) == 0 {
				break
			}
			d.field(f, ev, last, a)
		}
	}
	if d.bad {
		return nil, ErrCorrupt
	}
	return rest, nil
}

// decoder reads the fields of one event; the first failure sticks.
type decoder struct {
	body []byte
	bad  bool
}

func (d *decoder) uvarint() uint64 {
	if len(d.body) > 0 && d.body[0] < 0x80 {
		v := d.body[0]
		d.body = d.body[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(d.body)
	if n <= 0 {
		d.bad, d.body = true, nil
		return 0
	}
	d.body = d.body[n:]
	return v
}

// id reads an unsigned number of 32 bits.
func (d *decoder) id() uint32 {
	v := d.uvarint()
	if v > 1<<32-1 {
		d.bad = true
	}
	return uint32(v)
}

func (d *decoder) varint() int64 {
	u := d.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

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
	if v := ev.signed(f); v != nil {
		*v = d.varint()
		switch f {
		case fTime:
			*v += *last
			*last = *v
		case fEnd, fIntended:
			*v += ev.Time
		}
		return
	}
	if s := ev.text(f); s != nil {
		*s = d.string()
		return
	}
	switch f {
	case fFrames:
		ev.Frames = d.frames(a)
	case fOwners:
		ev.Owners = d.parties(a)
	case fWaiters:
		ev.Waiters = d.parties(a)
	default:
		d.bad = !ev.setNumber(f, d.uvarint()) || d.bad
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
