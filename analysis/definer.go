package analysis

import "contend/format"

// definer adds to what the visitors look up: it waits until they have heard
// all that was booked under the definitions as they are.
type definer struct {
	defs *definitions
	out  *dispatcher
}

// define takes a metadata event.
func (d definer) define(ev *format.Event) {
	d.out.wait()
	d.defs.add(ev)
}

// input begins the next input of the trace.
func (d definer) input(label string) {
	d.out.wait()
	d.defs.input(label)
}

// use takes what any other event shows of threads, locks and stacks.
func (d definer) use(ev *format.Event) {
	d.defs.named.add(ev)
	switch ev.Kind {
	case format.KindWait, format.KindTenure:
		d.met(&d.defs.acquisitions, Acquiring, ev.Stack, ev.Object)
	case format.KindRelease:
		d.met(&d.defs.releases, Releasing, ev.Stack, ev.Object)
	case format.KindActivity:
		if ev.Activity == format.ActivityTook {
			d.met(&d.defs.acquisitions, Acquiring, ev.Stack, ev.Object)
			return
		}
		d.seen(ev.Stack, Did(ev.Activity))
	case format.KindContention:
		for i := range ev.Waiters {
			d.met(&d.defs.acquisitions, Acquiring, ev.Waiters[i].Stack, ev.Object)
		}
	}
}

// met notes that a stack was seen taking a lock, or giving it back.
func (d definer) met(list *pairs, what Uses, id format.StackID, lock format.ObjectID) {
	if a := (Acquisition{id, lock}); id != format.NoStack && !list.has(a) {
		d.out.wait()
		list.add(a)
		d.defs.use(id, what)
	}
}

func (d definer) seen(id format.StackID, what Uses) {
	if id != format.NoStack && !d.defs.Uses(id).Has(what) {
		d.out.wait()
		d.defs.use(id, what)
	}
}

// bound drops ids no decoder of ours gives, so that a wild one cannot make
// a table of gigabytes. Tables grow with the largest id.
func bound(ev *format.Event) {
	if max(uint32(ev.Thread), uint32(ev.Owner), uint32(ev.Woken), uint32(ev.Object), uint32(ev.Stack)) <= maxSymbol {
		return
	}
	for _, id := range [...]*uint32{(*uint32)(&ev.Thread), (*uint32)(&ev.Owner), (*uint32)(&ev.Woken), (*uint32)(&ev.Object), (*uint32)(&ev.Stack)} {
		if *id > maxSymbol {
			*id = 0
		}
	}
}
