package owners

import (
	"slices"

	"contend/format"
)

// What is inside ends when who waits gets the lock, and that more often than the same
// moved in time.

// leastBusy is the share of all time in which somebody must wait for a lock that is held
// against what has not much to do with it.
const leastBusy = 1e-3

// fitting returns those of the activities at a call site at whose end somebody waits
// that fit; none if they are less than a share of them, by how long they take, or no
// more than chance has it.
func (ev *evidence) fitting(s *section, at callSite, ending *siteList, least float64) (found []anchor) {
	if ending == nil {
		return nil
	}
	window := ev.window(s, *ending)
	var fit, all int64
	for i := range ending.all {
		d, t := ev.met(i)
		all += d.end - d.start
		if ev.fits(s, t, d, window) {
			fit += d.end - d.start
			found = append(found, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
		}
	}
	if len(found) < fewestPrompt || share(fit, all) < least || ev.fitByChance(s, at, window, fit*int64(len(moves))/overChance) {
		return nil
	}
	return found
}

// siblings is how many locks of the class there are: an activity is inside one of them.
func (ev *evidence) siblings(lock format.ObjectID) int {
	ev.taking.Lock()
	defer ev.taking.Unlock()
	return len(ev.locksOf(ev.class[lock]))
}

// window is how soon after an activity the lock is acquired for the two to
// have to do with each other: as soon as is usual after those of a call site,
// twice over.
func (ev *evidence) window(s *section, list siteList) int64 {
	if !s.permits {
		return maxTime // who gets the lock meanwhile tells more
	}
	var lags []int64
	for i := range list.all {
		d := ev.at(i)
		if next, _ := ev.next(s, d.end); d.promptly(next) {
			lags = append(lags, next-d.end)
		}
	}
	return 2 * median(lags)
}

// fitByChance reports whether activities of more than so many ns fit when they are
// moved, all moves together.
func (ev *evidence) fitByChance(s *section, at callSite, window, most int64) bool {
	n := int64(0)
	for i := range ev.near(s, at, moves[len(moves)-1]) {
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
