package model

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"contend/analysis/internal/times"
	"contend/format"
)

// anyProgram draws one of the same shape, dumps of it, and samples.
func anyProgram(t *rapid.T) (p *simulated, dumps []Dump) {
	p = several(rapid.Uint64Range(1, 50).Draw(t, "seed"), rapid.IntRange(20, 400).Draw(t, "n"))
	end := p.owners[len(p.owners)-1].End
	each := rapid.SampledFrom([]int{1, 300}) // more than a float64 can hold the likelihood of
	instants := rapid.SliceOfN(rapid.Int64Range(0, end), 0, 30)
	samples := instants.Draw(t, "samples")
	if rapid.Bool().Draw(t, "each hold is sampled") {
		for _, o := range p.owners {
			samples = append(samples, (o.Start+o.End)/2)
		}
	}
	repeated := each.Draw(t, "of each sample")
	for _, at := range samples {
		o, ok := p.owner(at)
		for range repeated {
			if !ok {
				break
			}
			p.does(o.Thread, Observation{Start: at, End: at, Stack: o.Stack, What: Sample})
		}
	}
	for _, list := range p.doings {
		slices.SortStableFunc(list, func(a, b Observation) int { return int(a.Start - b.Start) })
	}
	at := instants.Draw(t, "dumps")
	repeated = each.Draw(t, "of each dump")
	slices.Sort(at)
	for _, at := range at {
		d := Dump{Time: at, Waiters: 1}
		if o, ok := p.owner(at); ok {
			d.Owner, d.Stack, d.Took = o.Thread, o.Stack, o.Stack
		}
		dumps = append(dumps, slices.Repeat([]Dump{d}, repeated)...)
	}
	return p, dumps
}

// What is answered adds up to the waiting, in order of time, and no thread that waits is
// named. In each cell of each gap the states add up to one.
func TestAnswersAddUpToTheWaiting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, dumps := anyProgram(t)
		if len(p.waits) == 0 {
			return
		}
		c, l := p.group(dumps...)
		c.inferred = rapid.SampledFrom([]int{inferredGaps, 7}).Draw(t, "inferred")
		w := c.worker()
		w.gaps(l, func(*gap) bool { return true }, func(g *gap) {
			post := w.infer(g)
			if post == nil {
				t.Fatalf("nothing explains %d to %d", g.from, g.to)
			}
			for cell := range cells {
				sum := post.own[cell] + post.free[cell]
				for s := range post.site {
					sum += post.site[s][cell]
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Fatalf("states add up to %v", sum)
				}
			}
		})
		var got []times.Span
		for i, x := range p.answer(c, l) {
			if x.End <= x.Start || i > 0 && x.Start < got[len(got)-1].End || x.Chance < 0 || x.Chance > 1 {
				t.Fatalf("part %+v after %v", x, got)
			}
			for _, w := range p.waits {
				if x.State == Held && w.Thread == x.Thread && w.Start < x.End && w.End > x.Start {
					t.Fatalf("%+v is named, and waits: %+v", x, w)
				}
			}
			got = append(got, times.Span{Start: x.Start, End: x.End})
		}
		if got, want := times.UnionOf(got), waiting(p.waits); !slices.Equal(got, want) {
			t.Errorf("answers are of %v, waiting of %v", got, want)
		}
	})
}

// Names of threads do not matter, nor the order in which stacks were met.
func TestNamesOfThreadsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, dumps := anyProgram(t)
		if len(p.waits) == 0 {
			return
		}
		name := map[format.ThreadID]format.ThreadID{0: 0, 1: 7, 2: 3, 3: 8, 4: 1}
		stacks := format.StackID(len(p.stacks))
		other := func(s format.StackID) format.StackID {
			if s == format.NoStack {
				return s
			}
			return stacks - s
		}
		q := &simulated{stacks: make([][]format.Frame, stacks)}
		for s := format.StackID(1); s < stacks; s++ {
			q.stacks[other(s)] = p.stacks[s]
		}
		for t, list := range p.doings {
			for _, d := range list {
				d.Stack = other(d.Stack)
				q.does(name[t], d)
			}
		}
		for _, w := range p.waits {
			w.Thread, w.Stack = name[w.Thread], other(w.Stack)
			q.waits = append(q.waits, w)
		}
		renamed := slices.Clone(dumps)
		for i := range renamed {
			d := &renamed[i]
			d.Owner, d.Stack, d.Took = name[d.Owner], other(d.Stack), other(d.Took)
		}
		want, got := p.answer(p.group(dumps...)), q.answer(q.group(renamed...))
		for i := range want {
			want[i].Thread, want[i].Stack = name[want[i].Thread], other(want[i].Stack)
		}
		if len(got) != len(want) {
			t.Fatalf("%d parts, want %d", len(got), len(want))
		}
		for i := range got {
			if math.Abs(got[i].Chance-want[i].Chance) > 1e-6 {
				t.Fatalf("part %d: %+v, want %+v", i, got[i], want[i])
			}
			if got[i].Chance = want[i].Chance; got[i] != want[i] &&
				(got[i].Thread != want[i].Thread || got[i].State != want[i].State ||
					max(got[i].Start-want[i].Start, want[i].Start-got[i].Start) > 1) {
				t.Fatalf("part %d: %+v, want %+v", i, got[i], want[i])
			}
		}
	})
}

