package perf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"contend/format"
	"contend/format/human"
)

// counters are the numbers that a reader reports about its input.
type counters struct {
	late       int64 // events out of order
	latest     int64 // the largest delay of such an event, ns
	unreadable int64 // events with invalid fields
	unended    int64 // waits without an end
	unbegun    int64 // ends of waits for kernel locks without a beginning
	junk       int64 // lines that are no events
	lost       int64
	kernel     int64 // waits for locks of the kernel
	lag        int64 // ns of waiting for locks between being woken and running
	waits      int64 // blocks on futexes
	bare       int64 // of these, without a call chain
	guessed    int64 // of these, taken for lock waits by the futex value alone
	homeless   int64 // calls of unknown processes
	locks      bool  // an event of futexes or of the kernel's locks is in the text
	mutexes    int64 // locks other than of the kernel
	gils       int64
	parks      int64 // locks known by their sites
	foreign    map[string]int64
	others     int64 // events whose names exceed the limit
}

// maxForeign bounds the names of events that are not read.
const maxForeign = 32

func (s *counters) unread(name string) {
	if s.foreign == nil {
		s.foreign = map[string]int64{}
	}
	if _, known := s.foreign[name]; !known && len(s.foreign) >= maxForeign {
		s.others++
		return
	}
	s.foreign[name]++
}

// lost counts events that perf itself lost: PERF_RECORD_LOST lost 27.
func (r *Reader) lost(s *sample) {
	n, _ := field(s.args, "lost ")
	if n == 0 {
		_, rest, _ := bytes.Cut(s.args, []byte("lost"))
		d, _ := decimal(bytes.TrimSpace(rest))
		n = uint64(d)
	}
	at := max(s.time, r.last)
	if r.last == format.NoTime {
		return
	}
	r.seen.lost += int64(min(n, 1<<40))
	r.Said.Damage.AddDamage(
		format.Damage{
			Pos:    format.Pos{File: r.file, Line: r.in.Line()},
			Code:   format.CodeLostData,
			Why:    "perf lost events",
			Events: int64(min(n, 1<<40)),
			From:   r.last,
			Until:  at,
		},
	)
	r.Push(format.Event{Kind: format.KindGap, Time: r.last, End: at, Name: "perf lost events"})
}

// finish ends open intervals at the end of the text, ordered by thread so that the result
// is deterministic; whole is false if the input failed.
func (r *Reader) finish(whole bool) {
	for _, tid := range slices.Sorted(maps.Keys(r.threads)) {
		r.interrupt(r.threads[tid], r.last)
	}
	if whole && (!r.in.Whole() || errors.Is(r.in.Err(), io.ErrUnexpectedEOF)) {
		r.truncated()
	}
	if r.first != format.NoTime {
		r.Push(format.Event{Kind: format.KindRecording, Time: r.first, End: r.last})
	}
	if r.locks > 0 {
		r.Push(format.Event{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesWaking})
	}
	r.conclude()
}

func (r *Reader) truncated() {
	n := r.in.Used() - r.in.WholeBytes()
	pos := format.Pos{File: r.file, Line: r.in.Line()}
	if n == 0 { // the wrapping ends between two lines
		pos.Line++
	}
	r.Said.Warn(format.CodeTruncated, human.Say("%s: %v within a line; %v bytes not read", pos, format.ErrTruncated, n))
	r.Said.Damage.AddDamage(
		format.Damage{
			Pos:    pos,
			Code:   format.CodeTruncated,
			Why:    "line: " + format.ErrTruncated.Error(),
			Bytes:  n,
			Events: format.UnknownEvents,
			From:   r.last,
			Until:  format.NoTime,
		},
	)
	if r.last != format.NoTime {
		r.Push(
			format.Event{Kind: format.KindGap, Time: r.last, End: r.last, Bytes: n, Name: format.ErrTruncated.Error()},
		)
	}
}

// conclude adds the warnings about what the text does not show.
func (r *Reader) conclude() {
	s, file := &r.seen, r.file
	for _, w := range [...]struct {
		holds      bool
		code, text string
	}{
		{r.events > 0, format.CodeEpoch, "perf script has no time of day: times count from the start of the machine"},
		{s.lost > 0, format.CodeLostData, human.Say("%s: perf lost %v events; record with a larger buffer (-m 64M) "+
			"or fewer events", file, s.lost)},
		{s.late > 0, format.CodeClock, human.Say("%s: %v of %v events are out of order, by up to %v", file, s.late,
			r.events, time.Duration(s.latest))},
		{s.unreadable > 0, format.CodeLostData,
			human.Say("%s: the fields of %v events cannot be read", file, s.unreadable)},
		{s.junk > 0, format.CodeLines, human.Say("%s: %v lines are not events of perf script", file, s.junk)},
		{s.unended+s.unbegun > 0, format.CodeUnended,
			human.Say("%s: the begin or the end of %v waits is missing", file, s.unended+s.unbegun)},
		{len(s.foreign) > 0, format.CodeEvents, fmt.Sprintf("%s: %s", file, s.foreignText())},
		{r.events > 0 && !s.locks, format.CodeNotRecorded, fmt.Sprintf("%s: it has no events of futexes or kernel "+
			"locks: no thread waited, or they were not recorded ('contend perf-args' prints how)", file)},
		{s.homeless > 0, format.CodeProcess, fmt.Sprintf("%s: the text names no processes: a lock is known by its "+
			"address alone; print it with -F comm,pid,tid,cpu,time,event,trace,ip,sym,dso", file)},
		{s.bare > 0, format.CodeStacks, human.Say("%s: %v of %v waits have no call chain (record with perf -g): %v "+
			"were taken for mutex waits by the futex value 2, waits for a thread id for pthread_join", file, s.bare,
			s.waits, s.guessed)},
		{s.parks > 0, format.CodeIdentity, human.Say("waiters of parking_lot, absl::Mutex and the like wait at "+
			"addresses of their own: the %v such locks here are distinguished by the functions that acquire them",
			s.parks)},
		{s.gils > 0 && !r.stacks.python, format.CodePython, fmt.Sprintf("%s: Python functions are missing: run the "+
			"program with python -X perf (3.12 and later)", file)},
		{s.mutexes > 0, format.CodeSpinning, "waits that ended while spinning leave no futex event and are missing"},
		{s.kernel > 0, format.CodeKernel, human.Say("owners of kernel locks are not recorded: %v waits have waiters "+
			"only", s.kernel)},
		{s.lag > 0, format.CodeScheduling, human.Say("%v of the waiting for locks passed between a thread's wake-up "+
			"and its return", time.Duration(s.lag))},
	} {
		if w.holds {
			r.Said.Warn(w.code, w.text)
		}
	}
}

// foreignText names the events that are not read, the most frequent first.
func (s *counters) foreignText() string {
	names := slices.SortedFunc(maps.Keys(s.foreign), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.foreign[b], s.foreign[a]), strings.Compare(a, b))
	})
	total, list := s.others, []string(nil)
	for i, name := range names {
		total += s.foreign[name]
		if i < 3 {
			list = append(list, human.Say("%s (%v)", strings.ToValidUTF8(name, "\uFFFD"), s.foreign[name]))
		}
	}
	text := strings.Join(list, ", ")
	if more := len(names) - len(list); more > 0 {
		text += human.Say(" and %v more kinds", more)
	}
	return human.Say("%v events are of kinds that are not read: %s", total, text)
}
