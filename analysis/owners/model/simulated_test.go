package model

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/analysis/internal/times"
	"contend/format"
	"contend/format/column"
	"contend/golden"
)

func TestMain(m *testing.M) { golden.Main(m) }

// simulated is a Program of which everything is known: threads take one lock at sites that
// hold it for known times, first come, first served.
type simulated struct {
	stacks [][]format.Frame // from 1 on
	waits  []Wait
	doings map[format.ThreadID][]Observation
	owners []Part // who held the lock
}

const theLock = format.ObjectID(1)

// stack adds a stack of methods, innermost first.
func (p *simulated) stack(methods ...string) format.StackID {
	var frames []format.Frame
	for _, m := range methods {
		frames = append(frames, format.Frame{Class: "p.C", Method: m, Line: 7})
	}
	if p.stacks == nil {
		p.stacks = make([][]format.Frame, 1)
	}
	p.stacks = append(p.stacks, frames)
	return format.StackID(len(p.stacks) - 1)
}

func (p *simulated) does(t format.ThreadID, d Observation) {
	if p.doings == nil {
		p.doings = map[format.ThreadID][]Observation{}
	}
	p.doings[t] = append(p.doings[t], d)
}

// user is a thread that takes the lock again and again, at a site.
type user struct {
	stack  format.StackID
	away   format.StackID // what it does while it holds the lock; NoStack for nothing that is recorded
	holds  int64          // ns
	pauses int64
	silent bool // its waits are not recorded
	reads  bool // it holds the lock together with others that read
}

// simulate runs threads, numbered from 1, until the lock was taken n times.
func (p *simulated) simulate(seed uint64, n int, users []user) { p.permits(seed, n, 1, users) }

// permits does so with a semaphore of so many permits, or a lock that some read.
func (p *simulated) permits(seed uint64, n, permits int, users []user) {
	rng := rand.New(rand.NewPCG(seed, 5))
	near := func(ns int64) int64 { return 1 + ns/2 + rng.Int64N(ns+1) }
	asks := make([]int64, len(users))
	for i := range asks {
		asks[i] = near(users[i].pauses)
	}
	free, wrote := make([]int64, permits), int64(0) // when each permit is free, and the last writer was done
	for ; n > 0; n-- {
		i, permit := 0, 0
		for j := range asks {
			if asks[j] < asks[i] {
				i = j
			}
		}
		for j := range free {
			if free[j] < free[permit] {
				permit = j
			}
		}
		u, t, at := &users[i], format.ThreadID(i+1), free[permit]
		if u.reads {
			at = wrote
		}
		if at > asks[i] && !u.silent {
			at += near(10_000) // to wake up
			p.waits = append(p.waits, Wait{Start: asks[i], End: at, Thread: t, Stack: u.stack, Shared: u.reads})
			p.does(t, Observation{Start: asks[i], End: at, Stack: u.stack, Lock: theLock, What: Waits})
		} else {
			at = max(at, asks[i])
		}
		end := at + near(u.holds)
		if u.away != format.NoStack {
			p.does(t, Observation{Start: at + 10, End: end - 10, Stack: u.away, What: Away})
		}
		p.owners = append(p.owners, Part{Start: at, End: end, Thread: t, Stack: u.stack})
		free[permit], asks[i] = max(free[permit], end), end+near(u.pauses)
		if !u.reads {
			wrote = end
		}
	}
	slices.SortFunc(
		p.waits,
		func(a, b Wait) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Thread, b.Thread)) },
	)
}

// several is a program of four threads at three sites, one of which sleeps inside.
func several(seed uint64, n int) *simulated {
	p := &simulated{}
	fast, slow, sleeps := p.stack("fast", "run"), p.stack("slow", "run"), p.stack("sleeps", "run")
	p.simulate(seed, n, []user{
		{stack: fast, holds: 20_000, pauses: 100_000},
		{stack: fast, holds: 20_000, pauses: 100_000},
		{stack: slow, holds: 300_000, pauses: 900_000},
		{stack: sleeps, away: p.stack("sleep", "sleeps", "run"), holds: 2_000_000, pauses: 9_000_000},
	})
	return p
}

// group returns the learned model of the program's lock.
func (p *simulated) group(dumps ...Dump) (*Group, *Lock) {
	l := &Lock{ID: theLock, Dumps: dumps}
	return Fit(p, format.KindMonitor, []*Lock{l}, nil), l
}

func (p *simulated) answer(gr *Group, l *Lock) (out []Part) {
	gr.Answer(l, func(x Part) { out = append(out, x) })
	return out
}

// owner returns who held the lock at an instant; ok is false where it was free.
func (p *simulated) owner(at int64) (o Part, ok bool) {
	for _, o := range p.owners {
		if o.Start <= at && at < o.End {
			return o, true
		}
	}
	return o, false
}

func (p *simulated) Frames(s format.StackID) []format.Frame { return p.stacks[s] }
func (p *simulated) ClassName(format.ObjectID) string       { return "Simulated" }

func (p *simulated) Application(s format.StackID) []format.Frame { return p.stacks[s] }

func (p *simulated) Waits(_ format.ObjectID, to []Wait) []Wait { return append(to, p.waits...) }

func (p *simulated) Observations(
	t format.ThreadID,
	except format.ObjectID,
	from, to int64,
	_ *column.Ref,
	list []Observation,
) ([]Observation, int64) {
	all := p.doings[t] // by start; of none are more than three at once
	first, _ := slices.BinarySearchFunc(
		all,
		from,
		func(d Observation, at int64) int { return cmp.Compare(d.Start, at) },
	)
	for _, d := range all[max(first-3, 0):] {
		switch {
		case d.What == Waits && d.Lock == except:
		case d.Start >= to:
			return list, d.Start
		case d.End >= from:
			list = append(list, d)
		}
	}
	return list, math.MaxInt64
}

func (p *simulated) ActivitiesOf(format.ObjectID) (list []*Activity) {
	by := map[string]*Activity{}
	for t := range format.ThreadID(9) {
		for _, d := range p.doings[t] {
			key := fmt.Sprint(d.What, d.Stack)
			if d.What == Sample {
				continue
			}
			if by[key] == nil {
				by[key] = &Activity{What: d.What, Stack: d.Stack, Lock: d.Lock}
				list = append(list, by[key])
			}
			by[key].Times, by[key].Ns = append(
				by[key].Times,
				ThreadTime{times.Span{Start: d.Start, End: d.End}, t},
			), by[key].Ns+d.End-d.Start
		}
	}
	return list
}

func (p *simulated) Samples(_ format.ObjectID, from, to int64, _ int, f func(format.ThreadID, int64, format.StackID)) {
	type run struct {
		Observation
		t format.ThreadID
	}
	var all []run
	for t, list := range p.doings {
		for _, d := range list {
			if d.What == Sample && d.Start >= from && d.Start < to {
				all = append(all, run{d, t})
			}
		}
	}
	slices.SortFunc(all, func(a, b run) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.t, b.t)) })
	for _, r := range all {
		f(r.t, r.Start, r.Stack)
	}
}
