package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"contend/format"
)

// site is where a lock is taken: the call chain from the frame that takes it outwards.
type site struct {
	key, method uint64
	home        uint64 // suffix of the frame in which the lock is held, where the method returns with it; 0 for none
	stack       format.StackID
	depth       int            // frames from the anchor outwards
	more        float64        // uses that are supposed
	n           float64        // known uses: waits, owners in dumps
	silent      bool           // nobody was recorded to wait there
	of          map[*Lock]bool // of a silent one: the locks it takes
	holds       [phases]float64
	users       map[format.ThreadID]float64 // uses by thread
}

func (s *site) total() float64 { return s.n + s.more }

// within says that a stack leads through a site, by the same path or the method only.
type within struct {
	site int
	path bool
}

// Class is what is learned of the locks of one class in one recording.
type Class struct {
	Block bool // a section is a block of code: its frame is on the stack as long as the lock is held
	Locks []*Lock
	// Permits says that these are semaphores: threads may hold one together. Set it before Silent.
	Permits bool

	program  Program
	sites    []*site
	byKey    map[uint64]int
	byMethod map[uint64][]int
	placed   map[format.StackID]int // of what is done without a stack: the site, -1 for none
	lags     [lagPhases]float64
	entry    float64   // how soon a free lock is entered, per ns
	factor   []float64 // by site, and of free: what the check found; see check.go
	waits    int

	workers sync.Pool // of *worker

	silentUsers []format.ThreadID
}

// Lock is one lock of a class.
type Lock struct {
	ID    format.ObjectID
	Dumps []Dump // by time
	Seen  Agreement

	mix  []float64 // by site: how likely who enters does there
	uses []bool    // by site: somebody waited there for this lock, or may have
	many bool      // threads were seen to hold permits of it together
	n    int       // waits
	ns   int64     // waiting
	from int64     // when the first wait begins
	to   int64     // and the last ends
}

// NewClass finds the sites of some locks of one class: the commonest paths, then one
// a method, which others of the method join.
func NewClass(p Program, block bool, locks []*Lock) *Class {
	c := &Class{Block: block, Locks: locks, program: p, byKey: map[uint64]int{}, placed: map[format.StackID]int{}}
	f := finder{class: c, found: map[format.StackID]*use{}}
	var list []Wait
	for _, l := range locks {
		list = p.Waits(l.ID, list[:0])
		l.n, l.from = len(list), list[0].Start
		c.waits += len(list)
		for i := range list {
			w := &list[i]
			l.ns += w.End - w.Start
			l.to = max(l.to, w.End)
			f.add(w.Stack, w.Thread)
		}
		for i := range l.Dumps {
			if d := &l.Dumps[i]; d.Took != format.NoStack {
				f.add(d.Took, d.Owner)
			}
		}
	}
	slices.SortFunc(c.Locks, func(a, b *Lock) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.ID, b.ID)) })
	f.choose()
	c.index()
	return c
}

// use is how often a path took locks of the class.
type use struct {
	path  path
	stack format.StackID
	depth int
	n     float64
	most  float64 // uses of the stack
	users map[format.ThreadID]float64
}

// finder finds sites.
type finder struct {
	class *Class
	found map[format.StackID]*use // by stack; nil for one that takes no lock
}

func (f *finder) add(stack format.StackID, t format.ThreadID) {
	u, ok := f.found[stack]
	if !ok {
		if frames, at, ok := f.class.anchored(stack); ok {
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

// choose makes sites of the paths.
func (f *finder) choose() {
	c := f.class
	byPath := map[uint64]*use{}
	stacks := slices.Collect(maps.Keys(f.found))
	slices.Sort(stacks)
	for _, st := range stacks {
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
			of.most, of.stack, of.depth = u.n, u.stack, u.depth
		}
		for t, n := range u.users {
			of.users[t] += n
		}
	}
	list := slices.SortedFunc(maps.Values(byPath), func(a, b *use) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.path.suffix[0], b.path.suffix[0]))
	})
	for i, u := range list {
		at := -1
		if i >= ownSites {
			at = c.ofMethod(u.path.method[0])
		}
		if at < 0 {
			if len(c.sites) >= ownSites+moreSites {
				continue
			}
			at = len(c.sites)
			c.sites = append(c.sites, &site{key: u.path.suffix[0], method: u.path.method[0], home: c.home(u), stack: u.stack, depth: u.depth, users: map[format.ThreadID]float64{}})
		}
		s := c.sites[at]
		c.byKey[u.path.suffix[0]] = at
		s.n += u.n
		for t, n := range u.users {
			s.users[t] += n
		}
	}
}

// ofMethod returns the commonest site of a method, -1 for none.
func (c *Class) ofMethod(method uint64) int {
	return slices.IndexFunc(c.sites, func(s *site) bool { return s.method == method })
}

// home returns the suffix of the frame that holds the lock where the method that
// takes it returns with it, by its name; 0 where it does not.
func (c *Class) home(u *use) uint64 {
	if c.Block {
		return 0
	}
	frames, at, _ := c.anchored(u.stack)
	h := 0
	for h+2 < len(u.path.method) && lockish(frames[max(at, u.path.frame[h])].Method) {
		h++
	}
	if h == 0 {
		return 0
	}
	return u.path.suffix[h]
}

// lockish reports whether a method is named as one that returns with the lock.
func lockish(method string) bool {
	m := strings.ToLower(method)
	return strings.Contains(m, "lock") || strings.Contains(m, "acquire") || strings.Contains(m, "enter")
}

// index makes the sites findable by method.
func (c *Class) index() {
	c.byMethod = map[uint64][]int{}
	for i, s := range c.sites {
		if s.method != 0 {
			c.byMethod[s.method] = append(c.byMethod[s.method], i)
		}
	}
}

// inside returns which sites a stack leads through, by site.
func (k *worker) inside(stack format.StackID) []within {
	in, ok := k.inner[stack]
	if ok || stack == format.NoStack {
		return in
	}
	c := k.class
	frames := c.program.Frames(stack)
	k.path.set(frames, 0)
	at, tested := c.placed[stack]
	for s, x := range c.sites {
		known, path := !tested && placeless(frames), tested && at == s
		for i, suffix := range k.path.suffix {
			if k.path.method[i] == x.method {
				known = true
			}
			if at, ok := c.byKey[suffix]; ok && at == s || x.home != 0 && suffix == x.home {
				path = true
				break
			}
		}
		if known || path {
			in = append(in, within{s, path})
		}
	}
	k.inner[stack] = in
	return in
}

// placeless reports whether a stack tells what is done but not where.
func placeless(frames []format.Frame) bool { return len(frames) == 1 }

// siteOf returns the site at which a stack takes the lock, -1 for none.
func (k *worker) siteOf(stack format.StackID) int {
	at, ok := k.taking[stack]
	if !ok {
		at = -1
		if frames, from, known := k.class.anchored(stack); known {
			k.path.set(frames, from)
			if s, ok := k.class.byKey[k.path.suffix[0]]; ok {
				at = s
			}
		}
		k.taking[stack] = at
	}
	return at
}

// shown returns the site that a stack shows: the innermost on its path; else, where
// the method alone is enough, the commonest of it. -1 for none.
func (k *worker) shown(stack format.StackID, byMethod bool) int {
	best, byPath := -1, false
	for _, x := range k.inside(stack) {
		s := k.class.sites
		switch {
		case x.path && (!byPath || s[x.site].depth > s[best].depth):
			best, byPath = x.site, true
		case byMethod && !byPath && !x.path && (best < 0 || s[x.site].n > s[best].n):
			best = x.site
		}
	}
	return best
}
