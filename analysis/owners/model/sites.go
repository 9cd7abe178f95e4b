package model

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"sync"

	"contend/format"
)

// site is where locks of a group are acquired: a call path, from the acquiring frame outwards.
type site struct {
	key, method uint64 // of the path, and of its innermost method
	home        uint64 // the suffix of the frame that holds the lock, if the acquiring method returns with it; else 0
	stack       format.StackID
	depth       int            // frames from the acquiring one outwards
	n           float64        // known uses: waits, and owners in dumps
	more        float64        // uses that are inferred, of a silent site
	silent      bool           // no thread was recorded waiting here
	of          map[*Lock]bool // of a silent site: the locks acquired here
	holds       byPhase        // how likely a hold is in each phase
	users       map[format.ThreadID]float64
}

func (s *site) uses() float64 { return s.n + s.more }

// Where the number of a site or of a user is asked for, and there is none. All others are above.
const noSite, noUser = -1, -1

// Group is the model of the locks of one group in one recording.
type Group struct {
	program     Program
	block       bool // a section is a block of code: its frame is on the stack as long as the lock is held
	locks       []*Lock
	sites       []*site
	byKey       map[uint64]int
	placed      map[format.StackID]int // by placeless stack: the site, or noSite
	silentUsers []format.ThreadID
	known       map[format.ThreadID]bool // threads that are known to use a site

	lags   byLag     // how likely a lag is in each phase
	entry  float64   // rate at which a free lock is acquired without a wait, per ns
	factor []float64 // by site, then of free: the correction that the check found

	counts   counts // of the last round of learning; empty where the parameters were known
	waits    int
	inferred int       // inferredGaps, fewer in tests
	workers  sync.Pool // of *worker
}

// Lock is one lock of a group.
type Lock struct {
	ID    format.ObjectID
	Dumps []Dump // by time
	Holds bool   // some of its holds are recorded
	Seen  Agreement

	mix     []float64 // by site: the probability that the next entry is there
	uses    []bool    // by site: the lock is acquired there, as far as is known
	survey  survey    // what instants show of it
	permits bool      // threads held permits of it at once
	n       int       // waits
	ns      int64     // waiting
	// estimated is the part of it that is of waits after Object.wait: when they began is an estimate.
	estimated float64
	from      int64 // start of the first wait
	to        int64 // end of the last
}

// Fit learns the model of some locks of one kind and group. What is known of them by earlier recordings of the program
// is not learned again; it is nil if nothing is.
func Fit(p Program, kind format.LockKind, locks []*Lock, known *Learned) *Group {
	gr := newGroup(p, kind == format.KindMonitor, locks)
	gr.addSilentSites(kind == format.KindSemaphore)
	gr.learn(known)
	gr.check()
	return gr
}

// newGroup finds the sites of some locks of one group: the commonest paths first, then one
// for each further method, which all other paths of the method join.
func newGroup(p Program, block bool, locks []*Lock) *Group {
	gr := &Group{
		block:   block,
		locks:   locks,
		program: p,
		byKey:   map[uint64]int{},
		placed:  map[format.StackID]int{},
		known:   map[format.ThreadID]bool{},

		inferred: inferredGaps,
	}
	f := finder{group: gr, found: map[format.StackID]*use{}}
	w := gr.worker()
	defer w.release()
	for _, l := range locks {
		w.lock.read(gr, l)
		list := w.lock.waits
		l.n, l.from = len(list), list[0].Start
		gr.waits += len(list)
		for i := range list {
			one := &list[i]
			l.ns += one.End - one.Start
			if gr.reacquires(one.Stack) {
				l.estimated += float64(one.End - one.Start)
			}
			l.to = max(l.to, one.End)
			f.add(one.Stack, one.Thread)
		}
		l.estimated /= float64(max(l.ns, 1))
		for i := range l.Dumps {
			if d := &l.Dumps[i]; d.Took != format.NoStack {
				f.add(d.Took, d.Owner)
			}
		}
	}
	slices.SortFunc(
		gr.locks,
		func(a, b *Lock) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.ID, b.ID)) },
	)
	f.choose()
	return gr
}

// finder counts the paths at which locks of a group are acquired and makes sites of them.
type finder struct {
	group *Group
	found map[format.StackID]*use // nil for a stack that acquires no lock
}

// use is how often a path acquired locks of the group.
type use struct {
	path  path
	stack format.StackID // the commonest of the path
	depth int
	n     float64
	most  float64 // uses of that stack
	users map[format.ThreadID]float64
}

func (f *finder) add(stack format.StackID, t format.ThreadID) {
	u, ok := f.found[stack]
	if !ok {
		if frames, at, ok := f.group.anchored(stack); ok {
			u = &use{stack: stack, depth: len(frames) - at, users: map[format.ThreadID]float64{}}
			u.path.set(frames, at)
		}
		f.found[stack] = u
	}
	if u != nil {
		u.n++
		u.users[t]++
	}
}

func (f *finder) choose() {
	gr := f.group
	for i, u := range f.byPath() {
		at := noSite
		if i >= ownSites { // the commonest site of the method, if there is one
			at = slices.IndexFunc(gr.sites, func(s *site) bool { return s.method == u.path.method[0] })
		}
		if at < 0 {
			if len(gr.sites) >= ownSites+moreSites {
				continue
			}
			at = len(gr.sites)
			gr.sites = append(
				gr.sites,
				&site{
					key:    u.path.suffix[0],
					method: u.path.method[0],
					home:   gr.home(u),
					stack:  u.stack,
					depth:  u.depth,
					users:  map[format.ThreadID]float64{},
				},
			)
		}
		s := gr.sites[at]
		gr.byKey[u.path.suffix[0]] = at
		s.n += u.n
		for t, n := range u.users {
			s.users[t] += n
		}
	}
}

// byPath adds the stacks of each path up and returns the paths, the commonest first.
func (f *finder) byPath() []*use {
	byPath := map[uint64]*use{}
	for _, st := range slices.Sorted(maps.Keys(f.found)) {
		u := f.found[st]
		if u == nil {
			continue
		}
		u.most = u.n
		of, ok := byPath[u.path.suffix[0]]
		if !ok {
			byPath[u.path.suffix[0]] = u
			continue
		}
		of.n += u.n
		if u.n > of.most {
			of.most = u.n
			of.stack = u.stack
			of.depth = u.depth
		}
		for t, n := range u.users {
			of.users[t] += n
		}
	}
	return slices.SortedFunc(maps.Values(byPath), func(a, b *use) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.path.suffix[0], b.path.suffix[0]))
	})
}

var returnsLocked = regexp.MustCompile("(?i)lock|acquire|enter")

// home returns the suffix of the frame that holds the lock if, by its name, the acquiring
// method returns with it; else 0.
func (gr *Group) home(u *use) uint64 {
	if gr.block {
		return 0
	}
	frames, at, _ := gr.anchored(u.stack)
	h := 0
	for h+2 < len(u.path.method) && returnsLocked.MatchString(frames[max(at, u.path.frame[h])].Method) {
		h++
	}
	if h == 0 {
		return 0
	}
	return u.path.suffix[h]
}
