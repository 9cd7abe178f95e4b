package analysis

import "contend/format"

// Definer records the names and uses of threads, locks and stacks while the trace is read.
// Visitors read these concurrently, so it calls Changing before it changes anything.
type Definer struct {
	Changing    func() // returns once no visitor runs
	definitions *definitions
}

// NewDefiner returns a definer of a trace that names nothing yet.
func NewDefiner() *Definer { return &Definer{func() {}, newDefinitions()} }

// Symbols returns the symbols of the trace; one goroutine may use them at a time.
func (d *Definer) Symbols() *Symbols { return &Symbols{definitions: d.definitions} }

// Define records a metadata event.
func (d *Definer) Define(ev *format.Event) {
	d.Changing()
	d.definitions.define(ev)
}

// NextInput begins the next input of the trace.
func (d *Definer) NextInput(label string) {
	d.Changing()
	d.definitions.input(label)
}

// Moved notes that a lock was recorded at several addresses.
func (d *Definer) Moved(lock format.ObjectID, addresses int) {
	d.definitions.objects[lock].Addresses = addresses
}

// Use records how any other event uses threads, locks and stacks.
func (d *Definer) Use(ev *format.Event) {
	d.definitions.named.markUsed(ev)
	switch ev.Kind {
	case format.KindWait, format.KindTenure:
		d.addPair(&d.definitions.acquisitions, Acquiring, ev.Stack, ev.Object)
	case format.KindRelease:
		if ev.Object == format.NoObject {
			return // not of a lock
		}
		d.addPair(&d.definitions.releases, Releasing, ev.Stack, ev.Object)
	case format.KindActivity:
		if ev.Activity == format.ActivityTook {
			d.addPair(&d.definitions.acquisitions, Acquiring, ev.Stack, ev.Object)
			return
		}
		d.addUse(ev.Stack, Did(ev.Activity))
	case format.KindContention:
		for i := range ev.Waiters {
			d.addPair(&d.definitions.acquisitions, Acquiring, ev.Waiters[i].Stack, ev.Object)
		}
	}
}

// addPair records that a stack acquires or releases a lock.
func (d *Definer) addPair(list *pairs, what Uses, id format.StackID, lock format.ObjectID) {
	if a := (Acquisition{id, lock}); id != format.NoStack && !list.has(a) {
		d.Changing()
		list.appendPair(a)
		d.definitions.use(id, what)
	}
}

// addUse records a use of a stack.
func (d *Definer) addUse(id format.StackID, what Uses) {
	if id != format.NoStack && !d.definitions.Uses(id).Has(what) {
		d.Changing()
		d.definitions.use(id, what)
	}
}

// NewSymbols returns the symbols that metadata events define, for tests.
func NewSymbols(events ...*format.Event) *Symbols {
	d := NewDefiner()
	for _, ev := range events {
		d.Define(ev)
	}
	return d.Symbols()
}
