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
				sym.stacks[i] = append(sym.stacks[i], format.Frame{Class: "C", Method: "m" + strconv.Itoa(rng.IntN(3)), Line: rng.IntN(3)})
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

// A method is in its section from the line on at which it takes the lock, and any line it is
// seen at may be if that is not known. One that is seen before it more than now and then does
// much else.
func TestWhatIsBeforeASectionIsNotOfIt(t *testing.T) {
	at := func(method string, line int) []format.Frame {
		return []format.Frame{{Class: "C", Method: method, Line: line}, {Class: "C", Method: "loop", Line: 9}}
	}
	sym := stacked{stacks: [][]format.Frame{nil, at("m", 20), at("m", 30), at("m", 19), at("m", 20), at("m", 31), at("m", 0), at("n", 0), at("n", 1)}}
	w := &witnesses{family: newFamily(sym, []format.StackID{1, 2, 7}, func(st format.StackID) int { return int(st) / 7 }), parts: map[uint64]*witness{}}
	for st, site := range map[format.StackID]int{3: -1, 4: 0, 5: 0, 6: 0, 8: 1} {
		if p := w.family.of(st); p.site != site || p.key == 0 {
			t.Errorf("%v is of call site %d, want %d", sym.stacks[st][0], p.site, site)
		}
	}
	w.add(w.family.of(4), 100, 4)
	for _, c := range []struct {
		before int
		want   bool
	}{{0, false}, {5, false}, {1, true}} { // each time so many more
		if c.before > 0 {
			w.add(w.family.of(3), c.before, 3)
		}
		if got := w.early(w.at(4)); got != c.want {
			t.Errorf("%d more samples before the section: early is %t", c.before, got)
		}
	}
}
