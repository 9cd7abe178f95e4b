package owners

import (
	"contend/analysis/internal/column"
	"contend/format"
)

// singly takes the activities at a place that lies inside one of several locks
// of a class, each by what it does to this one: nobody takes the lock in a way
// the thread would exclude, somebody waits at its end, and the next
// acquisition names the thread, or, where locks name nobody, comes promptly.
// As many must not fit by chance: the same activities moved in time are tried too.
func (ev *evidence) singly(s *section, at callSite) {
	if f := ev.takers(s.lock); len(f.methods) > 0 && f.of(at.stack).site < 0 {
		return // what threads do just before they come ends when others do, too
	}
	list := ev.activitiesAt(at, s.lock)
	ending := ev.ending(s, list)
	if len(ending) < fewestPrompt {
		return
	}
	window := ev.window(s, ending)
	var found []anchor
	for _, i := range ending {
		if d, t := ev.met(i); ev.fits(s, t, d, window) {
			found = append(found, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
		}
	}
	if len(found) < fewestPrompt || len(found)*overChance < len(ending) || ev.fitByChance(s, list, window, len(found)*len(moves)/overChance) {
		return
	}
	if (s.permits || s.shared) && float64(len(found)) >= sure*float64(len(ending)) { // the others went on when one was gone
		found = found[:0]
		for i := range list.all {
			if d, t := ev.met(i); !s.excluded(ev, t, d.start, d.end) {
				found = append(found, anchor{d.start, d.end, t, d.stack, Inferred, ev.did(i)})
			}
		}
	}
	s.seen = append(s.seen, found...)
	for _, a := range found {
		note(&s.single, stint{a.start, a.thread}, true)
	}
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

// fitByChance reports whether more than so many activities fit when they are
// moved, all moves together.
func (ev *evidence) fitByChance(s *section, list siteList, window int64, most int) bool {
	n := 0
	for i := range list.all {
		d, t := ev.met(i)
		length := d.end - d.start
		for _, by := range moves {
			if ev.fits(s, t, activity{d.start + by*length, d.end + by*length, d.stack, d.lock}, window) {
				n++
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
	if last != t && last != format.NoThread {
		return false
	}
	from := d.end
	if !d.promptly(next) || last == format.NoThread && next-d.end > window {
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

// several reports whether more than one permit is out at a time: activities
// of different threads inside overlap, but for the tolerance.
func (s *section) several() bool {
	overlaps, end, last := 0, int64(minTime), format.NoThread
	for _, a := range s.seen {
		if a.start < end && a.thread != last {
			overlaps++
		}
		if a.end > end {
			end, last = a.end, a.thread
		}
	}
	return float64(overlaps) > tolerance*float64(len(s.seen))
}
