package godump

import (
	"io"

	"contend/format"
)

// maxLines is how many lines of a goroutine are kept: its head, and two a
// frame. The Go runtime stops at a hundred frames itself.
const maxLines = 2*format.MaxFrames + 2

// depthLimit leaves out what is behind so many lines without an empty one between,
// so that a stack of millions of frames is not held in memory.
type depthLimit struct {
	in    io.Reader
	lines int  // since the last empty line
	start bool // of a line
}

func (s *depthLimit) Read(p []byte) (int, error) {
	for {
		n, err := s.in.Read(p)
		kept := 0
		for _, c := range p[:n] {
			switch {
			case c == '\n' && s.start:
				s.lines = 0
			case c == '\n':
				s.lines++
			}
			if s.lines < maxLines {
				p[kept] = c
				kept++
			}
			s.start = c == '\n'
		}
		if kept > 0 || err != nil || n == 0 {
			return kept, err
		}
	}
}
