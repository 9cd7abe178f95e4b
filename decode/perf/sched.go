package perf

import (
	"bytes"

	"contend/format"
)

// switched takes a CPU that goes from one thread to another, as perf prints it,
// or as libtraceevent does where perf is built with its plugins:
//
//	prev_comm=mt prev_pid=31953 prev_prio=120 prev_state=R ==> next_comm=worker next_pid=31955 next_prio=120
//	mt:31953 [120] R ==> worker:31955 [120]
func (r *Reader) switched(s *sample) {
	prev, next, ok := bytes.Cut(s.args, []byte(" ==> "))
	if !ok {
		r.seen.unreadable++
		return
	}
	from, comm, state, ok := party(prev, "prev_comm=", "prev_pid=")
	switch {
	case !ok || from <= idleTask:
	case state == 'X' || state == 'Z': // it ended: it has no further events
		if t := r.threads[from]; t != nil {
			r.end(t, s.time)
		}
	default:
		t := r.unseen(from, comm)
		if from == s.tid && s.pid != none && t.process.pid != s.pid {
			t = r.thread(s)
		}
		r.leaves(t, s.time, state)
	}
	to, _, _, ok2 := party(next, "next_comm=", "next_pid=")
	if t := r.threads[to]; ok2 && t != nil { // another one may be of a program that is not recorded
		r.runs(t, s.time)
	}
	if !ok || !ok2 {
		r.seen.unreadable++
	}
}

// party reads one side of a switch.
func party(text []byte, commName, pidName string) (tid int32, comm []byte, state byte, ok bool) {
	if rest, named := after(text, commName); named {
		n, ok := field(text, pidName)
		comm, _, _ = bytes.Cut(rest, []byte(" "+pidName))
		if st, found := after(text, "prev_state="); found && len(st) > 0 {
			state = st[0]
		}
		return id(int64(min(n, 1<<40))), comm, state, ok
	}
	open := bytes.LastIndex(text, []byte(" ["))
	if open < 0 {
		return 0, nil, 0, false
	}
	task := text[:open]
	colon := bytes.LastIndexByte(task, ':')
	n, ok := decimal(task[colon+1:])
	if _, after, found := bytes.Cut(text[open:], []byte("] ")); found && len(after) > 0 {
		state = after[0]
	}
	return id(n), task[:max(colon, 0)], state, ok && colon >= 0
}

// leaves takes a thread that loses its CPU in a state: R is ready to run.
func (r *Reader) leaves(t *thread, at int64, state byte) {
	if t.off != format.NoTime { // that it ran again is missing
		t.off = format.NoTime
	}
	if t.since != format.NoTime {
		t.ran += at - max(t.since, min(t.held.end, at))
	}
	t.off = at
	t.state = state
	t.ready = format.NoTime
	if state == 'R' {
		t.ready = at
	}
	t.offChain = chain{}
	if !t.waits && len(t.kernel) == 0 {
		t.slept = t.slept || state != 'R'
		t.offChain = r.chainOf(true)
	}
}

// cpu takes PERF_RECORD_SWITCH IN, OUT or OUT preempt, which is written for each recorded
// thread, whichever thread runs before and after it.
func (r *Reader) cpu(s *sample) {
	if s.tid <= idleTask {
		return
	}
	switch t := r.thread(s); {
	case bytes.HasPrefix(s.args, []byte("IN")):
		r.runs(t, s.time)
	case t.off != format.NoTime: // sched_switch is more precise
	case bytes.Contains(s.args, []byte("preempt")):
		r.leaves(t, s.time, 'R')
	default:
		r.leaves(t, s.time, 'S')
	}
}

// runs takes a thread that gets a CPU.
func (r *Reader) runs(t *thread, at int64) {
	if t.off != format.NoTime {
		r.offCPU(t, at)
	}
	t.since = at
}

// offCPU delivers the time of a thread without a CPU: it slept until it was woken, and was
// ready from then on. During a wait for a lock, the wait covers it.
func (r *Reader) offCPU(t *thread, at int64) {
	off, ready := t.off, at
	if t.ready != format.NoTime {
		ready = min(max(t.ready, off), at)
	}
	t.off, t.ready = format.NoTime, format.NoTime
	if t.waits || len(t.kernel) > 0 {
		return
	}
	if ready > off {
		r.queueActivity(t, t.asleep(), t.offChain.id, off, ready, false)
	}
	if at > ready {
		r.queueActivity(t, format.ActivityReady, t.offChain.id, ready, at, false)
	}
}

// waking takes a thread that another thread wakes: comm=worker-2 pid=31957 ..., or
// worker-2:31957 [120] ....
func (r *Reader) waking(s *sample) {
	n, ok := field(s.args, "pid=")
	if !ok {
		var tid int32
		tid, _, _, ok = party(s.args, "comm=", "pid=")
		n = uint64(max(tid, 0))
	}
	t := r.threads[id(int64(min(n, 1<<40)))]
	if !ok || t == nil || t.tid <= idleTask {
		return
	}
	if t.ready == format.NoTime {
		t.ready = s.time
	}
	if !t.waits || t.cur.woken != format.NoTime {
		return
	}
	t.cur.by(t.cur.pending())
}
