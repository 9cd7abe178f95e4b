package native

import "contend/format"

// unfolded gives the instants of a stretch to whoever did not ask for all of them
// at once, or did so in the middle of it.
type unfolded struct {
	whole *format.Event  // the stretch; nil when there is none
	rest  format.Samples // of it
	part  int            // of the first tick that is left: 0 is the tick itself

	owners, waiters []format.Party // of the event given last, whose reader may change them
}

func (u *unfolded) begin(ev *format.Event) { u.whole, u.rest, u.part = ev, *ev.Samples, 0 }

// next fills ev with the next event, or with all that is left; false when
// nothing is.
func (u *unfolded) next(ev *format.Event, fold bool) bool {
	for len(u.rest.Ticks) > 0 {
		t := &u.rest.Ticks[0]
		scene := u.rest.Scenes[t.Scene]
		if u.part == 0 && fold && !u.rest.Mixed {
			*ev = format.Event{Kind: format.KindTick, Time: t.Time, Samples: u.all()}
			u.rest.Ticks = nil
			return true
		}
		u.part++
		switch {
		case u.part == 1:
			*ev = format.Event{Kind: format.KindTick, Time: t.Time, Intended: t.Intended, Weight: t.Weight, Live: t.Live, IdleThreads: t.Idle}
			u.rest.Events--
			return true
		case u.part-2 < len(scene):
			*ev = u.rest.Parts[scene[u.part-2]]
			put(ev, t.Time)
			u.owners, u.waiters = append(u.owners[:0], ev.Owners...), append(u.waiters[:0], ev.Waiters...)
			ev.Owners, ev.Waiters = u.owners, u.waiters
			u.rest.Events--
			return true
		}
		u.rest.Ticks, u.part = u.rest.Ticks[1:], 0
	}
	return false
}

// all is what is left of the stretch.
func (u *unfolded) all() *format.Samples {
	*u.whole.Samples = u.rest
	return u.whole.Samples
}
