package column

// Spares are things nobody uses at the moment, a few at most. A sync.Pool would be
// emptied by each collection of garbage, of which a large trace has many a second,
// since its heap is kept small.
type Spares[T any] chan T

// mostSpares is how many a process keeps of one kind.
const mostSpares = 8

// Take returns one of them; false where there is none.
func (s Spares[T]) Take() (v T, ok bool) {
	select {
	case v = <-s:
		return v, true
	default:
		return v, false
	}
}

// Put gives one back.
func (s Spares[T]) Put(v T) {
	select {
	case s <- v:
	default:
	}
}

// empty lets go of all of them.
func (s Spares[T]) empty() {
	for {
		if _, ok := s.Take(); !ok {
			return
		}
	}
}
