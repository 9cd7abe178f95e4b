package locks

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Holder is a place of the program whose threads had objects of a pool, or ran tasks, while others
// waited for an object or a result.
type Holder struct {
	Site    string  // that took the object, with its line; of a task, its outermost method
	Doing   string  // what its threads did for most of the time of which that is known
	Threads float64 // on average while others waited, from the first known holder on
	Shown   bool    // methods of the object were on most of its stacks
}

// PoolUsers is a visitor that finds which threads have the objects of pools while others wait for one:
// those that came out of the taking method of a known library and have not entered the returning one.
type PoolUsers struct {
	sites *blame.Sites
	sym   *analysis.Symbols
	known []*poolLibrary // those of the table, then the program's own pools
	own   map[string]int // by class of a pool of the program, its number in known
	pools []*poolUse     // of each that is known; nil if no thread waited

	instants instants               // at which threads waited for a pool
	frames   map[format.StackID]int // the library of each stack that was asked for, -1 for none
}

// maxInstantStates bounds the threads at instants that are kept.
const maxInstantStates = 1 << 20

// poolUse is what is summed for one library.
type poolUse struct {
	takers    map[format.StackID]bool // with which threads waited for an object
	borrowers *borrowers              // nil until it is asked for
	stacks    blame.ByID[holding]
	empty     threadTimes // when threads waited for an object
	first     int64       // since when threads are known to have one while others waited
	sites     map[string]*siteUse
	instants  int // at which threads waited, if there are no recorded waits

	thread format.ThreadID // whose activities come
	site   string          // that took the object it has
	since  int64           // the end of what is known of it; NoTime if it has no object
	// what it did in the method that took one, as long as nothing shows that it still has it, or gave it back
	pending map[pendingUse]usedTime
}

// usedTime is how long an object was used while threads waited for one, and since when.
type usedTime struct{ ns, since int64 }

// pendingUse is an activity of a thread with an object that it may have no more.
type pendingUse struct {
	site  string
	doing blame.Doing
}

// siteUse is what threads did with objects taken at one site.
type siteUse struct {
	heldNs, shownNs int64
	doing           map[blame.Doing]int64
	seen, shown     int // threads at instants
}

// NewPoolUsers returns an empty collector. The program's own code is that of blame.NewSites.
func NewPoolUsers(app *regexp.Regexp) *PoolUsers {
	waited := func(states []instantState) bool {
		return slices.ContainsFunc(states, func(s instantState) bool { return s.taking > 0 })
	}
	u := &PoolUsers{
		sites:    blame.NewSites(app),
		own:      map[string]int{},
		instants: newInstants(maxInstantStates, waited),
		frames:   map[format.StackID]int{},
	}
	for i := range poolLibraries {
		u.known = append(u.known, &poolLibraries[i])
	}
	u.pools = make([]*poolUse, len(u.known))
	return u
}

// maxOwnPools bounds the pools of the program's own that are followed.
const maxOwnPools = 16

// ownPool returns the number of the program's own pool from which a stack takes an object; -1 if there is none.
func (u *PoolUsers) ownPool(frames []format.Frame) int {
	i := slices.IndexFunc(frames, fromOwnPool)
	if i < 0 {
		return -1
	}
	n, known := u.own[frames[i].Class]
	switch {
	case known:
		return n
	case len(u.own) == maxOwnPools:
		return -1
	}
	n = len(u.known)
	u.own[frames[i].Class] = n
	u.known = append(u.known, ownPoolOf(frames[i]))
	u.pools = append(u.pools, nil)
	return n
}

// Begin implements analysis.Visitor.
func (u *PoolUsers) Begin(sym *analysis.Symbols, _ int64) {
	u.sym = sym
	u.sites.Begin(sym)
}

// Slice implements analysis.Visitor.
func (u *PoolUsers) Slice(*analysis.Slice) {}

// Monitor implements analysis.NonLockVisitor.
func (u *PoolUsers) Monitor(*analysis.MonitorWaits) {}

