package owners

import (
	"runtime"

	"contend/analysis/cores"
	"contend/analysis/internal/column"
	"contend/format"
)

// callSite is a point of the program: a stack and, since one line may enter
// several locks, what was waited for there.
type callSite struct {
	stack format.StackID
	lock  format.ObjectID
}

// callSites lists the activities at each call site of each input, as they lie
// in memory: they are many, and who counts them goes through all.
type callSites struct {
	lists []siteList
	index map[inputSite]int
}

// inputSite is a call site of one input: what a program did in one run tells
// nothing of another.
type inputSite struct {
	callSite
	input uint32
}

// at returns the activities at a call site.
func (p *callSites) at(site inputSite) siteList {
	if n, ok := p.index[site]; ok {
		return p.lists[n]
	}
	return siteList{}
}

// siteTimes are the activities at a call site by how long they took, each list up to twice as
// long as the one before, by start.
type siteTimes [64][]timed

type timed struct {
	start int64
	at    column.Ref
}

// fill lists what all threads did, on all cores: each takes successive ones, whose
// lists then follow one another.
func (p *callSites) fill(r *Record, s *store) {
	shares := s.shares(runtime.GOMAXPROCS(0))
	found := make([]siteFinder, len(shares))
	cores.Each(len(shares), func(i int) {
		f := siteFinder{Record: r, store: s, known: make([]knownSite, 2*len(s.what))}
		f.visit(shares[i])
		f.known = nil
		found[i] = f
	})()
	*p = found[0].callSites
	for i := range found[1:] {
		p.join(&found[1+i].callSites)
	}
}

// join appends what others list.
func (p *callSites) join(o *callSites) {
	sites := make([]inputSite, len(o.lists))
	for at, n := range o.index {
		sites[n] = at
	}
	for n, at := range sites {
		p.lists[p.number(at)].join(&o.lists[n])
	}
}

// number returns the dense number of a call site.
func (p *callSites) number(at inputSite) int {
	n, ok := p.index[at]
	if !ok {
		if p.index == nil {
			p.index = map[inputSite]int{}
		}
		n = len(p.lists)
		p.index[at] = n
		p.lists = append(p.lists, siteList{})
	}
	return n
}

// siteFinder lists what some threads did.
type siteFinder struct {
	callSites
	*Record
	*store
	room  chunkRoom
	known []knownSite // by doer, of what is no wait and of waits in turns
}

// threads are those from one to before another.
type threads struct{ from, to format.ThreadID }

// shares deals all threads out in so many shares, in order, that did about as much.
func (s *store) shares(n int) []threads {
	total, did := 0, 0
	for _, k := range s.count {
		total += int(k)
	}
	list := make([]threads, 0, n)
	var share threads
	for t, k := range s.count {
		if share.to = format.ThreadID(t) + 1; did > 0 && did*n >= total*(len(list)+1) {
			share.to--
			list = append(list, share)
			share = threads{share.to, share.to + 1}
		}
		did += int(k)
	}
	return append(list, share)
}

// visit lists what has a stack and some length.
func (f *siteFinder) visit(share threads) {
	for t := share.from; t < share.to; t++ {
		done := uint32(0)
		if int(t) < len(f.doneIn) {
			done = f.doneIn[t]
		}
		for of := f.Scan(f.Of(t)); of.Next(); {
			if of.End <= of.Start {
				continue
			}
			if list := f.of(of.number(), of.IsWait(), done); list >= 0 {
				f.lists[list].add(of.at, &f.room)
			}
		}
	}
}

// knownSite is the number of the call site of a doer in an input, plus one; 0 where
// it has no stack.
type knownSite struct {
	asked bool
	input uint32
	list  int32
}

// of returns the number of the call site of a doer, -1 for none. Doers are few, and
// those of waits are of one input; so are mostly those of what a thread did else, of
// which done is the input.
func (f *siteFinder) of(doer uint32, wait bool, done uint32) int {
	at := &f.known[doer<<1]
	if wait {
		at = &f.known[doer<<1|1]
	}
	if at.asked && (wait || at.input == done) {
		return int(at.list) - 1
	}
	d := &f.what[doer]
	if wait {
		done = f.inputOf[d.lock]
	}
	*at = knownSite{asked: true, input: done}
	if d.stack != format.NoStack {
		at.list = int32(f.number(inputSite{callSite{d.stack, d.lock}, done})) + 1
	}
	return int(at.list) - 1
}
