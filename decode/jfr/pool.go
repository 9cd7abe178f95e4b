package jfr

// table maps the keys of one chunk to small integers; zero means absent. Most recorders
// count their keys from 1, so small keys index an array. Ids of methods do not: their upper
// bits are the id of the class.
type table struct {
	dense []uint32
	span  int64 // keys below it go into the array
	far   map[int64]uint32
}

// denseKeys bounds the array of a table: 256 KB. perKey is what each key
// adds to the span: there can be a table for every class an input makes up, so
// one key must not buy a whole array.
const (
	denseKeys = 1 << 16
	perKey    = 16
)

func (t *table) get(key int64) uint32 {
	if uint64(key) < uint64(len(t.dense)) && t.dense[key] != 0 {
		return t.dense[key]
	}
	return t.far[key] // set while the span was shorter, or not at all
}

// set gives a key a value other than zero.
func (t *table) set(key int64, v uint32) {
	t.span = min(t.span+perKey, denseKeys)
	if uint64(key) >= uint64(t.span) {
		if t.far == nil {
			t.far = map[int64]uint32{}
		}
		t.far[key] = v
		return
	}
	for int64(len(t.dense)) <= key {
		t.dense = append(t.dense, 0)
	}
	t.dense[key] = v
}

// all yields all keys that are set.
func (t *table) all(yield func(key int64) bool) {
	for key, v := range t.dense {
		if v != 0 && !yield(int64(key)) {
			return
		}
	}
	for key := range t.far {
		if !yield(key) {
			return
		}
	}
}

// maxFar is how many keys a map may have had to be used again: to wipe a large one for
// each chunk would cost more than the chunk.
const maxFar = 1 << 14

// clear empties the table. Keys below span go into the array from the beginning.
func (t *table) clear(span int64) {
	t.dense, t.span = t.dense[:0], span // and not wiped: a chunk may be shorter than the array
	if len(t.far) > maxFar {
		t.far = nil
	}
	clear(t.far)
}

// pools are the constants of one chunk, by the number of their class: the offset of each in
// the chunk, plus one.
type pools []table

// reset empties them, of as many classes as some metadata numbers.
func (p *pools) reset(classes int) {
	for len(*p) < classes {
		*p = append(*p, table{})
	}
	*p = (*p)[:classes]
	for i := range *p {
		(*p)[i].clear(0)
	}
}
