package perf

import (
	"bytes"

	"contend/format"
)

// calls are system calls in which a thread may sleep. Without system calls in the
// recording, the stack decides.
var calls = map[string]format.Activity{
	"nanosleep":       format.ActivitySleep,
	"clock_nanosleep": format.ActivitySleep,
	"pause":           format.ActivityPark,
	"poll":            format.ActivityPark,
	"ppoll":           format.ActivityPark,
	"select":          format.ActivityPark,
	"pselect6":        format.ActivityPark,
	"epoll_wait":      format.ActivityPark,
	"epoll_pwait":     format.ActivityPark,
	"epoll_pwait2":    format.ActivityPark,
	"io_getevents":    format.ActivityPark,
	"wait4":           format.ActivityPark,
	"waitid":          format.ActivityPark,
	"rt_sigtimedwait": format.ActivityPark,
	"rt_sigsuspend":   format.ActivityPark,
	"accept":          format.ActivityPark,
	"accept4":         format.ActivityPark,
	"io_uring_enter":  format.ActivityIO,
	"read":            format.ActivityIO,
	"write":           format.ActivityIO,
	"readv":           format.ActivityIO,
	"writev":          format.ActivityIO,
	"pread64":         format.ActivityFile,
	"pwrite64":        format.ActivityFile,
	"fsync":           format.ActivityFile,
	"fdatasync":       format.ActivityFile,
	"openat":          format.ActivityFile,
	"unlink":          format.ActivityFile,
	"rename":          format.ActivityFile,
	"msync":           format.ActivityFile,
	"recvfrom":        format.ActivitySocket,
	"sendto":          format.ActivitySocket,
	"recvmsg":         format.ActivitySocket,
	"sendmsg":         format.ActivitySocket,
	"connect":         format.ActivitySocket,
	"recvmmsg":        format.ActivitySocket,
}

// sleepers are the prefixes of functions in which threads sleep; the innermost such frame
// decides.
var sleepers = []struct {
	prefix string
	what   format.Activity
}{
	{"do_nanosleep", format.ActivitySleep},
	{"hrtimer_nanosleep", format.ActivitySleep},
	{"clock_nanosleep", format.ActivitySleep},
	{"nanosleep", format.ActivitySleep},
	{"usleep", format.ActivitySleep},
	{"ep_poll", format.ActivityPark},
	{"do_epoll_wait", format.ActivityPark},
	{"epoll_wait", format.ActivityPark},
	{"do_poll", format.ActivityPark},
	{"do_sys_poll", format.ActivityPark},
	{"poll_schedule_timeout", format.ActivityPark},
	{"do_select", format.ActivityPark},
	{"core_sys_select", format.ActivityPark},
	{"do_wait", format.ActivityPark},
	{"kernel_wait4", format.ActivityPark},
	{"inet_csk_accept", format.ActivityPark},
	{"do_sigtimedwait", format.ActivityPark},
	{"sigsuspend", format.ActivityPark},
	{"worker_thread", format.ActivityPark},
	{"futex", format.ActivityWait},
	{"do_futex", format.ActivityWait},
	{"tcp_", format.ActivitySocket},
	{"udp_", format.ActivitySocket},
	{"inet_", format.ActivitySocket},
	{"unix_", format.ActivitySocket},
	{"sock_", format.ActivitySocket},
	{"sk_", format.ActivitySocket},
	{"skb_", format.ActivitySocket},
	{"vsock_", format.ActivitySocket},
	{"netlink_", format.ActivitySocket},
	{"io_schedule", format.ActivityFile},
	{"ext4_", format.ActivityFile},
	{"xfs_", format.ActivityFile},
	{"btrfs_", format.ActivityFile},
	{"jbd2_", format.ActivityFile},
	{"nfs_", format.ActivityFile},
	{"fuse_", format.ActivityFile},
	{"folio_wait", format.ActivityFile},
	{"vfs_fsync", format.ActivityFile},
	{"blk_", format.ActivityFile},
	{"submit_bio", format.ActivityFile},
	{"swap_", format.ActivityFile},
	{"pipe_", format.ActivityIO},
	{"anon_pipe_", format.ActivityIO},
	{"tty_", format.ActivityIO},
	{"n_tty_", format.ActivityIO},
	{"io_cqring_wait", format.ActivityIO},
}

// asleep returns the activity of a thread that left its CPU without being ready to run: by
// its system call, its stack, or its state, of which D is I/O.
func (t *thread) asleep() format.Activity {
	switch {
	case t.call != format.ActivityUnknown:
		return t.call
	case t.offChain.sleeps != format.ActivityUnknown:
		return t.offChain.sleeps
	case t.state == 'D':
		return format.ActivityIO
	case t.state == 'I': // a worker of the kernel without work
		return format.ActivityPark
	}
	return format.ActivityUnknown
}

