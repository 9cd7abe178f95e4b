package owners

import (
	"cmp"
	"slices"

	"contend/format"
)

// singly takes the activities at a place that lies inside one of several locks
// of a class, each by what it does to this one: nobody takes the lock in a way
// the thread would exclude, somebody waits at its end, and the next
// acquisition names the thread, or, where locks name nobody, comes promptly.
// As many must not fit by chance: the same activities moved in time are tried too.
func (ev *evidence) singly(s *section, at callSite) {
	hits, chance := 0, 0
	var found []anchor
	for _, i := range ev.sites.at(at) {
		d, t := ev.at(i), ev.thread(i)
		if ev.fits(s, t, d) {
			hits++
			found = append(found, anchor{d.start, d.end, t, d.stack, Inferred})
		}
		length := d.end - d.start
		for _, by := range moves {
			m := d
			m.start, m.end = d.start+by*length, d.end+by*length
			if ev.fits(s, t, m) {
				chance++
			}
		}
	}
	if hits >= fewestPrompt && hits*len(moves) >= overChance*chance {
		s.seen = append(s.seen, found...)
		for _, a := range found {
			s.single[stint{a.start, a.thread}] = true
		}
	}
}

type stint struct {
	start  int64
	thread format.ThreadID
}

// moves are by how many times its length an activity is moved to see what fits by
// chance.
var moves = [...]int64{-5, -3, -2, 2, 3, 5}

// overChance is how many times as often as by chance activities must fit.
const overChance = 4

func (ev *evidence) fits(s *section, t format.ThreadID, d activity) bool {
	if d.end <= d.start || !s.isBusy(d.end, d.end) || s.excluded(ev, t, d.start, d.end) {
		return false
	}
	next, last := ev.next(s, d.end)
	return last == t || last == format.NoThread && d.promptly(next)
}

// excluded reports whether somebody else got the lock who could not have had
// it together with t.
func (s *section) excluded(ev *evidence, t format.ThreadID, lo, hi int64) bool {
	if s.permits {
		return false
	}
	for i := s.after(lo + 1); i < len(s.acquired) && s.acquired[i].time < hi; i++ {
		if s.acquired[i].thread != t && ev.wait(&s.acquired[i]).Mode() == format.Exclusive {
			return true
		}
	}
	return false
}

func sortAnchors(list []anchor) {
	slices.SortFunc(list, func(a, b anchor) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.thread, b.thread)) })
}
