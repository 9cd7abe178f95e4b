package format

import (
	"encoding/binary"
	"slices"
)

// AppendEvent appends the binary form of an event: its kind, the length of
// what follows, and its fields. last is the time the previous event of the
// block left, and is updated.
func AppendEvent(dst []byte, ev *Event, last *int64) []byte {
	dst = append(dst, byte(ev.Kind), 0)
	at := len(dst)
	fields := layouts[ev.Kind]
	for n := len(fields); n > 0 && late[fields[n-1]] && ev.number(fields[n-1]) == 0; n-- {
		fields = fields[:n-1]
	}
	for _, f := range fields {
		dst = appendField(dst, f, ev, last)
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
