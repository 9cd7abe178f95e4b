package analysis

import "contend/format"

// definer adds definitions. Before it changes one it waits until the visitors have received
// everything booked under the old ones.
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

// use records how any other event uses threads, locks and stacks.
func (d definer) use(ev *format.Event) {
	d.defs.named.add(ev)
	switch ev.Kind {
	case format.KindWait, format.KindTenure:
		d.addPair(&d.defs.acquisitions, Acquiring, ev.Stack, ev.Object)
	case format.KindRelease:
		if ev.Object == format.NoObject {
			return // of what is no lock
		}
		d.addPair(&d.defs.releases, Releasing, ev.Stack, ev.Object)
	case format.KindActivity:
		if ev.Activity == format.ActivityTook {
			d.addPair(&d.defs.acquisitions, Acquiring, ev.Stack, ev.Object)
			return
		}
		d.addUse(ev.Stack, Did(ev.Activity))
	case format.KindContention:
		for i := range ev.Waiters {
			d.addPair(&d.defs.acquisitions, Acquiring, ev.Waiters[i].Stack, ev.Object)
		}
	}
}

// addPair records that a stack acquires or releases a lock.
func (d definer) addPair(list *pairs, what Uses, id format.StackID, lock format.ObjectID) {
	if a := (Acquisition{id, lock}); id != format.NoStack && !list.has(a) {
		d.out.wait()
		list.add(a)
		d.defs.use(id, what)
	}
}

// addUse records a use of a stack.
func (d definer) addUse(id format.StackID, what Uses) {
	if id != format.NoStack && !d.defs.Uses(id).Has(what) {
		d.out.wait()
		d.defs.use(id, what)
	}
}

// bound clears ids that no decoder of ours gives. Tables grow with the largest id, so a
// wild id would cost gigabytes.
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
