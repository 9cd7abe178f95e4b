package analysis

// keyed is an instant at which something happens to what an id names.
type keyed struct {
	at int64
	id uint32
}

func (a keyed) before(b keyed) bool { return a.at < b.at || a.at == b.at && a.id < b.id }

// keyHeap is a binary heap, the earliest instant first and ties by id.
type keyHeap []keyed

func (h *keyHeap) push(k keyed) {
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

// pop drops the first.
func (h *keyHeap) pop() {
	s := *h
	n := len(s) - 1
	s[0] = s[n]
	*h = s[:n]
	h.sift()
}

// first reports whether the first, whose instant has been put off, is still due
// before all others.
func (h *keyHeap) first() bool {
	s := *h
	return (len(s) < 2 || s[0].before(s[1])) && (len(s) < 3 || s[0].before(s[2]))
}

// sift puts the first, whose instant has been put off, where it belongs.
func (h *keyHeap) sift() {
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
