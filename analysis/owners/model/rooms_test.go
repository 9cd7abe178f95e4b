package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"contend/analysis/internal/times"
	"contend/format"
)

// A path is the methods of a stack: calls of a method by itself are one, lines do not
// matter, and what is called alike from the same callers has one suffix.
func TestPaths(t *testing.T) {
	p := &simulated{}
	frames := func(methods ...string) []format.Frame { return p.Frames(p.stack(methods...)) }
	var once, twice, other path
	once.set(frames("take", "walk", "run"), 0)
	moved := slices.Clone(frames("take", "walk", "walk", "walk", "run"))
	moved[0].Line = 99
	twice.set(moved, 0)
	other.set(frames("take", "jump", "run"), 0)
	if !slices.Equal(once.suffix, twice.suffix) || !slices.Equal(twice.frame, []int{0, 3, 4}) {
		t.Errorf("%+v and %+v", once, twice)
	}
	if once.suffix[0] == other.suffix[0] || once.suffix[2] != other.suffix[2] || once.method[0] != other.method[0] {
		t.Errorf("%+v and %+v", once, other)
	}
}

// Gaps hold all the waiting and nothing else, each acquisition ends one, and the instant up
// to which threads waited so long is found again.
func TestGaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := several(rapid.Uint64().Draw(t, "seed"), 150)
		if len(p.waits) == 0 {
			return
		}
		l := &Lock{ID: theLock}
		gr := newGroup(p, true, []*Lock{l})
		w := gr.worker()
		sum, want, ended := 0.0, 0.0, 0
		for _, w := range p.waits {
			want += float64(w.End - w.Start)
		}
		last := int64(0)
		w.gaps(l, func(*gap) bool { return true }, func(g *gap) {
			if g.from < last || g.to <= g.from {
				t.Fatalf("%d to %d after %d", g.from, g.to, last)
			}
			last = g.to
			all := g.waited(g.to)
			if sum += all; g.ended {
				ended++
			}
			for part := 0.1; part < 1; part += 0.2 {
				if at := g.when(part * all); g.waited(at) > part*all+1 || g.waited(at+1) < part*all-1 {
					t.Errorf("waited %v of %v ns up to %d in %d to %d", g.waited(at), part*all, at, g.from, g.to)
				}
			}
		})
		if sum != want || ended != len(p.waits) {
			t.Errorf("%v ns in %d gaps, want %v in %d", sum, ended, want, len(p.waits))
		}
	})
}

// A thread that sleeps, never waits and lets others go on when it wakes is a silent site; one
// that sleeps whatever the others do is none.
func TestSilentSites(t *testing.T) {
	for _, holds := range []bool{true, false} {
		p := &simulated{}
		fast, sleep := p.stack("fast", "run"), p.stack("sleep", "quiet", "run")
		one := user{stack: fast, holds: 20_000, pauses: 30_000} // there is always one that waits
		if holds {
			one.pauses = 300_000
		}
		users := []user{one, one, one}
		if holds {
			users = append(
				users,
				user{stack: p.stack("quiet", "run"), away: sleep, holds: 3e6, pauses: 9e6, silent: true},
			)
		}
		p.simulate(6, 3000, users)
		if !holds {
			rng := rand.New(rand.NewPCG(1, 2))
			for at := int64(0); at < p.owners[len(p.owners)-1].End; at += 1e6 {
				start := at + rng.Int64N(5e5)
				p.does(4, Observation{Start: start, End: start + 4e5, Stack: sleep, What: Away})
			}
		}
		c, l := p.group()
		var silent []*site
		for _, s := range c.sites {
			if s.silent {
				silent = append(silent, s)
			}
		}
		named := int64(0)
		all := int64(0)
		for _, x := range p.answer(c, l) {
			if all += x.End - x.Start; x.Thread == 4 {
				named += x.End - x.Start
			}
		}
		switch {
		case holds && (len(silent) != 1 || p.Frames(silent[0].stack)[1].Method != "quiet" || named < all/2):
			t.Errorf("it is named for %d of %d ns, silent sites %+v", named, all, silent)
		case !holds && (len(silent) != 0 || named != 0):
			t.Errorf("it holds no lock and is named for %d of %d ns: %+v", named, all, silent)
		}
	}
}

