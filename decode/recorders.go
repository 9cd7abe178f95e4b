package decode

import (
	"slices"
	"strings"

	"contend/format"
)

// recorders are the threads of an input that recorded it. Their waits, holds and activities
// are left out of every answer, except the idle time of a flight recorder's threads, which is
// listed on request only.
type recorders struct {
	threads []recorder // by id
	stacks  []bool     // by id: the agent's code, in any thread
}

type recorder uint8

const (
	program recorder = iota
	ofAgent
	ofJVM
)

func recorderOf(thread string) recorder {
	switch {
	case thread == "contend-sampler" || thread == "contend-shutdown" || thread == "contend-exact":
		return ofAgent
	case strings.HasPrefix(thread, "JFR "):
		return ofJVM
	}
	return program
}

func agentCode(f format.Frame) bool {
	return f.Class == "contend.agent.Recorder" || f.Class == "contend.agent.Sampler"
}

// hides reports whether an event is about a recorder's thread only; it removes recorders
// from other events.
func (r *recorders) hides(ev *format.Event) bool {
	switch ev.Kind {
	case format.KindThread:
		if of := recorderOf(ev.Name); of != program || r.recorderOf(ev.Thread) != program {
			r.threads = set(r.threads, uint32(ev.Thread), of)
		}
		return r.recorderOf(ev.Thread) == ofAgent
	case format.KindStack:
		if slices.ContainsFunc(ev.Frames, agentCode) {
			r.stacks = set(r.stacks, uint32(ev.Stack), true)
		}
		return false
	}
	if r.threads == nil && r.stacks == nil {
		return false
	}
	switch ev.Kind {
	case format.KindContention:
		return r.sample(ev)
	case format.KindActivity:
		if ev.Activity.Idle() && r.recorderOf(ev.Thread) == ofJVM {
			return false
		}
	}
	for _, t := range [...]*format.ThreadID{&ev.Owner, &ev.Woken} {
		if r.recorderOf(*t) != program {
			*t = format.NoThread
		}
	}
	return r.records(ev.Thread, ev.Stack)
}

// sample removes recorders from a sample. An owner that is a recorder becomes an unknown
// owner.
func (r *recorders) sample(ev *format.Event) bool {
	for i, o := range ev.Owners {
		if r.records(o.Thread, o.Stack) {
			ev.Owners[i].Thread, ev.Owners[i].Stack = format.NoThread, format.NoStack
		}
	}
	shown := len(ev.Waiters)
	ev.Waiters = slices.DeleteFunc(ev.Waiters, func(w format.Party) bool { return r.records(w.Thread, w.Stack) })
	return shown > 0 && len(ev.Waiters) == 0
}

func (r *recorders) records(t format.ThreadID, s format.StackID) bool {
	return r.recorderOf(t) != program || int(s) < len(r.stacks) && r.stacks[s]
}

func (r *recorders) recorderOf(t format.ThreadID) recorder {
	if int(t) < len(r.threads) {
		return r.threads[t]
	}
	return program
}

// densest is the largest id that is remembered: decoders give small ones.
const densest = 1 << 24

func set[T any](list []T, id uint32, v T) []T {
	if id > densest {
		return list
	}
	if n := int(id) + 1 - len(list); n > 0 {
		list = append(list, make([]T, n)...)
	}
	list[id] = v
	return list
}
