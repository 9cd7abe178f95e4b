// Package compare says how two runs differ: which locks, owner call chains
// and chains of waits take more or less of the running time, and which of the
// differences are more than noise. What it compares has the same name in both
// runs: addresses, ids, line numbers and names of single threads are no names.
package compare

import (
	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/blame"
	"contend/blame/locks"
	"contend/format"
)

// Profile is a visitor that sums the waiting of one trace in cells of time:
// by lock, by the owner's call chain, and by chain of waits. Adding to a row
// that exists allocates nothing.
type Profile struct {
	rec    bootstrap.Recorder
	sym    *analysis.Symbols
	total  int
	sites  rows[site]
	owners rows[analysis.Owner] // by call chain
	takers rows[uint32]         // owners by the method that took the lock, which all recordings tell alike
	places *blame.Sites
	chains rows[string]
	home   []int // by lock: the first site it was seen at, + 1
	links  map[[2]int]struct{}
	paths  blame.Paths
	kinds  blame.Kinds // of the waiters in queues, by group and method
	cells  *bootstrap.Cells

	Known     []locks.Named // the places by which locks are known, given by the caller
	ElapsedNs int64         // of the trace, given by the caller; 0: what its instants stand for, or its cells span
	seenNs    int64         // what its instants stand for
}

// site is a place at which locks of a class are acquired.
type site struct{ class, method uint32 }

// rows numbers the rows of a table: by what the trace calls them, and then by
// their names, which several keys may share. The recorder keeps the cells of so
// many rows and no more; the sums are kept of all.
type rows[K comparable] struct {
	byKey  map[K]int
	byName map[string]int
	names  []string
	series []int
	ns     []int64
}

// row returns the number of a row, making it when it is new.
func (r *rows[K]) row(key K, rec *bootstrap.Recorder, text func() string) int {
	if i, ok := r.byKey[key]; ok {
		return i
	}
	if r.byKey == nil {
		r.byKey = map[K]int{}
	}
	i := r.named(text(), rec)
	r.byKey[key] = i
	return i
}

// named returns the number of the row of a name, making it when it is new.
func (r *rows[K]) named(name string, rec *bootstrap.Recorder) int {
	i, ok := r.byName[name]
	if !ok {
		if r.byName == nil {
			r.byName = map[string]int{}
		}
		i = len(r.names)
		r.byName[name] = i
		r.names = append(r.names, name)
		r.series = append(r.series, rec.New())
		r.ns = append(r.ns, 0)
	}
	return i
}

// add charges a row with the same part of a slice for each of some waiters.
func (r *rows[K]) add(i int, rec *bootstrap.Recorder, s *analysis.Slice, ns int64, waiters int) {
	r.ns[i] += ns * int64(waiters)
	rec.Add(r.series[i], s.Start, s.End, ns, waiters)
}

// Begin implements analysis.Visitor.
func (p *Profile) Begin(sym *analysis.Symbols, start int64) {
	*p = Profile{ElapsedNs: p.ElapsedNs, sym: sym, links: map[[2]int]struct{}{}}
	p.kinds = blame.NewKinds(func(m *analysis.QueueChange) int { return int(sym.Group(m.Thread))<<32 | int(sym.Method(m.Stack)) })
	p.places = blame.NewSites(nil)
	p.places.Begin(sym)
	p.rec.Begin(start)
	p.total = p.rec.New()
}

// Running implements analysis.RunningVisitor.
func (p *Profile) Running(from, to, ns int64) { p.rec.Running(from, to, ns) }

// Ticks implements analysis.TickVisitor.
func (p *Profile) Ticks(n, ns int64) {
	p.seenNs += ns
	p.rec.Ticks(n, ns)
}

// Slice implements analysis.Visitor.
func (p *Profile) Slice(s *analysis.Slice) {
	p.rec.Add(p.total, s.Start, s.End, s.Length(), len(s.Waiters))
	for i := range s.Waiters {
		p.sites.add(p.site(s.Lock, s.Waiters[i].Stack), &p.rec, s, s.Length(), 1)
	}
	for i := range s.Shares {
		sh := &s.Shares[i]
		p.owned(s, sh, len(s.Waiters))
		for rest := s.Waiters; len(rest) > 0; {
			n := p.sym.SameGroup(rest)
			p.chains.add(p.chain(rest[0].Thread, s.Lock, sh), &p.rec, s, sh.Ns, n)
			rest = rest[n:]
		}
	}
}

