package owners

import (
	"cmp"
	"slices"
)

// Who has a lock seldom and for long, and hardly ever waits for it, is unknown to the model,
// which knows sections by who had waited before. Gaps in which such a thread has the lock
// are longer than others, and to the model those are free, or of one that took long for once. Where
// samples of gaps that stand out by their length show somebody else than is claimed as often as
// not, the model is a guess there, and they divide these gaps, however few they are.

// surprises are the samples of a lock, or of locks of one kind.
type surprises []surprise

// surprise is a sample in a gap of such a length, in ns: other where it shows an owner who is not
// claimed.
type surprise struct {
	length int64
	other  bool
}

func (l *surprises) add(length int64, other bool) { *l = append(*l, surprise{length, other}) }

// long returns how long gaps are at least that are divided by their samples alone; 0 if none
// is. A gap may be shorter than those that are known to be: the first waiter came late.
func (l surprises) long() (least int64) {
	slices.SortFunc(l, func(a, b surprise) int { return cmp.Compare(b.length, a.length) })
	n, others := 0, 0
	for i := range l {
		border := int64(halfway * float64(l[i].length))
		for ; n < len(l) && l[n].length >= border; n++ {
			if l[n].other {
				others++
			}
		}
		if l[i].other && others >= fewestPrompt && others >= n-others {
			least = border
		}
	}
	return least
}
