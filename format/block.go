package format

import (
	"encoding/binary"
	"hash/crc32"
)

// The contend trace format, version 2; format/README.md specifies it, and
// version 1, which is read, and written where one is asked for.
const (
	Magic    = "\x89CTD\r\n\x1a\n" // survives no transfer that mangles line ends
	Version  = 2
	Version1 = 1
	// HeaderSize is the length of the file header: magic, version, flags.
	HeaderSize = 12
	// Marker begins every block. A reader that lost its way looks for it.
	Marker = "\xf0CTDblk\x0f"
	// MaxBlock bounds the stored and the raw length of a block.
	MaxBlock = 16 << 20
	// MaxBlockEvents bounds the events of a block: decoded they take far more
	// memory than stored. It also bounds the ticks of a block of version 2.
	MaxBlockEvents = 1 << 16
	// MaxBlockFolded is MaxBlockEvents of version 2, where one that is written
	// may stand for many.
	MaxBlockFolded = 1 << 18
	// MaxBlockFrames bounds the frames of a block, for the same reason.
	MaxBlockFrames = 1 << 18
	// MaxFrames bounds the frames of a stack. The outermost frames of a deeper
	// one are left out.
	MaxFrames = 1 << 14
)

// Codec says how a block's bytes are stored.
type Codec uint8

// The codecs.
const (
	Plain Codec = iota
	Deflate
	Zstd
	Codecs // how many there are
)

// BlockHeader precedes a block's stored bytes.
type BlockHeader struct {
	Version     uint16 // of the file
	Stored, Raw uint32 // lengths in bytes
	Codec       Codec
	Events      uint32
	First       int64 // the time the block's first event is measured from
	Span              // of version 2
	Sum         uint32
}

// Span is what a block tells of its ticks to whoever may pass over it.
type Span struct {
	Earliest, Latest int64 // time of a tick; both 0 when there is none
	Ticks            uint32
	Live             uint32 // most threads alive
	Holds            Holds
	Sound            bool // these are the bytes that were written, by a sum of their own
}

// Holds is a set of what a block holds.
type Holds uint8

// What a block may hold.
const (
	HoldsOwners  Holds = 1 << iota // a lock whose owner is seen at an instant
	HoldsUnowned                   // one without
	HoldsMore                      // what is needed to understand other blocks, or happened outside of instants
)

// BlockHeaderSize is the length of what precedes a block's stored bytes.
func BlockHeaderSize(version uint16) int {
	if version == Version1 {
		return 33
	}
	return 62
}

// Append appends the binary form, with the sum over header and stored bytes.
func (h *BlockHeader) Append(dst, stored []byte) []byte {
	at := len(dst) + len(Marker)
	dst = append(dst, Marker...)
	dst = binary.LittleEndian.AppendUint32(dst, h.Stored)
	dst = binary.LittleEndian.AppendUint32(dst, h.Raw)
	dst = append(dst, byte(h.Codec))
	dst = binary.LittleEndian.AppendUint32(dst, h.Events)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.First))
	if h.Version != Version1 {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Earliest))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Latest))
		dst = binary.LittleEndian.AppendUint32(dst, h.Ticks)
		dst = binary.LittleEndian.AppendUint32(dst, h.Live)
		dst = append(dst, byte(h.Holds))
		dst = binary.LittleEndian.AppendUint32(dst, checksum(dst[at:], nil))
	}
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[at:], stored))
}

// ParseBlockHeader reads the header of a block of a version; ok is false when
// src, at least BlockHeaderSize long, does not hold one or its lengths are out
// of bounds.
func ParseBlockHeader(src []byte, version uint16) (h BlockHeader, ok bool) {
	if string(src[:len(Marker)]) != Marker {
		return h, false
	}
	b, most := src[len(Marker):BlockHeaderSize(version)], uint32(MaxBlockEvents)
	h = BlockHeader{Version: version, Stored: binary.LittleEndian.Uint32(b), Raw: binary.LittleEndian.Uint32(b[4:]), Codec: Codec(b[8]),
		Events: binary.LittleEndian.Uint32(b[9:]), First: int64(binary.LittleEndian.Uint64(b[13:])), Sum: binary.LittleEndian.Uint32(b[len(b)-4:])}
	if version != Version1 {
		most = MaxBlockFolded
		h.Span = Span{int64(binary.LittleEndian.Uint64(b[21:])), int64(binary.LittleEndian.Uint64(b[29:])),
			binary.LittleEndian.Uint32(b[37:]), binary.LittleEndian.Uint32(b[41:]), Holds(b[45]), checksum(b[:46], nil) == binary.LittleEndian.Uint32(b[46:])}
	}
	return h, h.Stored <= MaxBlock && h.Raw <= MaxBlock && h.Events <= most && h.Codec < Codecs
}

// Outside reports whether nothing of a block can be of use to who wants to know of
// [from, to) alone.
func (s *Span) Outside(from, to int64) bool {
	return s.Sound && s.Holds&HoldsMore == 0 && s.Ticks > 0 && (s.Latest < from || s.Earliest >= to)
}

// Intact reports whether the bytes of a block, header and stored, are those
// that were written.
func (h *BlockHeader) Intact(block []byte) bool {
	size := BlockHeaderSize(h.Version)
	return checksum(block[len(Marker):size-4], block[size:]) == h.Sum
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(header, stored []byte) uint32 {
	return crc32.Update(crc32.Checksum(header, castagnoli), castagnoli, stored)
}
