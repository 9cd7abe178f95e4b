package record

import (
	"fmt"
	"strings"

	"contend/analysis/internal/times"
	"contend/analysis/moved"
	"contend/analysis/owners"
	"contend/format"
)

// SomeWaits is a number of waits and their total time.
type SomeWaits struct {
	N  int
	Ns int64
}

// Part is the state of one of several inputs that are read as one trace. Inputs have
// separate threads, and their clocks may differ: a thread lives no longer than its input
// was recorded.
type Part struct {
	Sight       Sight
	first, last int64 // first and last instant of anything recorded but its spans
	until       int64 // the end of the last event, activities included
	Recorded    int   // index of its first span in Record.Recorded
	cut         cutSpan
	Threshold   int64 // the longest of its thresholds, ns
	Gaps        gapIndex
	collections []moved.Pause
}

// cutSpan is a recorded interval whose end the input lacks. It ends with the last event.
type cutSpan struct {
	index int   // in Record.Recorded, plus one; 0 for none
	end   int64 // as recorded
}

func (p *Part) seen(from, to int64) {
	if p.first == format.NoTime || from < p.first {
		p.first = from
	}
	p.last = max(p.last, to)
}

// addCollection notes a pause for a garbage collection.
func (p *Part) addCollection(ev *format.Event, end int64) {
	if strings.HasPrefix(ev.Name, format.PauseGC) {
		p.collections = append(p.collections, moved.Pause{Start: ev.Time, End: end})
	}
}

// Record keeps the events that cannot be summed as they are read: evidence of owners, and
// what the trace says about itself.
type Record struct {
	Evidence   *owners.Record
	Unclear    map[format.ObjectID]SomeWaits // by lock: waits that match no rule
	NotEnded   []*format.Event               // waits that only samples show
	NonLock    bool                          // a visitor asks for Endings, which are kept only then
	Endings    endings
	Recorded   []times.Span
	Events     bool // waits, holds or activities were recorded
	Gaps       []times.Span
	Thresholds []string
	Unseen     []string // the events that have a threshold
	Threshold  int64    // the longest of them, ns
	Parts      []Part   // by input; the first holds everything before an input is named
	first      int64    // first and last instant of anything recorded
	last       int64
}

func New() *Record {
	r := &Record{
		Evidence: owners.NewRecord(),
		Unclear:  map[format.ObjectID]SomeWaits{},
		first:    format.NoTime,
		last:     format.NoTime,
	}
	r.Next()
	return r
}

// Next begins the next input.
func (r *Record) Next() {
	r.Parts = append(r.Parts, Part{
		first:    format.NoTime,
		last:     format.NoTime,
		until:    format.NoTime,
		Recorded: len(r.Recorded),
	})
}

// Part returns the current input.
func (r *Record) Part() *Part { return &r.Parts[len(r.Parts)-1] }

// Keep adds an event. An event that ends before it starts gets duration zero.
func (r *Record) Keep(ev *format.Event) {
	end := max(ev.End, ev.Time)
	if ev.Kind == format.KindRelease && ev.Object == format.NoObject {
		if r.NonLock {
			r.Endings.addEnding(Ending{ev.Time, ev.Woken, ev.Thread, ev.Stack})
		}
		return
	}
	r.Evidence.AddEvent(ev, end)
	if ev.Kind.Timed() && ev.Kind != format.KindRecording {
		r.reached(ev.Time, end)
	}
	switch ev.Kind {
	case format.KindWait, format.KindTenure:
		r.Events = true
		r.seen(ev.Time, end)
	case format.KindActivity:
		r.Events = true
		r.recordEvidence(ev, end)
	case format.KindRecording:
		r.Recorded = append(r.Recorded, times.Span{Start: ev.Time, End: end})
	case format.KindGap:
		r.Gaps = append(r.Gaps, times.Span{Start: ev.Time, End: end})
		r.Part().Gaps.addGap(ev.Time, end)
		if ev.Time == end {
			r.cutShort(end)
		}
	case format.KindPause:
		r.Part().addCollection(ev, end)
	case format.KindThreadStart, format.KindThreadEnd, format.KindRelease:
		r.seen(ev.Time, ev.Time)
	}
}

