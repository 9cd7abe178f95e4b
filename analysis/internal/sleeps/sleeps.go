// Package sleeps decides which sleeps are inside critical sections: a thread that sleeps
// there counts as running, because it holds the lock.
package sleeps

import (
	"cmp"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"contend/analysis"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
)

// Contradicted is how many sleeps must agree with a stack being inside for each sleep that
// does not: the ends of waits are not exact.
const Contradicted = 10

// Sites are the stacks at which threads sleep inside critical sections. A thread that
// sleeps there counts as running, because it holds the lock. A recorder does not
// mark such sleeps. A stack may be inside if it passes through a method that acquires a
// lock, from the same call site outwards. It is
//
//  1. inside if a thread dump shows the lock held with this stack;
//  2. outside if other threads often acquired the lock while a thread slept there, and
//     inside if they waited until the sleep ended: see verdict;
//  3. else unknown: its time is a range.
//
// A stack that passes through the caller of such a method, which may be a lock of the
// program's own, is inside if other threads waited until the sleep ended, else outside.
type Sites struct {
	at   []sleepSite             // by stack
	open bool                    // some are unknown
	took map[format.StackID]bool // stacks with which dumps show a lock held
	seed maphash.Seed
	in   sections // of the trace, by Classify
}

// sleepSite is whether sleeps with a stack are inside a critical section.
type sleepSite uint8

const (
	sleepOutside sleepSite = iota
	sleepInside
	sleepMayBeInside
)

func (s *Sites) siteOf(stack format.StackID) sleepSite {
	if int(stack) < len(s.at) {
		return s.at[stack]
	}
	return sleepOutside
}

// Works reports whether an idle time is a sleep inside a critical section.
func (s *Sites) Works(o owners.Activity) bool {
	return o.What() == format.ActivitySleep && s.siteOf(o.Stack) == sleepInside
}

// The largest numbers of sleeps and acquisitions that verdicts use: the earliest ones.
const (
	maxSleepsTried   = 1 << 14
	maxAcquiresTried = 1 << 20
)

// HoldsLock adds a stack with which a dump shows a lock held.
func (s *Sites) HoldsLock(stack format.StackID) {
	if s.took == nil {
		s.took = map[format.StackID]bool{}
	}
	s.took[stack] = true
}

// Classify decides all stacks at which threads slept.
func (s *Sites) Classify(all *owners.Activities, defs *analysis.Symbols) {
	s.in = s.acquiredAt(defs)
	open := map[format.StackID][]format.ObjectID{}
	for id := format.StackID(1); int(id) <= defs.Stacks(); id++ {
		if !defs.Uses(id).Has(analysis.Did(format.ActivitySleep)) {
			continue
		}
		inside, near, far := s.Passes(defs.Frames(id))
		switch {
		case inside:
			s.set(id, sleepInside)
			continue
		case len(near) > 0:
			s.set(id, sleepMayBeInside)
		}
		if len(near) == 0 {
			near = far // else others may acquire these while the thread has its lock
		}
		if len(near) > 0 {
			open[id] = near
		}
	}
	if len(open) > 0 {
		s.try(all, open)
		s.open = slices.Contains(s.at, sleepMayBeInside)
	}
}

func (s *Sites) set(id format.StackID, is sleepSite) {
	for len(s.at) <= int(id) {
		s.at = append(s.at, sleepOutside)
	}
	s.at[id] = is
}

// sections are the sites where locks are acquired and held, by hash.
type sections struct {
	methods map[uint64][]format.ObjectID // by method and call site: the locks that it acquires, some of them repeatedly
	callers map[uint64][]format.ObjectID // by the caller of such a method, which may be a lock of the program's own
	held    map[uint64]bool              // stacks with which dumps show locks held
}

// acquiredAt returns the sections of a trace.
func (s *Sites) acquiredAt(defs *analysis.Symbols) sections {
	in := sections{map[uint64][]format.ObjectID{}, map[uint64][]format.ObjectID{}, map[uint64]bool{}}
	s.seed = maphash.MakeSeed()
	for _, a := range defs.Acquisitions() {
		frames := app(defs.Frames(a.Stack))
		if len(frames) == 0 {
			continue
		}
		outer := s.hash(frames[1:])
		at := s.method(frames[0], outer)
		in.methods[at] = append(in.methods[at], a.Lock)
		if len(frames) > 1 {
			at = s.method(frames[1], s.hash(frames[2:]))
			in.callers[at] = append(in.callers[at], a.Lock)
		}
		if s.took[a.Stack] {
			in.held[s.line(frames[0], outer)] = true
		}
	}
	return in
}

// app returns the frames from the innermost application frame outwards; all if there is
// none.
func app(frames []format.Frame) []format.Frame {
	i := slices.IndexFunc(frames, func(f format.Frame) bool { return !analysis.RuntimeFrame(f) })
	return frames[max(i, 0):]
}

// Passes follows a stack inwards; Classify comes before it. inside reports whether a lock is
// held with it. near are the locks that are acquired in a method it passes through, far those
// acquired by a method that such a method calls.
func (s *Sites) Passes(frames []format.Frame) (inside bool, near, far []format.ObjectID) {
	outer := s.hash(nil)
	for i := len(frames) - 1; i >= 0 && !inside; i-- {
		method := s.method(frames[i], outer)
		near, far = append(near, s.in.methods[method]...), append(far, s.in.callers[method]...)
		outer = s.line(frames[i], outer)
		inside = s.in.held[outer]
	}
	slices.Sort(near)
	slices.Sort(far)
	return inside, slices.Compact(near), slices.Compact(far)
}

