package whatif

import (
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Collector is a visitor that takes what a replay needs: every tenure, some 60
// bytes each, and when threads were idle.
type Collector struct {
	analysis.AnyQueue
	sym   *analysis.Symbols
	sites *blame.Sites
	start int64
	end   int64

	threads blame.ByID[*thread] // by id until numbered, then by number
	index   map[format.ObjectID]int32
	locks   []format.ObjectID
	tenures []tenure // see number
	rebuilt bool     // some tenures were not recorded
	ready   bool     // number was called
	takers  int      // threads that have tenures

	runningNs int64
	waitNs    int64
	waited    map[uint32]int64           // by lock class
	blamed    map[blamed]int64           // waiting for owners in each section, by lock class
	passed    map[uint32]int64           // by section: waiting on whose path to its end some owner is in it
	held      map[uint32]*analysis.Union // by section: when a thread waited for an owner in it
	deadlock  bool
	path      []uint32 // scratch of share
}

// blamed is a section on a class of locks.
type blamed struct{ section, class uint32 }

// thread is what the trace shows of one thread beside its tenures.
type thread struct {
	number int32
	idle   []span
	last   tenure // its last wait, as if the lock was released at once
}

type span struct {
	start, end int64
	pause      bool // it lasts as long as the thread wants
}

// tenure is one hold of a lock, with the wait before it. Times are ns since the start of
// the trace; asked is before start if the thread had to wait.
type tenure struct {
	asked, start, end int64
	thread            int32 // -1 where it is not known
	lock              int32
	section           uint32
	number            uint32 // among those of its thread
	mode              format.Mode
	got               getting
}

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
			c.thread(w.Thread).last = tenure{asked: s.Start - c.start, start: s.Start + w.WaitNs - c.start, lock: c.lock(s.Lock), section: c.section(w.Stack, s.Lock), mode: w.Mode}
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

// share takes the sections on the path of n waiters. A shorter section ends no deadlock.
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
	blame.At(c.held, section).AddSlice(s)
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
	c.rebuilt = c.rebuilt || h.Rebuilt
	t := tenure{asked: h.Asked - c.start, start: h.Start - c.start, end: h.End - c.start, thread: -1, lock: c.lock(h.Lock), section: c.section(h.Stack, h.Lock), mode: h.Mode}
	if h.Thread != format.NoThread {
		c.thread(h.Thread)
		t.thread = int32(h.Thread)
	}
	c.tenures = append(c.tenures, t)
}

// Idle implements analysis.HoldVisitor.
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

// thread returns what is known of a thread.
func (c *Collector) thread(id format.ThreadID) *thread {
	t := c.threads.At(int(id))
	if *t == nil {
		*t = &thread{}
	}
	return *t
}

// number gives threads dense numbers in the order of their ids, orders tenures by thread,
// those of unknown threads last, and settles them where they were rebuilt. It comes once,
// when the whole trace was seen.
func (c *Collector) number() {
	if c.ready {
		return
	}
	c.ready = true
	byID := c.threads
	c.threads = nil
	for _, t := range byID {
		if t != nil {
			t.number = int32(len(c.threads))
			c.threads = append(c.threads, t)
		}
	}
	for i := range c.tenures {
		if t := &c.tenures[i]; t.thread >= 0 {
			t.thread = byID[t.thread].number
		}
	}
	for _, n := range c.perThread() {
		if n > 0 {
			c.takers++
		}
	}
	slices.SortStableFunc(c.tenures, func(a, b tenure) int { return int(uint32(a.thread)) - int(uint32(b.thread)) })
	if c.rebuilt {
		c.tenures = c.settle()
	}
}

// perThread counts the tenures of each thread.
func (c *Collector) perThread() []int {
	count := make([]int, len(c.threads))
	for i := range c.tenures {
		if t := c.tenures[i].thread; t >= 0 {
			count[t]++
		}
	}
	return count
}
