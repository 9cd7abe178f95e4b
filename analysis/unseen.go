package analysis

import (
	"math"
	"strings"

	"contend/analysis/owners"
	"contend/format"
)

// A recorder may write an idle time when it ends, and leave out short ones. It then shows
// nothing of a thread that is idle at the end. The evidence of a thread is its waits, idle
// times and samples, its start and its end. The thread counts as running, less its recorded
// idle time,
//
//  1. from its first evidence to its last: time outside is a range, which the running time
//     excludes and its upper bound includes;
//  2. if running threads are sampled, not between evidence that is more than unseenFor
//     apart: that is a range as well;
//  3. if short idle times are not recorded either, only while it waits for a lock and for
//     sampleFor around each sample.
//
// A thread whose evidence is all idle is idle outside of it, and so are the threads that
// serve the JVM.
const (
	unseenFor = int64(1e9)
	sampleFor = int64(20e6) // the period JFR samples with by default
)

// wideRange is how many times the running time its upper bound must be to be reported:
// below that it changes no pressure by more than 5 points.
const wideRange = 1.05

// Pressure returns the range of the pressure of some waiting, in [0, 1]. The range covers
// the running time, the estimated part of the waiting, and hiddenNs of further waiting that
// an input hides. Both ends are 0 if no thread ran.
func (t *Trace) Pressure(waitNs, hiddenNs int64) (low, high float64) {
	part := func(wait, running float64) float64 {
		if running <= 0 {
			return 0
		}
		return max(wait, 0) / running
	}
	less, more := float64(min(t.Reacquired.Ns-t.Reacquired.Low, waitNs)), float64(t.Reacquired.High-t.Reacquired.Ns)+float64(hiddenNs)
	wait, running := float64(waitNs), float64(t.RunningNs)
	return part(wait-less, max(float64(t.RunningHigh), running)-less), part(wait+more, running+more)
}

// RunningIsWide reports whether unknown activity of threads matters to their running time,
// and so to every pressure.
func (t *Trace) RunningIsWide() bool {
	return float64(t.RunningHigh) > wideRange*float64(t.RunningNs)
}

// serves reports whether a thread belongs to the JVM or the recorder. Such threads do next
// to nothing between their events.
func serves(name string) bool {
	return name == "Attach Listener" || strings.HasPrefix(name, "JFR ") || strings.HasPrefix(name, "contend-")
}

// sight is what an input shows of its threads.
type sight struct {
	ended   bool // idle times are recorded when they end: a thread may be idle at the end without an event
	hides   bool // short idle times are not recorded
	hasRuns bool // running threads are sampled
}

// setting takes the value of format.SettingIdle.
func (s *sight) setting(value string) {
	s.ended = value == format.IdleEnded || value == format.IdleLong
	s.hides = value == format.IdleLong
}

// farthest returns how long a thread without evidence counts as running, ns.
func (s *sight) farthest() int64 {
	switch {
	case s.hasRuns && s.hides:
		return 0
	case s.hasRuns:
		return unseenFor
	}
	return math.MaxInt64
}

// presence is the evidence of a thread.
type presence struct {
	sight
	d      *owners.Activities
	sleeps *sleepSites
	own    owners.Refs // by start
	life   owners.Life
}

// unseen returns the intervals of [from, to) without evidence that the thread ran. may
// reports whether it may have run in them.
func (p *presence) unseen(from, to int64) (out []span, may bool) {
	if !p.ended {
		return nil, false
	}
	g := p.gaps()
	if g.last == format.NoTime {
		return []span{{from, to}}, true
	}
	if from < g.first {
		out = append(out, span{from, g.first})
	}
	out = append(out, g.beyond...)
	if g.last < to {
		out = append(out, span{g.last, to})
	}
	return out, !g.idle
}

// unseenGaps are the intervals between the evidence of a thread.
type unseenGaps struct {
	first, last int64  // of the evidence; NoTime if there is none
	idle        bool   // all evidence is idle
	beyond      []span // intervals without evidence that do not count as running
}

func (p *presence) gaps() unseenGaps {
	g, most := unseenGaps{first: format.NoTime, last: format.NoTime, idle: true}, p.farthest()
	if p.life.Start != format.NoTime {
		g.add(span{p.life.Start, p.life.Start}, most)
		g.idle = false
	}
	for own := p.d.Scan(p.own); own.Next(); {
		g.add(p.seen(&own), most)
		g.idle = g.idle && !own.IsWait() && idle(own.Other()) && !p.sleeps.works(own.Other())
	}
	if p.life.End != format.NoTime {
		g.add(span{p.life.End, p.life.End}, most)
		g.idle = false
	}
	return g
}

// add adds evidence, in order of time.
func (g *unseenGaps) add(s span, most int64) {
	if g.last == format.NoTime {
		g.first, g.last = s.start, s.end
	} else if s.start-g.last > most {
		g.beyond = append(g.beyond, span{g.last, s.start})
	}
	g.last = max(g.last, s.end)
}

// seen returns the interval for which an activity is evidence.
func (p *presence) seen(a *owners.Scan) span {
	if p.hides && a.Start == a.End && !a.IsWait() && a.Other().What() == format.ActivityRun {
		return span{a.Start - sampleFor/2, a.End + sampleFor/2}
	}
	return span{a.Start, a.End}
}