// hash returns the hash of a stack, from its outermost frame inwards.
func (s *Sites) hash(frames []format.Frame) uint64 {
	h := uint64(0)
	for i := len(frames) - 1; i >= 0; i-- {
		h = s.line(frames[i], h)
	}
	return h
}

func (s *Sites) line(f format.Frame, outer uint64) uint64 {
	return s.method(f, outer) ^ (uint64(f.Line)+1)*0x9e3779b97f4a7c15
}

func (s *Sites) method(f format.Frame, outer uint64) uint64 {
	return (bits.RotateLeft64(outer, 23)^maphash.String(s.seed, f.Class))*0x9e3779b97f4a7c15 ^ maphash.String(
		s.seed,
		f.Method,
	)
}

// Unclear returns how long a thread slept in a cut while it may have held a lock, ns.
func (s *Sites) Unclear(own owners.Scan, cut times.Span) (ns int64) {
	if !s.open {
		return 0
	}
	for own.NextOther() {
		if o := own.Activity(); o.What() == format.ActivitySleep && s.siteOf(o.Stack) == sleepMayBeInside {
			ns += max(min(o.End, cut.End)-max(o.Start, cut.Start), 0)
		}
	}
	return ns
}

// aSleep is a sleep at a stack that may be inside.
type aSleep struct {
	start, end int64
	thread     format.ThreadID
	stack      format.StackID
}

// acquire is the end of a wait for a lock.
type acquire struct {
	start, end int64
	thread     format.ThreadID
}

// try compares sleeps with the waits and acquisitions of other threads during them.
func (s *Sites) try(all *owners.Activities, open map[format.StackID][]format.ObjectID) {
	sleeps := s.sleeps(all, open)
	acquired, until := acquires(all, open)
	agree, deny := map[format.StackID]int{}, map[format.StackID]int{}
	for i := range sleeps {
		one := &sleeps[i]
		if one.end > until {
			continue
		}
		switch one.verdict(open[one.stack], acquired) {
		case sleepInside:
			agree[one.stack]++
		case sleepOutside:
			deny[one.stack]++
		}
	}
	for stack := range open {
		switch {
		case agree[stack] > Contradicted*deny[stack]:
			s.set(stack, sleepInside)
		case deny[stack] > 0:
			s.set(stack, sleepOutside)
		}
	}
}

// sleeps returns the sleeps to be tried, by start.
func (s *Sites) sleeps(all *owners.Activities, open map[format.StackID][]format.ObjectID) (list []aSleep) {
	for t := range all.Threads() {
		of := all.Of(format.ThreadID(t))
		for scan := all.Scan(of); scan.NextOther(); {
			o := scan.Activity()
			if o.What() != format.ActivitySleep || o.End <= o.Start || open[o.Stack] == nil {
				continue
			}
			list = append(list, aSleep{o.Start, o.End, format.ThreadID(t), o.Stack})
			if len(list) >= 2*maxSleepsTried {
				list = earliestSleeps(list)
			}
		}
	}
	return earliestSleeps(list)
}

func earliestSleeps(list []aSleep) []aSleep {
	slices.SortFunc(
		list,
		func(a, b aSleep) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.thread, b.thread)) },
	)
	return list[:min(len(list), maxSleepsTried)]
}

// acquires returns, by lock and end, the acquisitions of the candidates after a wait, and
// the time up to which they are complete.
func acquires(
	all *owners.Activities,
	open map[format.StackID][]format.ObjectID,
) (by map[format.ObjectID][]acquire, until int64) {
	by, until = map[format.ObjectID][]acquire{}, math.MaxInt64
	for _, candidates := range open {
		for _, l := range candidates {
			by[l] = nil
		}
	}
	n := 0
	for _, i := range all.Starts {
		w := all.Activity(i)
		if _, asked := by[w.Lock]; !asked || w.Failed() {
			continue
		}
		if n++; n > maxAcquiresTried {
			until = w.Start
			break
		}
		by[w.Lock] = append(by[w.Lock], acquire{w.Start, w.End, w.Thread})
	}
	for _, list := range by {
		slices.SortFunc(
			list,
			func(a, b acquire) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.thread, b.thread)) },
		)
	}
	return by, until
}

// verdict returns the verdict of the waits for some locks on a sleep: outside if another
// thread acquired one of them during the sleep; inside if another thread waited until the
// sleep ended, and the sleeping thread was the last to acquire the lock before it.
// sleepMayBeInside means no verdict.
func (a *aSleep) verdict(locks []format.ObjectID, acquired map[format.ObjectID][]acquire) sleepSite {
	all := sleepMayBeInside
	for _, l := range locks {
		list := acquired[l]
		from, _ := slices.BinarySearchFunc(
			list,
			a.start+1,
			func(q acquire, t int64) int { return cmp.Compare(q.end, t) },
		)
		to := from
		for to < len(list) && list[to].thread == a.thread {
			to++
		}
		switch {
		case to == len(list):
		case list[to].end < a.end:
			all = sleepOutside
		case list[to].start < a.end && (from == 0 || list[from-1].thread == a.thread):
			return sleepInside
		}
	}
	return all
}
