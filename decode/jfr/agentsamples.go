package jfr

import (
	"slices"

	"contend/format"
)

// agentSamples translates the ids of an agent's samples of the same JVM to the ids of its
// flight recording. Threads have the same Java ids in both. Locks do not: the agent knows
// their class and identity hash, so each gets an id of its own, and the analysis identifies
// it by its waiting threads.
type agentSamples struct {
	follows bool    // samples will come
	stops   []int64 // when the JVM stopped threads to take stacks; in order once the first sample has come
	threads map[format.ThreadID]format.ThreadID
	stacks  map[format.StackID]format.StackID
	objects map[format.ObjectID]format.ObjectID
	native  map[format.StackID]bool // whether native code is innermost
}

// Show takes an event of the agent's trace, after the recording itself has been read. Next
// gives the resulting events.
func (r *Reader) Show(ev *format.Event) {
	if r.evidence.agent.threads == nil {
		slices.Sort(r.evidence.agent.stops)
		r.evidence.agent = agentSamples{
			true,
			r.evidence.agent.stops,
			map[format.ThreadID]format.ThreadID{},
			map[format.StackID]format.StackID{},
			map[format.ObjectID]format.ObjectID{},
			map[format.StackID]bool{},
		}
	}
	switch ev.Kind {
	case format.KindThread:
		id, ok := r.symbols.ids.byJava[int64(ev.Thread)]
		if !ok {
			id = r.symbols.threadID(threadKey{java: int64(ev.Thread), name: ev.Name}, "")
			r.symbols.ids.byJava[int64(ev.Thread)] = id
		}
		r.evidence.agent.threads[ev.Thread] = id
	case format.KindStack:
		if len(ev.Frames) == 0 || ev.Frames[0].Line < 0 {
			r.evidence.agent.native[ev.Stack] = true
		}
		r.evidence.agent.stacks[ev.Stack] = r.symbols.internStack(recorded(ev.Frames))
	case format.KindSetting:
		r.symbols.ids.virtual.inSamples = r.symbols.ids.virtual.inSamples || ev.Name == format.SettingVirtual
		if ev.Name == format.SettingTenures {
			r.symbols.queue.Push(*ev)
		}
	case format.KindWait, format.KindTenure: // of a lock that the agent followed
		out := *ev
		out.Thread = r.evidence.agent.threads[ev.Thread]
		out.Object = r.evidence.agent.objects[ev.Object]
		out.Stack = r.evidence.agent.stacks[ev.Stack]
		r.symbols.queue.Push(out)
	case format.KindObject:
		r.evidence.agent.objects[ev.Object] = r.symbols.object(
			r.symbols.intern(ev.Class),
			int64(ev.Hash),
			hashSpace,
			ev.LockKind,
			format.NoStack,
		)
	case format.KindContention:
		out := format.Event{
			Kind:    format.KindContention,
			Time:    r.evidence.agent.stopped(ev.Time),
			Weight:  format.EvidenceOnly,
			Object:  r.evidence.agent.objects[ev.Object],
			Owners:  r.evidence.agent.parties(ev.Owners),
			Waiters: r.evidence.agent.parties(ev.Waiters),
		}
		if ev.Weight > 0 {
			// virtual threads, of whose waits the recording has no event; or a busy lock that the agent
			// follows
			out.Time, out.Weight = ev.Time, ev.Weight
			if r.symbols.ids.virtual.inSamples {
				r.symbols.ids.virtual.sample(ev.Time)
			}
		}
		r.symbols.queue.Push(out)
	case format.KindActivity: // a thread that could run, where native code may wait; or how an owner took its lock
		if r.evidence.agent.native[ev.Stack] && ev.Activity != format.ActivityTook {
			break
		}
		at := r.evidence.agent.stopped(ev.Time)
		r.symbols.queue.Push(
			format.Event{
				Kind:     format.KindActivity,
				Activity: ev.Activity,
				Time:     at,
				End:      at,
				Thread:   r.evidence.agent.threads[ev.Thread],
				Stack:    r.evidence.agent.stacks[ev.Stack],
				Object:   r.evidence.agent.objects[ev.Object],
			},
		)
	}
}

// Next gives the next event that resulted from Show.
func (r *Reader) Next(ev *format.Event) bool { return r.symbols.queue.Pop(ev) }

// misaligned bounds the difference between the clocks of the agent and of the recording,
// ns.
const misaligned = int64(1e6)

// stopped returns when the threads were stopped for a sample. The agent gives the time of
// its request, which is much earlier if all processors are busy.
func (s *agentSamples) stopped(asked int64) int64 {
	if at := after(s.stops, asked-misaligned); at < plus(asked, maxDelay) {
		return at
	}
	return asked
}

func (s *agentSamples) parties(list []format.Party) []format.Party {
	out := make([]format.Party, len(list))
	for i, p := range list {
		out[i] = format.Party{Thread: s.threads[p.Thread], Stack: s.stacks[p.Stack], Mode: p.Mode}
	}
	return out
}