// Dumps that show something else than the model says are held against it: what they show
// is said more often.
func TestCheck(t *testing.T) {
	p := several(8, 3000)
	var dumps, wrong []Dump
	for _, w := range p.waits {
		at := (w.Start + w.End) / 2
		if o, ok := p.owner(at); ok {
			dumps = append(dumps, Dump{Time: at, Owner: o.Thread, Stack: o.Stack, Took: o.Stack, Waiters: 2})
			wrong = append(wrong, Dump{Time: at, Owner: 3, Stack: 2, Took: 2, Waiters: 2})
		}
	}
	c, l := p.group(dumps...)
	if s := l.Seen; s.Dumps < 100 || s.Waiters != 2*int64(s.Dumps) || s.SquaredWaiters != 4*int64(s.Dumps) ||
		s.Agreeing < s.Waiters*7/10 {
		t.Errorf("of right dumps: %+v", s)
	}
	slow := slices.IndexFunc(c.sites, func(s *site) bool { return s.stack == 2 })
	right := c.factor[slow] / c.factor[(slow+1)%3]
	c, m := p.group(wrong...)
	slow = slices.IndexFunc(c.sites, func(s *site) bool { return s.stack == 2 })
	if f := c.factor[slow] / c.factor[(slow+1)%3]; f < 5*right || m.Seen.Dumps < 100 {
		t.Errorf("factor %v where all dumps show it, %v where right ones do; %+v", f, right, m.Seen)
	}
}

