package column

import "math/bits"

// sorter sorts keys by their instants; keys of one instant keep their order.
// It goes from the lowest digit of the instant to the highest and deals the
// keys out by each, which takes a few passes where comparing takes a dozen
// (LSD radix sort: Knuth, The Art of Computer Programming 3, 5.2.5). The highest
// two digits that the keys do not share mostly put them in order but for a few
// that are neighbours: each is then moved to its place from where it lies, and only
// if that is far are the digits below looked at.
type sorter struct {
	keys, spare []Key
	least       uint64 // the earliest instant
	next        [1 << digitBits]uint32
}

const (
	digitBits = 11
	digitMask = 1<<digitBits - 1
	farMoved  = 4 // places a key is moved on average, from which on digits are cheaper
)

// sorters are those that nobody uses at the moment.
var sorters = make(Spares[*sorter], mostSpares)

// idleSorter returns one that is to be put back.
func idleSorter() *sorter {
	by, ok := sorters.Take()
	if !ok {
		by = &sorter{}
	}
	return by
}

// order returns the keys of elements by start, 16 bytes each, and whether any
// element is out of order. They are the sorter's.
func order[T any](by *sorter, list []T, start func(*T) int64) (keys []Key, moved bool) {
	keys = by.keys[:0]
	for i := range list {
		keys = append(keys, Key{start(&list[i]), uint32(i)})
		moved = moved || i > 0 && keys[i-1].At > keys[i].At
	}
	if by.keys = keys; moved {
		keys = by.sort()
	}
	return keys, moved
}

// sort sorts s.keys and returns them.
func (s *sorter) sort() []Key {
	if len(s.keys) > len(s.spare) {
		s.spare = make([]Key, cap(s.keys))
	}
	least, most := s.keys[0].At, s.keys[0].At
	for i := range s.keys {
		least, most = min(least, s.keys[i].At), max(most, s.keys[i].At)
	}
	s.least = uint64(least)
	width := bits.Len64(uint64(most) - s.least)
	low := max(width-2*digitBits, 0)
	s.dealAll(low, width)
	if low > 0 && !s.insert() {
		s.dealAll(0, width)
	}
	return s.keys
}

// dealAll deals the keys out by the bits from one to before another of the time
// since the earliest.
func (s *sorter) dealAll(low, width int) {
	for ; low < width; low += digitBits {
		s.deal(low)
	}
}

// deal sorts the keys by one digit, whose lowest bit is given.
func (s *sorter) deal(low int) {
	s.next = [1 << digitBits]uint32{}
	for i := range s.keys {
		s.next[(uint64(s.keys[i].At)-s.least)>>low&digitMask]++
	}
	total := uint32(0)
	for i, n := range s.next {
		s.next[i] = total
		total += n
	}
	into := s.spare[:len(s.keys)]
	for _, key := range s.keys {
		d := (uint64(key.At) - s.least) >> low & digitMask
		into[s.next[d]] = key
		s.next[d]++
	}
	s.keys, s.spare = into, s.keys[:cap(s.keys)]
}

// insert moves each key to its place among those before it; false if it gave up
// since they are far from there.
func (s *sorter) insert() bool {
	left := farMoved * len(s.keys)
	for i := 1; i < len(s.keys); i++ {
		key, at := s.keys[i], i
		for ; at > 0 && s.keys[at-1].At > key.At; at-- {
			s.keys[at] = s.keys[at-1]
		}
		s.keys[at] = key
		if left -= i - at; left < 0 {
			return false
		}
	}
	return true
}
