package owners

import (
	"math"

	"contend/format"
)

// Samples of running threads have no length: they tell what a thread did at an
// instant, not whether it had a lock. Two things make them evidence. A stack
// that leads through the method that takes the lock, called from where it is
// called, is of one of its sections. And what a thread does just when it is
// known to be the owner, more often than otherwise, it does inside.

// witnesses are what samples show of the owners of some locks.
type witnesses struct {
	family *family
	parts  map[uint64]*witness
	list   []*witness // as they came
	inside int        // samples of owners
	total  int        // samples of all
}

// witness is a part of the program that samples show.
type witness struct {
	part
	stack  format.StackID // one that leads through it
	alone  bool           // no two threads are sampled there at a time, nor is its method before it; of one lock only
	hidden bool           // it is a section before which nobody was recorded to wait
	owns   bool           // a thread that never waits does nearly nothing else, and is named as owner
	inside int            // samples of owners
	meets  int            // samples while somebody waits
	total  int
	groups map[int]int // of the former, by group of the thread
}

// at returns the part of the program a sample of the input shows, nil for none.
func (w *witnesses) at(stack format.StackID) *witness {
	p := w.family.of(stack)
	if p.key == 0 {
		return nil
	}
	return w.parts[p.key]
}

// unclear reports whether a thread stands at the very line at which it takes the lock, and
// may have had no processor: it has the lock, or is about to try.
func (w *witnesses) unclear(at posture) bool { return at.dumped && w.family.takes(at.stack) }

// shown returns the part a thread is shown in; none where that is unclear.
func (w *witnesses) shown(at posture) *witness {
	if w.unclear(at) {
		return nil
	}
	return w.at(at.stack)
}

// add counts samples of a part, of which one has a stack.
func (w *witnesses) add(p part, times int, stack format.StackID) {
	at := w.parts[p.key]
	if at == nil {
		at = &witness{part: p, stack: stack}
		w.parts[p.key] = at
		w.list = append(w.list, at)
	}
	at.total += times
	w.total += times
}

// oftener is how many times as often a part of the program must be seen while
// its thread owns the lock as otherwise.
const oftener = 2

// is reports whether what samples show of a part is done inside the section.
func (w *witnesses) is(p *witness) bool {
	return p.site >= 0 || p.owns || p.inside >= fewestPrompt && w.oftener(p) >= oftener
}

// displaces reports whether a part that has most of all samples is seen inside so much oftener
// than all others together. It cannot be twice as much of them: but the others are seen the
// less the more it is.
func (w *witnesses) displaces(p *witness) bool {
	out := p.total - p.inside
	others, otherwise := w.inside-p.inside, w.total-w.inside-out
	return p.inside >= fewestPrompt && p.inside*otherwise >= oftener*others*out && exceeds(p.inside, w.inside, share(int64(p.total), int64(w.total)))
}

// mayBe reports whether it is not done elsewhere rather.
func (w *witnesses) mayBe(p *witness) bool { return p.site >= 0 || p.owns || w.oftener(p) >= 1 }

// oftener returns how many times as often a part is seen inside.
func (w *witnesses) oftener(p *witness) float64 {
	in := float64(p.inside) / float64(max(w.inside, 1))
	out := float64(p.total-p.inside) / float64(max(w.total-w.inside, 1))
	return in / max(out, math.SmallestNonzeroFloat64)
}

// early reports whether a method is seen at lines before its section: then it does more
// than that, and not all samples of it that are left are of its section.
func (w *witnesses) early(p *witness) bool {
	first := w.parts[mixed(p.key, before)]
	return first != nil && float64(first.total) > tolerance*float64(p.total)
}

// chance returns how likely it is that a thread seen at a part when it may own
// the lock does own it: the part of the times it is seen there that is more than what it is seen
// there otherwise.
func (w *witnesses) chance(p *witness) float64 {
	if p.site >= 0 {
		return 1 - tolerance
	}
	return max(1-1/max(w.oftener(p), 1), 0)
}
