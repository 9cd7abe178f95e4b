package owners

import (
	"cmp"
	"slices"
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
)

// However many there are, and whichever are remembered, a number stands for what it
// was given for.
func TestDoersAreWhatTheyWere(t *testing.T) {
	var s doers
	const all = 3 * recentDoers
	numbers := map[doer]uint32{}
	for round := range 2 {
		for i := range uint32(all) {
			d := doer{stack: format.StackID(i % 977), lock: format.ObjectID(i % 13), info: i}
			n := s.number(d)
			if round == 0 {
				numbers[d] = n
			}
			if *s.all.At(n) != d {
				t.Fatalf("%+v is number %d, which is %+v", d, n, *s.all.At(n))
			}
		}
	}
	list := s.list()
	for d, n := range numbers {
		if list[n] != d {
			t.Fatalf("%d is %+v, was %+v", n, list[n], d)
		}
	}
}

// Waits that end in order but for few, and such as end the other way round, give the
// acquisitions in order of time; of one time, as they began.
func TestAcquisitionsAreInOrder(t *testing.T) {
	for name, end := range map[string]func(i int64) int64{
		"in order": func(i int64) int64 { return 1000 + i },
		"one late": func(i int64) int64 { return 1000 + i + i/150*1000 },
		"in pairs": func(i int64) int64 { return 1000 + i ^ 1 },
		"a few":    func(i int64) int64 { return 1000 + i - i%50*2 },
		"backward": func(i int64) int64 { return 1000 - i/2 },
	} {
		ev := &evidence{Activities: &Activities{store: &store{what: []doer{{}}}}}
		var waits lockWaits
		for i := range int64(200) {
			waits = append(waits, lockWait{start: i, end: end(i), thread: format.ThreadID(i)})
		}
		got, _ := ev.acquisitions(waits)
		slices.SortStableFunc(waits, func(a, b lockWait) int { return cmp.Compare(a.end, b.end) })
		for i := range got {
			if got[i].time != waits[i].end || got[i].thread != waits[i].thread {
				t.Fatalf("%s: the %d. is of %d at %d, want %d at %d", name, i, got[i].thread, got[i].time, waits[i].thread, waits[i].end)
			}
		}
	}
}

// Of small inputs those with a hundred thousand waits or a thousand locks in all are
// inferred together, and not twice as many.
func TestHowManySmallInputsAreInferredTogether(t *testing.T) {
	for waits, want := range map[int]int{0: 1000, 1000: 130} {
		r, all := NewRecord(), make([]format.ObjectID, 5000)
		list, same := make([][]column.Ref, len(all)), make([]column.Ref, waits)
		for l := range all {
			all[l], r.inputOf, list[l] = format.ObjectID(l), append(r.inputOf, uint32(l)), same
		}
		ev := &evidence{Activities: &Activities{Record: r, byLock: list}}
		if n := ev.together(all); n < want*3/4 || n > want*3/2 {
			t.Errorf("%d locks of %d waits, want some %d", n, waits, want)
		}
	}
}
