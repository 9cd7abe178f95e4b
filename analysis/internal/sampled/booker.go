package sampled

import (
	"contend/analysis"
	"contend/analysis/internal/deliver"
	"contend/analysis/internal/graph"
	"contend/analysis/owners"
	"contend/format"
)

// booker turns an instant, and the interval that it stands for, into slices and running time.
type booker struct {
	e            *deliver.Emitter
	tellsRunning func() bool // see Sampler.TellsRunning
	Measured     measured

	g       graph.Graph
	modes   []format.Mode     // by thread
	nodes   []format.ThreadID // threads blocked in the graph, each as often as it counts
	links   []format.ThreadID // and those that do not count
	summed  bool              // the instant is a sum
	waits   int64             // of so many waits; 0 if unknown
	held    []format.ObjectID // locks owned in the graph
	threads int               // maximum of threads alive at one tick of this input
	number  uint64            // of the booking, one for each tick
	last    []lastSeen        // by thread

	waiters []analysis.Waiter // scratch of collect
	slice   analysis.Slice    // scratch: the slice that is booked
	group   []format.ThreadID
	added   []int64 // scratch of runMore
}

// lastSeen is the wait in which a thread was last sampled. The same lock and stack at
// successive ticks are one wait.
type lastSeen struct {
	tick  uint64 // number of the booking
	first bool   // it was not seen so at the tick before
	lock  format.ObjectID
	stack format.StackID
}

// build makes the wait-for graph of an instant. A thread can wait for one lock only: the first one
// counts. If it is listed there several times, it stands for as many threads.
func (b *booker) build(of *instant) {
	for i := range of.locks {
		in := &of.locks[i]
		b.room(in)
		if len(b.g.Owners[in.lock]) == 0 {
			b.held = append(b.held, in.lock)
			for _, o := range in.owners {
				h := analysis.Owner{
					Kind:   analysis.OwnerThread,
					Prov:   analysis.Sampled,
					Thread: o.Thread,
					Stack:  o.Stack,
				}
				if o.Thread == format.NoThread {
					h = analysis.Owner{Kind: analysis.OwnerUnknown, Prov: analysis.Unknown}
				}
				b.g.AddOwner(in.lock, h)
			}
		}
		for j, w := range in.waiters {
			again := j > 0 && in.waiters[j-1] == w && b.g.Blocked[w.Thread].Lock == in.lock
			switch {
			case w.Thread == format.NoThread || !again && b.g.Blocked[w.Thread].Lock != format.NoObject:
				continue
			case in.links:
				b.links = append(b.links, w.Thread)
			default:
				b.nodes = append(b.nodes, w.Thread)
			}
			b.g.Blocked[w.Thread] = graph.Blocked{Lock: in.lock, Stack: w.Stack}
			b.modes[w.Thread] = w.Mode
		}
	}
}

// room extends the tables to the ids of one event, which it bounds.
func (b *booker) room(in *contendedLock) {
	in.lock = min(in.lock, owners.MaxID)
	top := format.ThreadID(0)
	for _, list := range [...][]format.Party{in.owners, in.waiters} {
		for i := range list {
			list[i].Thread = min(list[i].Thread, owners.MaxID)
			top = max(top, list[i].Thread)
		}
	}
	for len(b.g.Owners) <= int(in.lock) {
		b.g.Owners = append(b.g.Owners, nil)
		b.g.Gap = append(b.g.Gap, analysis.Owner{Kind: analysis.OwnerHandoff, Prov: analysis.Sampled})
	}
	if n := int(top) + 1 - len(b.g.Blocked); n > 0 {
		b.g.Blocked = append(b.g.Blocked, make([]graph.Blocked, n)...)
		b.last = append(b.last, make([]lastSeen, n)...)
		b.modes = append(b.modes, make([]format.Mode, n)...)
	}
}

// count returns the number of threads that ran at an instant, blocked ones included.
func (b *booker) count(of *instant) int64 {
	waiting := int64(len(b.nodes))
	live := max(int64(of.live), waiting)
	b.threads = max(b.threads, int(live))
	return max(live-int64(of.idle), waiting)
}

func (b *booker) clear() {
	for _, list := range [...][]format.ThreadID{b.nodes, b.links} {
		for _, t := range list {
			b.g.Blocked[t] = graph.Blocked{}
		}
	}
	for _, l := range b.held {
		b.g.Owners[l] = b.g.Owners[l][:0]
	}
	b.nodes = b.nodes[:0]
	b.links = b.links[:0]
	b.held = b.held[:0]
}

// book charges the graph over [lo, hi), and running time.
func (b *booker) book(lo, hi, running int64, seen *analysis.Sample) {
	b.number++
	if seen.Before == format.NoTime {
		b.number++ // no wait is known to continue from the last booking
	}
	if b.tellsRunning() && !b.summed {
		b.e.Run(lo, hi, running)
	}
	for rest := b.nodes; len(rest) > 0; {
		n := 1
		for n < len(rest) && b.g.Blocked[rest[n]].Lock == b.g.Blocked[rest[0]].Lock {
			n++
		}
		b.emitScaled(rest[:n], lo, hi, seen)
		rest = rest[n:]
	}
}

// emitScaled books the waiters of one lock for the measured duration. What exceeds [lo, hi)
// is booked there again as time in which the lock was free: a JVM shows a waiting thread as
// runnable while the lock has no owner, so that is the time samples miss.
func (b *booker) emitScaled(nodes []format.ThreadID, lo, hi int64, seen *analysis.Sample) {
	length := b.Measured.factor(b.g.Blocked[nodes[0]].Lock).scaled(hi - lo)
	if b.collect(nodes, lo, min(hi, lo+length), seen, false) {
		b.e.Book(&b.slice, &b.g, b.group[0], len(b.group), func() []format.ThreadID { return b.group })
	}
	for rest := length - (hi - lo); rest > 0; rest -= hi - lo {
		if b.collect(nodes, hi-min(rest, hi-lo), hi, seen, true) {
			b.e.BookOwner(
				&b.slice,
				analysis.Owner{Kind: analysis.OwnerHandoff, Prov: analysis.Sampled},
				len(b.waiters),
			) // the sampler found the lock free
		}
	}
}

// collect makes the slice of one lock's waiters. It returns false if the filter hides all
// of them. again means that this sample has been booked before.
func (b *booker) collect(nodes []format.ThreadID, lo, hi int64, seen *analysis.Sample, again bool) bool {
	lo, hi, ok := b.e.Cut(lo, hi)
	lock := b.g.Blocked[nodes[0]].Lock
	b.waiters, b.group = b.waiters[:0], b.group[:0]
	for i, t := range nodes {
		stack := b.g.Blocked[t].Stack
		last := &b.last[t]
		repeated := i > 0 && nodes[i-1] == t
		if !repeated && !again {
			last.first = last.tick+1 != b.number || last.lock != lock || last.stack != stack
		}
		first := !again && (last.first || b.summed)
		last.tick = b.number
		last.lock = lock
		last.stack = stack
		if ok && b.e.Wanted(t, lock, deliver.AnyLength) {
			b.waiters = append(
				b.waiters,
				analysis.Waiter{Thread: t, Stack: stack, Mode: b.modes[t], First: first, Again: repeated},
			)
			b.group = append(b.group, t)
		}
	}
	b.slice = analysis.Slice{Start: lo, End: hi, Lock: lock, Sample: *seen, Waiters: b.waiters}
	if b.summed {
		b.slice.Summed, b.slice.Waits = true, b.waits
	}
	return len(b.group) > 0
}
