package owners

import "contend/format"

// sure is the share of an activity's known tenures that must agree on where it
// belongs.
const sure = 0.6

// distances are how long, in ns, after the acquisitions at each call site an
// activity of the acquirer began, with no acquisition in between.
type distances map[format.StackID][]int64

// findHomes finds out to which call sites the bare activities inside a section
// belong, from threads that had to wait and so are known.
func (ev *evidence) findHomes(s *section) {
	found, lengths := map[format.StackID]distances{}, map[format.StackID][]int64{}
	for _, d := range s.seen {
		i := s.after(d.start+1) - 1
		if i < 0 || s.acquired[i].thread != d.thread || !ev.sym.Bare(d.stack) {
			continue
		}
		if found[d.stack] == nil {
			found[d.stack] = distances{}
		}
		at := ev.wait(&s.acquired[i]).Stack
		found[d.stack][at] = append(found[d.stack][at], d.start-s.acquired[i].time)
		lengths[d.stack] = append(lengths[d.stack], d.end-d.start)
	}
	for bare, by := range found {
		if at, ok := by.nearest(); ok {
			note(&s.homes, bare, at)
		} else if at, ok := by.usual(median(lengths[bare]) / promptPart); ok {
			note(&s.homes, bare, at)
		}
	}
}

// nearest is the call site an activity follows much sooner than any other: by
// as long as the program takes from there to here, every time. After other
// sites it comes when their own tenure is over and the thread has taken the
// lock again, without waiting.
func (by distances) nearest() (at homeSite, ok bool) {
	least, second := int64(maxTime), int64(maxTime)
	for stack, list := range by { // in no order: what is second must not depend on it
		m := median(list)
		if m < least && len(list) >= fewestPrompt {
			at.stack, m, least = stack, least, m
		}
		second = min(second, m)
	}
	if second == maxTime || least >= second/promptPart {
		return homeSite{}, false
	}
	at.within = least * promptPart
	return at, true
}

// usual is the call site most acquisitions before an activity were at, if it mostly
// follows them within a length of time.
func (by distances) usual(within int64) (at homeSite, ok bool) {
	total := 0
	for _, list := range by {
		total += len(list)
	}
	for stack, list := range by {
		if float64(len(list)) >= sure*float64(total) && median(list) <= within {
			return homeSite{stack, maxTime}, true
		}
	}
	return homeSite{}, false
}
