package gate

import (
	"cmp"
	"math/bits"
	"slices"

	"contend/analysis"
	"contend/format"
)

// convoys is a visitor that counts the waits of each class by convoys. A holder that sleeps makes ten threads wait,
// which are one event: they say once, not ten times, how long waits are. A convoy is a wait and the waits for the
// same lock that begin before it ends, or within convoyNs: what else the machine does then makes all of them long. So
// a lock for which threads always wait has many.
type convoys struct {
	analysis.AnyQueue
	sym     *analysis.Symbols
	pending []convoyWait // not yet in a convoy
	classes map[string]*convoySums
	total   convoySums
	convoy  []int64 // durations of one, kept to be used again
}

// convoyWait is a recorded wait.
type convoyWait struct {
	lock  format.ObjectID
	start int64
	ns    int64
}

// convoyNs is how long a convoy lasts at least. Without a least duration, medians of equal
// recordings failed in 18 of 160 pairs and triples; with 50 ms in 8; with 200 ms in 1, and half as many sections that
// were twice as long were found.
const convoyNs = int64(50e6)

// maxPending bounds the waits that are kept. What is pending then becomes convoys, and a convoy that goes on counts
// twice.
const maxPending = 1 << 16

func newConvoys() *convoys { return &convoys{classes: map[string]*convoySums{}} }

// Begin implements analysis.Visitor.
func (c *convoys) Begin(sym *analysis.Symbols, _ int64) { c.sym = sym }

// Slice implements analysis.Visitor.
func (c *convoys) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		if w := &s.Waiters[i]; w.First && !s.Sample.Taken {
			c.pending = append(c.pending, convoyWait{s.Lock, s.Start, w.WaitNs})
		}
	}
	if len(c.pending) >= maxPending {
		c.group()
	}
}

// QueueSlice implements analysis.QueueVisitor: no wait begins in one.
func (c *convoys) QueueSlice(*analysis.Slice, int) {}

// group groups all pending waits.
func (c *convoys) group() {
	slices.SortFunc(c.pending, func(a, b convoyWait) int {
		return cmp.Or(cmp.Compare(a.lock, b.lock), cmp.Compare(a.start, b.start), cmp.Compare(b.ns, a.ns))
	})
	for from, to := 0, 0; from < len(c.pending); from = to {
		first := c.pending[from]
		c.convoy = c.convoy[:0]
		for to < len(c.pending) && c.pending[to].lock == first.lock &&
			c.pending[to].start-first.start < max(first.ns, convoyNs) {
			c.convoy = append(c.convoy, c.pending[to].ns)
			to++
		}
		slices.SortFunc(c.convoy, func(a, b int64) int { return cmp.Compare(b, a) })
		c.sums(c.sym.ClassName(first.lock)).insert(c.convoy)
		c.total.insert(c.convoy)
	}
	c.pending = c.pending[:0]
}

// sums returns the sums of a class, making them if need be.
func (c *convoys) sums(class string) *convoySums {
	s := c.classes[class]
	if s == nil {
		s = &convoySums{}
		c.classes[class] = s
	}
	return s
}

// ofClass returns the sums of a class, or of Total.
func (c *convoys) ofClass(name string) *convoySums {
	c.group()
	if name == Total {
		return &c.total
	}
	return c.sums(name)
}

// convoySums sums convoys.
type convoySums struct {
	convoys int
	waits   float64
	squares float64  // of the waits of each convoy
	longer  []longer // by the bucket of a duration
	longest []int64  // the longest waits of as many convoys, up to the tenth, in descending order
}

// longer sums waits that are the k-th longest of a convoy of n: the sums over all buckets from that of a duration on
// are those over convoys of m waits that are as long or longer.
type longer struct {
	waits    float64 // m
	squares  float64 // m²
	products float64 // m n
}

// bucketsPerOctave is how many buckets the durations between one and twice as much have.
const bucketsPerOctave = 16

// bucketOf returns the bucket of a duration.
func bucketOf(ns int64) int {
	shift := max(bits.Len64(uint64(max(ns, 0)))-bits.Len(bucketsPerOctave), 0)
	return shift*bucketsPerOctave + int(max(ns, 0)>>shift)
}

// tenth is the rank of the value whose distance from the largest tells how much the largest varies. Fewer values are
// too few to tell.
const tenth = 10

func (s *convoySums) few() bool { return s.convoys < tenth }

// insert adds a convoy, whose durations are in descending order.
func (s *convoySums) insert(convoy []int64) {
	n := float64(len(convoy))
	s.convoys++
	s.waits += n
	s.squares += n * n
	at, _ := slices.BinarySearchFunc(s.longest, convoy[0], func(a, b int64) int { return cmp.Compare(b, a) })
	s.longest = slices.Insert(s.longest, at, convoy[0])
	s.longest = s.longest[:min(len(s.longest), tenth)]
	for i, ns := range convoy {
		at := bucketOf(ns)
		if at >= len(s.longer) {
			s.longer = append(s.longer, make([]longer, at+1-len(s.longer))...)
		}
		l := &s.longer[at]
		l.waits++
		l.squares += float64(2*i + 1)
		l.products += n
	}
}

// effect returns how many waits say as much as one independent wait on how many waits are as long as ns: the
// variance of that share by convoys, over the binomial one of so many waits (the design effect of Kish).
func (s *convoySums) effect(ns int64) float64 {
	if s.waits == 0 {
		return 1
	}
	var sum longer
	for _, l := range s.longer[min(bucketOf(ns), len(s.longer)):] {
		sum.waits += l.waits
		sum.squares += l.squares
		sum.products += l.products
	}
	share, n := sum.waits/s.waits, float64(s.convoys)
	if s.few() {
		return s.squares / s.waits // as if each said one thing
	}
	if share == 1 {
		return 1
	}
	variance := (sum.squares - 2*share*sum.products + share*share*s.squares) / s.waits * n / (n - 1)
	return max(variance/(share*(1-share)), 1)
}

// tail returns the standard deviation of the longest wait; those of one convoy are one.
func (s *convoySums) tail() float64 { return tailDeviation(s.longest) }

// tailDeviation returns the standard deviation of the largest of some values, in descending order. Where large values
// are exponential, it is about half of the distance to the tenth largest; those that there are not are 0.
func tailDeviation[N int64 | float64](values []N) float64 {
	switch {
	case len(values) == 0:
		return 0
	case len(values) < tenth:
		return float64(values[0]) / 2
	}
	return float64(values[0]-values[tenth-1]) / 2
}
