package stacks

import (
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/format"
)

// View says what a sample's stack shows.
type View uint8

// The views.
const (
	Blame   View = iota // the owner's stack
	Blocked             // the waiter's stack
	// the waiter's stack, the lock, what its owner waited for in turn, and the stack of the last owner
	Chain
	Site // the owner's stack from the frame that took the lock outwards
)

// Views are the names of the views.
var Views = [...]string{Blame: "blame", Blocked: "blocked", Chain: "chain", Site: "site"}

// Builder is a visitor that sums slices into samples.
type Builder struct {
	// Stable leaves out of frames what another run or another build would
	// name differently: addresses of locks, lines, numbers of hidden classes
	// and of deadlocks. Two builders that are compared need it.
	Stable bool
	// Shown sums what has the same frames, which is enough for a picture: there is one
	// sample for each stack instead of one for each pair of threads.
	Shown bool
	// Name writes a lock for people; nil gives the name that the trace has.
	Name func(format.ObjectID) string

	view    View
	sym     *analysis.Symbols
	sites   *blame.Sites
	start   int64
	end     int64
	index   map[Key]int32 // samples
	samples []Sample
	paths   paths
	folded  folded
	waiters blame.WaiterClasses        // of the waiters in queues
	most    int                        // samples that are kept apart
	short   bool                       // a deep chain is being put together: leave out the middle of its stacks
	names   map[format.ObjectID]string // what frames of locks say: those of deep chains come in each of them
}

// Key is everything a sample tells.
type Key struct {
	Waiter      format.ThreadID
	WaiterStack format.StackID
	Lock        format.ObjectID
	Owner       analysis.Owner // the direct one; of a chain the root
	path        int32          // number of the chain's further hops, 0 for none
	folded      bool           // one of many, see folded
}

// Sample is a sum of slices that agree in their Key.
type Sample struct {
	Key     Key
	Waits   int64 // that begin in this sample: they sum to all waits
	DelayNs int64 // thread-time: it sums to all waiting
	wall    analysis.Union
}

// WallNs is the wall-clock time in which at least one of the sample's waits was in progress,
// and at most their sum: the share of one of several readers is shorter than the interval it
// covers. Those of several samples must not be added.
func (s *Sample) WallNs() int64 { return min(s.wall.Len(), s.DelayNs) }

// Wall is the union of the waits of a sample that is Shown.
func (s *Sample) Wall() *analysis.Union { return &s.wall }

// New returns an empty builder. The program's own code, for the view of sites, are
// the frames that the expression matches; see blame.NewSites.
func New(v View, app *regexp.Regexp) *Builder {
	b := &Builder{view: v, sites: blame.NewSites(app), index: map[Key]int32{}, most: maxSamples}
	b.waiters = blame.NewWaiterClasses(b.kindOf).
		Coarse(maxInQueue, func(m *analysis.QueueChange) int { return ^b.alike(&m.Waiter) })
	return b
}

// Begin implements analysis.Visitor.
func (b *Builder) Begin(sym *analysis.Symbols, start int64) {
	b.sym = sym
	b.start = start
	b.end = start
	b.sites.Begin(sym)
}

// Running implements analysis.RunningVisitor.
func (b *Builder) Running(_, to, _ int64) { b.end = max(b.end, to) }

// Intervals implements analysis.RunningVisitor: only the end of the running time matters.
func (b *Builder) Intervals() (from, length int64) { return b.start, 0 }

// Ticks implements analysis.RunningVisitor.
func (*Builder) Ticks(int64, int64) {}

// Slice implements analysis.Visitor. A wait counts in the sample of its first
// share, so that contentions sum to the number of waits.
func (b *Builder) Slice(s *analysis.Slice) {
	b.end = max(b.end, s.End)
	for i := range s.Waiters {
		b.waiter(s, &s.Waiters[i], 1)
	}
}

// QueueChanged implements analysis.QueueVisitor.
func (b *Builder) QueueChanged(m *analysis.QueueChange) { b.waiters.Change(m) }

// QueueSlice implements analysis.QueueVisitor.
func (b *Builder) QueueSlice(s *analysis.Slice, _ int) {
	b.end = max(b.end, s.End)
	list := b.waiters.OfLock(s.Lock)
	if b.Shown || len(list) == 0 {
		for _, k := range list {
			b.waiter(s, &k.Waiter, int64(k.Len()))
		}
		return
	}
	key := b.key(s.Lock, &list[0].Waiter, &s.Shares[0])
	for _, k := range list {
		ns := int64(k.Len()) * s.Shares[0].Ns
		key.Waiter, key.WaiterStack = k.Waiter.Thread, k.Waiter.Stack
		if at, ok := b.index[key]; ok && !k.IsCoarse() {
			b.samples[at].addSlice(s, ns)
		} else if k.IsCoarse() || b.full() {
			b.folded.ns += ns
			b.addSlice(b.fold(key), s, ns, 0)
		} else {
			b.addSlice(key, s, ns, 0)
		}
	}
}

