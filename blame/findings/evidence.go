package findings

import (
	"contend/analysis"
	"contend/blame"
	"contend/blame/locks"
	"contend/format"
	"regexp"
)

// Evidence is a visitor that collects what findings need besides the overview: when each lock
// was waited for and how busy it was, which waiters were overtaken, and waiting for pools and
// monitors. It keeps some 200 bytes for each contended lock, and 100 for each thread that
// waits for one.
type Evidence struct {
	locks.Resources
	sym    *analysis.Symbols
	sites  *blame.Sites
	clock  windowClock
	locks  blame.ByID[*lockEvidence] // nil without waiters
	stacks blame.ByID[stackFacts]
	waitOrder
	monitors
	polling
}

// lockEvidence is what is summed for one lock.
type lockEvidence struct {
	fair          bool // see analysis.Symbols.Fair
	spread        spread
	busy          busyPeriod
	convoy        *convoy // nil if there was none
	reads         *amount // readers waited for readers; nil if none did
	queuedReaders int64   // readers in its long queue
	paused        *amount // waiters and owner were stopped by a collection; nil if none were
}

// amount is some waiting, with the provenance of its owners.
type amount struct {
	ns           int64
	byProvenance analysis.Known
}

// addTo adds to *a and allocates it on first use: most locks never need one.
func addTo(a **amount, p analysis.Provenance, ns int64) {
	if *a == nil {
		*a = &amount{}
	}
	(*a).addWaiting(p, ns)
}

func (a *amount) addWaiting(p analysis.Provenance, ns int64) {
	a.ns += ns
	a.byProvenance.AddWaiting(p, ns)
}

// stackFacts caches the reading method that a stack is in.
type stackFacts struct {
	readKnown  bool
	readMethod string
}

// NewEvidence returns an empty collector. The program's own code is that of blame.NewSites.
func NewEvidence(app *regexp.Regexp) *Evidence {
	return &Evidence{
		sites:     blame.NewSites(app),
		waitOrder: waitOrder{overtakings: map[contender]*overtaking{}},
		polling:   newPolling(app),
	}
}

// Begin implements analysis.Visitor.
func (v *Evidence) Begin(sym *analysis.Symbols, start int64) {
	v.sym, v.clock = sym, windowClock{start: start, width: firstWidth}
	v.sites.Begin(sym)
	v.Resources.Begin(sym, start)
}

// Slice implements analysis.Visitor.
func (v *Evidence) Slice(s *analysis.Slice) {
	v.addSlice(s, int64(len(s.Waiters)), func(*lockEvidence) int64 { return v.readersOf(s.Waiters) })
}

// QueueChanged implements analysis.QueueVisitor: it counts the readers in the queue.
func (v *Evidence) QueueChanged(m *analysis.QueueChange) {
	switch {
	case !v.reader(&m.Waiter):
	case m.Leaves:
		v.lock(m.Lock).queuedReaders--
	default:
		v.lock(m.Lock).queuedReaders++
	}
}

// QueueSlice implements analysis.QueueVisitor.
func (v *Evidence) QueueSlice(s *analysis.Slice, n int) {
	v.addSlice(s, int64(n), func(l *lockEvidence) int64 { return l.queuedReaders })
}

// addSlice adds a slice of n waiters. The function gives the number of readers among them.
func (v *Evidence) addSlice(s *analysis.Slice, n int64, readers func(*lockEvidence) int64) {
	l := v.lock(s.Lock)
	v.clock.extend(s.End, v.locks)
	l.spread.addTime(&v.clock, s.Start, s.End, s.Length()*n, v.sites.Waiter(s.Waiters[0].Stack))
	if !s.Sample.Taken {
		l.busy.addSlice(s, n, &l.convoy, l.fair)
	}
	for i := range s.Shares {
		sh := &s.Shares[i]
		if sh.Direct.Kind != analysis.OwnerThread {
			continue
		}
		if sh.Direct.Did == analysis.ActivityCollected {
			addTo(&l.paused, analysis.Exact, sh.Ns*n)
		} else if what := v.reading(sh.Direct.Stack); what != "" {
			addTo(&l.reads, sh.Direct.Prov, sh.Ns*readers(l))
		}
	}
}

// lock returns the sums of a lock.
func (v *Evidence) lock(id format.ObjectID) *lockEvidence {
	l := v.locks.Entry(int(id))
	if *l == nil {
		*l = &lockEvidence{fair: v.sym.Fair(id)}
	}
	return *l
}

// each calls f for each contended lock, in order of their ids.
func (v *Evidence) each(f func(format.ObjectID, *lockEvidence)) {
	for id, l := range v.locks {
		if l != nil {
			f(format.ObjectID(id), l)
		}
	}
}

// about begins a finding about a lock.
func (v *Evidence) about(k Kind, id format.ObjectID, a *amount) Finding {
	return Finding{
		Kind:         k,
		Lock:         v.sym.LockName(id),
		Class:        v.sym.ClassName(id),
		WaitNs:       a.ns,
		ByProvenance: a.byProvenance,
	}
}
