// Package stacks sums slices by call stack: who caused the waiting, who was
// blocked, or the whole chain between them. Profiles and flame graphs are
// views of its samples.
package stacks

import (
	"regexp"

	"contend/analysis"
	"contend/blame"
	"contend/blame/sites"
	"contend/format"
)

// View says what a sample's stack shows.
type View uint8

// The views.
const (
	Blame   View = iota // the owner's stack
	Blocked             // the waiter's stack
	Chain               // the waiter's stack, the lock, what its owner waited for in turn, and the stack of the last owner
	Site                // the owner's stack from the frame that took the lock outwards
)

// Views are the names of the views.
var Views = [...]string{Blame: "blame", Blocked: "blocked", Chain: "chain", Site: "site"}

// Builder is a visitor that sums slices into samples.
type Builder struct {
	// Stable leaves out of frames what another run or another build would
	// name differently: addresses of locks, lines, numbers of hidden classes
	// and of deadlocks. Two builders that are compared need it.
	Stable bool
	// Shown sums what has the same frames: there are as many samples as stacks,
	// and not as pairs of threads. Who asks for frames alone needs no more.
	Shown bool

	view    View
	sym     *analysis.Symbols
	sites   *sites.Sites
	start   int64
	end     int64
	index   map[Key]int
	samples []Sample
	paths   paths
	folded  folded
	kinds   blame.Kinds // of those in crowds whom folded samples, or those that are Shown, do not tell apart
	crowds  *crowds     // where others do; nil as long as there are none
	most    int         // samples that are told apart
	limit   limit       // while a deep chain is put together
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
	Key
	Waits   int64 // that begin in this sample: they sum to all waits
	DelayNs int64 // thread-time: it sums to all waiting
	wall    analysis.Union
	crowdNs int64 // what was waited in crowds, besides: nobody waits there twice at a time
}

// WallNs is the time in which at least one of the sample's waits was going
// on; it is no sum.
func (s *Sample) WallNs() int64 { return min(s.wall.Len()+s.crowdNs, s.DelayNs) }

// Wall is the union of the waits of a sample that is Shown.
func (s *Sample) Wall() *analysis.Union { return &s.wall }

// WallNs is the length of a union of waits, at most their sum: one of several
// readers' shares is shorter than the stretch it covers.
func WallNs(u *analysis.Union, delayNs int64) int64 { return min(u.Len(), delayNs) }

// New returns an empty builder. The program's own code, for the view of sites, are
// the frames that the expression matches; see sites.New.
func New(v View, app *regexp.Regexp) *Builder {
	b := &Builder{view: v, sites: sites.New(app), index: map[Key]int{}, most: maxSamples}
	b.kinds = blame.NewKinds(func(m *analysis.Move) int { return b.kindOf(&m.Waiter) })
	return b
}

// Begin implements analysis.Visitor.
func (b *Builder) Begin(sym *analysis.Symbols, start int64) {
	b.sym, b.start, b.end = sym, start, start
	b.sites.Begin(sym)
}

// Running implements analysis.RunningVisitor.
func (b *Builder) Running(_, to, _ int64) { b.end = max(b.end, to) }

// Interval implements analysis.IntervalVisitor: when it ends is all that matters.
func (b *Builder) Interval() int64 { return 0 }

// Slice implements analysis.Visitor. A wait counts in the sample of its first
// share, so that contentions sum to the number of waits.
func (b *Builder) Slice(s *analysis.Slice) {
	b.end = max(b.end, s.End)
	for i := range s.Waiters {
		b.waiter(s, &s.Waiters[i], 1)
	}
}

// Moved implements analysis.CrowdVisitor.
func (b *Builder) Moved(m *analysis.Move) {
	b.kinds.Move(m)
	if !b.Shown {
		b.follow(m)
	}
}

// Crowd implements analysis.CrowdVisitor.
func (b *Builder) Crowd(s *analysis.Slice, n int) {
	b.end = max(b.end, s.End)
	if !b.Shown {
		b.addCrowd(s, n)
		return
	}
	for _, k := range b.kinds.Of(s.Lock) {
		b.waiter(s, &k.Waiter, int64(k.Len()))
	}
}

// kindOf tells apart those of a crowd whom samples tell apart without their threads.
func (b *Builder) kindOf(w *analysis.Waiter) int {
	if b.view == Blame || b.view == Site {
		return 0
	}
	return int(w.Stack)
}

// waiter adds n waiters that are alike.
func (b *Builder) waiter(s *analysis.Slice, w *analysis.Waiter, n int64) {
	for i := range s.Shares {
		sh := &s.Shares[i]
		key := b.key(s.Lock, w, sh)
		b.add(b.known(key, n*sh.Ns), s, n*sh.Ns, w.First && i == 0)
	}
	if len(s.Shares) == 0 { // a wait of length zero
		b.add(b.known(Key{Waiter: w.Thread, WaiterStack: w.Stack, Lock: s.Lock, Owner: analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}}, 0), s, 0, w.First)
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

// shown leaves of a key what its frames and its owner's provenance come from.
func (b *Builder) shown(key Key) Key {
	key.Waiter, key.Owner.Thread, key.Owner.Did = format.NoThread, format.NoThread, format.ActivityUnknown
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

func (b *Builder) add(key Key, s *analysis.Slice, ns int64, first bool) {
	m := b.sample(key)
	m.DelayNs += ns
	m.wall.Add(s.Start, s.End)
	if first {
		m.Waits++
	}
}

// sample returns the sample of a key, making it if need be.
func (b *Builder) sample(key Key) *Sample {
	i, ok := b.index[key]
	if !ok {
		i = len(b.samples)
		b.index[key] = i
		b.samples = append(b.samples, Sample{Key: key})
		if b.crowds != nil {
			b.enter(i)
		}
	}
	return &b.samples[i]
}

// Doing returns what the owner of a sample was at.
func (b *Builder) Doing(s *Sample) sites.Doing {
	if what := sites.Recorded(s.Owner.Did); what != sites.Unknown {
		return what
	}
	return b.sites.Doing(s.Owner.Stack)
}

// WaiterSite returns where the waiter of a sample waits.
func (b *Builder) WaiterSite(s *Sample) string {
	return b.sites.Names().Name(b.sites.Waiter(s.WaiterStack))
}

// Symbols resolves what the samples name.
func (b *Builder) Symbols() *analysis.Symbols { return b.sym }

// Samples returns the sums, in the order in which they were first met.
func (b *Builder) Samples() []Sample {
	b.settle()
	return b.samples
}

// View returns what the samples' stacks show.
func (b *Builder) View() View { return b.view }

// Span returns the stretch of time the samples cover.
func (b *Builder) Span() (start, end int64) { return b.start, b.end }
