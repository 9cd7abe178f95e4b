package analysis

import (
	"fmt"
	"strings"

	"contend/analysis/moved"
	"contend/analysis/owners"
	"contend/format"
)

// someWaits is a number of waits and their total time.
type someWaits struct {
	n  int
	ns int64
}

// part is the state of one of several inputs that are read as one trace. Inputs have
// separate threads, and their clocks may differ: a thread lives no longer than its input
// was recorded.
type part struct {
	sight
	first, last int64 // first and last instant of anything recorded
	recorded    int   // index of its first span in record.recorded
	gaps        gapIndex
	collections []moved.Pause
}

func (p *part) seen(from, to int64) {
	if p.first == format.NoTime || from < p.first {
		p.first = from
	}
	p.last = max(p.last, to)
}

// addCollection notes a pause for a garbage collection.
func (p *part) addCollection(ev *format.Event, end int64) {
	if strings.HasPrefix(ev.Name, format.PauseGC) {
		p.collections = append(p.collections, moved.Pause{Start: ev.Time, End: end})
	}
}

// record keeps the events that cannot be summed as they are read: evidence of owners, and
// what the trace says about itself.
type record struct {
	*owners.Record
	unclear    map[format.ObjectID]someWaits // by lock: waits that match no rule
	unended    []*format.Event               // waits that only samples show
	monitors   monitorWaits
	endings    endings
	recorded   []span
	events     bool // waits, holds or activities were recorded
	gaps       []span
	thresholds []string
	threshold  int64  // the longest of them, ns
	parts      []part // by input; the first holds everything before an input is named
	first      int64  // first and last instant of anything recorded
	last       int64
}

func newRecord() *record {
	r := &record{Record: owners.NewRecord(), unclear: map[format.ObjectID]someWaits{}, first: format.NoTime, last: format.NoTime}
	r.next()
	return r
}

// next begins the next input.
func (r *record) next() {
	r.parts = append(r.parts, part{first: format.NoTime, last: format.NoTime, recorded: len(r.recorded)})
}

// part returns the current input.
func (r *record) part() *part { return &r.parts[len(r.parts)-1] }

// add takes an event. An event that ends before it starts gets length zero.
func (r *record) add(ev *format.Event) {
	end := max(ev.End, ev.Time)
	if ev.Kind == format.KindRelease && ev.Object == format.NoObject {
		r.endings.add(ending{ev.Time, ev.Woken, ev.Thread, ev.Stack})
		return
	}
	r.Add(ev, end)
	switch ev.Kind {
	case format.KindWait, format.KindTenure:
		r.events = true
		r.seen(ev.Time, end)
	case format.KindActivity:
		r.events = true
		r.note(ev, end)
	case format.KindRecording:
		r.recorded = append(r.recorded, span{ev.Time, end})
		r.part().seen(ev.Time, end)
	case format.KindGap:
		r.gaps = append(r.gaps, span{ev.Time, end})
		r.part().gaps.add(ev.Time, end)
	case format.KindPause:
		r.part().addCollection(ev, end)
	case format.KindThreadStart, format.KindThreadEnd, format.KindRelease:
		r.seen(ev.Time, ev.Time)
	}
}

// note takes what an activity shows about the input or the lock.
func (r *record) note(ev *format.Event, end int64) {
	switch ev.Activity {
	case format.ActivityWait:
		r.monitors.add(ev, end)
		r.endings.add(ending{end, ev.Thread, ev.Owner, format.NoStack})
	case format.ActivityRun:
		if end == ev.Time { // a sample, not a call that was traced
			r.part().hasRuns = true
		}
	case format.ActivityUnknown:
		if end > ev.Time {
			u := r.unclear[ev.Object]
			r.unclear[ev.Object] = someWaits{u.n + 1, u.ns + end - ev.Time}
		}
	}
}

// setting takes a setting. A threshold means that shorter waits are missing.
func (r *record) setting(ev *format.Event) {
	if ev.Weight > 0 {
		r.thresholds = append(r.thresholds, fmt.Sprintf("%s %s", ev.Name, ev.Value))
		r.threshold = max(r.threshold, ev.Weight)
	}
	if ev.Name == format.SettingIdle {
		r.part().setting(ev.Value)
	}
}

func (r *record) seen(from, to int64) {
	if r.first == format.NoTime || from < r.first {
		r.first = from
	}
	r.last = max(r.last, to)
	r.part().seen(from, to)
}

// earliest returns t, or the first recorded instant if that is earlier. Recorded waits are
// charged after all samples, but their input may have begun before them.
func (r *record) earliest(t int64) int64 {
	if r.Waited() > 0 && r.first < t {
		return r.first
	}
	return t
}

// bounds returns the interval that the results cover: the recordings, widened to include
// every wait. Idle time may begin before it.
func (r *record) bounds() (start, end int64) {
	start, end = r.first, r.last
	for i, s := range r.recorded {
		if (i == 0 && r.Waited()+r.Tenures.Len() == 0) || start == format.NoTime || s.start < start {
			start = s.start
		}
		end = max(end, s.end)
	}
	if start == format.NoTime {
		return 0, 0
	}
	return start, max(end, start)
}

// whole is a record whose source has ended.
type whole struct {
	*record
	activities *owners.Activities // in order of time
}

// complete sorts what was recorded by time.
func (r *record) complete(kind func(format.ObjectID) format.LockKind) *whole {
	return &whole{r, r.Arrange(kind)}
}

// waitTimes adds a thread's waits for locks to a list.
func (w *whole) waitTimes(list []span, own owners.Refs) []span {
	for scan := w.activities.Scan(own); scan.NextWait(); {
		list = extended(list, span{scan.Start, scan.End})
	}
	return list
}

// idle reports whether an activity is idle time.
func idle(o owners.Other) bool {
	return o.End > o.Start && int(o.What()) < len(idleWork) && idleWork[o.What()]
}

// idleWork are the activities that are idle time: a thread with nothing to do. A wait that
// matches no rule is idle as well; a warning gives its time.
var idleWork = [...]bool{
	format.ActivityUnknown:  true,
	format.ActivityWait:     true,
	format.ActivityPark:     true,
	format.ActivitySleep:    true,
	format.ActivityIO:       false,
	format.ActivityRun:      false,
	format.ActivityLive:     false,
	format.ActivitySeen:     false,
	format.ActivityFile:     false,
	format.ActivitySocket:   false,
	format.ActivityTook:     false,
	format.ActivityReady:    false,
	format.ActivityRunnable: false,
}
