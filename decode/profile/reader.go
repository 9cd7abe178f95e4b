package profile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/decode/threaddump"
	"contend/format"
	"contend/format/human"
)

// Reader is a format.Source over one profile, which is read as a whole.
type Reader struct {
	rules *rules.Table
	format.Output
	of     string // the kind of the values
	empty  string // why it may have no samples
	at     int64  // of the next event: each follows the previous one
	locks  format.Interner[lockKey]
	stacks format.Stacks
	others int64 // of stacks that wait for no lock
	strict bool  // the profile may be of anything: its stacks wait if their frames show it
	sum    int64 // of all stacks
	locked int64 // of those that wait for locks

	unknown int64 // of those that show no wait

	counts  bool            // the values are numbers of goroutines
	threads format.ThreadID // of those, given last
	instant []format.Event  // of the goroutines that wait
	idle    int             // those among them that wait for no lock
	bare    int64           // of those without names
	waited  bool            // a stack is one of a waiter
}

// lockKey distinguishes locks by their class and the function that acquires or releases
// them.
type lockKey struct{ class, site string }

// The threads of all events: a profile has no threads.
const (
	waiterThread format.ThreadID = 1
	ownerThread  format.ThreadID = 2
)

func newReader(t *rules.Table, name, of string) *Reader {
	r := &Reader{rules: rules.OrDefault(t), of: of, empty: "the profile has no samples: " + unset, at: 1}
	r.Ended = io.EOF // after the events read here
	r.Said.Format = name
	r.Push(format.Event{Kind: format.KindThread, Thread: waiterThread, Name: "[unknown thread]"},
		format.Event{Kind: format.KindThread, Thread: ownerThread, Name: "[unknown owner thread]"})
	return r
}

// Why a profile of Go is empty: neither is written unless the program asks for it.
const (
	unsetMutex = "nothing waited for a mutex, or the program did not call runtime.SetMutexProfileFraction"
	unsetBlock = "nothing waited, or the program did not call runtime.SetBlockProfileRate"
	unset      = "nothing waited, or the program called neither runtime.SetMutexProfileFraction nor " +
		"runtime.SetBlockProfileRate"
)

// Read implements format.Source.
func (r *Reader) Read(ev *format.Event) error { return r.Next(ev, nil) }

// Stats implements decode.Source.
func (r *Reader) Stats() format.Stats {
	s := r.Said
	s.Blind = "a profile does not show which thread holds a lock"
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], format.Warning{
		Code: format.CodeNoTimes,
		Text: "a profile has no instants and no threads: " + r.of + " is summed by stack; a recording shows when " +
			"threads waited, and for which owner",
	})
	if r.sum == 0 && s.Damage.Whole() {
		s.Warnings = append(s.Warnings, format.Warning{Code: format.CodeNotRecorded, Text: r.empty})
	}
	if 2*r.bare > r.sum {
		s.Warnings = append(s.Warnings, format.Warning{
			Code: format.CodeStacks,
			Text: unsymbolized,
			Hint: "'go tool pprof -proto PROGRAM PROFILE > named.pb.gz' adds them, on a machine with the program",
		})
	}
	if r.waited {
		s.Warnings = append(
			s.Warnings,
			format.Warning{
				Code: format.CodeByWaiter,
				Text: "the profile has the stacks of waiters, and no owners of locks",
			},
		)
	}
	if r.others > 0 {
		amount := human.Number(r.others)
		if s.Unit == format.UnitDelays {
			amount = human.Duration(r.others)
		}
		s.Warnings = append(
			s.Warnings,
			format.Warning{
				Code: format.CodeNotLocks,
				Text: amount + " of waiting in the profile is not for locks: channels, conditions, groups and queues",
			},
		)
	}
	return s
}

// addStack adds the value of a stack, innermost frame first, that a number of waits sum to; 0 if it is unknown.
func (r *Reader) addStack(frames []format.Frame, value, waits int64) {
	r.Said.Events++
	if value <= 0 || len(frames) == 0 {
		return
	}
	if len(frames) > format.MaxFrames {
		frames = frames[:format.MaxFrames]
	}
	w := r.waitOf(frames)
	if r.sum += value; nameless(frames) {
		r.bare += value
	}
	switch w.verdict.Verdict {
	case rules.Lock:
		r.locked += value
	case rules.Unknown:
		r.unknown += value
	}
	if r.counts {
		r.goroutines(&w, value)
		return
	}
	if w.verdict.Verdict != rules.Lock {
		r.others += value
		return
	}
	ev := format.Event{
		Kind:   format.KindContention,
		Time:   r.at,
		Weight: value,
		Object: r.lock(&w),
		Count:  uint64(max(waits, 0)),
	}
	party := format.Party{Thread: waiterThread, Stack: r.stacks.Announce(w.frames, &r.Queue), Mode: w.verdict.Mode}
	if w.releases {
		party.Thread = ownerThread
		ev.Owners, ev.Waiters = []format.Party{party}, []format.Party{{Thread: waiterThread}}
	} else {
		r.waited = true
		ev.Owners, ev.Waiters = []format.Party{{}}, []format.Party{party}
	}
	r.pushSum(ev)
}

// sumsOfWaits says that contention events are sums.
var sumsOfWaits = format.Event{Kind: format.KindSetting, Name: format.SettingSums, Value: format.SumsOfWaits}

// pushSum adds a sum of waiting.
func (r *Reader) pushSum(ev format.Event) {
	if r.at == 1 { // the first
		r.Push(sumsOfWaits)
	}
	r.Push(ev)
	r.at += ev.Weight
}