// NonLockWait implements analysis.NonLockVisitor: it collects when threads waited.
func (u *PoolUsers) NonLockWait(a *analysis.NonLockWait) {
	if !a.Resource || a.To <= a.From {
		return
	}
	if n := u.library(a.Stack, u.sym.Frames(a.Stack)); n >= 0 {
		p := u.pool(n)
		p.empty.addInterval(a.Thread, a.From, a.To)
		p.takers[a.Stack] = true
	}
}

// library returns the library in which a stack takes an object, -1 if there is none.
func (u *PoolUsers) library(id format.StackID, frames []format.Frame) int {
	n, known := u.frames[id]
	if !known {
		n = u.libraryOf(frames)
		u.frames[id] = n
	}
	return n
}

func (u *PoolUsers) libraryOf(frames []format.Frame) int {
	if n := libraryOf(frames); n >= 0 {
		return n
	}
	return u.ownPool(frames)
}

// pool returns the sums of a library.
func (u *PoolUsers) pool(n int) *poolUse {
	if u.pools[n] == nil {
		u.pools[n] = &poolUse{
			takers:  map[format.StackID]bool{},
			sites:   map[string]*siteUse{},
			first:   math.MaxInt64,
			since:   format.NoTime,
			pending: map[pendingUse]usedTime{},
		}
	}
	return u.pools[n]
}

// stack returns what a stack shows of a library's object. All takers must be known.
func (u *PoolUsers) stack(n int, id format.StackID) *holding {
	p := u.pools[n]
	if p.borrowers == nil {
		p.borrowers = newBorrowers(u.known[n], u.sym, u.sites.IsOwnCode, p.takers)
	}
	h := p.stacks.Entry(int(id))
	if !h.known {
		*h = p.borrowers.read(u.sym.Frames(id))
	}
	return h
}

// Did implements analysis.TimelineVisitor.
func (u *PoolUsers) Did(d *analysis.Done) {
	if d.Stack == format.NoStack {
		return
	}
	for n, p := range u.pools {
		if p != nil && len(p.empty.parts) > 0 {
			p.did(d, u.stack(n, d.Stack), u.doing(d))
		}
	}
}

// doing returns what a thread did, by its activity, else by its stack.
func (u *PoolUsers) doing(d *analysis.Done) blame.Doing {
	if d.Waits {
		return blame.Blocked
	}
	if did := blame.RecordedDoing(d.Activity); did != blame.DoingUnknown && did != blame.AwaitingOthers {
		return did
	}
	return u.sites.Doing(d.Stack)
}

// did adds an activity of a thread. Between two activities with one object the thread has it, too: it
// did nothing else that is known.
func (p *poolUse) did(d *analysis.Done, h *holding, doing blame.Doing) {
	if d.Thread != p.thread {
		p.thread = d.Thread
		p.since = format.NoTime
		p.site = ""
		clear(p.pending) // of a method that goes on to the end: where it gave the object back is not seen
	}
	if h.phase != using || h.shown {
		p.settle()
	}
	switch h.phase {
	case taking:
		p.since, p.site = d.End, ""
	case using:
		from := d.Start
		if p.since != format.NoTime && (p.site == "" || p.site == h.site) && p.since < d.Start {
			p.add(h, p.since, d.Start, blame.DoingUnknown)
		} else if p.since != format.NoTime {
			from = max(from, p.since)
		}
		p.add(h, from, d.End, doing)
		p.since, p.site = max(d.End, from), h.site
	case returning:
		if p.since != format.NoTime && p.site != "" && p.since < d.Start {
			p.add(&holding{site: p.site}, p.since, d.Start, blame.DoingUnknown)
			p.settle()
		}
		p.since, p.site = format.NoTime, ""
	default:
		p.since, p.site = format.NoTime, ""
	}
}

// add adds time with an object, as far as others waited meanwhile.
func (p *poolUse) add(h *holding, from, to int64, doing blame.Doing) {
	used := usedTime{p.empty.union().Within(from, to), from}
	if used.ns <= 0 || h.site == "" {
		return
	}
	if one := (pendingUse{h.site, doing}); h.shown {
		blame.Entry(p.sites, h.site).shownNs += used.ns
		p.sum(one, used)
	} else {
		if before, ok := p.pending[one]; ok {
			used.ns, used.since = used.ns+before.ns, min(from, before.since)
		}
		p.pending[one] = used
	}
}

