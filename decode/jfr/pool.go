package jfr

import (
	"math/bits"
	"math/rand/v2"
)

// table maps the keys of one chunk to small integers. Most producers count
// their keys from 1, so small keys index an array; zero means absent. The others
// are hashed: ids of methods hold that of their class in the upper bits.
type table struct {
	dense []uint32
	span  int64 // keys below it go into the array

	hashed []entryOf // of the others; a power of two
	used   int
}

// entryOf is a key that is hashed; its value is zero where there is none.
type entryOf struct {
	key   int64
	value uint32
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
	if t.used == 0 { // set while the span was shorter, or not at all
		return 0
	}
	return t.hashed[t.place(key)].value
}

// set gives a key a value other than zero.
func (t *table) set(key int64, v uint32) {
	t.span = min(t.span+perKey, denseKeys)
	if uint64(key) >= uint64(t.span) {
		t.hash(key, v)
		return
	}
	for int64(len(t.dense)) <= key {
		t.dense = append(t.dense, 0)
	}
	t.dense[key] = v
}

// hash is set for a key that does not index the array.
func (t *table) hash(key int64, v uint32) {
	if t.used*2 >= len(t.hashed) {
		t.grow(max(2*len(t.hashed), minHashed))
	}
	at := t.place(key)
	if t.hashed[at].value == 0 {
		t.used++
	}
	t.hashed[at] = entryOf{key, v}
}

// leastHashed is how many places there are for keys that are hashed, at least.
const minHashed = 16

func (t *table) grow(places int) {
	before := t.hashed
	t.hashed = make([]entryOf, places)
	for _, e := range before {
		if e.value != 0 {
			t.hashed[t.place(e.key)] = e
		}
	}
}

// place returns where a key is among those that are hashed, or would be.
func (t *table) place(key int64) int {
	last := len(t.hashed) - 1
	at := int(mixed(uint64(key))) & last
	for t.hashed[at].value != 0 && t.hashed[at].key != key {
		at = (at + 1) & last
	}
	return at
}

// mixing is no constant, so that no file can be made whose keys all collide.
var mixing = [2]uint64{rand.Uint64(), rand.Uint64() | 1}

func mixed(key uint64) uint64 {
	hi, lo := bits.Mul64(key^mixing[0], mixing[1])
	return hi ^ lo
}

// all yields all keys that are set.
func (t *table) all(yield func(key int64) bool) {
	for key, v := range t.dense {
		if v != 0 && !yield(int64(key)) {
			return
		}
	}
	for _, e := range t.hashed {
		if e.value != 0 && !yield(e.key) {
			return
		}
	}
}

// clear empties the table. Room that is far more than there was use for is given
// up: to wipe it for each chunk would cost more than the chunk.
func (t *table) clear() {
	t.dense = t.dense[:0] // and not wiped: a chunk may be shorter than the array
	if len(t.hashed) > 8*max(t.used, minHashed) {
		t.hashed = nil
	}
	clear(t.hashed)
	t.used = 0
}

// pools are the constants of one chunk, by the number of their class: where each
// one lies in the chunk, plus one.
type pools []table

// reset empties them, of as many classes as some metadata numbers.
func (p *pools) reset(classes int) {
	for len(*p) < classes {
		*p = append(*p, table{})
	}
	*p = (*p)[:classes]
	for i := range *p {
		(*p)[i].clear()
		(*p)[i].span = 0
	}
}
