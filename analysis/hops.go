package analysis

// hopStore keeps the hops of the paths that slices of the batch at hand take,
// each once.
type hopStore struct {
	number uint32 // of the batch, from 1: hops of another one must not be linked to
	list   []Hop
}

func (h *hopStore) add(hop Hop) *Hop {
	h.list = append(h.list, hop)
	return &h.list[len(h.list)-1]
}
