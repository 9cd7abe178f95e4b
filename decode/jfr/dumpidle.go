package jfr

import (
	"cmp"
	"slices"
	"sort"

	"contend/format"
	"contend/format/column"
)

// idleSpell is the time between two successive dumps that show a thread in the same idle stack.
type idleSpell struct {
	thread   format.ThreadID
	from, to int64
	stack    format.StackID
	resource bool
	recorded bool // a wait of the thread was recorded meanwhile
}

// idle delivers the idle time between dumps, of which one is of the chunk before: a thread that stays
// parked writes no event. A thread that wrote one in the meantime did not stay parked, or that event
// says for how long.
func (d *dumpTimes) idle(queue *format.Queue) {
	spells := d.spells()
	check := func(_ column.Ref, w *recordedWait) {
		i := sort.Search(len(spells), func(i int) bool {
			s := &spells[i]
			return s.thread > w.thread || s.thread == w.thread && s.to > w.start
		})
		for ; i < len(spells) && spells[i].thread == w.thread && spells[i].from < w.end; i++ {
			spells[i].recorded = true
		}
	}
	if len(spells) > 0 {
		d.before.Each(check)
		d.waits.Each(check)
	}
	for _, s := range spells {
		if !s.recorded {
			queue.Push(
				format.Event{
					Kind:     format.KindActivity,
					Activity: format.ActivityPark,
					Thread:   s.thread,
					Time:     s.from,
					End:      s.to,
					Stack:    s.stack,
					Resource: s.resource,
				},
			)
		}
	}
}

// spells returns the idle time between successive dumps, by thread and time. Dumps are not recorded in the order of
// their times.
func (d *dumpTimes) spells() (list []idleSpell) {
	type place struct {
		dump   *undatedDump
		before bool // of the chunk before
	}
	places := make([]place, len(d.dumps.list))
	for i := range places {
		places[i] = place{&d.dumps.list[i], i < d.dumps.before}
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.dump.asked, b.dump.asked) })
	last := map[format.ThreadID]idleSpell{}
	for i, p := range places {
		now := make(map[format.ThreadID]idleSpell, len(last))
		for _, t := range p.dump.threads {
			if t.idle == format.NoStack {
				continue
			}
			was, idle := last[t.thread]
			if idle && was.stack == t.idle && was.from < p.dump.asked && (p.before || places[i-1].before) {
				was.to = p.dump.asked
				list = append(list, was)
			}
			now[t.thread] = idleSpell{thread: t.thread, from: p.dump.asked, stack: t.idle, resource: t.resource}
		}
		last = now
	}
	slices.SortFunc(list, func(a, b idleSpell) int {
		return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.from, b.from))
	})
	return list
}
