package compare

import (
	"strings"

	"contend/analysis"
	"contend/analysis/bootstrap"
	"contend/blame"
	"contend/blame/locks"
	"contend/format"
)

// Profile is a visitor that sums the waiting of one trace in cells of time: by lock, by the
// owner's call chain, and by chain of waits. Adding to an existing row does not allocate.
type Profile struct {
	rec       bootstrap.Recorder
	sym       *analysis.Symbols
	keys      blame.Resolver
	total     int
	tables    []*rows             // all of the next four
	sites     *rows               // by class of locks and method that acquires them
	owners    *rows               // by call chain, for all threads and provenances
	takers    *rows               // owners by the method that acquired the lock, which all recordings show alike
	chains    *rows               // by the signature that `contend chains` prints
	firstSite blame.ByID[int]     // by lock: its first site plus one; 0 for none
	links     map[[2]int]struct{} // pairs of sites of one lock
	cells     *bootstrap.Cells

	Named     []locks.Named // the sites by which locks are known, set by the caller
	ElapsedNs int64         // recorded time, set by the caller; 0: sampledNs, or the span of the cells
	sampledNs int64         // the time that the samples stand for
}

// Begin implements analysis.Visitor.
func (p *Profile) Begin(sym *analysis.Symbols, start int64) {
	*p = Profile{ElapsedNs: p.ElapsedNs, sym: sym, links: map[[2]int]struct{}{}}
	p.keys.Begin(sym)
	stable := func(k blame.Key, id uint32) string {
		text, _ := p.keys.Text(k, id)
		return analysis.StableName(text)
	}
	p.sites = p.rows(func(ids []uint32) string {
		return stable(blame.ByClass, ids[0]) + siteSeparator + stable(blame.ByWaiterMethod, ids[1])
	}, blame.ByClass, blame.ByWaiterMethod)
	p.owners = p.rows(
		func(ids []uint32) string { return ownerName(p.keys.Text(blame.ByOwnerStack, ids[0])) },
		blame.ByOwnerStack,
	)
	p.takers = p.rows(
		func(ids []uint32) string { return analysis.WithoutLine(stable(blame.ByOwnerSite, ids[0])) },
		blame.ByOwnerSite,
	)
	p.chains = p.rows(func(ids []uint32) string {
		signature, _ := p.keys.Text(blame.ByChain, ids[0])
		return signature
	}, blame.ByChain)
	p.tables = []*rows{p.sites, p.owners, p.takers, p.chains}
	p.takers.owned, p.chains.owned = newOwnedBy(), newOwnedBy()
	p.sites.seen = p.link
	p.rec.Begin(start)
	p.total = p.rec.New()
}

// Running implements analysis.RunningVisitor.
func (p *Profile) Running(from, to, ns int64) { p.rec.Running(from, to, ns) }

// Intervals implements analysis.RunningVisitor.
func (p *Profile) Intervals() (from, length int64) { return p.rec.Intervals() }

// Ticks implements analysis.RunningVisitor.
func (p *Profile) Ticks(n, ns int64) {
	p.sampledNs += ns
	p.rec.Ticks(n, ns)
}

// Slice implements analysis.Visitor.
func (p *Profile) Slice(s *analysis.Slice) {
	p.rec.AddTime(p.total, s.Start, s.End, s.Length(), len(s.Waiters))
	for _, table := range p.tables {
		table.Slice(s)
	}
}

// QueueSlice implements analysis.QueueVisitor.
func (p *Profile) QueueSlice(s *analysis.Slice, n int) {
	p.rec.AddTime(p.total, s.Start, s.End, s.Length(), n)
	for _, table := range p.tables {
		table.QueueSlice(s, n)
	}
}

// QueueChanged implements analysis.QueueVisitor.
func (p *Profile) QueueChanged(m *analysis.QueueChange) {
	for _, table := range p.tables {
		table.QueueChanged(m)
	}
}

// link links a site to the first site of the same lock.
func (p *Profile) link(site int, lock format.ObjectID) {
	firstSite := p.firstSite.Entry(int(lock))
	switch first := *firstSite - 1; {
	case first < 0:
		*firstSite = site + 1
	case first != site:
		p.links[[2]int{first, site}] = struct{}{}
	}
}

// siteSeparator separates the class of a lock and the method that acquires it.
const siteSeparator = " at "

// callSeparator separates a frame and its caller.
const callSeparator = " < "

// ownerName names an owner by its call chain: without line numbers, which any edit of a file
// moves, and without the frames of the lock and the runtime, which differ between versions of
// a JVM. An owner without frames is named by the text.
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
	if len(names) == 0 { // the lock and the runtime alone
		return analysis.StableName(analysis.MethodName(frames[0]))
	}
	return strings.Join(names, callSeparator)
}

// elapsed returns the recorded time.
func (p *Profile) elapsed() int64 {
	if p.ElapsedNs > 0 {
		return p.ElapsedNs
	}
	if p.sampledNs > 0 {
		return p.sampledNs
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
