package column

// Spares is a small pool of idle values. A sync.Pool would be emptied by each garbage
// collection, of which a large trace has many a second, since its heap is kept small.
type Spares[T any] chan T

// maxSpares is the number of values that a process-wide pool keeps.
const maxSpares = 8

// Take returns a value; ok is false if there is none.
func (s Spares[T]) Take() (v T, ok bool) {
	select {
	case v = <-s:
		return v, true
	default:
		return v, false
	}
}

// Put returns a value to the pool.
func (s Spares[T]) Put(v T) {
	select {
	case s <- v:
	default:
	}
}

// empty drops all values.
func (s Spares[T]) empty() {
	for {
		if _, ok := s.Take(); !ok {
			return
		}
	}
}
