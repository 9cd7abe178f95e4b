package native

import (
	"bytes"
	"errors"
	"io"

	"contend/format"
)

// block is one block of the file, checked, or a range of damaged bytes.
type block struct {
	header format.BlockHeader
	bytes  []byte // stored
	off    int64  // of the header; of the end of the input when there is no block
	lost   int64  // damage before this block
	lostAt int64  // where it begins
	why    string
}

// maxAhead bounds the blocks between the input and the consumer, in bytes of their room.
const maxAhead = 32 << 20

// room estimates the bytes that the unpacked block takes, at most maxAhead: an event of
// version 2 may stand for many places.
func (b *block) room() int64 {
	return min(int64(b.header.Raw)+32*int64(b.header.Events), maxAhead)
}

// splitter cuts the input into blocks. It holds one block at a time.
type splitter struct {
	in      io.Reader
	version uint16
	buf     []byte
	at      int   // of the next byte in buf
	base    int64 // offset of buf[0] in the input
	read    int64
	eof     bool
}

// need makes n bytes available after at, fewer at the end of the input.
func (s *splitter) need(n int) (have int, err error) {
	if len(s.buf)-s.at >= n {
		return n, nil
	}
	s.base += int64(s.at)
	s.buf = append(s.buf[:0], s.buf[s.at:]...)
	s.at = 0
	for len(s.buf) < n && !s.eof {
		const step = 1 << 20
		k := len(s.buf)
		s.buf = append(s.buf, make([]byte, min(n-k, step))...)
		got, err := io.ReadFull(s.in, s.buf[k:])
		s.buf = s.buf[:k+got]
		s.read += int64(got)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			s.eof = true
		case err != nil:
			return 0, err
		}
	}
	return min(n, len(s.buf)), nil
}

// next returns the next intact block, with the bytes lost before it. At the end it returns
// io.EOF; the block then has only the loss.
func (s *splitter) next() (b block, err error) {
	for {
		ok, why, err := s.intact(&b)
		if err != nil {
			return b, err
		}
		if ok {
			return b, nil
		}
		if why == "" && s.at == len(s.buf) {
			b.off = s.base + int64(s.at)
			return b, io.EOF
		}
		if b.why == "" {
			b.why, b.lostAt = why, s.base+int64(s.at)
		}
		skipped, err := s.resync()
		b.lost += skipped
		if err != nil {
			return b, err
		}
	}
}

// intact reads the block at the current place; why is its fault.
func (s *splitter) intact(b *block) (ok bool, why string, err error) {
	head := format.BlockHeaderSize(s.version)
	n, err := s.need(head)
	if err != nil || n == 0 {
		return false, "", err
	}
	if n < head {
		return false, "block header: " + format.ErrTruncated.Error(), nil
	}
	h, ok := format.ParseBlockHeader(s.buf[s.at:s.at+n], s.version)
	if !ok {
		return false, "block header: " + format.ErrCorrupt.Error(), nil
	}
	size := head + int(h.Stored)
	if n, err = s.need(size); err != nil {
		return false, "", err
	}
	if n < size {
		return false, "block: " + format.ErrTruncated.Error(), nil
	}
	whole := s.buf[s.at : s.at+size]
	if !h.Intact(whole) {
		return false, "block checksum: " + format.ErrCorrupt.Error(), nil
	}
	b.header, b.off = h, s.base+int64(s.at)
	b.bytes = bytes.Clone(whole[head:])
	s.at += size
	return true, "", nil
}

// resync skips to the next marker after the current position, or to the end.
func (s *splitter) resync() (skipped int64, err error) {
	s.at++
	skipped = 1
	for {
		if i := bytes.Index(s.buf[s.at:], []byte(format.Marker)); i >= 0 {
			s.at += i
			return skipped + int64(i), nil
		}
		keep := 0
		if !s.eof {
			keep = min(len(format.Marker)-1, len(s.buf)-s.at)
		}
		skipped += int64(len(s.buf) - s.at - keep)
		s.at = len(s.buf) - keep
		if s.eof {
			return skipped, nil
		}
		if _, err := s.need(1 << 20); err != nil {
			return skipped, err
		}
	}
}
