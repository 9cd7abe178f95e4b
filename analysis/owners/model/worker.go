package model

// worker is what one goroutine that works on a class keeps from gap to gap and from lock to
// lock. Each field is a machine of its own; the worker only connects them.
type worker struct {
	class    *Class
	stacks   stackIndex  // sites by stack
	lock     lockView    // the lock at hand: its waits and users
	cutter   cutter      // its gaps
	batch    []gap       // gaps that are observed together
	observer observer    // what its users do in them
	recent   recentUsers // which of them acquired it last, by site

	evidence evidence // of the gap at hand
	hidden   bool     // without dumps and samples
	chain    chain    // the hidden Markov chain through the gap
	room     posterior
	shapes   shapeCache // posteriors that gaps share
}

// worker returns one for the sites of the class as they are now. release keeps it for later,
// with the waits that it has at hand.
func (c *Class) worker() *worker {
	k, _ := c.workers.Get().(*worker)
	if k == nil {
		k = &worker{class: c}
		k.observer = observer{program: c.program, stacks: &k.stacks, lock: &k.lock}
	}
	if n := len(c.sites); k.stacks.class == nil || len(k.room.site) != n {
		k.stacks = newStackIndex(c)
		k.lock.users.sites = -1 // not those of the sites
		k.chain.reset(c)
		k.room.site = make([]byCell, n)
	}
	return k
}

func (k *worker) release() {
	k.hide(false)
	k.class.workers.Put(k)
}

// hide hides dumps and samples from the model, or shows them.
func (k *worker) hide(hidden bool) { k.hidden, k.observer.noSamples = hidden, hidden }

// gaps cuts the waiting for a lock into gaps and calls take for the wanted ones, in order of
// time. A gap is valid during the call only.
func (k *worker) gaps(l *Lock, wanted func(*gap) bool, take func(*gap)) {
	k.lock.load(k.class, l)
	k.observer.reset()
	k.recent.reset(len(k.class.sites))
	k.cutter.reset(&k.lock, func(w *Wait) int {
		s := k.stacks.siteOf(w.Stack)
		k.recent.pending = append(k.recent.pending, acquisition{w.End, w.user, s})
		return s
	})
	n := 0
	flush := func() {
		k.observer.observe(k.batch[:n])
		for i := range k.batch[:n] {
			k.recent.advance(k.batch[i].from)
			take(&k.batch[i])
		}
		k.recent.forget()
		n = 0
	}
	k.cutter.cut(func(g *gap) {
		if !wanted(g) {
			return
		}
		if n == len(k.batch) {
			k.batch = append(k.batch, gap{}) // most locks have few
		}
		to := &k.batch[n]
		blocked, seen := to.blocked[:0], to.seen[:0]
		*to = *g
		to.blocked, to.seen = append(blocked, k.cutter.start...), seen
		if n++; n == batchGaps {
			flush()
		}
	})
	flush()
}
