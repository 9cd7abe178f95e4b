package whatif

import (
	"cmp"
	"slices"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// Collector is a visitor that collects the input of a replay: every hold, some 60 bytes each,
// and the idle times of threads.
type Collector struct {
	analysis.AnyQueue
	sym   *analysis.Symbols
	sites *blame.Sites
	start int64
	end   int64

	threads        blame.ByID[*thread] // by id until numberThreads, then by number
	locks          format.Interner[format.ObjectID]
	holds          []hold // by thread after numberThreads
	rebuilt        bool   // some holds are inferred
	ready          bool   // numberThreads was called
	lockingThreads int    // threads with holds

	runningNs int64
	waitNs    int64
	waited    map[uint32]int64           // by lock class, ns
	blamed    map[blamedKey]int64        // waiting for the owners in each section, by lock class, ns
	onPath    map[uint32]int64           // by section: waiting whose path to its root has an owner in it, ns
	heldWhile map[uint32]*analysis.Union // by section: the time in which a thread waited for an owner in it
	deadlock  bool
	path      []uint32 // scratch of addShare
}

// blamedKey is a section and the class of a lock that is held in it.
type blamedKey struct{ section, class uint32 }

// thread is the data of one thread besides its holds.
type thread struct {
	number int32
	idle   []span
	last   hold // its last wait, as a hold of no length
}

type span struct {
	start, end int64
	pause      bool // of a length that the thread chose, as in a sleep
}

// hold is one hold of a lock, with the wait before it. Times are ns since the start of the
// trace; asked is before start if the thread had to wait.
type hold struct {
	asked, start, end int64
	thread            int32 // or unknown
	lock              int32
	section           uint32
	number            uint32 // among the holds of its thread
	mode              format.Mode
	acquired          acquisition
}

// unknown is the thread of a hold whose owner is not known.
const unknown = -1

// waited reports whether the thread had to wait for the lock.
func (h *hold) waited() bool { return h.asked < h.start }

// New returns an empty collector.
func New() *Collector {
	return &Collector{
		sites:     blame.NewSites(nil),
		blamed:    map[blamedKey]int64{},
		heldWhile: map[uint32]*analysis.Union{},
		waited:    map[uint32]int64{},
		onPath:    map[uint32]int64{},
	}
}

// Begin implements analysis.Visitor.
func (c *Collector) Begin(sym *analysis.Symbols, start int64) {
	c.sym = sym
	c.start = start
	c.end = start
	c.sites.Begin(sym)
}

// Running implements analysis.RunningVisitor.
func (c *Collector) Running(_, to, ns int64) {
	c.end = max(c.end, to)
	c.runningNs += ns
}

// Intervals implements analysis.RunningVisitor: one sum is enough.
func (c *Collector) Intervals() (from, length int64) { return c.start, 0 }

// Ticks implements analysis.RunningVisitor.
func (*Collector) Ticks(int64, int64) {}

// Slice implements analysis.Visitor.
func (c *Collector) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		if w := &s.Waiters[i]; w.First && !w.Failed {
			c.thread(w.Thread).last = hold{
				asked:   s.Start - c.start,
				start:   s.Start + w.WaitNs - c.start,
				lock:    c.lock(s.Lock),
				section: c.section(w.Stack, s.Lock),
				mode:    w.Mode,
			}
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
		c.addShare(s, &s.Shares[i], n)
	}
}

// addShare adds the waiting of n waiters to the sections on its path. Waiting in a deadlock is
// not added: a shorter section does not end it.
func (c *Collector) addShare(s *analysis.Slice, sh *analysis.Share, n int) {
	deadlock := sh.Root.Kind == analysis.OwnerDeadlock
	c.deadlock = c.deadlock || deadlock
	if sh.Direct.Kind != analysis.OwnerThread {
		return
	}
	ns, section := sh.Ns*int64(n), c.section(sh.Direct.Stack, s.Lock)
	c.blamed[blamedKey{section, c.sym.Class(s.Lock)}] += ns
	if deadlock {
		return
	}
	blame.Entry(c.heldWhile, section).AddSlice(s)
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
			c.onPath[one] += ns
		}
	}
}

// Held implements analysis.HoldVisitor.
func (c *Collector) Held(h *analysis.Hold) {
	c.rebuilt = c.rebuilt || h.Rebuilt
	t := hold{
		asked:   h.Asked - c.start,
		start:   h.Start - c.start,
		end:     h.End - c.start,
		thread:  unknown,
		lock:    c.lock(h.Lock),
		section: c.section(h.Stack, h.Lock),
		mode:    h.Mode,
	}
	if h.Thread != format.NoThread {
		c.thread(h.Thread)
		t.thread = int32(h.Thread)
	}
	c.holds = append(c.holds, t)
}

// Idle implements analysis.HoldVisitor.
func (c *Collector) Idle(thread format.ThreadID, start, end int64, pause bool) {
	t := c.thread(thread)
	t.idle = append(t.idle, span{start - c.start, end - c.start, pause})
}

// lock returns the number of a lock.
func (c *Collector) lock(id format.ObjectID) int32 {
	lock, _ := c.locks.Intern(id)
	return int32(lock)
}

// thread returns the data of a thread, making it on first use.
func (c *Collector) thread(id format.ThreadID) *thread {
	t := c.threads.Entry(int(id))
	if *t == nil {
		*t = &thread{}
	}
	return *t
}

// numberThreads gives threads dense numbers in the order of their ids, orders holds by thread,
// with unknown threads last, and settles inferred holds. It is called once, after the whole
// trace.
func (c *Collector) numberThreads() {
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
	for i := range c.holds {
		if t := &c.holds[i]; t.thread != unknown {
			t.thread = byID[t.thread].number
		}
	}
	for _, n := range c.perThread() {
		if n > 0 {
			c.lockingThreads++
		}
	}
	slices.SortStableFunc(
		c.holds,
		func(a, b hold) int { return cmp.Compare(uint32(a.thread), uint32(b.thread)) },
	) // unknown is the largest
	if c.rebuilt {
		c.holds = c.settle()
	}
}

// perThread returns the number of holds by thread.
func (c *Collector) perThread() []int {
	count := make([]int, len(c.threads))
	for i := range c.holds {
		if t := c.holds[i].thread; t != unknown {
			count[t]++
		}
	}
	return count
}
