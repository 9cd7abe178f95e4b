package column

// Key is an instant of the element with an id.
type Key struct {
	At int64
	ID uint32
}

func (a Key) before(b Key) bool { return a.At < b.At || a.At == b.At && a.ID < b.ID }

// KeyHeap is a binary heap: the earliest instant is first, ties are by id.
type KeyHeap []Key

// Push adds a key.
func (h *KeyHeap) Push(k Key) {
	*h = append(*h, k)
	s := *h
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !k.before(s[up]) {
			break
		}
		s[i], i = s[up], up
	}
	s[i] = k
}

// Pop removes the first key.
func (h *KeyHeap) Pop() {
	s := *h
	n := len(s) - 1
	s[0] = s[n]
	*h = s[:n]
	h.Sift()
}

// StillFirst reports whether the first key, whose instant was moved later, is still the
// earliest.
func (h *KeyHeap) StillFirst() bool {
	s := *h
	return (len(s) < 2 || s[0].before(s[1])) && (len(s) < 3 || s[0].before(s[2]))
}

// Sift restores the heap after the first key's instant was moved later.
func (h *KeyHeap) Sift() {
	s := *h
	if len(s) == 0 {
		return
	}
	k, i := s[0], 0
	for {
		down := 2*i + 1
		if down >= len(s) {
			break
		}
		if down+1 < len(s) && s[down+1].before(s[down]) {
			down++
		}
		if !s[down].before(k) {
			break
		}
		s[i], i = s[down], down
	}
	s[i] = k
}