// QueueChanged implements analysis.QueueVisitor.
func (p *Profile) QueueChanged(m *analysis.QueueChange) { p.kinds.Change(m) }

// QueueSlice implements analysis.QueueVisitor.
func (p *Profile) QueueSlice(s *analysis.Slice, n int) {
	sh := &s.Shares[0]
	p.rec.Add(p.total, s.Start, s.End, s.Length(), n)
	p.owned(s, sh, n)
	for _, k := range p.kinds.Of(s.Lock) {
		p.sites.add(p.site(s.Lock, k.Stack), &p.rec, s, s.Length(), k.Len())
		p.chains.add(p.chain(k.Thread, s.Lock, sh), &p.rec, s, sh.Ns, k.Len())
	}
}

// site returns the row of the place where a lock is waited for, and notes that
// it is the same lock as elsewhere.
func (p *Profile) site(lock format.ObjectID, stack format.StackID) int {
	key := site{p.sym.Class(lock), p.sym.Method(stack)}
	i := p.sites.row(key, &p.rec, func() string {
		return blame.StableName(p.sym.Classes().Name(key.class)) + siteOf + blame.StableName(p.sym.Methods().Name(key.method))
	})
	for len(p.home) <= int(lock) {
		p.home = append(p.home, 0)
	}
	switch first := p.home[lock] - 1; {
	case first < 0:
		p.home[lock] = i + 1
	case first != i:
		p.links[[2]int{first, i}] = struct{}{}
	}
	return i
}

// siteOf stands between the class of a lock and the method that acquires it.
const siteOf = " at "

// owned charges the owner of a lock for some waiters.
func (p *Profile) owned(s *analysis.Slice, sh *analysis.Share, waiters int) {
	p.owners.add(p.owner(sh.Direct), &p.rec, s, sh.Ns, waiters)
	p.takers.add(p.taker(sh.Direct, s.Lock), &p.rec, s, sh.Ns, waiters)
}

// noThread is the bit of a key of takers that is no site but a kind of pseudo owner.
const noThread = 1 << 31

// taker returns the row of the method that took a lock, or of a pseudo owner.
func (p *Profile) taker(o analysis.Owner, lock format.ObjectID) int {
	if o.Kind != analysis.OwnerThread {
		return p.takers.row(noThread|uint32(o.Kind)<<24|uint32(o.Cycle)&0xffffff, &p.rec, func() string { return p.sym.OwnerText(o) })
	}
	at := p.places.Owner(o.Stack, lock)
	return p.takers.row(at, &p.rec, func() string { return blame.StableName(blame.WithoutLine(p.places.Names().Name(at))) })
}

func (p *Profile) owner(o analysis.Owner) int {
	o.Thread, o.Prov = format.NoThread, analysis.Exact // a call chain, whichever thread ran it and however that is known
	return p.owners.row(o, &p.rec, func() string { return ownerName(p.sym, o) })
}

// chain returns the row of a path through the wait-for graph, which has the
// signature `contend chains` prints.
func (p *Profile) chain(t format.ThreadID, lock format.ObjectID, sh *analysis.Share) int {
	return p.paths.Number(p.sym, t, lock, sh, len(p.chains.names), func(steps []blame.Step) int {
		return p.chains.named(blame.Signature(steps), &p.rec)
	})
}

// elapsed returns how long the trace was recorded.
func (p *Profile) elapsed() int64 {
	if p.ElapsedNs > 0 {
		return p.ElapsedNs
	}
	if p.seenNs > 0 {
		return p.seenNs
	}
	return p.finish().Span()
}

// finish closes the recording, once.
func (p *Profile) finish() *bootstrap.Cells {
	if p.cells == nil {
		p.cells = p.rec.Finish()
	}
	return p.cells
}
