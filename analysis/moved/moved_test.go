package moved

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

const ms = int64(1e6)

// run is a recording in the making, of one class and one call site unless set otherwise.
type run struct {
	waits  []Wait
	pauses []Pause
	now    int64
	stack  format.StackID
}

func (r *run) wait(lock format.ObjectID, length int64) {
	r.waits = append(r.waits, Wait{lock, max(r.stack, 1), r.now, r.now + length})
	r.now += length
}

func (r *run) collect() {
	r.pauses = append(r.pauses, Pause{r.now + ms/20, r.now + ms/5})
	r.now += ms / 5
}

func (r *run) find() *Found {
	return Find(func(f func(Wait)) {
		for _, w := range r.waits {
			f(w)
		}
	}, r.pauses, func(format.ObjectID) (uint32, bool) { return 1, true })
}

// busy adds waits for one lock in an epoch.
func (r *run) busy(lock format.ObjectID, waits int) {
	for range waits {
		r.wait(lock, ms)
	}
}

func TestOneLockIsFollowedOverItsAddresses(t *testing.T) {
	r := &run{now: 1}
	for lock := range format.ObjectID(5) {
		r.busy(lock+1, 30+int(lock))
		r.collect()
	}
	f := r.find()
	if f.Joined()[5] != 5 || len(f.Same) != 4 || f.Doubtful != 0 {
		t.Errorf("%+v", f)
	}
}

// Two survivor spaces take turns: the lock returns to its earlier address.
func TestALockThatComesBackIsOne(t *testing.T) {
	r := &run{now: 1}
	for i := range 6 {
		r.busy(format.ObjectID(1+i%2), 30)
		r.collect()
	}
	if f := r.find(); f.Joined()[1] != 2 || f.Doubtful != 0 {
		t.Errorf("%+v", f)
	}
}

// Locks that appear in one epoch are several, however often all of them move.
func TestStripesStaySixteen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, perEpoch := range []int{2, 3, 10, 100} {
		r := &run{now: 1}
		for e := range 60 {
			for range perEpoch {
				r.wait(format.ObjectID(1+16*e+rng.IntN(16)), ms)
			}
			r.collect()
		}
		if f := r.find(); len(f.Same) != 0 || f.Doubtful == 0 {
			t.Errorf("%d waits an epoch: joined %v", perEpoch, f.Same)
		}
	}
}

// A single wait in each epoch does not distinguish one lock from sixteen.
func TestTooFewWaitsTellNothing(t *testing.T) {
	for _, waits := range []int{1, 9} { // of nine, eight share the epoch with the first
		r := &run{now: 1}
		for lock := range format.ObjectID(2) {
			r.busy(lock+1, (waits+1)/2)
			r.collect()
		}
		golden.Equal(t, len(r.find().Same), 0, waits)
	}
}

// A hot lock among others of its kind can be followed.
func TestTheHotLockOfSeveralIsFollowed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := &run{now: 1}
	for e := range 5 {
		first := format.ObjectID(1 + 16*e)
		r.busy(first, 2)
		for i := range 100 {
			lock := first
			if i%8 == 3 {
				lock += format.ObjectID(1 + rng.IntN(15))
			}
			r.wait(lock, ms)
		}
		r.busy(first, 2)
		r.collect()
	}
	f := r.find()
	if n := f.Joined(); len(n) != 1 || n[1]+n[17]+n[33]+n[49]+n[65] != 5 {
		t.Errorf("%v", n)
	}
}

// A program that takes a new lock for each batch does so without a collection in between.
func TestLocksThatFollowEachOtherStaySeveral(t *testing.T) {
	r := &run{now: 1}
	for lock := range format.ObjectID(20) {
		r.busy(lock+1, 30)
		r.now += ms
		if lock == 9 {
			r.collect()
		}
	}
	golden.Equal(t, len(r.find().Same), 0)
}

// With frequent collections there is one between any two locks.
func TestAGapThatACollectionHitsByChanceTellsNothing(t *testing.T) {
	r := &run{now: 1}
	for lock := range format.ObjectID(2) {
		for range 5 {
			r.busy(lock+1, 10)
			r.collect()
		}
		r.now += 100 * ms
	}
	if f := r.find(); len(f.Same) != 0 || f.Doubtful != 1 || f.NS != 50*ms {
		t.Errorf("%+v", f)
	}
}

func TestOtherPlacesAndOtherClassesAreOtherLocks(t *testing.T) {
	r := &run{now: 1}
	for lock := range format.ObjectID(3) {
		r.stack = format.StackID(lock + 1)
		r.busy(lock+1, 30)
		r.collect()
	}
	if f := r.find(); len(f.Same) != 0 || f.Doubtful != 0 {
		t.Errorf("%+v", f)
	}
}

func TestWithoutCollectionsNothingMoves(t *testing.T) {
	r := &run{now: 1}
	r.busy(1, 30)
	r.busy(2, 30)
	if f := r.find(); len(f.Same)+f.Doubtful != 0 {
		t.Errorf("%+v", f)
	}
}

// Later inputs have high ids: no table has room for the ids of earlier ones.
func TestLocksOfOtherInputsCostNothing(t *testing.T) {
	r := &run{now: 1}
	const first = 1 << 23
	for lock := range format.ObjectID(5) {
		r.busy(first+lock, 30+int(lock))
		r.collect()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := r.find()
	runtime.ReadMemStats(&after)
	golden.Equal(t, len(f.Same), 4, "locks are another")
	golden.AtMost(t, after.TotalAlloc-before.TotalAlloc, 10<<20, "MB for five locks")
}

// linksOf returns the number of links between epochs. Each word is an epoch, each letter a
// wait for a lock. byChance is the probability of a collection between two epochs.
func linksOf(text string, byChance float64) int {
	f, at := &family{}, int64(0)
	const gap = 1000
	c := &collections{rate: -math.Log(1-byChance) / gap}
	for epoch := range strings.FieldsSeq(text) {
		for _, lock := range epoch {
			at++
			f.seen = append(f.seen, waitEnd{at: at, lock: format.ObjectID(lock)})
		}
		c.pauses = append(c.pauses, Pause{at + 1, at + 1})
		at += gap - 1
	}
	return len(f.links(c))
}

// A moving lock is distinguished from several that follow each other by how often they
// appear in one epoch, and by the probability of that by chance.
func TestWhatALockThatMovesShows(t *testing.T) {
	// goes on to another once, without a collection
	const four = "AAAAAAAAAA BBBBBBBBBB CCCCCCCCCC DDDDDDDDDD EEEEEEEEEF FFFFFFFFFF"
	for _, c := range []struct {
		name     string
		epochs   string
		byChance float64
		want     int
	}{
		{"six share an epoch with another", "AAAA BBBB", 0.01, 0},
		{"ten", "AAAAAA BBBBBB", 0.01, 1},
		{"four fifths are of one", "AAAAxyAAAA BBBBzwBBBB", 0.01, 1},
		{"two thirds are", "AAAAxyzuvAAAAAA BBBBwrstqBBBBBB", 0.01, 0},
		{"four of five", "AAAAAAAA BBxBB", 0.01, 1},
		{"three of four", "AAAAAAAAAA BBxB", 0.01, 0},
		{"3.5 % by chance", "AAAAAA BBBBBB", 0.035, 1},
		{"7 % by chance", "AAAAAA BBBBBB", 0.07, 0},
		{"one of four links by chance would be one in eight", four, 0.13, 4},
		{"one in five", four, 0.22, 0},
	} {
		golden.Equal(t, linksOf(c.epochs, c.byChance), c.want, c.name)
	}
}
