package owners

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"contend/format"
)

// stacked are symbols of a program with some stacks.
type stacked struct {
	monitors
	stacks [][]format.Frame
}

func (s stacked) Frames(id format.StackID) []format.Frame      { return s.stacks[id] }
func (s stacked) Application(id format.StackID) []format.Frame { return s.stacks[id] }

// Branches show of a program what each of its samples shows alone, in the order
// in which they came.
func TestBranchesShowWhatEachSampleShows(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		sym := stacked{stacks: make([][]format.Frame, 1+rng.IntN(60))}
		for i := range sym.stacks {
			for range rng.IntN(6) {
				sym.stacks[i] = append(sym.stacks[i], format.Frame{Class: "C", Method: "m" + strconv.Itoa(rng.IntN(3)), Line: rng.IntN(2)})
			}
		}
		in := &samples{root: branch{outer: outermost}}
		for i, frames := range sym.stacks {
			in.list = append(in.list, sampled{format.StackID(i), 1 + rng.IntN(9), frames})
			if len(frames) > 0 {
				in.root.stacks = append(in.root.stacks, int32(i))
			}
		}
		for range 5 { // kinds of locks, which share the branches
			k := &kin{sites: map[format.StackID]int{}, paths: map[uint64]int{}}
			for range 1 + rng.IntN(4) {
				k.site(sym, format.StackID(rng.IntN(len(sym.stacks))))
			}
			want := &witnesses{family: newFamily(sym, k.all, func(st format.StackID) int { return k.sites[st] }), parts: map[uint64]*witness{}}
			for _, s := range in.list {
				if p := want.family.of(s.stack); p.key != 0 {
					want.add(p, s.times, s.stack)
				}
			}
			got := (&evidence{sym: sym}).witnesses(k, in)
			if len(got.list) != len(want.list) || got.total != want.total {
				t.Fatalf("%d parts, %d samples, want %d and %d", len(got.list), got.total, len(want.list), want.total)
			}
			for i, w := range want.list {
				if g := got.list[i]; g.part != w.part || g.stack != w.stack || g.total != w.total {
					t.Fatalf("part %d: %+v, want %+v", i, g, w)
				}
			}
		}
	}
}

// Several goroutines rebuild owners with what was learnt: asking for a stack no
// sample showed must not write to what all of them read.
func TestWhatWasLearntIsOnlyRead(t *testing.T) {
	a := oneLock(20).Arrange(monitors{}.Kind)
	a.indexing.Wait()
	ev := a.evidence(monitors{})
	_, b := ev.infer(1)
	ev.relate([]*builder{b}, ev.samples(), ev.divide)
	f := b.kin.witnesses.family
	known := len(f.memo)
	f.of(4711)
	if len(f.memo) != known {
		t.Errorf("%d stacks are known instead of %d", len(f.memo), known)
	}
}
