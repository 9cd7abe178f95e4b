package column

import "math/bits"

// sorter sorts keys by their instants, stably. It is an LSD radix sort (Knuth, The Art of
// Computer Programming 3, 5.2.5): it distributes the keys by each digit of the instant,
// from the lowest to the highest, in a few passes where comparing takes a dozen. It starts
// with the highest two digits in which the keys differ. These mostly sort all keys except a
// few neighbours, which insertion then sorts. Only if keys are far from their places does
// it use the lower digits.
type sorter struct {
	keys, spare []Key
	earliest    uint64 // the earliest instant
	next        [1 << digitBits]uint32
}

const (
	digitBits = 11
	digitMask = 1<<digitBits - 1
	farMoved  = 4 // average number of places a key is moved from which on digits are cheaper
)

// order returns the keys of elements by start, 16 bytes each, and whether any element was
// out of order. The keys belong to the sorter.
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
	earliest, latest := s.keys[0].At, s.keys[0].At
	for i := range s.keys {
		earliest, latest = min(earliest, s.keys[i].At), max(latest, s.keys[i].At)
	}
	s.earliest = uint64(earliest)
	width := bits.Len64(uint64(latest) - s.earliest)
	low := max(width-2*digitBits, 0)
	s.dealAll(low, width)
	if low > 0 && !s.insert() {
		s.dealAll(0, width)
	}
	return s.keys
}

// dealAll distributes the keys by the bits [low, width) of the time since the earliest.
func (s *sorter) dealAll(low, width int) {
	for ; low < width; low += digitBits {
		s.deal(low)
	}
}

// deal distributes the keys by the digit whose lowest bit is low.
func (s *sorter) deal(low int) {
	s.next = [1 << digitBits]uint32{}
	for i := range s.keys {
		s.next[(uint64(s.keys[i].At)-s.earliest)>>low&digitMask]++
	}
	total := uint32(0)
	for i, n := range s.next {
		s.next[i] = total
		total += n
	}
	into := s.spare[:len(s.keys)]
	for _, key := range s.keys {
		d := (uint64(key.At) - s.earliest) >> low & digitMask
		into[s.next[d]] = key
		s.next[d]++
	}
	s.keys, s.spare = into, s.keys[:cap(s.keys)]
}

// insert sorts the keys by insertion. It returns false if it gave up, because they are far
// from their places.
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