// settle adds the pending uses: the thread had the object.
func (p *poolUse) settle() {
	for one, used := range p.pending {
		p.sum(one, used)
	}
	clear(p.pending)
}

func (p *poolUse) sum(one pendingUse, used usedTime) {
	p.first = min(p.first, used.since)
	s := blame.Entry(p.sites, one.site)
	s.heldNs += used.ns
	s.addDoing(one.doing, used.ns)
}

// addDoing adds time, or threads at instants, to what is done.
func (s *siteUse) addDoing(what blame.Doing, n int64) {
	if s.doing == nil {
		s.doing = map[blame.Doing]int64{}
	}
	s.doing[what] += n
}

// Activity implements analysis.ActivityVisitor: it collects the threads of an instant.
func (u *PoolUsers) Activity(ev *format.Event, frames []format.Frame) {
	if !u.instants.shows(ev) {
		return
	}
	one := instantState{stack: ev.Stack, doing: ev.Activity}
	if ev.Resource {
		one.taking = int8(u.library(ev.Stack, frames) + 1)
	}
	u.instants.open = append(u.instants.open, one)
}

// Instant implements analysis.InstantVisitor.
func (u *PoolUsers) Instant(ev *format.Event) { u.instants.observe(ev) }

// Holders returns who had the objects for which threads waited with a stack, in descending order of
// their number.
func (u *PoolUsers) Holders(waiting []format.Frame) (list []Holder) {
	n := u.libraryOf(waiting)
	if n < 0 {
		return nil
	}
	u.instants.finish()
	instants := u.atInstants(n)
	p := u.pools[n]
	if p == nil {
		return nil
	}
	// before that the pool made its objects, or the trace does not show their holders
	waited := p.empty.union().Within(p.first, math.MaxInt64)
	for site, s := range p.sites {
		h := Holder{Site: site, Shown: 2*s.shownNs >= s.heldNs}
		switch {
		case waited > 0:
			h.Threads = float64(s.heldNs) / float64(waited)
		case instants > 0:
			h.Threads, h.Shown = float64(s.seen)/float64(instants), 2*s.shown >= s.seen
		}
		known := largestDoing(s.doing)
		if known != blame.DoingUnknown {
			h.Doing = known.String()
		}
		if h.Threads >= minHolder {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(b.Threads, a.Threads), cmp.Compare(a.Site, b.Site))
	})
	return list
}

// minHolder is the least number of threads of a Holder: smaller ones explain nothing.
const minHolder = 0.01

// atInstants counts, once, the threads at instants at which others waited for a library's object. It
// returns the number of these instants.
func (u *PoolUsers) atInstants(n int) int {
	if p := u.pools[n]; p != nil {
		return p.instants
	}
	var chosen [][]instantState
	for _, states := range u.instants.closed {
		if slices.ContainsFunc(states, func(s instantState) bool { return int(s.taking) == n+1 }) {
			chosen = append(chosen, states)
		}
	}
	if len(chosen) == 0 {
		return 0
	}
	p := u.pool(n)
	p.instants = len(chosen)
	for _, one := range slices.Concat(chosen...) {
		if int(one.taking) == n+1 {
			p.takers[one.stack] = true
		}
	}
	for _, one := range slices.Concat(chosen...) {
		if h := u.stack(n, one.stack); h.phase == using && h.site != "" {
			s := blame.Entry(p.sites, h.site)
			s.seen++
			if h.shown {
				s.shown++
			}
			s.addDoing(u.doing(&analysis.Done{Stack: one.stack, Activity: one.doing, Waits: one.waits}), 1)
		}
	}
	return p.instants
}

// largestDoing returns the known activity with most time.
func largestDoing(of map[blame.Doing]int64) (best blame.Doing) {
	most := int64(0)
	for d, ns := range of {
		if d != blame.DoingUnknown && (ns > most || ns == most && d < best) {
			best, most = d, ns
		}
	}
	return best
}
