package format

import (
	"encoding/binary"
	"hash/crc32"
)

// The contend trace format; format/README.md specifies it. Version 2, of November 2026, is
// read and not written.
const (
	Magic    = "\x89CTD\r\n\x1a\n" // survives no transfer that mangles line ends
	Version  = 1
	Version2 = 2
	// HeaderSize is the length of the file header: magic, version, flags.
	HeaderSize = 12
	// Marker begins every block. After damage a reader looks for the next one.
	Marker = "\xf0CTDblk\x0f"
	// MaxBlock bounds the stored and the raw length of a block.
	MaxBlock = 16 << 20
	// MaxBlockEvents bounds the events of a block: decoded, they take far more memory than
	// stored. A block of version 2 may have four times as many.
	MaxBlockEvents = 1 << 16
	// MaxBlockFrames bounds the frames of a block, for the same reason.
	MaxBlockFrames = 1 << 18
	// MaxFrames bounds the frames of a stack. The outermost frames of a deeper
	// one are left out.
	MaxFrames = 1 << 14
)

// Codec is how the bytes of a block are stored.
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
	First       int64 // the base of the block's first time difference
	Sum         uint32
}

// BlockHeaderSize returns the number of bytes before a block's stored bytes.
func BlockHeaderSize(version uint16) int {
	if version == Version2 { // which has a summary of its ticks
		return 62
	}
	return 33
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
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[at:], stored))
}

// ParseBlockHeader reads the header of a block of a version; ok is false when
// src, at least BlockHeaderSize long, does not hold one or its lengths are out
// of bounds.
func ParseBlockHeader(src []byte, version uint16) (h BlockHeader, ok bool) {
	if string(src[:len(Marker)]) != Marker {
		return h, false
	}
	b, limit := src[len(Marker):BlockHeaderSize(version)], uint32(MaxBlockEvents)
	h = BlockHeader{
		Version: version,
		Stored:  binary.LittleEndian.Uint32(b),
		Raw:     binary.LittleEndian.Uint32(b[4:]),
		Codec:   Codec(b[8]),
		Events:  binary.LittleEndian.Uint32(b[9:]),
		First:   int64(binary.LittleEndian.Uint64(b[13:])),
		Sum:     binary.LittleEndian.Uint32(b[len(b)-4:]),
	}
	if version == Version2 {
		limit *= 4
	}
	return h, h.Stored <= MaxBlock && h.Raw <= MaxBlock && h.Events <= limit && h.Codec < Codecs
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
