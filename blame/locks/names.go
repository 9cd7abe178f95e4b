package locks

import (
	"cmp"
	"regexp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Names is a visitor that learns the place in the program by which a reader knows each lock:
// the one that Overview tells, without all that an overview sums besides. It allocates nothing
// for a slice that is like one before.
type Names struct {
	keys          blame.Resolver
	taken, waited sums
	sym           *analysis.Symbols
}

// Named is a lock with the place it is known by, "" where nothing tells, and its waiting in ns.
type Named struct {
	Lock   format.ObjectID
	Site   string
	WaitNs int64
}

// NewNames returns an empty collector; own is the program's own code, see blame.Resolver.App.
func NewNames(own *regexp.Regexp) *Names {
	n := &Names{}
	n.taken, n.waited = newSums(&n.keys, blame.ByLock, blame.ByOwnerSite), newSums(&n.keys, blame.ByLock, blame.ByWaiterSite)
	n.keys.App(own)
	return n
}

// Begin implements analysis.Visitor.
func (n *Names) Begin(sym *analysis.Symbols, _ int64) {
	n.sym = sym
	n.keys.Begin(sym)
}

// Slice implements analysis.Visitor.
func (n *Names) Slice(s *analysis.Slice) {
	n.QueueSlice(s, len(s.Waiters))
	for i := range s.Waiters {
		n.waited.wait(s, &s.Waiters[i])
	}
}

// QueueSlice implements analysis.QueueVisitor: where its waiters wait was seen when each was first.
func (n *Names) QueueSlice(s *analysis.Slice, waiters int) {
	for i := range s.Shares {
		n.taken.owe(s.Lock, &s.Waiters[0], &s.Shares[i], s.Shares[i].Ns*int64(waiters))
	}
}

// Heaviest returns the locks with the most waiting, that first, at most so many.
func (n *Names) Heaviest(most int) []Named {
	sums := map[format.ObjectID]int64{}
	for i, ns := range n.taken.ns {
		sums[format.ObjectID(n.taken.rows.IDs(i)[0])] += ns
	}
	list := make([]Named, 0, len(sums))
	for lock, ns := range sums {
		list = append(list, Named{Lock: lock, WaitNs: ns})
	}
	slices.SortFunc(list, func(a, b Named) int { return cmp.Or(cmp.Compare(b.WaitNs, a.WaitNs), cmp.Compare(a.Lock, b.Lock)) })
	list = list[:min(len(list), most)]
	taken, waited := n.most(&n.taken), n.most(&n.waited)
	for i := range list {
		l := &list[i]
		made, told := madeAt(&n.keys, l.Lock)
		if l.Site = cmp.Or(taken[l.Lock].Text, waited[l.Lock].Text); told {
			l.Site = made
		}
	}
	return list
}

// Owner names the owner of a lock by the site that took it, and by what it was at if that is known.
func (n *Names) Owner(lock format.ObjectID, o analysis.Owner) string {
	by := []blame.Key{blame.ByOwnerSite, blame.ByOwnerDoing}
	ids := n.keys.IDs(by, lock, &analysis.Waiter{}, &blame.Charge{Owner: o, Owned: lock})
	site, _ := n.keys.Text(by[0], ids[0])
	if doing := doingOf(ids[1]); doing != blame.DoingUnknown {
		site += ", " + doing.String()
	}
	return site
}

// most returns for each lock the site in the program with the most waiting.
func (n *Names) most(s *sums) map[format.ObjectID]Amount {
	out := map[format.ObjectID]Amount{}
	for i, ns := range s.ns {
		ids := s.rows.IDs(i)
		if blame.Pseudo(ids[1]) {
			continue
		}
		text, _ := n.keys.Text(s.by[1], ids[1])
		one, best := Amount{text, ns}, out[format.ObjectID(ids[0])]
		if text != analysis.UnknownStack && (best.Text == "" || one.compare(best) < 0) {
			out[format.ObjectID(ids[0])] = one
		}
	}
	return out
}
