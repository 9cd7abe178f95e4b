package owners

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"contend/analysis/owners/renewal"
	"contend/format"
	"contend/golden"
)

// Where what stops is all that samples show, the gaps are not gone through for how
// sections divide.
func TestGapsAreNotTalliedForNothing(t *testing.T) {
	ev := &evidence{Activities: &Activities{Record: NewRecord()}}
	k := &kin{input: &ev.inputs[0], acquired: 100, stacks: make([]format.StackID, 1), mixes: []renewal.Mix{{1}}, model: &renewal.Model{}}
	inside := part{key: 1, site: 0}
	k.witnesses = &witnesses{family: &family{memo: map[format.StackID]part{7: inside}}, list: []*witness{{part: inside, total: 3}}, total: 3}
	b := &builder{ev: ev, kin: k, s: &section{busy: []span{{1, 2}}, seen: []anchor{{stack: 7}}}}
	if ev.divide(k, []*builder{b}); b.splitter != nil || k.shares != nil {
		t.Error("the gaps were tallied")
	}
}

// A search that begins where the last one ended finds what one from the start does.
func TestNearSearchesFindTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := &section{}
		instants := make(sums, 1)
		for at := int64(0); len(s.busy) < random.IntN(40); {
			at += 1 + random.Int64N(5)
			s.busy = append(s.busy, span{at - 1, at})
			instants = append(instants, at)
		}
		instants.add()
		near := 0
		for range 60 {
			at := random.Int64N(200) - 5
			until := slices.IndexFunc(append(slices.Clone(s.busy), span{end: maxTime}), func(b span) bool { return b.end >= at })
			if got := s.busyUntil(at); got != until {
				t.Fatalf("until %d: %d of %v, want %d", at, got, s.busy, until)
			}
			behind := slices.IndexFunc(append(slices.Clone(s.busy), span{end: maxTime}), func(b span) bool { return b.end > at })
			if near = instants.upTo(near, at); near != behind {
				t.Fatalf("up to %d: %d of %v, want %d", at, near, s.busy, behind)
			}
			if rest := endingAfter(s.busy, at); len(rest) != len(s.busy)-behind {
				t.Fatalf("ending after %d: %v of %v", at, rest, s.busy)
			}
		}
	}
}

// Samples are looked for as far as asked: of a thread that waits again and again,
// not up to its next one.
func TestSamplesBehindAreNotLookedFor(t *testing.T) {
	waits := int64(300_000)
	if testing.Short() { // the race detector takes ten times as long
		waits = 30_000
	}
	r := NewRecord()
	for k := range waits {
		ev := format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Stack: 2, Time: 100 * k, End: 100*k + 10}
		r.Add(&ev, ev.End)
	}
	sample := format.Event{Kind: format.KindActivity, Activity: format.ActivityRun, Thread: 1, Stack: 3, Time: 100 * waits, End: 100 * waits}
	r.Add(&sample, sample.End)
	a, found := r.Arrange(monitors{}.Kind), 0
	b := &builder{ev: &evidence{Activities: a}}
	took := golden.Spent(t, func() {
		for k := range waits + 1 {
			b.running(1, 100*k, 100*k+50, func(format.ThreadID, format.StackID) { found++ })
		}
	})
	if found != 1 || took > 30*time.Second { // it took more than a minute
		t.Errorf("%d found in %v", found, took)
	}
}

// Of locks that are acquired often, gaps are tallied in runs all over the
// recording.
func TestSomeGapsTellHowALongRecordingDivides(t *testing.T) {
	if mostTallied < 3*21300 || mostTallied > 5*21300 { // what the longest recording of our tests has
		t.Error("what is tallied of short recordings is not all, or much of long ones")
	}
	one, n, last := 1+10*mostTallied/mostTallied, 0, 0
	for at := range 10 * mostTallied {
		if isTallied(at, one) {
			n, last = n+1, at
		}
	}
	if n > mostTallied || n < mostTallied/2 || last < 9*mostTallied {
		t.Errorf("%d gaps, the last at %d", n, last)
	}
}
