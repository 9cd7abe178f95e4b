// Package compare says how two runs differ: which locks, owner call chains
// and chains of waits take more or less of the running time, and which of the
// differences are more than noise. What it compares has the same name in both
// runs: addresses, ids, line numbers and names of single threads are no names.
package compare

import (
	"strings"

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
	rec     bootstrap.Recorder
	sym     *analysis.Symbols
	keys    blame.Resolver
	total   int
	sites   rows            // places at which locks of a class are acquired
	owners  rows            // by call chain, whichever thread ran it and however that is known
	takers  rows            // owners by the method that took the lock, which all recordings tell alike
	chains  rows            // by the signature that `contend chains` prints
	home    blame.ByID[int] // by lock: the first site it was seen at, + 1
	links   map[[2]int]struct{}
	waiters blame.WaiterClasses // of the waiters in queues
	cells   *bootstrap.Cells

	Known     []locks.Named // the places by which locks are known, given by the caller
	ElapsedNs int64         // of the trace, given by the caller; 0: what its instants stand for, or its cells span
	seenNs    int64         // what its instants stand for
}

// rows is a table by some keys and then by names, which several combinations may share.
// The recorder keeps the cells of so many rows and no more; the sums are kept of all.
type rows struct {
	*blame.Rows
	name   func(ids []uint32) string
	named  []int // by combination: its row
	byName map[string]int
	names  []string
	series []int
	ns     []int64
}

func (p *Profile) rows(name func(ids []uint32) string, by ...blame.Key) rows {
	return rows{Rows: blame.NewRows(&p.keys, blame.Columns(by, false)), name: name, byName: map[string]int{}}
}

// row returns the row of a waiter and a share of its time, making it when it is new.
func (r *rows) row(rec *bootstrap.Recorder, lock format.ObjectID, w *analysis.Waiter, sh *analysis.Share) int {
	number := r.Of(lock, w, sh)
	if number < len(r.named) {
		return r.named[number]
	}
	name := r.name(r.IDs(number))
	i, ok := r.byName[name]
	if !ok {
		i = len(r.names)
		r.byName[name] = i
		r.names, r.series, r.ns = append(r.names, name), append(r.series, rec.New()), append(r.ns, 0)
	}
	r.named = append(r.named, i)
	return i
}

// add charges a row with the same part of a slice for each of some waiters, and returns it.
func (r *rows) add(rec *bootstrap.Recorder, s *analysis.Slice, w *analysis.Waiter, sh *analysis.Share, ns int64, waiters int) int {
	i := r.row(rec, s.Lock, w, sh)
	r.ns[i] += ns * int64(waiters)
	rec.Add(r.series[i], s.Start, s.End, ns, waiters)
	return i
}

// Begin implements analysis.Visitor.
func (p *Profile) Begin(sym *analysis.Symbols, start int64) {
	*p = Profile{ElapsedNs: p.ElapsedNs, sym: sym, links: map[[2]int]struct{}{}}
	p.keys.Begin(sym)
	p.waiters = blame.WaiterClassesBy(&p.keys, blame.Columns([]blame.Key{blame.ByWaiterGroup, blame.ByWaiterMethod}, false))
	stable := func(k blame.Key, id uint32) string {
		text, _ := p.keys.Text(k, id)
		return analysis.StableName(text)
	}
	p.sites = p.rows(func(ids []uint32) string {
		return stable(blame.ByClass, ids[0]) + siteOf + stable(blame.ByWaiterMethod, ids[1])
	}, blame.ByClass, blame.ByWaiterMethod)
	p.owners = p.rows(func(ids []uint32) string { return ownerName(p.keys.Text(blame.ByOwnerStack, ids[0])) }, blame.ByOwnerStack)
	p.takers = p.rows(func(ids []uint32) string { return analysis.WithoutLine(stable(blame.ByOwnerSite, ids[0])) }, blame.ByOwnerSite)
	p.chains = p.rows(func(ids []uint32) string {
		signature, _ := p.keys.Text(blame.ByChain, ids[0])
		return signature
	}, blame.ByChain)
	p.rec.Begin(start)
	p.total = p.rec.New()
}

// Running implements analysis.RunningVisitor.
func (p *Profile) Running(from, to, ns int64) { p.rec.Running(from, to, ns) }

// Intervals implements analysis.RunningVisitor.
func (p *Profile) Intervals() (from, length int64) { return p.rec.Intervals() }

// Ticks implements analysis.RunningVisitor.
func (p *Profile) Ticks(n, ns int64) {
	p.seenNs += ns
	p.rec.Ticks(n, ns)
}

// Slice implements analysis.Visitor.
func (p *Profile) Slice(s *analysis.Slice) {
	p.rec.Add(p.total, s.Start, s.End, s.Length(), len(s.Waiters))
	for i := range s.Waiters {
		p.waited(s, &s.Waiters[i], 1)
	}
	for i := range s.Shares {
		sh := &s.Shares[i]
		p.owned(s, sh, len(s.Waiters))
		for rest := s.Waiters; len(rest) > 0; {
			n := p.sym.SameGroup(rest)
			p.chains.add(&p.rec, s, &rest[0], sh, sh.Ns, n)
			rest = rest[n:]
		}
	}
}

// QueueChanged implements analysis.QueueVisitor.
func (p *Profile) QueueChanged(m *analysis.QueueChange) { p.waiters.Change(m) }

// QueueSlice implements analysis.QueueVisitor.
func (p *Profile) QueueSlice(s *analysis.Slice, n int) {
	sh := &s.Shares[0]
	p.rec.Add(p.total, s.Start, s.End, s.Length(), n)
	p.owned(s, sh, n)
	for _, k := range p.waiters.Of(s.Lock) {
		p.waited(s, &k.Waiter, k.Len())
		p.chains.add(&p.rec, s, &k.Waiter, sh, sh.Ns, k.Len())
	}
}

// waited charges the site of a waiter, and notes which other sites are of the same lock.
func (p *Profile) waited(s *analysis.Slice, w *analysis.Waiter, n int) {
	i := p.sites.add(&p.rec, s, w, blame.AnyShare, s.Length(), n)
	home := p.home.At(int(s.Lock))
	switch first := *home - 1; {
	case first < 0:
		*home = i + 1
	case first != i:
		p.links[[2]int{first, i}] = struct{}{}
	}
}

// owned charges the owner of a lock for some waiters.
func (p *Profile) owned(s *analysis.Slice, sh *analysis.Share, waiters int) {
	p.owners.add(&p.rec, s, &s.Waiters[0], sh, sh.Ns, waiters)
	p.takers.add(&p.rec, s, &s.Waiters[0], sh, sh.Ns, waiters)
}

// siteOf stands between the class of a lock and the method that acquires it.
const siteOf = " at "

// callOf stands between a frame and the one that called it.
const callOf = " < "

// ownerName names an owner by its call chain: without line numbers, which any
// edit of a file moves, and without the frames of the lock and the runtime,
// which differ between versions of a JVM. One without frames has a text instead.
func ownerName(text string, frames []format.Frame) string {
	if len(frames) == 0 {
		return text
	}
	var names []string
	for _, f := range frames {
		if !analysis.RuntimeFrame(f) {
			names = append(names, analysis.StableName(analysis.MethodName(f)))
		}
	}
	if len(names) == 0 { // nothing else is known of it
		return analysis.StableName(analysis.MethodName(frames[0]))
	}
	return strings.Join(names, callOf)
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
