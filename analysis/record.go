package analysis

import (
	"fmt"
	"strings"

	"contend/analysis/moved"
	"contend/analysis/owners"
	"contend/format"
)

// someWaits is how many waits there are of a sort, and their time.
type someWaits struct {
	n  int
	ns int64
}

// part is what is known of one input among several that are read as one
// trace. Their threads are apart, and so are their clocks, for all one knows:
// a thread lives no longer than its own input was recorded.
type part struct {
	sight
	first, last int64 // earliest and latest instant of anything recorded
	recorded    int   // where its own stretches begin in the record
	gaps        gapIndex
	collections []moved.Pause
}

func (p *part) seen(from, to int64) {
	if p.first == format.NoTime || from < p.first {
		p.first = from
	}
	p.last = max(p.last, to)
}

// collected notes when a garbage collection paused the program.
func (p *part) collected(ev *format.Event, end int64) {
	if strings.HasPrefix(ev.Name, format.PauseGC) {
		p.collections = append(p.collections, moved.Pause{Start: ev.Time, End: end})
	}
}

// record keeps the events that cannot be summed as they come: those that tell
// of owners, and what the trace says of itself.
type record struct {
	*owners.Record
	activities *owners.Activities            // the same in order of time, once all is read
	unclear    map[format.ObjectID]someWaits // waits at a lock that no rule knows
	unended    []*format.Event               // waits that only samples show
	monitors   monitorWaits
	sleeps     sleepSites
	holders    []bool // by thread: it holds a recorded tenure; see tenants
	recorded   []span
	gaps       []span
	thresholds []string
	threshold  int64  // the longest of them, ns
	parts      []part // by input; the first holds what comes before any is named
	first      int64  // earliest and latest instant of anything recorded
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

// part returns the input being read.
func (r *record) part() *part { return &r.parts[len(r.parts)-1] }

// add takes an event. Times that run backwards are repaired to length zero.
func (r *record) add(ev *format.Event) {
	end := max(ev.End, ev.Time)
	r.Add(ev, end)
	switch ev.Kind {
	case format.KindWait, format.KindTenure:
		r.seen(ev.Time, end)
	case format.KindActivity:
		r.note(ev, end)
	case format.KindRecording:
		r.recorded = append(r.recorded, span{ev.Time, end})
		r.part().seen(ev.Time, end)
	case format.KindGap:
		r.gaps = append(r.gaps, span{ev.Time, end})
		r.part().gaps.add(ev.Time, end)
	case format.KindPause:
		r.part().collected(ev, end)
	case format.KindThreadStart, format.KindThreadEnd, format.KindRelease:
		r.seen(ev.Time, ev.Time)
	}
}

// note remembers what an activity tells besides what its thread did.
func (r *record) note(ev *format.Event, end int64) {
	switch ev.Activity {
	case format.ActivityWait:
		r.monitors.add(ev, end)
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

// setting remembers a threshold in force: waits shorter than it are missing.
func (r *record) setting(ev *format.Event) {
	if ev.Weight > 0 {
		r.thresholds = append(r.thresholds, fmt.Sprintf("%s %s", ev.Name, ev.Value))
		r.threshold = max(r.threshold, ev.Weight)
	}
	if ev.Name == format.SettingIdle {
		r.part().told(ev.Value)
	}
}

func (r *record) seen(from, to int64) {
	if r.first == format.NoTime || from < r.first {
		r.first = from
	}
	r.last = max(r.last, to)
	r.part().seen(from, to)
}

// earliest returns t, or the first instant of a recorded wait or what came with
// it if that lies before: recorded waits are charged after all samples, but an
// input that was read before them began before them.
func (r *record) earliest(t int64) int64 {
	if r.Waited() > 0 && r.first < t {
		return r.first
	}
	return t
}

// bounds returns the stretch the results cover: all that was recorded,
// widened to hold every wait. Idle time may begin before it.
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
