package decode

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"contend/decode/rules"
	"contend/format"
	"contend/format/human"
)

// declared turns activities at sites that rules declare as locks into waits: such a lock,
// made of a compareAndSet and a sleep, leaves no event of its own. A recorded sleep is a
// wait; successive sleeps are one wait. A site at which threads spin is known at instants
// only: each stands for the time halfway to its neighbours. In sampled inputs these
// instants are contention events.
//
// Each rule is one lock. The ids of the input's locks follow those of the rules.
type declared struct {
	Source
	rules *rules.Table
	locks format.ObjectID // how many rules declare one

	defined []bool // by rule
	sites   map[format.StackID]rules.Site
	unnamed map[format.ObjectID]bool // locks without a class in the input
	open    map[format.ThreadID]*declaredWait
	seen    observations
	held    []heldWhile
	sampled bool
	instant []format.Event // in a sampled input: the locks of the current instant
	queue   []format.Event // to be delivered before more is read
	ended   error
	shows   bool  // the input shows threads that sleep or run
	guessed int   // instants that waits were made of
	half    int64 // half of the 95 % interval of their length, ns
}

// declaredWait is a recorded wait at a site that may go on.
type declaredWait struct {
	event  format.Event
	length int64 // of its last part
}

// heldWhile is when threads wait at a declared site: some thread holds the lock, but it is
// not known which.
type heldWhile struct {
	lock     format.ObjectID
	from, to int64
}

// declare wraps a source if the rules declare sites; else it returns nil.
func declare(src Source, t *rules.Table) *declared {
	if t == nil || t.Sites() == 0 {
		return nil
	}
	return &declared{
		Source:  src,
		rules:   t,
		locks:   format.ObjectID(t.Sites()),
		defined: make([]bool, t.Sites()),
		sites:   map[format.StackID]rules.Site{},
		unnamed: map[format.ObjectID]bool{},
		open:    map[format.ThreadID]*declaredWait{},
	}
}

// Read implements format.Source.
func (d *declared) Read(ev *format.Event) error {
	for {
		if len(d.queue) > 0 {
			*ev = d.queue[0]
			d.queue = d.queue[1:]
			return nil
		}
		if d.ended != nil {
			return d.ended
		}
		err := d.Source.Read(ev)
		if len(d.instant) > 0 && (err != nil || ev.Kind != format.KindActivity || ev.Time != d.instant[0].Time) {
			d.queue = append(d.queue, d.instant...)
			d.instant = d.instant[:0]
		}
		if err != nil {
			if d.ended = err; errors.Is(err, io.EOF) {
				d.finish()
			}
			continue
		}
		if d.readEvent(ev) {
			continue
		}
		if len(d.queue) == 0 {
			return nil
		}
		d.push(ev) // after what precedes it
	}
}

// push queues an event that a reader may fill again.
func (d *declared) push(ev *format.Event) {
	var kept format.List
	_ = kept.Write(ev)
	d.queue = append(d.queue, kept.Events...)
}

// readEvent reads an event. It returns true if the event is replaced or delayed.
func (d *declared) readEvent(ev *format.Event) bool {
	if ev.Object != format.NoObject {
		ev.Object += d.locks
	}
	switch ev.Kind {
	case format.KindStack:
		if s, ok := d.rules.Site(ev.Frames); ok {
			d.sites[ev.Stack] = s
			ev.Frames = ev.Frames[s.Frame:]
		}
	case format.KindObject:
		d.unnamed[ev.Object] = ev.Class == "" || ev.Class == noClass
	case format.KindTick:
		d.sampled = true
	case format.KindWait, format.KindActivity:
		return d.does(ev)
	}
	return false
}

// noClass is the class that decoders give to a lock of unknown class.
const noClass = "[unknown class]"

// does reads an activity or a wait.
func (d *declared) does(ev *format.Event) bool {
	switch ev.Activity {
	case format.ActivitySleep, format.ActivityRun, format.ActivityRunnable, format.ActivitySeen:
		d.shows = true
	}
	s, at := d.sites[ev.Stack]
	if !at || !d.waits(ev) {
		d.flush(ev.Thread)
		d.elsewhere(ev)
		return false
	}
	d.define(&s)
	switch {
	case ev.End > ev.Time:
		d.join(ev, &s)
	case d.sampled:
		d.show(ev, &s)
	default:
		d.seen = append(d.seen, observation{ev.Thread, ev.Stack, ev.Time})
	}
	return true
}

// show adds a thread that is sampled at a site to the waiters of that instant.
func (d *declared) show(ev *format.Event, s *rules.Site) {
	lock, waiter := format.ObjectID(s.Rule+1), format.Party{Thread: ev.Thread, Stack: ev.Stack, Mode: s.Result.Mode}
	i := slices.IndexFunc(d.instant, func(o format.Event) bool { return o.Object == lock })
	if i < 0 {
		i = len(d.instant)
		d.instant = append(
			d.instant,
			format.Event{Kind: format.KindContention, Time: ev.Time, Object: lock, Owners: []format.Party{{}}},
		) // some thread owns it
	}
	d.instant[i].Waiters = append(d.instant[i].Waiters, waiter)
}

