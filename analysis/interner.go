package analysis

// Interner maps strings to dense ids counting from 0.
type Interner struct {
	ids   map[string]uint32
	names []string
}

// ID returns the id of s, giving it the next one when it is new.
func (in *Interner) ID(s string) uint32 {
	if id, ok := in.ids[s]; ok {
		return id
	}
	if in.ids == nil {
		in.ids = make(map[string]uint32)
	}
	id := uint32(len(in.names))
	in.ids[s] = id
	in.names = append(in.names, s)
	return id
}

// Name returns the string of an id, "" for one that does not exist.
func (in *Interner) Name(id uint32) string {
	if int(id) < len(in.names) {
		return in.names[id]
	}
	return ""
}

// Len returns how many strings are interned.
func (in *Interner) Len() int { return len(in.names) }
