package format

import "strings"

// Stacks numbers stacks by their frames, for decoders of inputs without ids for stacks. The
// zero value holds none.
type Stacks struct {
	ids map[string]StackID
	key []byte
}

// ID returns the id of a stack, from 1; NoStack for one without frames. added is true for a
// new stack.
func (s *Stacks) ID(frames []Frame) (id StackID, added bool) {
	if len(frames) == 0 {
		return NoStack, false
	}
	s.key = s.key[:0]
	for i := range frames {
		f := &frames[i]
		for _, text := range [...]string{f.Class, f.Method, f.File} {
			s.key = append(s.key, text...)
			s.key = append(s.key, 0)
		}
		s.key = append(s.key, byte(f.Line), byte(f.Line>>8), byte(f.Line>>16), byte(f.Line>>24))
	}
	if id, known := s.ids[string(s.key)]; known {
		return id, false
	}
	if s.ids == nil {
		s.ids = map[string]StackID{}
	}
	id = StackID(len(s.ids) + 1)
	s.ids[string(s.key)] = id
	return id, true
}

// Announce returns the id of a stack, and queues the stack when it is new.
func (s *Stacks) Announce(frames []Frame, q *Queue) StackID {
	id, added := s.ID(frames)
	if added {
		q.Push(Event{Kind: KindStack, Stack: id, Frames: frames})
	}
	return id
}

// OpeningBracket returns the index of the bracket that matches the closing bracket at the
// end of a frame's text; -1 if there is none.
func OpeningBracket[T string | []byte](text T) int {
	if len(text) == 0 || text[len(text)-1] != ')' {
		return -1
	}
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// OfJDK reports whether a frame is of the JDK's own packages.
func OfJDK(f Frame) bool {
	return strings.HasPrefix(f.Class, "java.") || strings.HasPrefix(f.Class, "jdk.")
}
