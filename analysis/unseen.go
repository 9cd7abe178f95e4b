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
// reports whether it may have run in them: not if all evidence is idle.
func (p *presence) unseen(from, to int64) (out []span, may bool) {
	if !p.ended {
		return nil, false
	}
	found, last := false, span{} // evidence so far
	add := func(s span) {
		switch {
		case !found:
			if found, last = true, s; from < s.start {
				out = append(out, span{from, s.start})
			}
		case s.start-last.end > p.farthest():
			out = append(out, span{last.end, s.start})
		}
		last.end = max(last.end, s.end)
	}
	if t := p.life.Start; t != format.NoTime {
		add(span{t, t})
		may = true
	}
	for own := p.d.Scan(p.own); own.Next(); {
		add(p.seen(&own))
		may = may || own.IsWait() || !idle(own.Other()) || p.sleeps.works(own.Other())
	}
	if t := p.life.End; t != format.NoTime {
		add(span{t, t})
		may = true
	}
	if !found {
		return []span{{from, to}}, true
	}
	if last.end < to {
		out = append(out, span{last.end, to})
	}
	return out, may
}

// seen returns the interval for which an activity is evidence.
func (p *presence) seen(a *owners.Scan) span {
	if p.hides && a.Start == a.End && !a.IsWait() && a.Other().What() == format.ActivityRun {
		return span{a.Start - sampleFor/2, a.End + sampleFor/2}
	}
	return span{a.Start, a.End}
}
