package analysis

import "contend/format"

// site is the acquisition site to which doings belong whose stack shows the
// runtime only, because the recorder took none.
type site struct {
	stack  format.StackID
	within int64 // what begins so soon after an acquisition belongs to that one, whatever its site
}

// sure is the share of a doing's known tenures that must agree on where it
// belongs.
const sure = 0.6

// distances are how long after the acquisitions at each site a doing of the
// acquirer began, with no acquisition in between.
type distances map[format.StackID][]int64

// placeBare finds out to which sites the bare doings inside a section belong,
// from threads that had to wait and so are known.
func (ev *evidence) placeBare(s *section) {
	found, lengths := map[format.StackID]distances{}, map[format.StackID][]int64{}
	for _, d := range s.seen {
		i := s.after(d.start+1) - 1
		if i < 0 || s.acquired[i].thread != d.thread || !ev.sym.bare(d.stack) {
			continue
		}
		if found[d.stack] == nil {
			found[d.stack] = distances{}
		}
		at := ev.wait(&s.acquired[i]).stack
		found[d.stack][at] = append(found[d.stack][at], d.start-s.acquired[i].time)
		lengths[d.stack] = append(lengths[d.stack], d.end-d.start)
	}
	s.sites = map[format.StackID]site{}
	for bare, by := range found {
		if at, ok := by.nearest(); ok {
			s.sites[bare] = at
		} else if at, ok := by.usual(median(lengths[bare]) / soonPart); ok {
			s.sites[bare] = at
		}
	}
}

// nearest is the site a doing follows much sooner than any other: by as long
// as the program takes from there to here, every time. After other sites it
// comes when their own tenure is over and the thread has taken the lock again,
// without waiting.
func (by distances) nearest() (at site, ok bool) {
	least, second := int64(maxTime), int64(maxTime)
	for stack, list := range by {
		m := median(list)
		switch {
		case m < least && len(list) >= fewestSoon:
			at.stack, least, second = stack, m, least
		case m < second:
			second = m
		}
	}
	if second == maxTime || least >= second/soonPart {
		return site{}, false
	}
	at.within = least * soonPart
	return at, true
}

// usual is the site most acquisitions before a doing were at, if it mostly
// follows them within a length of time.
func (by distances) usual(within int64) (at site, ok bool) {
	total := 0
	for _, list := range by {
		total += len(list)
	}
	for stack, list := range by {
		if float64(len(list)) >= sure*float64(total) && median(list) <= within {
			return site{stack, maxTime}, true
		}
	}
	return site{}, false
}
