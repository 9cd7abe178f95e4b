package perf

import (
	"bytes"

	"contend/format"
)

// futex is a call of futex(2).
type futex struct {
	addr    uint64
	op      uint32
	val     uint32
	val2    uint32 // the number of waiters to requeue; in the place of the timeout
	addr2   uint64
	private bool
	timed   bool // by the clock of the day, which only glibc's waits until a point of time are
}

// The operations, and their flags.
const (
	futexWait          = 0
	futexWake          = 1
	futexRequeue       = 3
	futexCmpRequeue    = 4
	futexWakeOp        = 5
	futexLockPI        = 6
	futexUnlockPI      = 7
	futexTrylockPI     = 8
	futexWaitBitset    = 9
	futexWakeBitset    = 10
	futexWaitRequeuePI = 11
	futexCmpRequeuePI  = 12
	futexLockPI2       = 13

	futexPrivate  = 0x80
	futexRealtime = 0x100
	futexCommands = 0x7f
)

// The results of calls that failed.
const (
	errAgain    = -11  // the value was another one: no wait
	errIntr     = -4   // a signal
	errTimedOut = -110 // of a wait
	restarts    = -512 // and below: the call is made again
)

// enterFutex takes the begin of a call: uaddr: 0x5560, op: 0x00000080, val: 0x2, ...
func (r *Reader) enterFutex(s *sample) {
	addr, ok := field(s.args, "uaddr:")
	op, ok2 := field(s.args, "op:")
	if !ok || !ok2 {
		r.seen.unreadable++
		return
	}
	val, _ := field(s.args, "val:")
	val2, _ := field(s.args, "utime:")
	addr2, _ := field(s.args, "uaddr2:")
	r.futex(s, newFutex(addr, op, val, val2, addr2))
}

func newFutex(addr, op, val, val2, addr2 uint64) *futex {
	return &futex{
		addr:    addr,
		op:      uint32(op) & futexCommands,
		val:     uint32(val),
		val2:    uint32(val2),
		addr2:   addr2,
		private: op&futexPrivate != 0,
		timed:   op&futexRealtime != 0,
	}
}

// futex handles the effects of a call before it returns.
func (r *Reader) futex(s *sample, f *futex) {
	t := r.thread(s)
	switch f.op {
	case futexWait, futexWaitBitset, futexLockPI, futexLockPI2, futexWaitRequeuePI:
		r.block(t, s.time, f)
	case futexWake, futexWakeBitset:
		r.wake(t, s.time, f.addr, f.private, int64(int32(f.val)))
	case futexUnlockPI:
		r.wake(t, s.time, f.addr, f.private, 1)
		if t.waking != nil {
			t.waking.last.pi = true
		}
	case futexWakeOp:
		r.wake(t, s.time, f.addr2, f.private, int64(int32(f.val2)))
		r.wake(t, s.time, f.addr, f.private, int64(int32(f.val)))
	case futexRequeue, futexCmpRequeue, futexCmpRequeuePI:
		r.wake(t, s.time, f.addr, f.private, int64(int32(f.val)))
		r.requeue(t, f)
	}
}

// Since Linux 6.7 waits and wakes are system calls of their own.
func (r *Reader) enterFutexWait(s *sample) { r.single(s, futexWaitBitset, "val:") }
func (r *Reader) enterFutexWake(s *sample) { r.single(s, futexWake, "nr:") }

// single reads a call of one operation; its flags are those of sys_futex.
func (r *Reader) single(s *sample, op uint64, value string) {
	addr, ok := field(s.args, "uaddr:")
	if !ok {
		r.seen.unreadable++
		return
	}
	val, _ := field(s.args, value)
	flags, _ := field(s.args, "flags:")
	r.futex(s, newFutex(addr, op|flags&futexPrivate, val, 0, 0))
}

// enterFutexWaitv takes a wait for several addresses, which perf does not record.
func (r *Reader) enterFutexWaitv(s *sample) {
	t := r.thread(s)
	r.begin(t, wait{start: s.time, stack: r.stack(true), class: "futex:waitv"})
}

// exitFutex reads the result of a call: 0x1, or 0xfffffffffffffff5 for an error.
func (r *Reader) exitFutex(s *sample) {
	text := bytes.TrimSpace(s.args)
	ret, ok := returned(text)
	if !ok {
		r.seen.unreadable++
		return
	}
	r.leave(r.thread(s), s.time, ret)
}

// returned reads a number with a sign or in hexadecimal.
func returned(text []byte) (int64, bool) {
	if bytes.HasPrefix(text, hexMark) {
		n, _, ok := hexadecimal(text)
		if n>>32 == 0 && int32(n) < 0 && int32(n) > -4096 { // of 32 bits
			return int64(int32(n)), ok
		}
		return int64(n), ok
	}
	minus := bytes.HasPrefix(text, []byte("-"))
	n, ok := decimal(bytes.TrimPrefix(text, []byte("-")))
	if minus {
		n = -n
	}
	return n, ok
}

// leave ends the call a thread is in.
func (r *Reader) leave(t *thread, at int64, ret int64) {
	if m := t.moving; m.from != nil {
		t.moving = move{}
		defer r.moved(m, at, ret)
		ret = min(ret, m.wake)
	}
	if l := t.waking; l != nil {
		t.waking = nil
		r.woke(t, l, ret)
		return
	}
	if t.waits {
		r.unblock(t, at, ret)
	}
}

// classOf returns the class of a wait for the rules, by its operation and value.
func (r *Reader) classOf(f *futex) string {
	switch {
	case f.op == futexLockPI || f.op == futexLockPI2:
		return "futex:lock-pi"
	case f.op == futexWaitRequeuePI:
		return "futex:requeue-pi"
	case !f.private && f.timed && r.threads[int32(f.val)] != nil && f.val > idleTask:
		return "futex:join" // pthread_join: the kernel clears the number of a thread that ends
	case f.val == contended && !f.timed:
		return "futex:contended"
	}
	return "futex:wait"
}

// contended is the value of a lock that is held and waited for, in glibc, musl's relatives
// and Rust's standard library. The counts of conditions and barriers can reach it, too; the
// stack takes precedence.
const contended = 2

// activityOf returns the activity of an idle wait.
func activityOf(class string) format.Activity {
	if class == "futex:join" || class == "futex:waitv" {
		return format.ActivityPark
	}
	return format.ActivityWait
}
