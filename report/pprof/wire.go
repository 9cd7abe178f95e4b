package pprof

import "encoding/binary"

// Of the protocol buffer that a profile is: profile.proto of google/pprof.
const (
	fieldSampleType = 1
	fieldPeriodType = 11

	wireVarint = 0
	wireBytes  = 2
)

// field is one field of a message, and payload its bytes if it has any.
type field struct {
	number  uint64
	wire    uint64
	payload []byte
}

// next takes a field off a message. ok is false where it ends early or has a
// wire type that profiles do not use.
func next(msg []byte) (f field, rest []byte, ok bool) {
	key, n := binary.Uvarint(msg)
	if n <= 0 {
		return f, nil, false
	}
	f.number, f.wire, msg = key>>3, key&7, msg[n:]
	v, n := binary.Uvarint(msg)
	if n <= 0 {
		return f, nil, false
	}
	msg = msg[n:]
	switch f.wire {
	case wireVarint:
		return f, msg, true
	case wireBytes:
		if v > uint64(len(msg)) {
			return f, nil, false
		}
		f.payload = msg[:v]
		return f, msg[v:], true
	}
	return f, nil, false
}

// Is reports whether an input that begins with these bytes, unpacked, is a
// profile: it begins with the type of its values or, as Go's runtime writes it, of
// its period, a pair of numbers of strings.
func Is(head []byte) bool {
	f, _, ok := next(head)
	if !ok || f.number != fieldSampleType && f.number != fieldPeriodType || f.wire != wireBytes || len(f.payload) == 0 {
		return false
	}
	for msg := f.payload; len(msg) > 0; {
		if f, msg, ok = next(msg); !ok || f.wire != wireVarint || f.number < 1 || f.number > 2 {
			return false
		}
	}
	return true
}
