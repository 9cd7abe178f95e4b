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
