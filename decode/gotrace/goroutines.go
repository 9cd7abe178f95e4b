package gotrace

import (
	"fmt"

	"contend/decode/gonames"
	"contend/decode/rules"
	"contend/format"

	"golang.org/x/exp/trace"
)

// goroutine is a living goroutine and its current wait.
type goroutine struct {
	thread  format.ThreadID
	state   trace.GoState
	named   bool
	regions []uint32 // annotations, innermost last

	// Of its last block; times are the trace's.
	blocked int64
	woken   int64 // 0 while it waits
	verdict rules.Verdict
	mode    format.Mode
	kind    format.LockKind
	reason  string
	stack   format.StackID
	waker   format.ThreadID // the thread that woke it by releasing a lock
	unlock  format.StackID  // and its stack
	call    uint32          // and the number of the instruction that did
	again   bool            // the block continues the acquisition of the previous one

	// Since it last blocked on a lock.
	tries bool  // it did, and ran on without a system call
	ran   int64 // how long, without the time in which it had no processor
	since int64 // from when on it has run without interruption
	gave  bool  // and woke another goroutine by releasing a lock
	wait  int   // that block, in the reader's waits

	inside []int // waits for locks whose acquiring functions it has not been seen to leave
}

// transition books a goroutine's change of state:
//
//	waiting on a lock until it runs again      a wait; from its waking on it has or competes for the lock
//	waiting on anything else until it is woken idle time
//	anything else                              running time, which is what is left of its life
func (r *Reader) transition(ev *trace.Event, st *trace.StateTransition) {
	at, id := int64(ev.Time()), st.Resource.Goroutine()
	from, to := st.Goroutine()
	g := r.goroutine(id, at, from, st)
	if to == trace.GoWaiting && (from != trace.GoWaiting || g.state != trace.GoWaiting) {
		r.block(g, at, st)
	}
	if from == trace.GoWaiting && to != trace.GoWaiting && g.state == trace.GoWaiting {
		r.wake(g, at, ev)
	}
	if to == trace.GoRunning && g.woken != 0 {
		r.resume(g, at)
	}
	switch {
	case to == trace.GoRunning:
		g.since = at
	case from == trace.GoRunning:
		g.ran += at - g.since
		g.tries = g.tries && to != trace.GoSyscall
	}
	g.state = to
	if to == trace.GoNotExist {
		r.Push(format.Event{Kind: format.KindThreadEnd, Thread: g.thread, Time: r.wall(at)})
		delete(r.goroutines, id)
	}
}

// goroutine returns the goroutine of a transition, and announces it when it
// is new. One that was there before the recording lives from its beginning.
func (r *Reader) goroutine(id trace.GoID, at int64, from trace.GoState, st *trace.StateTransition) *goroutine {
	g := r.goroutines[id]
	if g == nil {
		r.named++
		g = &goroutine{thread: r.named}
		r.goroutines[id] = g
		if from != trace.GoNotExist {
			at = r.first
		}
		r.name(g, id, st.Stack)
		r.Push(format.Event{Kind: format.KindThreadStart, Thread: g.thread, Time: r.wall(at)})
		return g
	}
	if !g.named && st.Stack != trace.NoStack {
		r.name(g, id, st.Stack)
	}
	return g
}

// name names a goroutine and its group after the function it started in. A function started
// by the library, such as by sync.(*WaitGroup).Go, is known only when it waits.
func (r *Reader) name(g *goroutine, id trace.GoID, h trace.Stack) {
	group := ""
	group, g.named = gonames.Start(r.stacks.framesOf(r.stack(h, 0)))
	r.Push(
		format.Event{Kind: format.KindThread, Thread: g.thread, Name: fmt.Sprintf("%s #%d", group, id), Group: group},
	)
}

// stack returns the id of a stack with an annotation, and announces it when it
// is new.
func (r *Reader) stack(h trace.Stack, note uint32) format.StackID {
	id, added := r.stacks.id(h, note, &r.notes)
	if added != nil {
		r.Push(format.Event{Kind: format.KindStack, Stack: id, Frames: added})
	}
	return id
}

func (r *Reader) block(g *goroutine, at int64, st *trace.StateTransition) {
	stack := r.stack(st.Stack, g.annotation())
	res := r.stacks.classify(st.Reason, stack)
	r.leave(g, at, stack)
	if g.state == trace.GoUndetermined { // it waited before the recording began
		at = r.first
	}
	g.again = res.Verdict == rules.Lock && r.continues(g, g.ran+at-g.since, stack)
	g.tries, g.gave = false, false
	g.blocked = at
	g.woken = 0
	g.stack = stack
	g.reason = st.Reason
	g.verdict = res.Verdict
	g.kind = res.Kind
	g.mode = res.Mode
	g.waker = format.NoThread
	g.unlock = format.NoStack
	g.call = 0
}

func (r *Reader) wake(g *goroutine, at int64, ev *trace.Event) {
	by := r.goroutines[ev.Goroutine()]
	if g.verdict != rules.Lock {
		r.idle(g, at)
		if by != nil && g.verdict == rules.Resource {
			r.Push(
				format.Event{
					Kind:   format.KindRelease,
					Thread: by.thread,
					Stack:  r.stack(ev.Stack(), by.annotation()),
					Woken:  g.thread,
					Time:   r.wall(at),
				},
			)
		}
		return
	}
	g.woken = at
	if by == nil {
		return
	}
	if stack := r.stack(ev.Stack(), by.annotation()); r.stacks.byID[stack].use.Unlocks() {
		g.waker = by.thread
		g.unlock = stack
		g.call = r.stacks.callOf(ev.Stack())
		by.gave = true
	}
}

func (r *Reader) resume(g *goroutine, at int64) {
	r.keep(g, at)
	g.woken = 0
	g.tries = true
	g.ran = 0
}

// activities are the reasons to wait that are not simply to be parked.
var activities = map[string]format.Activity{
	"sleep": format.ActivitySleep, "sync.(*Cond).Wait": format.ActivityWait, "sync": format.ActivityWait,
}

func (r *Reader) idle(g *goroutine, until int64) {
	what, known := activities[g.reason]
	switch {
	case g.verdict == rules.Unknown:
		what = format.ActivityUnknown
	case !known:
		what = format.ActivityPark
	}
	r.Push(
		format.Event{
			Kind:     format.KindActivity,
			Thread:   g.thread,
			Activity: what,
			Stack:    g.stack,
			Time:     r.wall(g.blocked),
			End:      r.wall(until),
			Resource: g.verdict == rules.Resource,
		},
	)
}