// cutShort ends the recorded interval around an instant, at which the input ends early, with the last event:
// time that was lost is not time without waiting.
func (r *Record) cutShort(at int64) {
	p := r.Part()
	for i := len(r.Recorded) - 1; i >= p.Recorded; i-- {
		if s := &r.Recorded[i]; s.Start <= at && at < s.End {
			p.cut = cutSpan{i + 1, s.End}
			s.End = min(max(at, p.until), s.End)
			return
		}
	}
}

// reached notes that an input has an event in an interval. What was cut short goes on then.
func (r *Record) reached(from, to int64) {
	p := r.Part()
	p.until = max(p.until, to)
	if p.cut.index > 0 && from < p.cut.end {
		s := &r.Recorded[p.cut.index-1]
		s.End = max(s.End, min(to, p.cut.end))
	}
}

// recordEvidence records the evidence of an activity about the input or the lock.
func (r *Record) recordEvidence(ev *format.Event, end int64) {
	switch ev.Activity {
	case format.ActivityRun:
		if end == ev.Time { // a sample, not a call that was traced
			r.Part().Sight.HasRuns = true
		}
	case format.ActivityUnknown:
		if end > ev.Time {
			u := r.Unclear[ev.Object]
			r.Unclear[ev.Object] = SomeWaits{u.N + 1, u.Ns + end - ev.Time}
		}
	}
}

// Setting records a setting. A threshold means that shorter waits are missing.
func (r *Record) Setting(ev *format.Event) {
	if ev.Weight > 0 {
		r.Thresholds = append(r.Thresholds, fmt.Sprintf("%s %s", ev.Name, ev.Value))
		r.Unseen = append(r.Unseen, ev.Name)
		r.Threshold = max(r.Threshold, ev.Weight)
		r.Part().Threshold = max(r.Part().Threshold, ev.Weight)
	}
	if ev.Name == format.SettingIdle {
		r.Part().Sight.setting(ev.Value)
	}
}

func (r *Record) seen(from, to int64) {
	if r.first == format.NoTime || from < r.first {
		r.first = from
	}
	r.last = max(r.last, to)
	r.Part().seen(from, to)
}

// Earliest returns t, or the first recorded instant if that is earlier. Recorded waits are
// charged after all samples, but their input may have begun before them.
func (r *Record) Earliest(t int64) int64 {
	if r.Evidence.Waited() > 0 && r.first < t {
		return r.first
	}
	return t
}

// Bounds returns the interval that the results cover: the recordings, widened to include
// every wait. Idle time may begin before it.
func (r *Record) Bounds() (start, end int64) {
	start, end = r.first, r.last
	for i, s := range r.Recorded {
		if (i == 0 && r.Evidence.Waited()+r.Evidence.Tenures.Len() == 0) || start == format.NoTime || s.Start < start {
			start = s.Start
		}
		end = max(end, s.End)
	}
	if start == format.NoTime {
		return 0, 0
	}
	return start, max(end, start)
}

// Whole is a record whose source has ended.
type Whole struct {
	Record     *Record
	Activities *owners.Activities // in order of time
}

// Complete sorts the record by time.
func (r *Record) Complete(kind func(format.ObjectID) format.LockKind) *Whole {
	return &Whole{r, r.Evidence.Arrange(kind)}
}

// WaitTimes adds a thread's waits for locks to a list.
func (w *Whole) WaitTimes(list []times.Span, own owners.Refs) []times.Span {
	for scan := w.Activities.Scan(own); scan.NextWait(); {
		list = times.Extended(list, times.Span{Start: scan.Start, End: scan.End})
	}
	return list
}

// Idle reports whether an activity is idle time. A wait that matches no rule is idle as well; a
// warning gives its time.
func Idle(o owners.Activity) bool { return o.End > o.Start && o.What().Idle() }

// Sight is how an input shows its threads.
type Sight struct {
	Ended   bool // idle times are recorded when they end: a thread may be idle at the end without an event
	Hides   bool // short idle times are not recorded
	HasRuns bool // running threads are sampled
}

// setting takes the value of format.SettingIdle.
func (s *Sight) setting(value string) {
	s.Ended = value == format.IdleEnded || value == format.IdleLong
	s.Hides = value == format.IdleLong
}
