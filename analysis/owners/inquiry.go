package owners

import (
	"math"
	"runtime"
	"slices"

	"contend/analysis/cores"
	"contend/analysis/internal/column"
	"contend/format"
)

// Locks of one class share their call sites, and at one of these may be most of what
// was done in a trace. So each activity is looked at once for all locks, and for those
// only of which it may tell something: somebody waits for them meanwhile.

// inquiry asks about the call sites of some sections.
type inquiry struct {
	ev    *evidence
	all   []*section
	cells map[uint32]*cells // by input, where there are any
}

// question is a call site, and which sections it is asked about for.
type question struct {
	inputSite
	list siteList
	of   []uint32
}

// mostSections bounds the sections for which a call site is asked about at a time: what is
// remembered of each takes memory.
const mostSections = 1 << 10

// questions returns the call sites that are asked about for any section, those with the most
// activities first.
func (c *inquiry) questions(of func(s *section, ask func(callSite))) (list []*question) {
	open := map[inputSite]*question{}
	for n, s := range c.all {
		of(s, func(at callSite) {
			site := inputSite{at, c.ev.inputOf[s.lock]}
			q := open[site]
			if q == nil || len(q.of) == mostSections {
				q = &question{inputSite: site, list: c.ev.activitiesAt(at, s.lock)}
				open[site], list = q, append(list, q)
			}
			q.of = append(q.of, uint32(n))
		})
	}
	slices.SortStableFunc(list, func(a, b *question) int { return b.list.n - a.list.n })
	return list
}

// divide makes cells of the inputs of which to hold each activity against each lock
// takes longer.
func (c *inquiry) divide(list []*question) {
	looks := map[uint32]int{} // that are saved
	for _, q := range list {
		looks[q.input] += q.list.n * (len(q.of) - 1)
	}
	sections := map[uint32][]uint32{}
	for n, s := range c.all {
		in := c.ev.inputOf[s.lock]
		sections[in] = append(sections[in], uint32(n))
		looks[in] -= len(s.busy)
	}
	c.cells = map[uint32]*cells{}
	for in, some := range sections {
		if looks[in] > 0 {
			c.cells[in] = newCells(c.all, some)
		}
	}
}

// bout is an activity.
type bout struct {
	at         column.Ref
	start, end int64
	thread     format.ThreadID
}

// ask calls f for each call site, several at a time.
func (c *inquiry) ask(list []*question, f func(l *asker, n int)) {
	free := make(chan *asker, runtime.GOMAXPROCS(0))
	for range cap(free) {
		free <- &asker{inquiry: c, slots: make([]uint32, len(c.all))}
	}
	cores.Each(len(list), func(n int) {
		l := <-free
		l.question = list[n]
		f(l, n)
		free <- l
	})()
}

// asker is what one goroutine asks of one call site after the other with.
type asker struct {
	*inquiry
	*question
	slots   []uint32 // by section: which of those that are asked about it is, plus one; 0 for no other
	told    []int    // by which: how many activities there were when it was last told of one
	live    []uint32 // which are still to be told, and some others
	left    int      // how many of them
	room    chunkRoom
	scratch []answer
}

// answer is what is found out about a call site for one section.
type answer struct {
	s section // a copy: each searches from where it found last
	fits
	doubts
	breaks int      // activities that overlap somebody else's acquisition
	ending siteList // those at whose end somebody waits
}

// answers returns an empty answer for each section that is asked about.
func (l *asker) answers() []answer {
	l.scratch = l.scratch[:0]
	for _, s := range l.of {
		l.scratch = append(l.scratch, answer{s: *l.all[s]})
	}
	return l.scratch
}

// over is how many activities those were told of who are to be told no more.
const over = math.MaxInt

// each calls f with each activity at the call site, for each of the sections asked about it
// that it may concern; no more for which f has returned false.
func (l *asker) each(f func(which uint32, a *bout) bool) {
	l.begin()
	cells, near, n := l.cells[l.input], 0, 0
	var a bout
	for a.at = range l.list.all {
		a.start, a.end, a.thread = l.ev.spent(a.at)
		var some []uint32
		if n++; cells != nil {
			some, near = cells.during(near, a.start, a.end)
		}
		if cells != nil && len(some) < l.left {
			for _, s := range some {
				if which := l.slots[s]; which > 0 && l.told[which-1] < n {
					l.tell(which-1, n, f(which-1, &a))
				}
			}
			continue
		}
		l.live = slices.DeleteFunc(l.live, func(which uint32) bool {
			return l.told[which] == over || !l.tell(which, n, f(which, &a))
		})
		if l.left == 0 {
			break
		}
	}
	for _, s := range l.of {
		l.slots[s] = 0
	}
}

// begin has all that are asked about the call site told of the first activity.
func (l *asker) begin() {
	l.live, l.left = l.live[:0], len(l.of)
	l.told = slices.Grow(l.told[:0], len(l.of))[:len(l.of)]
	clear(l.told)
	for which, s := range l.of {
		l.slots[s] = uint32(which) + 1
		l.live = append(l.live, uint32(which))
	}
}

// tell notes that one was told of so many activities, and whether it is to be told more.
func (l *asker) tell(which uint32, n int, more bool) bool {
	if l.told[which] = n; !more {
		l.told[which] = over
		l.left--
	}
	return more
}

// findEndings lists, of the call sites of which it will be asked, the activities at whose
// end somebody waits for the lock.
func (c *inquiry) findEndings() {
	wanted := make([][]callSite, len(c.all))
	cores.Each(len(c.all), func(n int) { wanted[n] = c.ev.unsettled(c.all[n]) })()
	next := 0
	list := c.questions(func(_ *section, ask func(callSite)) {
		for _, at := range wanted[next] {
			ask(at)
		}
		next++
	})
	found := make([][]*siteList, len(list))
	c.ask(list, func(l *asker, n int) { found[n] = l.endings() })
	for n, q := range list {
		for which, ending := range found[n] {
			if ending != nil {
				note(&c.all[q.of[which]].ending, q.callSite, ending)
			}
		}
	}
}

// endings lists them of one call site, for each section; nil where they are so few that
// nothing fits.
func (l *asker) endings() []*siteList {
	answers := l.answers()
	l.each(func(which uint32, a *bout) bool {
		if t := &answers[which]; a.end > a.start && t.s.isBusy(a.end, a.end) {
			t.ending.add(a.at, &l.room)
		}
		return true
	})
	found := make([]*siteList, len(answers))
	for which := range answers {
		if list := answers[which].ending; list.n >= fewestPrompt {
			found[which] = &list
		}
	}
	return found
}

// unsettled returns the call sites of which some of what is done there may be inside: those of
// which singly and strangely ask what ends while somebody waits.
func (ev *evidence) unsettled(s *section) (list []callSite) {
	for at, inside := range s.inside {
		if !inside && !ev.sym.Bare(at.stack) && (ev.mayBeTried(s, at) || ev.leadsThere(s, at)) {
			list = append(list, at)
		} else if _, asked := s.strange[at]; asked && ev.mayBeStrange(s, at) {
			list = append(list, at)
		}
	}
	for at := range s.strange {
		if _, listed := s.inside[at]; !listed && ev.mayBeStrange(s, at) {
			list = append(list, at)
		}
	}
	return list
}
