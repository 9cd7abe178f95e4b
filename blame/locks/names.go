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
	taken, waited siteSums
	sym           *analysis.Symbols
}

// siteSums is the waiting by lock and site of one side.
type siteSums struct {
	key  blame.Key
	rows *blame.Rows
	ns   []int64
}

// Named is a lock with the place it is known by, "" where nothing tells, and its waiting in ns.
type Named struct {
	Lock   format.ObjectID
	Site   string
	WaitNs int64
}

// NewNames returns an empty collector; own is the program's own code, see blame.Resolver.App.
func NewNames(own *regexp.Regexp) *Names {
	n := &Names{taken: siteSums{key: blame.ByOwnerSite}, waited: siteSums{key: blame.ByWaiterSite}}
	for _, s := range []*siteSums{&n.taken, &n.waited} {
		s.rows = blame.NewRows(&n.keys, []blame.Key{blame.ByLock, s.key})
	}
	n.keys.App(own)
	return n
}

func (s *siteSums) add(lock format.ObjectID, w *analysis.Waiter, c *blame.Charge, ns int64) {
	i := s.rows.Of(lock, w, c)
	if i == len(s.ns) {
		s.ns = append(s.ns, 0)
	}
	s.ns[i] += ns
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
		switch w := &s.Waiters[i]; { // of a recorded wait the first slice tells all
		case s.Sample.Taken:
			n.waited.add(s.Lock, w, &blame.Charge{}, s.Length())
		case w.First:
			n.waited.add(s.Lock, w, &blame.Charge{}, w.CutNs)
		}
	}
}

// QueueChanged implements analysis.QueueVisitor.
func (n *Names) QueueChanged(*analysis.QueueChange) {}

// QueueSlice implements analysis.QueueVisitor: where its waiters wait was seen when each was first.
func (n *Names) QueueSlice(s *analysis.Slice, waiters int) {
	for i := range s.Shares {
		sh := &s.Shares[i]
		charge := blame.ChargeOf(s.Lock, sh, false)
		n.taken.add(s.Lock, &s.Waiters[0], &charge, sh.Ns*int64(waiters))
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
func (n *Names) most(s *siteSums) map[format.ObjectID]Amount {
	out := map[format.ObjectID]Amount{}
	for i, ns := range s.ns {
		ids := s.rows.IDs(i)
		if blame.Pseudo(ids[1]) {
			continue
		}
		text, _ := n.keys.Text(s.key, ids[1])
		one, best := Amount{text, ns}, out[format.ObjectID(ids[0])]
		if text != analysis.UnknownStack && (best.Text == "" || one.compare(best) < 0) {
			out[format.ObjectID(ids[0])] = one
		}
	}
	return out
}
