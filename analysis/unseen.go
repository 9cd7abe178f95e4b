package analysis

import (
	"math"

	"contend/analysis/owners"
	"contend/format"
)

// A recording that tells of idle times when they end says nothing of a thread
// that is idle to its end, and little of one whose idle times are too short to
// be recorded. What is known of such a thread are the times at which it was
// seen: its waits, idle times and samples, its start and its end. It is taken
// to run, less the idle time seen,
//
//  1. from the first it was seen to the last, and before and behind as long as it
//     ever went without;
//  2. where running threads are sampled, not where it went unseen for longer than
//     unseenFor;
//  3. where short idle times are not recorded either, only while it waits for a
//     lock and for sampleFor about each sample.
//
// It cannot have run longer than all of its life less the idle time seen.
const (
	unseenFor = int64(1e9)
	sampleFor = int64(20e6) // the period JFR samples with by default
)

// wideRange is from how much on the most that threads can have run, over what
// they are taken to, is worth a word.
const wideRange = 1.25

// RunningIsWide reports whether what is not known of threads matters to their
// running time, and so to every pressure.
func (t *Trace) RunningIsWide() bool {
	return float64(t.RunningHigh) > wideRange*float64(t.RunningNs)
}

// sight is how well the threads of an input are seen.
type sight struct {
	ended   bool // idle times are told when they end: a thread may be idle unseen
	hides   bool // and short ones not at all
	hasRuns bool // running threads are sampled
}

// told takes what an input says of its idle times.
func (s *sight) told(value string) {
	s.ended = value == format.IdleEnded || value == format.IdleLong
	s.hides = value == format.IdleLong
}

// farthest is how long a thread may go unseen and run.
func (s *sight) farthest() int64 {
	switch {
	case s.hasRuns && s.hides:
		return 0
	case s.hasRuns:
		return unseenFor
	}
	return math.MaxInt64
}

// presence is when a thread was seen.
type presence struct {
	sight
	d    *owners.Activities
	own  owners.Refs // by start
	life owners.Life
}

// unseen returns the stretches of [from, to) in which the thread is taken not
// to run since nothing tells that it did.
func (p *presence) unseen(from, to int64) (out []span) {
	if !p.ended {
		return nil
	}
	g := p.gaps()
	if g.last == format.NoTime {
		return []span{{from, to}}
	}
	if g.first-from > g.longest {
		out = append(out, span{from, g.first - g.longest})
	}
	out = append(out, g.beyond...)
	if to-g.last > g.longest {
		out = append(out, span{g.last + g.longest, to})
	}
	return out
}

// unseenGaps are the stretches between the times at which a thread was seen.
type unseenGaps struct {
	first, last int64  // of these times; NoTime when there is none
	longest     int64  // of the stretches in which it may have run
	beyond      []span // the others
}

func (p *presence) gaps() unseenGaps {
	g, most := unseenGaps{first: format.NoTime, last: format.NoTime}, p.farthest()
	if p.life.Start != format.NoTime {
		g.meet(span{p.life.Start, p.life.Start}, most)
	}
	for own := p.d.Scan(p.own); own.Next(); {
		g.meet(p.seen(&own), most)
	}
	if p.life.End != format.NoTime {
		g.meet(span{p.life.End, p.life.End}, most)
	}
	return g
}

// meet takes the next time at which the thread was seen.
func (g *unseenGaps) meet(s span, most int64) {
	switch n := s.start - g.last; {
	case g.last == format.NoTime:
		g.first, g.last = s.start, s.end
	case n <= 0:
	case n <= most:
		g.longest = max(g.longest, n)
	default:
		g.beyond = append(g.beyond, span{g.last, s.start})
	}
	g.last = max(g.last, s.end)
}

// seen returns the stretch that an activity speaks for.
func (p *presence) seen(a *owners.Scan) span {
	if p.hides && a.Start == a.End && !a.IsWait() && a.Other().What() == format.ActivityRun {
		return span{a.Start - sampleFor/2, a.End + sampleFor/2}
	}
	return span{a.Start, a.End}
}

// outside returns how much of some stretches lies in a cut and in none of others;
// both are apart and in order. What a thread did lies in no stretch in which it
// was unseen, so that so much is what it may have run beside.
func outside(list, others []span, cut span) (ns int64) {
	for _, s := range list {
		lo, hi := max(s.start, cut.start), min(s.end, cut.end)
		for len(others) > 0 && others[0].end <= lo {
			others = others[1:]
		}
		for _, o := range others {
			if o.start >= hi {
				break
			}
			ns += max(o.start-lo, 0)
			lo = max(lo, o.end)
		}
		ns += max(hi-lo, 0)
	}
	return ns
}

// join returns two lists of stretches as one, by start.
func join(a, b []span) []span {
	if len(b) == 0 {
		return a
	}
	out := make([]span, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].start <= b[0].start {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
