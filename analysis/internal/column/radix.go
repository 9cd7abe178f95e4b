package column

// sorter sorts keys by their instants; keys of one instant keep their order.
// It goes from the lowest digit of the instant to the highest and deals the
// keys out by each, which takes a few passes where comparing takes a dozen
// (LSD radix sort: Knuth, The Art of Computer Programming 3, 5.2.5). Digits
// all keys share, as most of the high ones, take no pass.
type sorter struct {
	keys, spare []Key
	counts      [digits][1 << digitBits]uint32
}

const (
	digitBits = 11
	digits    = (64 + digitBits - 1) / digitBits
	digitMask = 1<<digitBits - 1
)

// sorters are those that nobody uses at the moment.
var sorters = make(spares[*sorter], mostSpares)

// digit returns the k-th digit of an instant, counted from the lowest, in an
// order in which instants before zero come first.
func digit(at int64, k int) uint64 { return (uint64(at) ^ 1<<63) >> (k * digitBits) & digitMask }

// sort sorts s.keys and returns them.
func (s *sorter) sort() []Key {
	s.counts = [digits][1 << digitBits]uint32{}
	if len(s.keys) > len(s.spare) {
		s.spare = make([]Key, cap(s.keys))
	}
	for i := range s.keys {
		for k := range s.counts {
			s.counts[k][digit(s.keys[i].At, k)]++
		}
	}
	for k := range s.counts {
		if s.counts[k][digit(s.keys[0].At, k)] != uint32(len(s.keys)) {
			s.deal(k)
		}
	}
	return s.keys
}

// deal sorts the keys by one digit.
func (s *sorter) deal(k int) {
	next := &s.counts[k]
	total := uint32(0)
	for i, n := range next {
		next[i] = total
		total += n
	}
	into := s.spare[:len(s.keys)]
	for _, key := range s.keys {
		d := digit(key.At, k)
		into[next[d]] = key
		next[d]++
	}
	s.keys, s.spare = into, s.keys[:cap(s.keys)]
}
