package owners

import (
	"math"
	"slices"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// Samples of who owned a lock fall into few of its waits. What is claimed of the
// others is held against them: a claim that samples of others like it contradict
// is divided as they say. Samples come at random, so that what they show is
// right on average, though of single stretches they say little; what is claimed
// is right of most, though it may be wrong of all of one kind. Together they
// tell more than either.
//
// A stretch in which a sample falls is charged to whom it shows. One that is as
// long as the distance of samples is hit by one anyway, so that it says nothing
// of those that are not hit: a sample weighs the less for them the longer its
// stretch.

// class is what an owner is, as far as claims and samples are told apart: nobody
// known, nobody, a thread whose stack is not known, a part of the program, or a
// stack that leads to none.
type class struct {
	what uint8
	key  uint64
}

// What a class is.
const (
	isUnknown = iota
	isFree
	isThread
	isPart
	isStack
)

// claimed is a class, and how it was found out.
type claimed struct {
	class
	prov Provenance
	long bool // whatever it is, in a gap so long that samples show others; see surprises
}

// tally is what samples show in stretches that are claimed alike.
type tally struct {
	classes []class
	weights []float64          // by class
	stacks  [][]format.StackID // by class: which they showed, each in turn
	samples int
	sum     float64 // of the weights
	squares float64 // of the weights
	agree   float64 // weight of those that agree
}

// mostSeen bounds how many stacks of a class are kept.
const mostSeen = 64

// place returns the place of a class, a new one if no sample showed it.
func (t *tally) place(c class) int {
	i := slices.Index(t.classes, c)
	if i < 0 {
		i = len(t.classes)
		t.classes, t.weights, t.stacks = append(t.classes, c), append(t.weights, 0), append(t.stacks, nil)
	}
	return i
}

// add counts a sample.
func (t *tally) add(c class, weight float64, by format.StackID, agrees bool) {
	i := t.place(c)
	t.weights[i] += weight
	t.samples++
	t.sum += weight
	t.squares += weight * weight
	if agrees {
		t.agree += weight
	}
	if len(t.stacks[i]) < mostSeen {
		t.stacks[i] = append(t.stacks[i], by)
	}
}

func (t *tally) merge(o *tally) {
	for i, c := range o.classes {
		at := t.place(c)
		t.weights[at] += o.weights[i]
		t.stacks[at] = append(t.stacks[at], o.stacks[i][:min(len(o.stacks[i]), max(mostSeen-len(t.stacks[at]), 0))]...)
	}
	t.samples += o.samples
	t.sum += o.sum
	t.squares += o.squares
	t.agree += o.agree
}

// number returns how many samples of equal weight would say as much.
func (t *tally) number() float64 {
	if t.squares == 0 {
		return 0
	}
	return t.sum * t.sum / t.squares
}

// tallies are those of a lock, or of locks of one kind, as they came.
type tallies struct {
	kinds []claimed
	list  []*tally
	free  bool // samples show when nobody owned the lock, too

	follows [Handoff + 1]Agreement // by what one shows: the next one with it

	surprises surprises
}

func (l *tallies) of(c claimed) *tally {
	if i := slices.Index(l.kinds, c); i >= 0 {
		return l.list[i]
	}
	l.kinds, l.list = append(l.kinds, c), append(l.list, &tally{})
	return l.list[len(l.list)-1]
}

func (l *tallies) merge(o *tallies) {
	for i, c := range o.kinds {
		l.of(c).merge(o.list[i])
	}
	for i := range l.follows {
		l.follows[i].merge(&o.follows[i])
	}
	l.surprises = append(l.surprises, o.surprises...)
}

// believed returns the share of some stretches that stays as claimed; the rest is
// divided as the samples show. What is estimated comes of one model, of which all
// samples in estimated stretches tell, if they show as well when nobody owned the lock;
// where there is no model it is a guess.
func (l *tallies) believed(i int, model bool) float64 {
	t, prov := l.list[i], l.kinds[i].prov
	n := t.number()
	switch prov {
	case Inferred, Exact, Sampled: // as good as a sample, unless samples contradict more often than chance lets them
		wrong := n * (1 - t.agreement())
		if wrong <= tolerance*n+2*math.Sqrt(tolerance*n)+1 {
			return 1
		}
	case Estimated:
		if !model || l.kinds[i].long {
			break
		}
		if l.free {
			n = l.estimated()
		}
		return doubted / (n + doubted)
	}
	return 1 / (n + 1)
}

// estimated returns how many samples of equal weight would say as much of what is
// estimated.
func (l *tallies) estimated() (n float64) {
	for i, t := range l.list {
		if l.kinds[i].prov == Estimated {
			n += t.number()
		}
	}
	return n
}

// telling reports whether there are enough samples to hold claims against.
func (l *tallies) telling() bool {
	n := 0
	for _, t := range l.list {
		n += t.samples
	}
	return n >= doubted
}

// right returns how much of some stretches is right as claimed: as samples in them
// agree. Of few samples those in all that is estimated tell more, and of few of these
// nothing does; i is negative for stretches no sample fell into.
func (l *tallies) right(i int) float64 {
	agree, n := 0.0, 0.0
	for k, t := range l.list {
		if l.kinds[k].prov == Estimated {
			agree, n = agree+t.agreement()*t.number(), n+t.number()
		}
	}
	all := shrunk(agree, n, halfway)
	if i < 0 {
		return all
	}
	t := l.list[i]
	return shrunk(t.agreement()*t.number(), t.number(), all)
}

// rightOf returns how much of what is charged to a class instead, since samples in
// stretches like it show it, is right: as the others of these say of each.
func (l *tallies) rightOf(i, class int) float64 {
	t := l.list[i]
	part, n := t.weights[class]/t.sum, t.number()
	return shrunk(max(part*n-1, 0), max(n-1, 0), (1-l.right(i))*part)
}

// carried returns how much of a stretch is right that is charged to whom a sample shows, so
// long before it and after it, where nothing else tells. At the next sample it would be right
// as often as they show the same; that many are that far apart. The threads are stopped for a
// sample once all that are at work have a processor: who has the lock had it without one before,
// and then goes on, so that it is as likely as not to be gone at once if it is not claimed to
// stay.
func (l *tallies) carried(to Kind, stays bool, before, after, apart int64) float64 {
	f := &l.follows[to]
	next := shrunk(float64(f.Agrees), float64(f.Asked), halfway)
	was, is := away(before, apart), away(after, apart)
	if to == Thread && !stays {
		is = halfway + (1-halfway)*is
	}
	far := (was*float64(before) + is*float64(after)) / float64(max(before+after, 1))
	return far*min(next, 1-tolerance) + (1-far)*(1-tolerance)
}

// away returns how far what begins at a sample and takes so long is from it on average, as a
// part of the distance to the next sample. What is longer is so because hardly anything happens.
func away(length, apart int64) float64 { return share(min(length, apart), 2*apart) }

// off returns by how much that may be off, but for one time in twenty: what is expected of
// all that is estimated comes of the same samples.
func (l *tallies) off() float64 {
	share, n := l.right(-1), l.estimated()+renewal.Trust
	return 2 * math.Sqrt(share*(1-share)/n)
}

// shrunk is the share so many of n samples make, where some more are supposed to make
// another share: as many as a first guess weighs.
func shrunk(of, n, supposed float64) float64 {
	return (of + renewal.Trust*supposed) / (n + renewal.Trust)
}

// agreement is the share of the samples that agree, by weight.
func (t *tally) agreement() float64 { return t.agree / max(t.sum, math.SmallestNonzeroFloat64) }

// apart returns the median distance of the samples, in ns.
func (ev *evidence) apart() int64 {
	var times, list []int64
	for i := range ev.dumps {
		times = append(times, ev.dumps[i].time)
	}
	slices.Sort(times)
	for i := 1; i < len(times); i++ {
		if d := times[i] - times[i-1]; d > 0 {
			list = append(list, d)
		}
	}
	return max(median(list), 1)
}
