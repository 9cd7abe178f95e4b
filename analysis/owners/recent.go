package owners

// recent remembers the numbers of a few ids, those asked for last: who goes
// through the acquisitions of a lock meets the same ones again and again.
type recent [16]struct {
	id     uint32 // plus one, which no id reaches
	number int32
}

// numbered returns the number of an id, which number finds out.
func (r *recent) numbered(id uint32, number func() int) int {
	e := &r[id%uint32(len(r))]
	if e.id != id+1 {
		e.id, e.number = id+1, int32(number())
	}
	return int(e.number)
}

// meets reports whether an id is remembered, and remembers it.
func (r *recent) meets(id uint32) bool {
	e := &r[id%uint32(len(r))]
	known := e.id == id+1
	e.id = id + 1
	return known
}
