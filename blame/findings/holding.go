package findings

import (
	"contend/analysis"
	"contend/blame"
	"contend/blame/locks"
)

// whileHolding returns the findings about activities of owners while they held a lock, among those
// that matter the proven ones, or else those that rest too much on guesses.
func whileHolding(c *locks.Overview, list []locks.Lock, t *Trace, proven bool) (out []Finding) {
	trapped := trappedLocks(*t)
	isTrapped := func(l *locks.Lock) bool { return trapped[l.Name] }
	for _, g := range grouped(list, isTrapped) {
		for j := range g.lock.Owners {
			for k := range kinds {
				f, ok := ownerFinding(Kind(k), &g.lock, &g.lock.Owners[j])
				if !ok || k == int(BlockedHolding) && isTrapped(&g.lock) {
					continue // the deadlock is a finding already
				}
				if g.n > 1 {
					f.Locks = g.n
				}
				f.Share = analysis.Ratio(f.WaitNs, c.TotalNs())
				if t.matters(&f) && t.worthWhile(&f) == proven {
					f.Confidence = confidence(&f)
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// ownerFinding sums the activities of the owners at a site that are of a kind; false if there
// are none.
func ownerFinding(k Kind, l *locks.Lock, o *locks.Owner) (f Finding, ok bool) {
	if kinds[k].doing == blame.DoingUnknown {
		return f, false
	}
	f = Finding{Kind: k, Lock: l.Name, Class: l.Class, Owner: o.Site}
	rootNs := int64(0)
	for i := range o.Doing {
		d := &o.Doing[i]
		if d.What != kinds[k].doing.String() {
			continue
		}
		f.WaitNs += d.WaitNs
		f.ByProvenance.AddAll(&d.ByProvenance)
		if d.Root.WaitNs > rootNs {
			f.Root, rootNs = d.Root.Text, d.Root.WaitNs
		}
	}
	return f, f.WaitNs > 0
}

// trappedLocks returns the names of the locks in deadlocks and of their classes.
func trappedLocks(t Trace) map[string]bool {
	m := map[string]bool{}
	for _, d := range t.Deadlocks {
		for _, l := range d.Cycle {
			m[t.Symbols.LockName(l.Lock)], m[t.Symbols.ClassName(l.Lock)] = true, true
		}
	}
	return m
}