// What happens later changes no answer but by what is learned from it.
func TestACutTakesOnlyItsEvidence(t *testing.T) {
	p := several(9, 600)
	c, l := p.group()
	whole := p.answer(c, l)
	at := p.waits[len(p.waits)/2].End
	cut := &simulated{stacks: p.stacks}
	for t, list := range p.doings {
		for _, d := range list {
			if d.End <= at {
				cut.does(t, d)
			}
		}
	}
	for _, w := range p.waits {
		if w.End <= at {
			cut.waits = append(cut.waits, w)
		}
	}
	c.program = cut
	half := p.answer(c, l.alone())
	until := int64(0) // who waited beyond the cut is missing from here on
	for _, w := range p.waits {
		if w.End > at && (until == 0 || w.Start < until) {
			until = w.Start
		}
	}
	until -= 2 * slack
	i := slices.IndexFunc(whole, func(x Part) bool { return x.End > until })
	if i < 100 || !reflect.DeepEqual(whole[:i], half[:i]) {
		t.Errorf(
			"of %d parts the first that differs is %d",
			i,
			slices.IndexFunc(whole[:i], func(x Part) bool { return !slices.Contains(half, x) }),
		)
	}
}

// alone returns the lock as it is known to the model, but not to its workers.
func (l *Lock) alone() *Lock { one := *l; return &one }

// The bits of a candidate add up to its odds, chances to one, and a dump speaks for what
// it shows.
func TestWhyAddsUp(t *testing.T) {
	p := several(4, 2000)
	c, l := p.group()
	for _, w := range p.waits[100:130] {
		why := c.Why(l, w.Start, w.End)
		sum := 0.0
		for _, x := range why.Candidates {
			sum += x.Chance
			checkBits(t, &x)
		}
		if math.Abs(sum-1) > 1e-6 || why.Ns < w.End-w.Start {
			t.Errorf("%d ns: chances of %+v add up to %v", why.Ns, why.Candidates, sum)
		}
	}
	at := p.waits[100].Start + 1
	before := c.Why(l, at, at+1)
	for _, x := range before.Candidates {
		checkBits(t, &x)
	}
	named := func(w Why, s format.StackID) Candidate {
		i := slices.IndexFunc(w.Candidates, func(x Candidate) bool { return x.State == Held && x.Stack == s })
		if i < 0 {
			t.Fatalf("no candidate of stack %d: %+v", s, w)
		}
		return w.Candidates[i]
	}
	for s := format.StackID(1); s <= 3; s++ {
		if x := named(before, s); x.Bits()[Shown] != 0 || x.Bits()[Alibis] == 0 {
			t.Errorf("no dump, and who waits is known: %v", x.Bits())
		}
		l.Dumps = []Dump{{Time: at, Owner: format.ThreadID(s), Stack: s, Took: s, Waiters: 1}}
		after := c.Why(l, at, at+1)
		if x := named(after, s); x.Bits()[Shown] < 3 || x.Chance < 0.9 || after.Candidates[0] != x {
			t.Errorf("a dump shows stack %d: %+v", s, after)
		}
		l.Dumps = nil
	}
}

// checkBits compares the sum of a candidate's bits with the odds of its chance.
func checkBits(t *testing.T, x *Candidate) {
	t.Helper()
	bits := 0.0
	for _, b := range x.Bits() {
		bits += b
	}
	if odds := math.Log2(x.Chance / (1 - x.Chance)); math.Abs(odds-bits) > 1e-3 && x.Chance > 1e-6 &&
		x.Chance < 1-1e-6 {
		t.Errorf("%v bits, odds of %v: %+v", bits, odds, x)
	}
}