// On programs whose owners are known, the waiting is charged to the sites that held the
// lock and to nobody as it was: to all that hold it together alike.
func TestScenarios(t *testing.T) {
	const us, ms = int64(1e3), int64(1e6)
	p := &simulated{}
	fast, slow, sleeps := p.stack("fast", "run"), p.stack("slow", "run"), p.stack("sleeps", "run")
	asleep := p.stack("sleep", "sleeps", "run")
	quick := user{stack: fast, holds: 20 * us, pauses: 100 * us}
	for _, c := range []struct {
		name    string
		users   []user
		permits int
		hangs   int64   // ns for which a last thread waits in vain
		dumps   int64   // ns between dumps of the owner
		most    float64 // distance of the shares
	}{
		{name: "held long by a thread that seldom waits",
			users: []user{quick, quick, {stack: slow, holds: 3 * ms, pauses: 30 * ms}}, most: 0.2},
		{name: "sleeps inside", users: []user{quick, quick,
			{stack: sleeps, away: asleep, holds: 2 * ms, pauses: 9 * ms}}, most: 0.1},
		{name: "hand-off only", users: []user{{stack: fast, holds: 100, pauses: 3 * us},
			{stack: fast, holds: 100, pauses: 3 * us}}, dumps: ms / 2, most: 0.1},
		{name: "two sites in turns", users: []user{{stack: fast, holds: 200 * us, pauses: 10 * us},
			{stack: slow, holds: 200 * us, pauses: 10 * us}}, dumps: 10 * ms, most: 0.15},
		{name: "sleeps inside and never waits",
			users: []user{quick, quick, quick,
				{stack: sleeps, away: asleep, holds: 3 * ms, pauses: 9 * ms, silent: true}}, most: 0.2},
		{name: "hangs", users: []user{quick, {stack: slow, holds: 300 * us, pauses: 900 * us}}, hangs: 9e9, most: 0.1},
		{name: "readers together", users: []user{quick, {stack: slow, holds: 2 * ms, pauses: 5 * ms, reads: true},
			{stack: slow, holds: 2 * ms, pauses: 5 * ms, reads: true}}, most: 0.2},
		{name: "one permit", users: []user{quick, quick,
			{stack: sleeps, away: asleep, holds: 2 * ms, pauses: 9 * ms}}, permits: 1, most: 0.1},
		{name: "three permits", users: []user{quick, quick, quick, quick,
			{stack: sleeps, away: asleep, holds: 3 * ms, pauses: 100 * us},
			{stack: sleeps, away: asleep, holds: 3 * ms, pauses: 100 * us},
			{stack: sleeps, away: asleep, holds: 3 * ms, pauses: 100 * us}}, permits: 3, most: 0.15},
		{name: "three permits, nothing known of what holds",
			users: []user{quick, quick, quick, quick, {stack: sleeps, holds: 3 * ms, pauses: 100 * us},
				{stack: sleeps, holds: 3 * ms, pauses: 100 * us},
				{stack: sleeps, holds: 3 * ms, pauses: 100 * us}}, permits: 3, most: 0.15},
	} {
		q := &simulated{stacks: p.stacks}
		q.permits(2, 6000, max(c.permits, 1), c.users)
		if c.hangs > 0 {
			last := &q.owners[len(q.owners)-1]
			last.End = last.Start + c.hangs
			q.waits = slices.DeleteFunc(q.waits, func(w Wait) bool { return w.End > last.Start })
			q.waits = append(
				q.waits,
				Wait{Start: last.Start - 1, End: last.Start, Thread: last.Thread, Stack: last.Stack},
				Wait{Start: last.Start - 1, End: last.End, Thread: 9, Stack: fast, Failed: true},
			)
		}
		l := &Lock{ID: theLock}
		if c.dumps > 0 {
			l.Dumps = q.dumps(c.dumps)
		}
		k := newGroup(q, true, []*Lock{l})
		k.addSilentSites(c.permits > 0)
		k.learn(nil)
		k.check()
		got, all := map[string]float64{}, 0.0
		for _, x := range q.answer(k, l) {
			name := [...]string{"", "free", "unknown"}[x.State]
			if x.State == Held {
				name = q.site(x.Stack)
			}
			got[name] += float64(x.End - x.Start)
			all += float64(x.End - x.Start)
		}
		want, distance := q.shares(), 0.0
		for _, name := range []string{"fast", "slow", "sleeps", "free", "unknown"} {
			distance += math.Abs(got[name]/all-want[name]) / 2
		}
		if distance > c.most {
			t.Errorf("%s: distance %.3f: %v of %v, want %v", c.name, distance, got, all, want)
		}
	}
}

// dumps shows who held the lock now and then while somebody waited.
func (p *simulated) dumps(every int64) (out []Dump) {
	busy := waiting(p.waits)
	for at := every; at < p.owners[len(p.owners)-1].End; at += every {
		if !cover(busy, at) {
			continue
		}
		d := Dump{Time: at, Waiters: 1}
		if o, ok := p.owner(at); ok {
			d.Owner, d.Stack, d.Took = o.Thread, o.Stack, o.Stack
		}
		out = append(out, d)
	}
	return out
}

// shares returns the part of the waiting in which each site held the lock, and none did.
// Those that hold it together share it.
func (p *simulated) shares() map[string]float64 {
	busy := waiting(p.waits)
	var held []times.Span
	by, sum, all := map[string]float64{}, 0.0, 0.0
	for _, b := range busy {
		all += float64(b.End - b.Start)
	}
	for _, o := range p.owners {
		ns := float64(times.Within(busy, times.Span{Start: o.Start, End: o.End}))
		by[p.site(o.Stack)] += ns
		sum += ns
		held = append(held, times.Span{Start: o.Start, End: o.End})
	}
	any := 0.0
	for _, h := range times.UnionOf(held) {
		any += float64(times.Within(busy, h))
	}
	for name, ns := range by {
		by[name] = ns / sum * any / all
	}
	by["free"] = 1 - any/all
	return by
}

// site returns the method that took the lock, of a stack in its section.
func (p *simulated) site(s format.StackID) string {
	frames := p.Frames(s)
	return frames[len(frames)-2].Method
}