// sleeper returns the activity of a thread that sleeps in the stack that was read last.
func (s *stacks) sleeper() format.Activity {
	for i := range s.lines {
		name := bytes.TrimLeft(s.lines[i].fn, "_")
		for j := range sleepers {
			if bytes.HasPrefix(name, []byte(sleepers[j].prefix)) {
				return sleepers[j].what
			}
		}
	}
	return format.ActivityUnknown
}

// enterOther takes a system call that is not a futex call.
func (r *Reader) enterOther(s *sample) {
	name := bytes.TrimPrefix(s.event, []byte(enterPrefix))
	r.thread(s).call = calls[string(name)]
}

func (r *Reader) exitOther(s *sample) { r.thread(s).call = format.ActivityUnknown }

// arch is how an architecture numbers the calls that are read.
type arch struct {
	futex uint64
	sleep map[uint64]string
}

// The numbers that all architectures share.
const (
	nrFutexWaitv   = 449
	nrFutexWake    = 454
	nrFutexWait    = 455
	nrFutexRequeue = 456
)

var x86 = arch{
	202,
	map[uint64]string{
		0:   "read",
		1:   "write",
		7:   "poll",
		17:  "pread64",
		18:  "pwrite64",
		19:  "readv",
		20:  "writev",
		23:  "select",
		34:  "pause",
		35:  "nanosleep",
		42:  "connect",
		43:  "accept",
		44:  "sendto",
		45:  "recvfrom",
		46:  "sendmsg",
		47:  "recvmsg",
		61:  "wait4",
		74:  "fsync",
		75:  "fdatasync",
		128: "rt_sigtimedwait",
		208: "io_getevents",
		230: "clock_nanosleep",
		232: "epoll_wait",
		247: "waitid",
		257: "openat",
		270: "pselect6",
		271: "ppoll",
		281: "epoll_pwait",
		288: "accept4",
		299: "recvmmsg",
		426: "io_uring_enter",
		441: "epoll_pwait2",
	},
}

// generic has the numbers that the newer architectures share.
var generic = arch{
	98,
	map[uint64]string{
		22:  "epoll_pwait",
		56:  "openat",
		63:  "read",
		64:  "write",
		65:  "readv",
		66:  "writev",
		67:  "pread64",
		68:  "pwrite64",
		72:  "pselect6",
		73:  "ppoll",
		82:  "fsync",
		83:  "fdatasync",
		95:  "waitid",
		101: "nanosleep",
		115: "clock_nanosleep",
		202: "accept",
		203: "connect",
		206: "sendto",
		207: "recvfrom",
		211: "sendmsg",
		212: "recvmsg",
		242: "accept4",
		243: "recvmmsg",
		260: "wait4",
		426: "io_uring_enter",
		441: "epoll_pwait2",
	},
}

func archOf(name string) arch {
	switch name {
	case "x86_64", "":
		return x86
	case "i386", "i486", "i586", "i686":
		return arch{futex: 240}
	case "ppc64", "ppc64le":
		return arch{futex: 221}
	case "s390x":
		return arch{futex: 238}
	}
	return generic
}

// enterRaw takes raw_syscalls: NR 202 (7ffd76d0aa90, 80, 2, 0, 0, 0).
func (r *Reader) enterRaw(s *sample) {
	nr, args, ok := rawCall(s.args)
	if !ok {
		r.seen.unreadable++
		return
	}
	switch nr {
	case r.arch.futex:
		r.futex(s, newFutex(args[0], args[1], args[2], args[3], args[4]))
	case nrFutexWait:
		r.futex(s, newFutex(args[0], futexWaitBitset|args[3]&futexPrivate, args[1], 0, 0))
	case nrFutexWake:
		r.futex(s, newFutex(args[0], futexWake|args[3]&futexPrivate, args[2], 0, 0))
	case nrFutexWaitv:
		r.enterFutexWaitv(s)
	default:
		r.thread(s).call = calls[r.arch.sleep[nr]]
	}
}

// rawCall reads the number of a call and its arguments.
func rawCall(text []byte) (nr uint64, args [6]uint64, ok bool) {
	nr, ok = field(text, "NR ")
	_, list, found := bytes.Cut(text, []byte("("))
	for i := 0; found && i < len(args); i++ {
		var digit bool
		if args[i], list, digit = hexadecimal(bytes.TrimLeft(list, ", ")); !digit {
			return nr, args, false
		}
	}
	return nr, args, ok && found
}

// exitRaw reads the result of a call: NR 202 = 0.
func (r *Reader) exitRaw(s *sample) {
	nr, ok := field(s.args, "NR ")
	_, value, found := bytes.Cut(s.args, []byte(" = "))
	ret, ok2 := returned(bytes.TrimSpace(value))
	if !ok || !found || !ok2 {
		r.seen.unreadable++
		return
	}
	t := r.thread(s)
	switch nr {
	case r.arch.futex, nrFutexWait, nrFutexWake, nrFutexWaitv:
		r.leave(t, s.time, ret)
	default:
		t.call = format.ActivityUnknown
	}
}
