package perf

import (
	"bytes"
	"fmt"
	"strings"

	"contend/format"
)

// process is one address space.
type process struct {
	pid   int32
	locks map[uint64]*lock
	sites map[siteOf]*lock // locks whose waiters wait at addresses of their own
	gil   *lock            // of CPython's interpreter; nil for none
	lives int              // threads
}

// thread is a living thread and its current wait, activity and CPU.
type thread struct {
	id      format.ThreadID
	tid     int32
	process *process
	comm    []byte
	named   bool
	fresh   bool // forked, and not seen since

	waits  bool // in cur
	cur    wait
	held   heldBack
	waking *lock // the lock of the wake it is in; nil for none
	moving move
	had    *lock // the lock it acquired last after waiting
	mode   format.Mode
	kernel []kernelWait // innermost last

	off      int64 // since when it has no CPU; NoTime while it has one, or not known
	offChain chain
	state    byte            // it left the CPU in
	ready    int64           // since when it is awake again without a CPU; NoTime before
	since    int64           // when it last got a CPU
	ran      int64           // ns on a CPU since it acquired a lock, up to since
	slept    bool            // since then, other than on a futex
	call     format.Activity // the activity of its current system call, unless a futex call
}

// Threads are numbered by the kernel. Each CPU has an idle task, which can spin on a lock
// in an interrupt: all of them are thread 0.
const idleTask = 0

// thread returns the thread of an event, and announces it when it is new or has
// another name.
func (r *Reader) thread(s *sample) *thread {
	t := r.threadOf(s.tid)
	t.fresh = false
	if s.pid != none && t.process.pid != s.pid {
		r.move(t, s.pid)
	}
	if !t.named || !bytes.Equal(t.comm, s.comm) {
		r.name(t, s.comm, true)
	}
	return t
}

// threadOf returns the thread of a number.
func (r *Reader) threadOf(tid int32) *thread {
	t := r.threads[tid]
	if t == nil {
		r.named++
		t = &thread{
			id:      r.named,
			tid:     tid,
			process: r.process(0),
			off:     format.NoTime,
			ready:   format.NoTime,
			since:   format.NoTime,
		}
		r.threads[tid] = t
		t.process.lives++
	}
	return t
}

// unseen returns the thread of a number that another's event names.
func (r *Reader) unseen(tid int32, comm []byte) *thread {
	t := r.threadOf(tid)
	if len(t.comm) == 0 {
		r.name(t, comm, false)
	}
	return t
}

// name announces a thread. A switch may have an older name than the thread's own events.
func (r *Reader) name(t *thread, comm []byte, sure bool) {
	if t.named = t.named || sure; len(t.comm) > 0 && bytes.Equal(t.comm, comm) {
		return
	}
	t.comm = append(t.comm[:0], comm...)
	text := string(bytes.ToValidUTF8(comm, []byte("\uFFFD")))
	r.Push(
		format.Event{
			Kind:   format.KindThread,
			Thread: t.id,
			Name:   fmt.Sprintf("%s %d", text, t.tid),
			Group:  groupOf(text),
		},
	)
}

// groupOf returns the common part of similar thread names: worker-1 and worker-2 are
// worker. It removes the number of the process, so that names of two runs compare.
func groupOf(comm string) string {
	if group := strings.Trim(strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, comm), " -_/:#."); group != "" {
		return group
	}
	return comm
}

// process returns the process of a number; 0 is the process of all threads of unknown
// process.
func (r *Reader) process(pid int32) *process {
	p := r.processes[pid]
	if p == nil {
		p = &process{pid: pid}
		p.forgetAll()
		r.processes[pid] = p
	}
	return p
}

// move sets the process of a thread and announces it again.
func (r *Reader) move(t *thread, pid int32) {
	r.without(t)
	t.process, t.comm = r.process(pid), t.comm[:0]
	t.process.lives++
}

// without removes a thread from its process, which ends with its last thread.
func (r *Reader) without(t *thread) {
	p := t.process
	if p.lives--; p.lives == 0 && p.pid > 0 {
		delete(r.processes, p.pid)
	}
}

// forgetAll drops the locks of a program that another one replaces.
func (p *process) forgetAll() {
	p.locks = map[uint64]*lock{}
	p.sites = map[siteOf]*lock{}
	p.gil = nil
}

// forked takes the start of a thread: comm=t pid=3637 child_comm=t child_pid=3675.
func (r *Reader) forked(s *sample) {
	r.thread(s)
	child, ok := field(s.args, "child_pid=")
	comm, _ := after(s.args, "child_comm=")
	comm, _, _ = bytes.Cut(comm, []byte(" child_pid="))
	if tid := id(int64(min(child, 1<<40))); ok && tid > idleTask {
		r.born(tid, none, comm, s.time)
	}
}

// born begins a thread, of a process if that is known. Both sched and perf itself may report
// it.
func (r *Reader) born(tid, pid int32, comm []byte, at int64) {
	t := r.threads[tid]
	if t != nil && !t.fresh { // its end is not in the recording
		r.end(t, at)
		t = nil
	}
	again := t != nil
	t = r.threadOf(tid)
	if t.fresh = true; pid > 0 && t.process.pid != pid {
		r.move(t, pid)
	}
	r.name(t, comm, false)
	if !again {
		r.Push(format.Event{Kind: format.KindThreadStart, Thread: t.id, Time: at})
	}
}

// forkRecord takes PERF_RECORD_FORK(32017:32117):(32017:32017): process and thread of the
// new thread, and of its parent.
func (r *Reader) forkRecord(s *sample) {
	var born sample
	if s.time > 0 && born.threadOf(numbers(s.event)) && born.tid > idleTask {
		r.born(born.tid, born.pid, s.comm, s.time)
	}
}

// exitRecord takes PERF_RECORD_EXIT(32017:32117):(32017:32017).
func (r *Reader) exitRecord(s *sample) {
	var gone sample
	if s.time > 0 && gone.threadOf(numbers(s.event)) {
		if t := r.threads[gone.tid]; t != nil && t.tid > idleTask {
			r.end(t, s.time)
		}
	}
}

// numbers returns the first pair of a record, a process and a thread, in the
// way of the lines of events.
func numbers(event []byte) []byte {
	_, pair, _ := bytes.Cut(event, []byte("("))
	pair, _, _ = bytes.Cut(pair, []byte(")"))
	return bytes.Replace(pair, colonMark, slash, 1)
}

// exited reads the end of the current thread.
func (r *Reader) exited(s *sample) {
	if s.tid > idleTask {
		r.end(r.thread(s), s.time)
	}
}

// end ends a thread. It does not acquire the lock it waited for.
func (r *Reader) end(t *thread, at int64) {
	r.interrupt(t, at)
	r.Push(format.Event{Kind: format.KindThreadEnd, Thread: t.id, Time: at})
	delete(r.threads, t.tid)
	r.without(t)
}

// executed takes a program that replaces another: all addresses are new.
func (r *Reader) executed(s *sample) {
	t := r.thread(s)
	if t.process.pid > 0 {
		t.process.forgetAll()
	}
}

// renamed takes PERF_RECORD_COMM: wk 0:3637/3675, which names the process, too.
func (r *Reader) renamed(s *sample) {
	colon := bytes.LastIndexByte(s.args, ':')
	if colon < 0 {
		return
	}
	ids := s.args[colon+1:]
	comm := bytes.TrimPrefix(bytes.TrimSpace(s.args[:colon]), []byte("exec: "))
	named := sample{comm: comm, pid: none}
	if named.threadOf(ids) && named.tid > idleTask {
		r.thread(&named)
	}
}
