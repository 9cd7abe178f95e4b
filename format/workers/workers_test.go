package workers

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"contend/golden"
)

// A panic of one function reaches whoever waits, once all others are done, and says
// where it was.
func TestPanicsReachWhoWaits(t *testing.T) {
	var g Group
	done := make(chan bool, 2)
	g.Go(func() { done <- true })
	g.Go(func() { defer func() { done <- true }(); _ = []int{}[len(done)+3] })
	failed := Try(g.Wait)
	if failed == nil || len(done) != 2 || !strings.HasPrefix(failed.Error(), "internal error: index out of range [") ||
		strings.Contains(failed.Error(), "\n") {
		t.Fatalf("%v with %d done", failed, len(done))
	}
	golden.Equal(t, Try(func() { panic(failed) }), failed)
	golden.Holds(t, failed.Error(), "workers_test.go:")
	if failed := Try(func() {}); failed != nil {
		t.Error(failed)
	}
}

// Items come in order of their numbers, all of them, and no number is worked on further ahead
// of the one being taken than allowed.
func TestInOrder(t *testing.T) {
	const n, ahead = 3000, 1000
	var taken atomic.Int64
	var got, want, over []int
	for i := range n {
		for range i % 3 {
			want = append(want, i)
		}
	}
	InOrder(n, &Handover[int]{
		Ahead: ahead,
		Room:  func(i int) int { return i % 2 },
		Make: func(i int, give func(int)) {
			if at := taken.Load(); int64(i) >= at+1+ahead {
				t.Errorf("%d begins when %d are taken", i, at)
			}
			for range i % 3 {
				give(i)
			}
		},
		Take: func(i, one int) {
			golden.Equal(t, i, one, "is taken for one of")
			got = append(got, one)
		},
		Taken: func(i int) { over = append(over, i); taken.Store(int64(i)) },
	})
	if !slices.Equal(got, want) || len(over) != n || !slices.IsSorted(over) {
		t.Errorf("%d of %d things, %d of %d numbers", len(got), len(want), len(over), n)
	}
	InOrder(
		2,
		&Handover[int]{
			Ahead: 1,
			Room:  func(int) int { return 1 },
			Make:  func(i int, give func(int)) { give(i) },
			Take:  func(int, int) {},
		},
	)
}
