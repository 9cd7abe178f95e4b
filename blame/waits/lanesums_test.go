package waits

import (
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"pgregory.net/rapid"
)

// What lanes keep and what they sum is all there is, whatever the limits are: nothing is lost
// between spans that are dropped one after the other, and no span that is kept is shorter than
// one that is summed.
func TestBoundedLanesSumToAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var exact, sampled format.List
		golden.Must(simulate.Run(golden.RandomProgram(t), &exact, &sampled))(t)
		limits := LaneLimits{
			Spans:   rapid.IntRange(1, 40).Draw(t, "spans"),
			Cells:   rapid.IntRange(8, 60).Draw(t, "cells"),
			Bins:    rapid.IntRange(1, 30).Draw(t, "bins"),
			Threads: rapid.IntRange(1, 5).Draw(t, "threads"),
		}
		for _, l := range []*format.List{&exact, &sampled} {
			whole, bounded := NewBoundedLanes(LaneLimits{1 << 30, 0, 1, 1 << 30}), NewBoundedLanes(limits)
			golden.Must(pass.Run(l, analysis.Filter{From: format.NoTime, To: format.NoTime}, whole, bounded))(t)
			whole.Finish()
			bounded.Finish()
			want, got := stateNs(whole), stateNs(bounded)
			if want != got {
				t.Fatalf("by state %v, of all %v", got, want)
			}
			var waited int64
			for _, of := range bounded.Sums.Threads {
				waited += of.WaitNs
			}
			golden.Equal(t, waited, want[Waiting], "waiting of all threads")
			if len(bounded.Spans) > limits.Spans || len(bounded.Sums.Threads) > limits.Threads+1 {
				t.Errorf("%d spans, %d threads: %+v", len(bounded.Spans), len(bounded.Sums.Threads), limits)
			}
			// one bin, without locks, of some states of a few threads is the least there can be
			if least := (limits.Threads + 1) * 6; len(bounded.Sums.Cells) > max(limits.Cells, least) {
				t.Errorf("%d cells: %+v", len(bounded.Sums.Cells), limits)
			}
		}
	})
}

// stateNs sums spans and cells by state.
func stateNs(l *Lanes) (ns [4]int64) {
	for i := range l.Spans {
		ns[l.Spans[i].State] += l.Spans[i].End - l.Spans[i].Start
	}
	for i := range l.Sums.Cells {
		ns[l.Sums.Cells[i].Key.State] += l.Sums.Cells[i].Ns
	}
	return ns
}

func TestTheLongestSpansAreKept(t *testing.T) {
	l := NewBoundedLanes(LaneLimits{Spans: 8, Cells: 1000, Bins: 100, Threads: 10})
	const ms = 1_000_000
	for i := range int64(100) {
		start := i * 100 * ms
		l.Slice(&analysis.Slice{
			Start:   start,
			End:     start + (i+1)*ms/2,
			Lock:    1,
			Waiters: []analysis.Waiter{{Thread: format.ThreadID(1 + i%2), First: true}},
		})
		l.Idle(3, start, start+90*ms, true)
	}
	l.Finish()
	var waits, idles int
	for i := range l.Spans {
		if s := &l.Spans[i]; s.State == Idle {
			idles++
		} else if waits++; s.End-s.Start < 94*ms/2 {
			t.Errorf("a wait of %d ns is kept", s.End-s.Start)
		}
	}
	golden.Equal(t, waits, 6) // idle time does not crowd them out
	golden.Equal(t, idles, 2)
	golden.Equal(t, l.Sums.Threads[1].Spans+l.Sums.Threads[2].Spans, 100)
	golden.Equal(t, l.Sums.Threads[3].Last, 9990*ms)
}

// Of a thousand threads the lanes of a few have room; the others share one.
func TestThreadsBeyondTheLimitShareALane(t *testing.T) {
	l := NewBoundedLanes(LaneLimits{Spans: 10, Cells: 100, Bins: 50, Threads: 5})
	total := int64(0)
	for i := range int64(1000) {
		l.Slice(&analysis.Slice{
			Start:   i * 1000,
			End:     i*1000 + i + 1,
			Lock:    format.ObjectID(1 + i%7),
			Waiters: []analysis.Waiter{{Thread: format.ThreadID(i + 1), First: true}},
		})
		total += i + 1
	}
	l.Finish()
	others := l.Sums.Threads[OtherThreads]
	golden.Equal(t, l.Sums.Merged, 995)
	golden.Equal(t, others.WaitNs, total-996-997-998-999-1000)
	golden.Equal(t, stateNs(l)[Waiting], total)
	for i := range l.Spans {
		if l.Spans[i].Thread < 996 {
			t.Errorf("a span of thread %d, which has no lane", l.Spans[i].Thread)
		}
	}
}
