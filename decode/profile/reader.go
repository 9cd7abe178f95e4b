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
	at     int64  // of the next event: each follows the previous one
	locks  format.Interner[lockKey]
	stacks format.Stacks
	others int64 // of stacks that wait for no lock
	waited bool  // a stack is one of a waiter
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
	r := &Reader{rules: rules.OrDefault(t), of: of, at: 1}
	r.Ended = io.EOF // after the events read here
	r.Said.Format = name
	r.Push(format.Event{Kind: format.KindThread, Thread: waiterThread, Name: "[unknown thread]"},
		format.Event{Kind: format.KindThread, Thread: ownerThread, Name: "[unknown owner thread]"})
	return r
}

// Read implements format.Source.
func (r *Reader) Read(ev *format.Event) error { return r.Next(ev, nil) }

// Stats implements decode.Source.
func (r *Reader) Stats() format.Stats {
	s := r.Said
	s.Blind = "a profile does not show which thread holds a lock"
	s.Warnings = append(s.Warnings[:len(s.Warnings):len(s.Warnings)], format.Warning{
		Code: format.CodeNoTimes,
		Text: "a profile has no instants and no threads: " + r.of + " is summed by stack; a recording shows when threads waited, and for which owner",
	})
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

// addStack adds the value of a stack, innermost frame first.
func (r *Reader) addStack(frames []format.Frame, value int64) {
	r.Said.Events++
	if value <= 0 || len(frames) == 0 {
		return
	}
	if len(frames) > format.MaxFrames {
		frames = frames[:format.MaxFrames]
	}
	w := r.waitOf(frames)
	if w.verdict.Verdict != rules.Lock {
		r.others += value
		return
	}
	ev := format.Event{Kind: format.KindContention, Time: r.at, Weight: value, Object: r.lock(&w)}
	party := format.Party{Thread: waiterThread, Stack: r.stacks.Announce(w.frames, &r.Queue), Mode: w.verdict.Mode}
	if w.releases {
		party.Thread = ownerThread
		ev.Owners, ev.Waiters = []format.Party{party}, []format.Party{{Thread: waiterThread}}
	} else {
		r.waited = true
		ev.Owners, ev.Waiters = []format.Party{{}}, []format.Party{party}
	}
	r.Push(ev)
	r.at += value
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
	if u := gonames.UseOf(frames); u.Class != "" {
		w.class, w.site, w.releases = u.Class, gonames.Name(u.At), u.Unlocks()
	} else if frames[0].Class == "runtime" && strings.HasPrefix(frames[0].Method, "unlock") {
		w.class, w.releases = "runtime.mutex", true
	}
	if w.releases {
		w.verdict = rules.Result{Verdict: rules.Lock, Kind: format.KindMutex}
		return w
	}
	if isGo(frames) {
		w.verdict = r.rules.Classify("go:unknown", frames)
		return w
	}
	if f := &frames[0]; f.Method == "" { // the class of a lock
		w.class, w.frames = f.Class, frames[1:]
		if i := slices.IndexFunc(w.frames, func(f format.Frame) bool { return !strings.HasPrefix(f.Class, "java.util.concurrent.") }); i >= 0 {
			w.site = gonames.Name(w.frames[i])
		}
	} else if i := parkedAt(frames); i > 0 {
		w.class, w.site = threaddump.ParkedOn(frames[i:])
	}
	w.verdict = r.rules.Classify(w.class, w.frames)
	if w.verdict.Verdict == rules.Unknown && w.class != "" {
		w.verdict = rules.Result{Verdict: rules.Lock, Kind: format.KindMonitor}
	} else if w.verdict.Verdict == rules.Unknown { // the profile is of waiting, for an unknown lock
		w.class, w.site = "[unknown class]", gonames.Name(frames[0])
		w.verdict = rules.Result{Verdict: rules.Lock, Kind: format.KindUnknownLock}
	}
	return w
}

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
