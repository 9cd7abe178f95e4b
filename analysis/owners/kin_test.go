package owners

import (
	"testing"

	"contend/analysis/owners/renewal"
	"contend/format"
)

// Of a lock that is taken at thousands of call sites the model tells the most
// frequent apart and takes the others for one: nothing is lost.
func TestRareCallSitesAreOne(t *testing.T) {
	const all = 3000
	sym := stacked{stacks: make([][]format.Frame, all+1)}
	k := &kin{sites: map[format.StackID]int{}, paths: map[uint64]int{}, groups: map[uint32]int{}, mixes: []renewal.Mix{{}, {}}}
	for i := range all {
		site := k.site(sym, format.StackID(i+1))
		for range 1 + i/(all-10)*50 { // the last ten are the frequent ones
			k.gaps = append(k.gaps, renewal.Gap{Site: site, Length: 1000 + int64(i)})
			count(&k.mixes[0], site, 1)
			count(&k.mixes[1], site, 1)
		}
	}
	gaps := len(k.gaps)
	k.joinRare()
	if len(k.stacks) != mostSites || mostSites < 200 || mostSites > 400 || len(k.gaps) != gaps { // more take too long, fewer tell too little
		t.Fatalf("%d call sites, %d gaps of %d", len(k.stacks), len(k.gaps), gaps)
	}
	for i, mix := range k.mixes {
		sum := 0.0
		for _, n := range mix {
			sum += n
		}
		if len(mix) != mostSites || sum != float64(gaps) {
			t.Errorf("mix %d: %d sites take the lock %v times, want %d", i, len(mix), sum, gaps)
		}
	}
	for i := all - 10; i < all; i++ {
		if st := format.StackID(i + 1); k.stacks[k.site(sym, st)] != st {
			t.Errorf("frequent call site %d is that of %d", st, k.stacks[k.site(sym, st)])
		}
	}
	if k.site(sym, 5) != mostSites-1 && k.stacks[k.site(sym, 5)] != 5 {
		t.Errorf("a rare call site is number %d", k.site(sym, 5))
	}
}

// How deep a program recurses makes no other call site; who calls does.
func TestRecursionIsOneCallSite(t *testing.T) {
	add, node, other, lambda := format.Frame{Method: "add", Line: 1}, format.Frame{Method: "node", Line: 2}, format.Frame{Method: "other", Line: 3}, format.Frame{Method: "run"}
	sym := stacked{stacks: [][]format.Frame{nil, {add, node}, {add, node, node, node}, {add, other, other}, {add, other}, {add, node, node}, {add, other}, nil, {add, lambda, node, lambda}, {add, lambda, node, lambda}}}
	k := &kin{sites: map[format.StackID]int{}, paths: map[uint64]int{}}
	for st, want := range []int{0, 1, 2, 3, 4, 2, 5, 6, 7, 8} {
		if got := k.site(sym, format.StackID(st)); got != want {
			t.Errorf("stack %d is of call site %d, want %d", st, got, want)
		}
	}
}

// A lock that a garbage collection moves looks like several, one after the other: samples
// tell of them as of one. Of two that threads wait for by turns they do not.
func TestLocksOneAfterTheOther(t *testing.T) {
	for _, c := range []struct {
		busy [][]span
		want int
	}{
		{[][]span{{{10, 20}, {30, 40}}, {{45, 90}}, {{2, 5}}}, 1},
		{[][]span{{{10, 20}, {30, 40}}, {{22, 25}}}, 2},
		{[][]span{{{10, 20}}, {{15, 25}}, {{40, 50}}}, 3},
	} {
		ev := &evidence{Activities: &Activities{Record: NewRecord(), store: &store{what: []doer{{stack: 1}}}}, sym: stacked{stacks: make([][]format.Frame, 2)}, class: make([]uint32, 4), fair: make([]bool, 4)}
		var sections []*section
		for i, busy := range c.busy {
			sections = append(sections, &section{lock: format.ObjectID(i + 1), busy: busy, acquired: []acquisition{{time: busy[0].end}}})
		}
		for _, k := range ev.kinOf(sections) {
			if k.locks != c.want {
				t.Errorf("%v: %d locks, want %d", c.busy, k.locks, c.want)
			}
		}
	}
}
