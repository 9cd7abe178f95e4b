// Package perfetto writes a trace in Chrome's JSON trace format, which ui.perfetto.dev and
// chrome://tracing open: for each thread a lane with its waits, what it held and when it was
// idle, and an arrow from each wait to each hold it waited for. Complete events (X) of one
// lane lie apart, so that each end of an arrow is in one: what overlaps gets a lane of its
// own. Times are microseconds from the start of the trace.
package perfetto

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"contend/analysis"
	"contend/blame/waits"
	"contend/format"
)

// event is one of the format's.
type event struct {
	Ph   string         `json:"ph"`
	Name string         `json:"name"`
	Cat  string         `json:"cat,omitempty"`
	Ts   *micros        `json:"ts,omitempty"`
	Dur  *micros        `json:"dur,omitempty"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	ID   int            `json:"id,omitempty"` // of the two ends of an arrow
	Bp   string         `json:"bp,omitempty"` // "e": an arrow ends at what encloses it
	Args map[string]any `json:"args,omitempty"`
}

// micros are nanoseconds, written as microseconds.
type micros int64

// MarshalJSON implements json.Marshaler.
func (m micros) MarshalJSON() ([]byte, error) {
	text := strconv.AppendInt(nil, int64(m)/1000, 10)
	return fmt.Appendf(text, ".%03d", m%1000), nil
}

// lane is one line of the picture: a thread's first one, or one for what overlaps there.
type lane struct {
	thread format.ThreadID
	number int   // among those of its thread
	end    int64 // of the latest event
}

// laid gives each span a lane, those of a thread one behind the other.
func laid(spans []waits.LaneSpan) (of []int, all []lane) {
	of = make([]int, len(spans))
	for i, first := 0, 0; i < len(spans); i++ {
		s := &spans[i]
		if i > 0 && s.Thread != spans[i-1].Thread {
			first = len(all)
		}
		at := first
		for at < len(all) && all[at].end > s.Start {
			at++
		}
		if at == len(all) {
			all = append(all, lane{thread: s.Thread, number: at - first})
		}
		all[at].end, of[i] = s.End, at
	}
	return of, all
}

// process is the number of the one there is.
const process = 1

// Write writes the spans of a trace, which are finished; name says what locks are called.
func Write(w io.Writer, l *waits.Lanes, tr *analysis.Trace, name func(format.ObjectID) string) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(
		out,
		"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"start\":%q},\"traceEvents\":[\n",
		time.Unix(0, tr.Start).UTC().Format(time.RFC3339Nano),
	)
	of, all := laid(l.Spans)
	before := ""
	var failed error
	write := func(e event) {
		line, err := json.Marshal(e)
		failed = cmp.Or(failed, err)
		out.WriteString(before)
		out.Write(line)
		before = ",\n"
	}
	write(event{Ph: "M", Name: "process_name", Pid: process, Args: map[string]any{"name": "contend"}})
	const pauses = 0 // the lane of those
	write(
		event{
			Ph:   "M",
			Name: "thread_name",
			Pid:  process,
			Tid:  pauses,
			Args: map[string]any{"name": "all threads stopped"},
		},
	)
	for i, one := range all {
		thread := tr.Symbols.ThreadName(one.thread)
		if one.number > 0 {
			thread += " (" + strconv.Itoa(one.number+1) + ")"
		}
		write(event{Ph: "M", Name: "thread_name", Pid: process, Tid: i + 1, Args: map[string]any{"name": thread}})
		write(
			event{
				Ph:   "M",
				Name: "thread_sort_index",
				Pid:  process,
				Tid:  i + 1,
				Args: map[string]any{"sort_index": i + 1},
			},
		)
	}
	for _, e := range merged(l, tr, of, name) {
		write(e())
	}
	out.WriteString("\n]}\n")
	return cmp.Or(failed, out.Flush())
}

// merged returns what there is by time, made only when it is its turn: of one instant arrows
// come last, and their beginning before their end.
func merged(l *waits.Lanes, tr *analysis.Trace, of []int, name func(format.ObjectID) string) []func() event {
	type timed struct {
		at, length int64
		make       func() event
	}
	var list []timed
	since := func(t int64) *micros { m := micros(t - tr.Start); return &m }
	lasting := func(start, end int64) *micros { m := micros(end - start); return &m }
	until := tr.Start
	for i := range tr.Pauses {
		p := &tr.Pauses[i]
		if p.Start < until { // a part of the one before
			continue
		}
		until = p.End
		list = append(list, timed{p.Start, p.End - p.Start, func() event {
			return event{
				Ph:   "X",
				Name: analysis.PseudoOwner(p.Kind, 0),
				Cat:  "pause",
				Ts:   since(p.Start),
				Dur:  lasting(p.Start, p.End),
				Pid:  process,
			}
		}})
	}
	for i := range l.Spans {
		s := &l.Spans[i]
		list = append(list, timed{s.Start, s.End - s.Start, func() event {
			e := eventOf(s, tr.Symbols, name)
			e.Ts = since(s.Start)
			e.Dur = lasting(s.Start, s.End)
			e.Pid = process
			e.Tid = of[i] + 1
			return e
		}})
	}
	for i, a := range l.Arrows {
		wait, hold := &l.Spans[a.Wait], &l.Spans[a.Hold]
		at := max(wait.Start, hold.Start)
		until := min(wait.End, hold.End)
		if at >= until {
			continue
		}
		if until-at > 1 {
			at++ // chrome://tracing takes the end of the event before for a part of it
		}
		list = append(list, timed{at, -1, func() event {
			return event{
				Ph:   "s",
				Name: "waits for",
				Cat:  "arrow",
				Ts:   since(at),
				Pid:  process,
				Tid:  of[a.Wait] + 1,
				ID:   i + 1,
			}
		}}, timed{at, -1, func() event {
			return event{
				Ph:   "f",
				Name: "waits for",
				Cat:  "arrow",
				Ts:   since(at),
				Pid:  process,
				Tid:  of[a.Hold] + 1,
				ID:   i + 1,
				Bp:   "e",
			}
		}})
	}
	slices.SortStableFunc(
		list,
		func(a, b timed) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.length, a.length)) },
	)
	out := make([]func() event, len(list))
	for i := range list {
		out[i] = list[i].make
	}
	return out
}

// eventOf says what a span is.
func eventOf(s *waits.LaneSpan, sym *analysis.Symbols, name func(format.ObjectID) string) event {
	if s.State == waits.Idle {
		return event{
			Ph:   "X",
			Name: map[bool]string{true: "asleep", false: "idle"}[s.Activity == format.ActivitySleep],
			Cat:  "idle",
		}
	}
	lock := name(s.Lock)
	e := event{
		Ph:   "X",
		Name: "waits for " + lock,
		Cat:  "wait",
		Args: map[string]any{"lock": lock, "stack": analysis.StackText(sym.Frames(s.Stack))},
	}
	if s.State == waits.Holding {
		e.Name, e.Cat = "holds "+lock+" ("+s.Word.String()+")", "hold,"+s.Word.String()
		if ns := s.Known.Ns(); s.Word == analysis.Likely(1).Word() && ns > 0 {
			e.Args["probability"] = float64(100*s.Known.Right()/ns) / 100
		}
	}
	return e
}
