package moved

import (
	"cmp"
	"slices"

	"contend/format"
)

// family is the locks of one class that are waited for at the same call sites: one lock
// that moves, or several locks. The evidence:
//
//  1. A lock keeps its address for an epoch. Several locks with the same call sites soon
//     appear in one epoch, given enough waits; the addresses of one lock never do. If one of
//     several locks has most waits of every epoch, it can be followed all the same.
//  2. The address of a moved lock changes at a collection, and no other lock appears in
//     between. If a program changes to another lock, a collection is in between only by
//     chance, which is the smaller the shorter the time between the last wait for the one
//     and the first for the other.
//  3. If locks also follow each other without a collection in between, the program changes
//     between locks, and does so across some collections by chance as well.
type family struct {
	uses map[format.ObjectID]*addressUse
	seen []waitEnd
}

// link joins a lock's old address to its new one.
type link struct{ old, now format.ObjectID }

// Evidence that a family is one lock.
const (
	minPairs  = 8    // waits that share an epoch with another one
	minSame   = 0.75 // fraction of these waits at the most frequent address of the epoch
	minWaits  = 4    // in an epoch with several locks, at the one with the fraction minSame
	maxChance = 0.05 // probability that collections are between all addresses of different locks
	maxStray  = 0.05 // fraction of links that are due to chance
)

// links returns the links of a family; none if it may be several locks. It compares each
// epoch with waits to the next one only: a lock may return to an earlier address, or
// another lock may take it.
func (f *family) links(c *collections) (out []link) {
	slices.SortFunc(
		f.seen,
		func(a, b waitEnd) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.lock, b.lock)) },
	)
	// byChance: the probability that all changes are chance; others: changes to another lock
	byChance := 1.0
	sum := 0.0
	others := 0
	pairs, same := 0, 0
	var before epochWaits
	for rest := f.seen; len(rest) > 0; {
		n := c.sameEpoch(rest)
		now := newEpochWaits(rest[:n])
		pairs, same = pairs+n-1, same+now.waits-1
		if before.isClear() && now.isClear() && before.lock != now.lock {
			switch {
			case before.shows(now.lock) || now.shows(before.lock):
				others++
			case before.isLast() && now.isFirst():
				p := c.chance(before.last(), now.first())
				byChance, sum = byChance*p, sum+p
				out = append(out, link{before.lock, now.lock})
			}
		}
		before, rest = now, rest[n:]
	}
	mean := sum / float64(max(len(out), 1))
	if pairs < minPairs || float64(same) < minSame*float64(pairs) || byChance > maxChance ||
		float64(others)*mean > maxStray*float64(len(out))*(1-mean) {
		return nil
	}
	return out
}

// epochWaits is the waits of a family in one epoch.
type epochWaits struct {
	seen  []waitEnd
	lock  format.ObjectID // the most frequent one
	waits int             // for lock
}

func newEpochWaits(seen []waitEnd) epochWaits {
	s := epochWaits{seen: seen}
	counts := map[format.ObjectID]int{}
	for i := range seen {
		l := seen[i].lock
		counts[l]++
		if n := counts[l]; n > s.waits {
			s.lock, s.waits = l, n
		}
	}
	return s
}

// isClear reports whether the epoch is about one lock.
func (s *epochWaits) isClear() bool {
	return s.waits > 0 && s.waits == len(s.seen) ||
		s.waits >= minWaits && float64(s.waits) >= minSame*float64(len(s.seen))
}

func (s *epochWaits) shows(l format.ObjectID) bool {
	return slices.ContainsFunc(s.seen, func(x waitEnd) bool { return x.lock == l })
}

// isLast reports whether no new lock appears in the epoch after its most frequent one.
func (s *epochWaits) isLast() bool {
	for i := len(s.seen) - 1; s.seen[i].lock != s.lock; i-- {
		at := slices.IndexFunc(s.seen, func(x waitEnd) bool { return x.lock == s.seen[i].lock })
		if s.seen[at].at > s.last() {
			return false
		}
	}
	return true
}

// isFirst reports whether the epoch begins with its most frequent lock.
func (s *epochWaits) isFirst() bool { return s.seen[0].lock == s.lock }

func (s *epochWaits) last() (t int64) {
	for i := range s.seen {
		if s.seen[i].lock == s.lock {
			t = s.seen[i].at
		}
	}
	return t
}

func (s *epochWaits) first() int64 {
	return s.seen[slices.IndexFunc(s.seen, func(x waitEnd) bool { return x.lock == s.lock })].at
}
