package pass

import (
	"math"
	"strings"

	"contend/analysis/internal/record"
	"contend/analysis/internal/sleeps"
	"contend/analysis/internal/times"
	"contend/analysis/owners"
	"contend/format"
)

// A recorder may write an idle time when it ends, and leave out short ones. It then shows
// no event of a thread that is idle at the end. The evidence of a thread is its waits, idle
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

// serves reports whether a thread belongs to the JVM or the recorder. Such threads do next
// to nothing between their events.
func serves(name string) bool {
	return name == "Attach Listener" || strings.HasPrefix(name, "JFR ") || strings.HasPrefix(name, "contend-")
}

// presence is the evidence of a thread.
type presence struct {
	sight  *record.Sight
	d      *owners.Activities
	sleeps *sleeps.Sites
	own    owners.Refs // by start
	life   owners.Life
}

// maxGap returns how long a thread without evidence counts as running, ns.
func (p *presence) maxGap() int64 {
	switch {
	case p.sight.HasRuns && p.sight.Hides:
		return 0
	case p.sight.HasRuns:
		return unseenFor
	}
	return math.MaxInt64
}

// unseen returns the intervals of [from, to) without evidence that the thread ran.
// mayHaveRun is false if all evidence is idle.
func (p *presence) unseen(from, to int64) (out []times.Span, mayHaveRun bool) {
	if !p.sight.Ended {
		return nil, false
	}
	found, last := false, times.Span{} // evidence so far
	add := func(s times.Span) {
		switch {
		case !found:
			if found, last = true, s; from < s.Start {
				out = append(out, times.Span{Start: from, End: s.Start})
			}
		case s.Start-last.End > p.maxGap():
			out = append(out, times.Span{Start: last.End, End: s.Start})
		}
		last.End = max(last.End, s.End)
	}
	if t := p.life.Start; t != format.NoTime {
		add(times.Span{Start: t, End: t})
		mayHaveRun = true
	}
	for own := p.d.Scan(p.own); own.Next(); {
		add(p.seen(&own))
		mayHaveRun = mayHaveRun || own.IsWait() || !record.Idle(own.Activity()) || p.sleeps.Works(own.Activity())
	}
	if t := p.life.End; t != format.NoTime {
		add(times.Span{Start: t, End: t})
		mayHaveRun = true
	}
	if !found {
		return []times.Span{{Start: from, End: to}}, true
	}
	if last.End < to {
		out = append(out, times.Span{Start: last.End, End: to})
	}
	return out, mayHaveRun
}

// seen returns the interval for which an activity is evidence.
func (p *presence) seen(a *owners.Scan) times.Span {
	if p.sight.Hides && a.Start == a.End && !a.IsWait() && a.Activity().What() == format.ActivityRun {
		return times.Span{Start: a.Start - sampleFor/2, End: a.End + sampleFor/2}
	}
	return times.Span{Start: a.Start, End: a.End}
}
