package jfr

// table maps the keys of one chunk to small integers. Most producers count
// their keys from 1, so small keys index an array; zero means absent.
type table struct {
	dense  []uint32
	sparse map[int64]uint32
	span   int64 // keys below it go into the array
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
	return t.sparse[key] // set while the span was shorter, or not at all
}

func (t *table) set(key int64, v uint32) {
	t.span = min(t.span+perKey, denseKeys)
	if uint64(key) >= uint64(t.span) {
		if t.sparse == nil {
			t.sparse = make(map[int64]uint32)
		}
		t.sparse[key] = v
		return
	}
	for int64(len(t.dense)) <= key {
		t.dense = append(t.dense, 0)
	}
	t.dense[key] = v
}

// keys yields all keys that are set.
func (t *table) keys(yield func(key int64) bool) {
	for key, v := range t.dense {
		if v != 0 && !yield(int64(key)) {
			return
		}
	}
	for key := range t.sparse {
		if !yield(key) {
			return
		}
	}
}

func (t *table) clear() {
	t.dense = t.dense[:0] // and not wiped: a chunk may be shorter than the array
	clear(t.sparse)
}

// pools are the constants of one chunk by class: where each one lies in the
// chunk, plus one.
type pools map[int64]*table

func (p pools) of(class int64) *table {
	t := p[class]
	if t == nil {
		t = &table{}
		p[class] = t
	}
	return t
}
