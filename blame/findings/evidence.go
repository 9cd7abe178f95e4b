package findings

import (
	"strings"

	"contend/analysis"
	"contend/blame"
	"contend/blame/locks"
	"contend/format"
)

// Evidence is a visitor that takes what findings need beside the overview: when
// each lock was waited for and how busy it was, which waiters were passed over, and what
// threads wait for that is no lock. It keeps some 200 bytes a contended lock,
// and 100 for each thread that waits for one.
type Evidence struct {
	locks.Resources
	sym    *analysis.Symbols
	sites  *blame.Sites
	clock  clock
	locks  blame.ByID[*lockSeen] // nil without waiters
	lines  blame.ByID[line]      // by lock
	passed map[queuer]*passing
	stacks blame.ByID[stackSeen]
	storms []storm
	tested int64 // monitors for one
	polling

	requeued int64 // woken together, until each had the monitor again, ns of thread-time
}

// lockSeen is what is summed of one lock.
type lockSeen struct {
	fair   bool // of the JDK's fair locks: it serves in order of arrival
	spread spread
	busy   busy
	convoy *convoy // nil where there was none
	reads  *amount // readers waited for readers; nil where none did
	queued int64   // waiters in its queue that want to read
	paused *amount // waiters and owner were stopped by a collection; nil where none were
}

// amount is some waiting, with how its owners are known.
type amount struct {
	ns           int64
	byProvenance analysis.Known
}

// addTo adds to *a, which it allocates on first use: most locks never need one.
func addTo(a **amount, p analysis.Provenance, ns int64) {
	if *a == nil {
		*a = &amount{}
	}
	(*a).add(p, ns)
}

func (a *amount) add(p analysis.Provenance, ns int64) {
	a.ns += ns
	a.byProvenance.Add(p, ns)
}

// stackSeen is what a stack reads. Each is asked once.
type stackSeen struct {
	read  bool
	reads string
}

// NewEvidence returns an empty collector.
func NewEvidence() *Evidence {
	return &Evidence{polling: newPolling(), sites: blame.NewSites(nil), passed: map[queuer]*passing{}}
}

// Begin implements analysis.Visitor.
func (v *Evidence) Begin(sym *analysis.Symbols, start int64) {
	v.sym, v.clock = sym, clock{start: start, width: firstWidth}
	v.sites.Begin(sym)
	v.Resources.Begin(sym, start)
}

// Slice implements analysis.Visitor.
func (v *Evidence) Slice(s *analysis.Slice) {
	v.add(s, int64(len(s.Waiters)), func(*lockSeen) int64 { return v.readersOf(s.Waiters) })
}

// QueueChanged implements analysis.QueueVisitor: it counts those that want to read.
func (v *Evidence) QueueChanged(m *analysis.QueueChange) {
	switch {
	case !v.reader(&m.Waiter):
	case m.Leaves:
		v.lock(m.Lock).queued--
	default:
		v.lock(m.Lock).queued++
	}
}

// QueueSlice implements analysis.QueueVisitor.
func (v *Evidence) QueueSlice(s *analysis.Slice, n int) {
	v.add(s, int64(n), func(l *lockSeen) int64 { return l.queued })
}

// add adds a slice of n waiters, some of them readers.
func (v *Evidence) add(s *analysis.Slice, n int64, readers func(*lockSeen) int64) {
	l := v.lock(s.Lock)
	v.clock.reach(s.End, v.locks)
	l.spread.add(&v.clock, s.Start, s.End, s.Length()*n, v.sites.Waiter(s.Waiters[0].Stack))
	if !s.Sample.Taken {
		l.busy.add(s, n, &l.convoy, l.fair)
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
func (v *Evidence) lock(id format.ObjectID) *lockSeen {
	l := v.locks.At(int(id))
	if *l == nil {
		*l = &lockSeen{fair: strings.HasSuffix(v.sym.ClassName(id), "$FairSync")}
	}
	return *l
}

// each calls f for each contended lock, in order of their ids.
func (v *Evidence) each(f func(format.ObjectID, *lockSeen)) {
	for id, l := range v.locks {
		if l != nil {
			f(format.ObjectID(id), l)
		}
	}
}

// about begins a finding about a lock.
func (v *Evidence) about(k Kind, id format.ObjectID, a *amount) Finding {
	return Finding{Kind: k, Lock: v.sym.LockName(id), Class: v.sym.ClassName(id), WaitNs: a.ns, ByProvenance: a.byProvenance}
}
