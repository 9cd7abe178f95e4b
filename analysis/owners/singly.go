package owners

import (
	"slices"

	"contend/analysis/internal/column"
	"contend/format"
)

// singly takes the activities at a place that lies inside one of several locks
// of a class, each by what it does to this one: nobody takes the lock in a way
// the thread would exclude, somebody waits at its end, and the next
// acquisition names the thread, or, where locks name nobody, comes promptly.
// As many must not fit by chance: the same activities moved in time are tried too.
func (ev *evidence) singly(s *section, at callSite) {
	if f := ev.takers(s.lock); len(f.methods) > 0 && f.of(at.stack).site < 0 && !ev.taken(s, at) && !ev.tried(s, at) {
		return // what threads do just before they come ends when others do, too
	}
	list := ev.activitiesAt(at, s.lock)
	ending := ev.ending(s, list)
	found := ev.fitting(s, list, ending, 1/float64(overChance*ev.siblings(s.lock)))
	if len(found) == 0 {
		return
	}
	if s.permits && ev.asPrompt(s, found, ending) || s.shared && float64(len(found)) >= sure*float64(len(ending)) { // the others went on when one was gone
		found = ev.unopposed(s, list)
	}
	s.take(found)
}

// fitting returns those of the activities at a call site at whose end somebody waits
// that fit; none if they are less than a share of them, by how long they take, or no
// more than chance has it.
func (ev *evidence) fitting(s *section, list siteList, ending []column.Ref, least float64) (found []anchor) {
	if len(ending) < fewestPrompt {
		return nil
	}
	window := ev.window(s, ending)
	var fit, all int64
	for _, i := range ending {
		d, t := ev.met(i)
		all += d.end - d.start
		if ev.fits(s, t, d, window) {
			fit += d.end - d.start
			found = append(found, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
		}
	}
	if len(found) < fewestPrompt || share(fit, all) < least || ev.fitByChance(s, list, window, fit*int64(len(moves))/overChance) {
		return nil
	}
	return found
}

// unopposed returns those of the activities at a call site during which nobody gets the
// lock who could not have it, too.
func (ev *evidence) unopposed(s *section, list siteList) (found []anchor) {
	for i := range list.all {
		if d, t := ev.met(i); !s.excluded(ev, t, d.start, d.end) {
			found = append(found, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
		}
	}
	return found
}

// take notes what was seen inside, each activity by itself.
func (s *section) take(found []anchor) {
	s.seen = append(s.seen, found...)
	for _, a := range found {
		note(&s.single, stint{a.start, a.thread}, true)
	}
}

// siblings is how many locks of the class there are: an activity is inside one of them.
func (ev *evidence) siblings(lock format.ObjectID) int {
	ev.taking.Lock()
	defer ev.taking.Unlock()
	return len(ev.locksOf(ev.class[lock]))
}

// asPrompt reports whether so many activities at a call site fit that all are inside.
// Those that follow an acquisition of their thread certainly are; how many of them fit
// is how many can, since who is woken may have to wait for a processor.
func (ev *evidence) asPrompt(s *section, found []anchor, ending []column.Ref) bool {
	follow, fit := 0, 0
	for _, i := range ending {
		if d, t := ev.met(i); ev.follows(s, t, d.start) {
			follow++
		}
	}
	for i := range found {
		if ev.follows(s, found[i].thread, found[i].start) {
			fit++
		}
	}
	most := 1.0
	if fit >= fewestPrompt {
		most = share(int64(fit), int64(follow))
	}
	return float64(len(found)) >= sure*most*float64(len(ending))
}

// follows reports whether what a thread did last before t is that it got the lock.
func (ev *evidence) follows(s *section, t format.ThreadID, at int64) bool {
	list := ev.Of(t)
	for i := ev.before(list, at) - 1; i >= 0; i-- {
		d := ev.at(list.at(i))
		if d.end == d.start { // a sample
			continue
		}
		return d.lock == s.lock && s.acquiredBy(t, d.end)
	}
	return false
}

// acquiredBy reports whether a thread got the lock at an instant.
func (s *section) acquiredBy(t format.ThreadID, at int64) bool {
	for i := s.after(at); i < len(s.acquired) && s.acquired[i].time == at; i++ {
		if s.acquired[i].thread == t {
			return true
		}
	}
	return false
}

// ending returns the activities at whose end somebody waits for the lock.
func (ev *evidence) ending(s *section, list siteList) (out []column.Ref) {
	for i := range list.all {
		if start, end := ev.Span(i); end > start && s.isBusy(end, end) {
			out = append(out, i)
		}
	}
	return out
}

// window is how soon after an activity the lock is acquired for the two to
// have to do with each other: as soon as is usual after those of a call site,
// twice over.
func (ev *evidence) window(s *section, list []column.Ref) int64 {
	if !s.permits {
		return maxTime // who gets the lock meanwhile tells more
	}
	var lags []int64
	for _, i := range list {
		d := ev.at(i)
		if next, _ := ev.next(s, d.end); d.promptly(next) {
			lags = append(lags, next-d.end)
		}
	}
	return 2 * median(lags)
}

// fitByChance reports whether activities of more than so many ns fit when they are
// moved, all moves together.
func (ev *evidence) fitByChance(s *section, list siteList, window, most int64) bool {
	n := int64(0)
	for i := range list.all {
		d, t := ev.met(i)
		length := d.end - d.start
		for _, by := range moves {
			if ev.fits(s, t, activity{d.start + by*length, d.end + by*length, d.stack, d.lock}, window) {
				n += length
			}
		}
		if n > most {
			return true
		}
	}
	return false
}

// moves are by how many times its length an activity is moved to see what fits by
// chance.
var moves = [...]int64{-5, -3, -2, 2, 3, 5}

// overChance is how many times as often as by chance activities must fit.
const overChance = 4

func (ev *evidence) fits(s *section, t format.ThreadID, d activity, window int64) bool {
	if d.end <= d.start {
		return false
	}
	next, last := ev.next(s, d.end)
	if last != t && last != format.NoThread && !slices.Contains(s.quiet, t) {
		return false // of who never waits others may be named, that had it for an instant before who waits long
	}
	from := d.end
	if !d.promptly(next) || last != t && next-d.end > window {
		if last != t {
			return false
		}
		from = d.start // it may have taken the lock after it, unless somebody waited all along
	}
	return s.isBusy(from, d.end) && !s.excluded(ev, t, d.start, d.end)
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