// kindOf numbers the waiters of a queue that have samples of their own.
func (b *Builder) kindOf(m *analysis.QueueChange) int {
	if b.Shown {
		return b.alike(&m.Waiter)
	}
	return int(m.Number)
}

// alike numbers the waiters of a queue by what a sample keeps of them besides the thread.
func (b *Builder) alike(w *analysis.Waiter) int {
	if b.view == Blame || b.view == Site {
		return 0
	}
	return int(w.Stack)
}

// waiter adds n waiters that go to the same samples.
func (b *Builder) waiter(s *analysis.Slice, w *analysis.Waiter, n int64) {
	begins := s.Begins(w)
	for i := range s.Shares {
		sh := &s.Shares[i]
		key := b.key(s.Lock, w, sh)
		b.addSlice(b.known(key, n*sh.Ns), s, n*sh.Ns, begins)
		begins = 0
	}
	if len(s.Shares) == 0 { // a wait of length zero
		b.addSlice(
			b.known(
				Key{
					Waiter:      w.Thread,
					WaiterStack: w.Stack,
					Lock:        s.Lock,
					Owner:       analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown},
				},
				0,
			),
			s,
			0,
			begins,
		)
	}
}

// key is that of a waiter with a share of waiting for a lock.
func (b *Builder) key(lock format.ObjectID, w *analysis.Waiter, sh *analysis.Share) Key {
	key := Key{Waiter: w.Thread, WaiterStack: w.Stack, Lock: lock, Owner: sh.Direct}
	if b.view == Chain {
		key.Owner, key.path = sh.Root, b.paths.id(sh, b.full())
	}
	key.Owner.Prov = key.Owner.Prov.Rounded()
	if b.Shown {
		key = b.shown(key)
	}
	return key
}

// shown returns a key without what neither the frames nor the provenance depend on.
func (b *Builder) shown(key Key) Key {
	key.Waiter = format.NoThread
	key.Owner.Thread = format.NoThread
	key.Owner.Did = format.ActivityUnknown
	switch b.view {
	case Blame:
		key.WaiterStack, key.Lock = format.NoStack, format.NoObject
	case Site:
		key.WaiterStack = format.NoStack
	case Blocked:
		key.Lock, key.Owner = format.NoObject, analysis.Owner{Prov: key.Owner.Prov}
	}
	return key
}

func (b *Builder) addSlice(key Key, s *analysis.Slice, ns, begins int64) {
	m := b.sample(key)
	m.addSlice(s, ns)
	m.Waits += begins
}

func (m *Sample) addSlice(s *analysis.Slice, ns int64) {
	m.DelayNs += ns
	if !s.Summed {
		m.wall.AddInterval(s.Start, s.End)
	}
}

// sample returns the sample of a key, making it if need be.
func (b *Builder) sample(key Key) *Sample {
	i, ok := b.index[key]
	if !ok {
		i = int32(len(b.samples))
		b.index[key] = i
		b.samples = append(b.samples, Sample{Key: key})
	}
	return &b.samples[i]
}

// Doing returns what the owner of a sample was doing.
func (b *Builder) Doing(s *Sample) blame.Doing {
	if what := blame.RecordedDoing(s.Key.Owner.Did); what != blame.DoingUnknown {
		return what
	}
	return b.sites.Doing(s.Key.Owner.Stack)
}

// WaiterSite returns where the waiter of a sample waits.
func (b *Builder) WaiterSite(s *Sample) string {
	return b.sites.Names().Value(b.sites.Waiter(s.Key.WaiterStack))
}

// Symbols resolves what the samples name.
func (b *Builder) Symbols() *analysis.Symbols { return b.sym }

// LockName names a lock.
func (b *Builder) LockName(id format.ObjectID) string { return b.lockFrame(id)[len(lockPrefix):] }

const lockPrefix = "lock "

// lockFrame is what the frame of a lock says.
func (b *Builder) lockFrame(id format.ObjectID) string {
	if name, ok := b.names[id]; ok {
		return name
	}
	name := b.sym.LockName
	if b.Name != nil {
		name = b.Name
	}
	if b.names == nil {
		b.names = map[format.ObjectID]string{}
	}
	b.names[id] = lockPrefix + name(id)
	return b.names[id]
}

// Samples returns the sums in the order in which they were first seen.
func (b *Builder) Samples() []Sample { return b.samples }

// View returns what the samples' stacks show.
func (b *Builder) View() View { return b.view }

// Span returns the interval that the samples cover.
func (b *Builder) Span() (start, end int64) { return b.start, b.end }
