package whatif

import (
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Collector is a visitor that takes what a replay needs: every tenure, 40
// bytes each, and when threads were idle.
type Collector struct {
	sym     *analysis.Symbols
	sites   *blame.Sites
	start   int64
	end     int64
	threads []thread
	byID    []int32 // by thread: its number among those, from 1
	index   map[format.ObjectID]int32
	nobody  []hold // what unknown threads held
	tenures bool
	tenured []tenure // all of them, once asked for
	demand  *demand  // of them, once asked for
	takers  int      // threads that have any
	rebuilt bool     // some tenures were not recorded
	locks   []format.ObjectID
	waitNs  int64
	blamed  map[blamed]int64           // waiting for owners in each section, by lock class
	passed  map[uint32]int64           // by section: waiting on whose path to its end somebody is in it
	held    map[uint32]*analysis.Union // by section: when somebody waited for an owner in it
	waited  map[uint32]int64           // by lock class

	path      []uint32 // scratch of share
	runningNs int64
	deadlock  bool
}

// blamed is a section on a class of locks.
type blamed struct{ section, class uint32 }

// New returns an empty collector.
func New() *Collector {
	return &Collector{sites: blame.NewSites(nil), index: map[format.ObjectID]int32{}, blamed: map[blamed]int64{}, held: map[uint32]*analysis.Union{}, waited: map[uint32]int64{}, passed: map[uint32]int64{}}
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, start int64) {
	c.sym, c.start, c.end = sym, start, start
	c.sites.Begin(sym)
}

// Running implements analysis.RunningVisitor.
func (c *Collector) Running(_, to, ns int64) {
	c.end = max(c.end, to)
	c.runningNs += ns
}

// Intervals implements analysis.RunningVisitor: one sum.
func (c *Collector) Intervals() (from, length int64) { return c.start, 0 }

// Ticks implements analysis.RunningVisitor.
func (*Collector) Ticks(int64, int64) {}

// Slice implements analysis.Visitor.
func (c *Collector) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		if w := &s.Waiters[i]; w.First && !w.Failed {
			c.thread(w.Thread).last = hold{asked: s.Start - c.start, start: s.Start + w.WaitNs - c.start, lock: c.lock(s.Lock), section: c.section(w.Stack, s.Lock), mode: w.Mode}
		}
	}
	c.QueueSlice(s, len(s.Waiters))
}

// QueueSlice implements analysis.QueueVisitor: no wait begins in one.
func (c *Collector) QueueSlice(s *analysis.Slice, n int) {
	ns := int64(n) * s.Length()
	c.end = max(c.end, s.End)
	c.waitNs += ns
	c.waited[c.sym.Class(s.Lock)] += ns
	for i := range s.Shares {
		c.share(s, &s.Shares[i], n)
	}
}

// share takes who is on a path, and the section of whom n waited for. Nobody gets
// through a deadlock the sooner for a shorter section.
func (c *Collector) share(s *analysis.Slice, sh *analysis.Share, n int) {
	deadlock := sh.Root.Kind == analysis.OwnerDeadlock
	c.deadlock = c.deadlock || deadlock
	if sh.Direct.Kind != analysis.OwnerThread {
		return
	}
	ns, section := sh.Ns*int64(n), c.section(sh.Direct.Stack, s.Lock)
	if c.blamed[blamed{section, c.sym.Class(s.Lock)}] += ns; deadlock {
		return
	}
	if c.held[section] == nil {
		c.held[section] = &analysis.Union{}
	}
	c.held[section].AddSlice(s)
	c.path = append(c.path[:0], section)
	last := s.Lock
	for h := range sh.Further() {
		c.path, last = append(c.path, c.section(h.Stack, last)), h.Lock
	}
	if sh.Far() {
		last = sh.Last
	}
	if sh.Root.Kind == analysis.OwnerThread {
		c.path = append(c.path, c.section(sh.Root.Stack, last))
	}
	for i, one := range c.path {
		if !slices.Contains(c.path[:i], one) {
			c.passed[one] += ns
		}
	}
}

// Held implements analysis.HoldVisitor.
func (c *Collector) Held(h *analysis.Hold) {
	lock := c.lock(h.Lock)
	c.rebuilt, c.tenures = c.rebuilt || h.Rebuilt, true
	list := &c.nobody
	if h.Thread != format.NoThread {
		list = &c.thread(h.Thread).holds
	}
	*list = append(*list, hold{asked: h.Asked - c.start, start: h.Start - c.start, end: h.End - c.start, lock: lock, section: c.section(h.Stack, h.Lock), mode: h.Mode})
}

// Idle implements analysis.IdleVisitor.
func (c *Collector) Idle(thread format.ThreadID, start, end int64, pause bool) {
	t := c.thread(thread)
	t.idle = append(t.idle, span{start - c.start, end - c.start, pause})
}

// lock returns the number of a lock among those that matter.
func (c *Collector) lock(id format.ObjectID) int32 {
	lock, ok := c.index[id]
	if !ok {
		lock = int32(len(c.locks))
		c.index[id] = lock
		c.locks = append(c.locks, id)
	}
	return lock
}

// thread returns what is known of a thread. Ids may be as wild as the trace
// likes, so that they are numbered anew.
func (c *Collector) thread(id format.ThreadID) *thread {
	for len(c.byID) <= int(id) {
		c.byID = append(c.byID, 0)
	}
	if c.byID[id] == 0 {
		c.threads = append(c.threads, thread{})
		c.byID[id] = int32(len(c.threads))
	}
	return &c.threads[c.byID[id]-1]
}

// number numbers threads by their ids: who comes first of those that come at one
// instant is told by nothing else.
func (c *Collector) number() {
	var threads []thread
	for id, at := range c.byID {
		if at > 0 {
			threads = append(threads, c.threads[at-1])
			c.byID[id] = int32(len(threads))
		}
	}
	if c.byID != nil {
		c.threads = threads
	}
}