// waits reports whether a thread at a site waits there, and not for a lock or resource with
// a name.
func (d *declared) waits(ev *format.Event) bool {
	if ev.Kind == format.KindWait || ev.Activity == format.ActivityPark || ev.Activity == format.ActivityUnknown {
		return !ev.Resource && (ev.Object == format.NoObject || d.unnamed[ev.Object])
	}
	switch ev.Activity {
	case format.ActivitySleep:
		return true
	case format.ActivityRun, format.ActivityRunnable, format.ActivitySeen:
		return ev.End == ev.Time
	}
	return false
}

// elsewhere notes that a thread is at no site.
func (d *declared) elsewhere(ev *format.Event) {
	if d.sampled || ev.Activity == format.ActivityLive || ev.Activity == format.ActivityTook {
		return
	}
	d.seen = append(d.seen, observation{thread: ev.Thread, at: ev.Time})
	if ev.End > ev.Time {
		d.seen = append(d.seen, observation{thread: ev.Thread, at: ev.End})
	}
}

// define delivers the lock of a site before its first use.
func (d *declared) define(s *rules.Site) {
	if !d.defined[s.Rule] {
		d.defined[s.Rule] = true
		d.queue = append(
			d.queue,
			format.Event{
				Kind:     format.KindObject,
				Object:   format.ObjectID(s.Rule + 1),
				Class:    s.Name,
				LockKind: s.Result.Kind,
			},
		)
	}
}

// retryGap is the divisor of a try's duration that gives the longest gap to the next try of
// the same wait.
const retryGap = 8

// join adds a wait at a site. An interval that follows another one at once is a further try
// of the same wait.
func (d *declared) join(ev *format.Event, s *rules.Site) {
	lock := format.ObjectID(s.Rule + 1)
	w := d.open[ev.Thread]
	if w == nil || w.event.Object != lock || w.event.Stack != ev.Stack || ev.Time < w.event.End ||
		ev.Time-w.event.End > w.length/retryGap {
		d.flush(ev.Thread)
		w = &declaredWait{
			event: format.Event{
				Kind:   format.KindWait,
				Thread: ev.Thread,
				Object: lock,
				Mode:   s.Result.Mode,
				Time:   ev.Time,
				Stack:  ev.Stack,
			},
		}
		d.open[ev.Thread] = w
	}
	w.event.End, w.length = ev.End, ev.End-ev.Time
}

// flush delivers the wait of a thread.
func (d *declared) flush(t format.ThreadID) {
	if w := d.open[t]; w != nil {
		delete(d.open, t)
		d.wait(w.event)
		d.seen = append(d.seen, observation{thread: t, at: w.event.Time}, observation{thread: t, at: w.event.End})
	}
}

// wait delivers a wait.
func (d *declared) wait(ev format.Event) {
	d.queue = append(d.queue, ev)
	d.held = append(d.held, heldWhile{ev.Object, ev.Time, ev.End})
}

// holds delivers that the locks were held, by a thread that is not known, while others
// waited for them.
func (d *declared) holds() {
	slices.SortFunc(
		d.held,
		func(a, b heldWhile) int { return cmp.Or(cmp.Compare(a.lock, b.lock), cmp.Compare(a.from, b.from)) },
	)
	for i := 0; i < len(d.held); {
		h := d.held[i]
		for i++; i < len(d.held) && d.held[i].lock == h.lock && d.held[i].from <= h.to; i++ {
			h.to = max(h.to, d.held[i].to)
		}
		d.queue = append(d.queue, format.Event{Kind: format.KindTenure, Object: h.lock, Time: h.from, End: h.to})
	}
	d.held = nil
}

// finish delivers the waits that are left: recorded ones, and those made of instants.
func (d *declared) finish() {
	for t := range d.open {
		d.flush(t)
	}
	slices.SortFunc(d.queue, func(a, b format.Event) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Thread, b.Thread))
	})
	d.seen.sort()
	reach, spread := d.seen.reach(), d.seen.spread()
	var w format.Event
	var ns int64
	for i, o := range d.seen {
		if o.stack == format.NoStack {
			continue
		}
		from, to := d.seen.around(i, reach)
		d.guessed++
		ns += to - from
		if w.Thread == o.thread && w.Stack == o.stack && from-w.End <= 1 { // 1 is lost in halving
			w.End = to
			continue
		}
		if w.End > w.Time {
			d.wait(w)
		}
		s := d.sites[o.stack]
		w = format.Event{
			Kind:   format.KindWait,
			Thread: o.thread,
			Object: format.ObjectID(s.Rule + 1),
			Mode:   s.Result.Mode,
			Time:   from,
			End:    to,
			Stack:  o.stack,
		}
	}
	if w.End > w.Time {
		d.wait(w)
	}
	d.seen, d.half = nil, int64(spread*float64(ns))
	d.holds()
}

// Stats implements Source: waits made of instants are estimates.
func (d *declared) Stats() format.Stats {
	s := d.Source.Stats()
	if d.guessed > 0 {
		s.Warnings = append(slices.Clip(s.Warnings), format.Warning{
			Code:   format.CodeDeclaredSites,
			Hidden: d.half,
			Text: fmt.Sprintf(
				"waits at declared sites are estimated from %s of threads that run there; their number and "+
					"durations are unknown",
				human.Some(d.guessed, "sample", "samples"),
			),
		})
	}
	return s
}

// blind reports whether sites are declared and the input cannot show threads at them.
func (d *declared) blind() bool { return d != nil && !d.shows && !slices.Contains(d.defined, true) }