// maxGoroutines bounds the goroutines of one stack that are told apart.
const maxGoroutines = 1 << 16

// goroutines adds the goroutines of a stack, all of one instant.
func (r *Reader) goroutines(w *wait, n int64) {
	ev := format.Event{Kind: format.KindContention, Time: r.at, Weight: 1, Owners: []format.Party{{}}}
	stack := r.stacks.Announce(w.frames, &r.Queue)
	for range min(n, maxGoroutines) {
		r.threads++
		id := ownerThread + r.threads
		name := fmt.Sprintf("goroutine of %s", gonames.Name(w.frames[len(w.frames)-1]))
		r.Push(format.Event{Kind: format.KindThread, Thread: id, Name: name})
		ev.Waiters = append(ev.Waiters, format.Party{Thread: id, Stack: stack, Mode: w.verdict.Mode})
	}
	switch w.verdict.Verdict {
	case rules.Lock:
		r.waited, ev.Object = true, r.lock(w)
		r.instant = append(r.instant, ev)
	case rules.Resource:
		for _, one := range ev.Waiters {
			r.instant = append(r.instant, format.Event{
				Kind:     format.KindActivity,
				Activity: format.ActivityPark,
				Thread:   one.Thread,
				Stack:    stack,
				Time:     r.at,
				End:      r.at,
				Resource: true,
			})
		}
		r.idle += len(ev.Waiters)
	}
}

// counted completes a profile of goroutines: they are one sample.
func (r *Reader) counted() {
	if r.counts {
		r.Push(format.Event{
			Kind:        format.KindTick,
			Time:        r.at,
			Weight:      1,
			Live:        uint32(r.threads),
			IdleThreads: uint32(r.idle),
		})
		r.Push(r.instant...)
	}
}

// wait is the lock for which a stack waits, or which it released.
type wait struct {
	class, site string
	frames      []format.Frame // less those that only name the lock
	verdict     rules.Result
	releases    bool
}

// waitOf finds the lock of a stack in its frames. Java stacks of lock profilers end with
// the class of the lock.
func (r *Reader) waitOf(frames []format.Frame) (w wait) {
	w.frames = frames
	if frames[0].Class == "runtime" && strings.HasPrefix(frames[0].Method, "unlock") { // whatever called it
		w.class, w.releases = "runtime.mutex", true
	} else if u := gonames.UseOf(frames); u.Class != "" {
		w.class = u.Class
		w.site = gonames.Name(u.At)
		w.releases = u.Unlocks()
	}
	if w.releases {
		w.verdict = rules.Result{Verdict: rules.Lock, Kind: format.KindMutex}
		return w
	}
	if isGo(frames) {
		w.verdict = r.rules.Classify("go:unknown", frames)
		shown := w.verdict.Verdict == rules.Lock || r.counts && w.verdict.Verdict == rules.Resource
		if (r.strict || r.counts) && !shown { // it may run
			w.verdict = rules.Result{}
		}
		return w
	}
	if f := &frames[0]; f.Method == "" { // the class of a lock
		w.class, w.frames = f.Class, frames[1:]
		if i := slices.IndexFunc(w.frames, func(f format.Frame) bool {
			return !strings.HasPrefix(f.Class, "java.util.concurrent.")
		}); i >= 0 {
			w.site = gonames.Name(w.frames[i])
		}
	} else if i := parkedAt(frames); i > 0 {
		w.class, w.site = threaddump.ParkedOn(frames[i:])
	}
	w.verdict = r.rules.Classify(w.class, w.frames)
	if w.verdict.Verdict == rules.Unknown && w.class == "" && r.strict {
		if w.verdict = r.rules.Classify("futex:wait", w.frames); w.verdict.Verdict == rules.Lock {
			w.class = w.verdict.Kind.String()
		}
		return w
	}
	if w.verdict.Verdict == rules.Unknown && w.class != "" {
		w.verdict = rules.Result{Verdict: rules.Lock, Kind: format.KindMonitor}
	} else if w.verdict.Verdict == rules.Unknown { // the profile is of waiting, for an unknown lock
		w.class, w.site = "[unknown class]", gonames.Name(frames[0])
		w.verdict = rules.Result{Verdict: rules.Lock, Kind: format.KindUnknownLock}
	}
	return w
}

// nameless reports whether a stack is of addresses alone.
func nameless(frames []format.Frame) bool {
	return !slices.ContainsFunc(frames, func(f format.Frame) bool {
		return !strings.HasPrefix(f.Method, "0x") || f.Class != ""
	})
}

// unsymbolized is the warning about a profile whose stacks are addresses.
const unsymbolized = "the profile has addresses in place of functions, so nothing shows which locks these are"

// parkedAt returns the index after a park's frame, 0 if the stack has none.
func parkedAt(frames []format.Frame) int {
	for i, f := range frames[:min(len(frames), 8)] {
		if f.Method == "park" && strings.HasSuffix(f.Class, "Unsafe") {
			return i + 1
		}
	}
	return 0
}

func (r *Reader) lock(w *wait) format.ObjectID {
	n, added := r.locks.Intern(lockKey{w.class, w.site})
	id := format.ObjectID(n + 1)
	if added {
		name := w.class
		if w.site != "" {
			name = fmt.Sprintf("%s of %s", w.class, w.site)
		}
		r.Push(format.Event{Kind: format.KindObject, Object: id, Class: w.class, LockKind: w.verdict.Kind, Name: name})
	}
	return id
}
