package owners

import (
	"cmp"
	"slices"
	"sync"

	"contend/format"
)

// samples are the stacks that samples of running threads show in one input. They
// branch from the outermost frame inwards: locks of one kind ask only for the
// branches that lead to their call sites, and so many kinds and many stacks do
// not multiply.
type samples struct {
	list []sampled
	root branch
}

// sampled is how often samples show a stack.
type sampled struct {
	stack  format.StackID
	times  int
	frames []format.Frame // from the innermost one of the application on
}

// branch is what some stacks have in common: their outer frames.
type branch struct {
	key, outer uint64 // of these frames: without the line of the innermost one, and with it
	line       int    // of the innermost one
	all, ended bunch  // the stacks that have them, and those that have no others
	stacks     []int32
	growing    sync.Once
	inner      []*branch // by another frame
}

// bunch is some of the stacks of an input.
type bunch struct {
	first int // index of the first of them
	times int // samples
}

func (b *bunch) add(i, times int) {
	if b.times == 0 {
		b.first = i
	}
	b.times += times
}

// samples counts the stacks of each input, in the order in which they came
// first: once, for there may be as many kinds of locks as samples.
func (ev *evidence) samples() map[*input]*samples {
	type place struct {
		input *input
		stack format.StackID
	}
	of, at := map[*input]*samples{}, map[place]int{}
	for _, i := range ev.runs {
		o := ev.Other(i)
		p := place{ev.inputOfThread(o.Thread()), o.Stack}
		in := of[p.input]
		if in == nil {
			in = &samples{}
			of[p.input] = in
		}
		n, ok := at[p]
		if !ok {
			n = len(in.list)
			at[p], in.list = n, append(in.list, sampled{stack: o.Stack, frames: ev.sym.Application(o.Stack)})
		}
		in.list[n].times++
	}
	for _, in := range of {
		in.root.outer = outermost
		for i := range in.list {
			if len(in.list[i].frames) > 0 {
				in.root.stacks = append(in.root.stacks, int32(i))
			}
		}
	}
	return of
}

// grow tells the stacks of a branch of so many frames apart by their next one.
func (in *samples) grow(b *branch, depth int) []*branch {
	b.growing.Do(func() {
		by := map[uint64]*branch{}
		for _, i := range b.stacks {
			s := &in.list[i]
			if len(s.frames) == depth {
				b.ended.add(int(i), s.times)
				continue
			}
			f := &s.frames[len(s.frames)-1-depth]
			outer := chained(b.outer, f, true)
			inner := by[outer]
			if inner == nil {
				inner = &branch{key: chained(b.outer, f, false), outer: outer, line: f.Line}
				by[outer], b.inner = inner, append(b.inner, inner)
			}
			inner.all.add(int(i), s.times)
			inner.stacks = append(inner.stacks, i)
		}
		b.stacks = nil
	})
	return b.inner
}

// reached is a part of the program that samples show.
type reached struct {
	part
	bunch
}

// reach lists the parts the samples of an input show, as family.of tells them
// for each stack, in the order in which they came.
func (f *family) reach(in *samples) (out []reached) {
	var follow func(b *branch, depth int)
	follow = func(b *branch, depth int) {
		for _, inner := range in.grow(b, depth) {
			if in, takes := f.in(inner.key, inner.line); takes {
				out = append(out, reached{in, inner.all})
				continue
			}
			if !f.callers[inner.outer] {
				out = append(out, reached{part{inner.key, -1}, inner.all})
				continue
			}
			follow(inner, depth+1)
			if inner.ended.times > 0 {
				out = append(out, reached{part{inner.key, -1}, inner.ended})
			}
		}
	}
	follow(&in.root, 0)
	slices.SortFunc(out, func(a, b reached) int { return cmp.Compare(a.first, b.first) })
	return out
}
