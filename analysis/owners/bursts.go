package owners

import "contend/format"

// bursts are the samples of running threads of one input, as recorders take them:
// some threads one after the other, and then none for 10 ms or more. There may be
// as many kinds of locks as stacks, and each asks what was sampled together: so
// that is counted once, by stacks, of which a kind of locks knows its own.
type bursts struct {
	n      int // those below
	number map[posture]uint32
	stacks []posture
	in     [][]uint32        // by number of a stack: the bursts it is in, once for each sample
	times  map[[2]uint32]int // numbers of stacks, by how often two threads had them in one burst
	loose  [][]sighted       // bursts longer than a round, or of many samples: each is looked at for itself

	pairs []pair // the same, once all are known

	open []sighted // the last one so far
}

// pair is two stacks, by number, that threads had in one burst, and how often.
type pair struct {
	stacks [2]uint32
	times  int
}

// sighted is a sample.
type sighted struct {
	at     int64
	thread format.ThreadID
	stack  uint32 // its number
}

// sameRound is how far apart samples are, in ns, that a recorder takes in one
// round: it stops one thread after another, and then none for 10 ms or more.
const sameRound = 1e6

// mostPaired bounds the samples of a burst whose pairs are counted: they are its
// square.
const mostPaired = 64

// together reports whether two samples show two threads together: those of a thread dump
// others of that one only, since when it was taken is known to less than a round.
func (b *bursts) together(o, s sighted) bool {
	return o.thread != s.thread && b.stacks[o.stack].dumped == b.stacks[s.stack].dumped
}

// close ends the last burst.
func (b *bursts) close() {
	list := b.open
	if len(list) == 0 {
		return
	}
	if len(list) > mostPaired || list[len(list)-1].at-list[0].at > sameRound {
		b.loose, b.open = append(b.loose, list), nil
		return
	}
	for i, s := range list {
		b.in[s.stack] = append(b.in[s.stack], uint32(b.n))
		for _, o := range list[:i] {
			if b.together(o, s) {
				b.times[[2]uint32{min(o.stack, s.stack), max(o.stack, s.stack)}]++
			}
		}
	}
	b.n++
	b.open = list[:0]
}
