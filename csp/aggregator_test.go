package csp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// Whatever order sums are added in, an aggregator that packs and joins lists holds
// what a map does, each place once and in order.
func TestALedgerIsAMapOfSums(t *testing.T) {
	for _, spread := range []uint32{1, 7, 1000} {
		for drift := int32(-1); drift <= 1; drift++ {
			for seed := range golden.Depth[uint64](1, 2, 10) {
				isAMapOfSums(t, spread, drift, seed)
			}
		}
	}
}

func isAMapOfSums(t *testing.T, spread uint32, drift int32, seed uint64) {
	t.Helper()
	type place struct {
		interval int32
		lock     format.ObjectID
		owner    analysis.Owner
	}
	var l aggregator
	want := map[place]int64{}
	rng := rand.New(rand.NewPCG(seed, uint64(spread)))
	for i := range int32(2*packFrom) + rng.Int32N(packFrom) {
		r := rng.Uint32()
		p := place{1<<20 + drift*i/8 + int32(r%spread), format.ObjectID(math.MaxUint32 - r%3), analysis.Owner{Stack: format.StackID(r % spread)}}
		ns := rng.Int64()>>20 + 1
		l.add(p.interval, p.lock, p.owner, ns)
		want[p] += ns
	}
	list := l.sums()
	got, before := 0, entry{interval: -1}
	for e := range list.all() {
		if before.compare(e) >= 0 {
			t.Fatalf("%+v follows %+v", e, before)
		}
		if p := (place{e.interval, e.lock, l.names[e.owner]}); want[p] != e.ns {
			t.Fatalf("%+v: %d, want %d", p, e.ns, want[p])
		}
		before = e
		got++
	}
	if got != len(want) || got != list.n {
		t.Fatalf("%d sums, said to be %d, want %d", got, list.n, len(want))
	}
	if again := l.sums(); !slices.Equal(slices.Collect(again.all()), slices.Collect(list.all())) {
		t.Error("asking twice changes the answer")
	}
}

// The largest phases are the first of all of them, and no sum depends on how
// many are asked for.
func TestTheLargestPhasesAreTheFirstOfAll(t *testing.T) {
	const phases = 12_000 // so many that those of no rank are dropped again and again
	fill := func(top int) *Series {
		m := meter(Options{IntervalNs: 100, Top: top}, 0)
		m.Ticks(1, 100)
		for i := range int64(phases) {
			at, ns := i*200, 10+i*7919%90 // every other interval: a phase each
			m.Running(at, at+200, 400)
			m.Slice(&analysis.Slice{Start: at, End: at + ns, Lock: 1 + format.ObjectID(i%2), Waiters: []analysis.Waiter{{Thread: 4, First: true}},
				Shares: []analysis.Share{{Ns: ns, Direct: ann, Root: ann, Hops: 1}}})
		}
		return series(t, m)
	}
	all := fill(0)
	if len(all.Phases) != phases {
		t.Fatalf("%d phases", len(all.Phases))
	}
	for _, top := range []int{1, 10, 5000} {
		s := fill(top)
		if len(s.Phases) != top {
			t.Fatalf("%d phases, want %d", len(s.Phases), top)
		}
		for i := range s.Phases {
			got, want := s.Phases[i], all.Phases[i]
			if got.stretch != want.stretch || !slices.Equal(got.Causes, want.Causes) || (got.PlusMinus == nil) != (want.PlusMinus == nil) {
				t.Fatalf("phase %d of %d: %+v, want %+v", i, top, got, want)
			}
		}
	}
}
