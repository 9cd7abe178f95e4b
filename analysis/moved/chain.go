package moved

import (
	"cmp"
	"slices"

	"contend/format"
)

// family is locks of one class that are waited for at the same places: one lock
// that moves, or several. What tells:
//
//  1. A lock keeps its address for an epoch. Of several locks that are waited
//     for alike, several are seen in one epoch, as soon as there are enough
//     waits; of one never. Where one among several has most of the waits of
//     every epoch, it can be followed all the same.
//  2. The address of a moved lock changes at a collection, and no other lock
//     shows between. If a program goes on to another lock, a collection lies
//     between by chance only: the shorter the time between the last wait for
//     the one and the first for the other, the less.
//  3. Where locks also follow each other without a collection between, the
//     program goes on to others, and some of the rest do by chance.
type family struct {
	lives map[format.ObjectID]*life
	seen  []waitEnd
}

// link says that a lock at one address went on at another.
type link struct{ old, now format.ObjectID }

// What a family must show before its locks are taken for one.
const (
	leastPairs = 8    // waits that share an epoch with another one
	leastSame  = 0.75 // part of them that is at the address most of the epoch's waits are at
	leastWaits = 4    // of an epoch that shows several locks, at the one that has leastSame of them
	mostByLuck = 0.05 // chance that collections lie between all the addresses if these are different locks
	mostAstray = 0.05 // part of the links that chance made
)

// links returns the links of a family, none when it may be several locks. What
// an address stands for is looked at from one epoch with waits to the next only:
// a lock may come back to where it was, or another one take its place.
func (f *family) links(c *collections) (out []link) {
	slices.SortFunc(f.seen, func(a, b waitEnd) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.lock, b.lock)) })
	luck, sum, others := 1.0, 0.0, 0 // others: how often the program went on to another lock
	pairs, same := 0, 0
	var before stint
	for rest := f.seen; len(rest) > 0; {
		n := c.sameEpoch(rest)
		now := newStint(rest[:n])
		pairs, same = pairs+n-1, same+now.waits-1
		if before.stands() && now.stands() && before.lock != now.lock {
			switch {
			case before.shows(now.lock) || now.shows(before.lock):
				others++
			case before.isLast() && now.isFirst():
				p := c.chance(before.last(), now.first())
				luck, sum = luck*p, sum+p
				out = append(out, link{before.lock, now.lock})
			}
		}
		before, rest = now, rest[n:]
	}
	mean := sum / float64(max(len(out), 1))
	if pairs < leastPairs || float64(same) < leastSame*float64(pairs) || luck > mostByLuck || float64(others)*mean > mostAstray*float64(len(out))*(1-mean) {
		return nil
	}
	return out
}

// stint is one epoch of a family.
type stint struct {
	seen  []waitEnd
	lock  format.ObjectID // that most of them are of
	waits int             // for it
}

func newStint(seen []waitEnd) stint {
	s := stint{seen: seen}
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

// stands reports whether the epoch is about one lock.
func (s *stint) stands() bool {
	return s.waits > 0 && s.waits == len(s.seen) || s.waits >= leastWaits && float64(s.waits) >= leastSame*float64(len(s.seen))
}

func (s *stint) shows(l format.ObjectID) bool {
	return slices.ContainsFunc(s.seen, func(x waitEnd) bool { return x.lock == l })
}

// isLast reports whether no lock that was not seen before follows the one the
// epoch is about.
func (s *stint) isLast() bool {
	for i := len(s.seen) - 1; s.seen[i].lock != s.lock; i-- {
		at := slices.IndexFunc(s.seen, func(x waitEnd) bool { return x.lock == s.seen[i].lock })
		if s.seen[at].at > s.last() {
			return false
		}
	}
	return true
}

// isFirst reports whether the epoch begins with the lock it is about.
func (s *stint) isFirst() bool { return s.seen[0].lock == s.lock }

func (s *stint) last() (t int64) {
	for i := range s.seen {
		if s.seen[i].lock == s.lock {
			t = s.seen[i].at
		}
	}
	return t
}

func (s *stint) first() int64 {
	return s.seen[slices.IndexFunc(s.seen, func(x waitEnd) bool { return x.lock == s.lock })].at
}
