package perf

import (
	"fmt"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// script makes a text of lines such as "2 1.5 wait 10 2": thread, milliseconds
// and what it does. All threads are of process 1.
func script(lines ...string) []byte {
	var b strings.Builder
	for _, line := range lines {
		words := strings.Fields(line)
		var ms float64
		fmt.Sscan(words[1], &ms)
		head := fmt.Sprintf("t%s 1/%s [000] %.6f: ", words[0], words[0], 1+ms/1000)
		arg := func(i int) string {
			if i < len(words) {
				return words[i]
			}
			return "0"
		}
		futex := func(op string) {
			fmt.Fprintf(
				&b,
				"%ssyscalls:sys_enter_futex: uaddr: 0x%s, op: 0x%s, val: 0x%s, utime: 0x%s, uaddr2: 0x%s, val3: "+
					"0x0\n%s\n",
				head,
				arg(3),
				op,
				arg(4),
				arg(5),
				arg(6),
				chains[arg(7)],
			)
		}
		switch words[2] {
		case "wait":
			futex("80")
		case "waits": // by a condition's rules: until a point of time, for a bitset
			futex("189")
		case "wake":
			futex("81")
		case "requeue":
			futex("84")
		case "lockpi":
			futex("86")
		case "unlockpi":
			futex("87")
		case "ret":
			fmt.Fprintf(&b, "%ssyscalls:sys_exit_futex: 0x%s\n", head, arg(3))
		case "waking":
			fmt.Fprintf(&b, "%ssched:sched_waking: comm=t%s pid=%s prio=120 target_cpu=000\n", head, arg(3), arg(3))
		case "out":
			fmt.Fprintf(
				&b,
				"%ssched:sched_switch: prev_comm=t%s prev_pid=%s prev_prio=120 prev_state=%s ==> next_comm=swapper "+
					"next_pid=0 next_prio=120\n\n",
				head,
				words[0],
				words[0],
				arg(3),
			)
		case "in":
			fmt.Fprintf(&b, "%sPERF_RECORD_SWITCH IN\n", head)
		default:
			fmt.Fprintf(&b, "%s%s\n", head, strings.Join(words[2:], " "))
		}
	}
	return []byte(b.String())
}

// chains are the call chains of calls, by a name.
var chains = map[string]string{
	"0":      "",
	"mutex":  "\t 1 __lll_lock_wait (libc.so.6)\n\t 2 bank (app)\n",
	"unlock": "\t 1 __lll_lock_wake (libc.so.6)\n\t 2 bank (app)\n",
	"read":   "\t 1 __pthread_rwlock_rdlock (libc.so.6)\n\t 2 look (app)\n",
	"write":  "\t 1 __pthread_rwlock_wrlock (libc.so.6)\n\t 2 change (app)\n",
	"cond":   "\t 1 pthread_cond_wait (libc.so.6)\n\t 2 serve (app)\n",
	"park": "\t 1 syscall (libc.so.6)\n\t 2 parking_lot::raw_mutex::RawMutex::lock_slow (app)\n\t 3 " +
		"shop::checkout (app)\n",
	"gil":   "\t 1 pthread_cond_timedwait (libc.so.6)\n\t 2 take_gil (libpython3.so)\n\t 3 run (app)\n",
	"drop":  "\t 1 pthread_cond_signal (libc.so.6)\n\t 2 drop_gil (libpython3.so)\n\t 3 run (app)\n",
	"taker": "\t 1 pthread_mutex_unlock (libc.so.6)\n\t 2 take_gil (libpython3.so)\n\t 3 run (app)\n",
}

// told writes what a text gives of waits, releases and activities, in
// microseconds since the first second.
func told(t *testing.T, text []byte) (out []string) {
	t.Helper()
	_, events := readAll(t, text)
	names := map[format.ThreadID]string{}
	us := func(at int64) int64 { return (at - 1e9) / 1e3 }
	for i := range events {
		ev := &events[i]
		switch ev.Kind {
		case format.KindThread:
			names[ev.Thread], _, _ = strings.Cut(ev.Name, " ")
		case format.KindWait:
			line := fmt.Sprintf(
				"%s waits for %d %s %d-%d",
				names[ev.Thread],
				ev.Object,
				ev.Mode,
				us(ev.Time),
				us(ev.End),
			)
			if ev.Failed {
				line += " in vain"
			}
			out = append(out, line)
		case format.KindRelease:
			line := fmt.Sprintf("%s gives %d back at %d", names[ev.Thread], ev.Object, us(ev.Time))
			if ev.Woken != format.NoThread {
				line += " to " + names[ev.Woken]
			}
			if ev.Again != 0 {
				line += fmt.Sprintf(", which blocks again %d later", ev.Again/1e3)
			}
			out = append(out, line)
		case format.KindActivity:
			out = append(out, fmt.Sprintf("%s: %s %d-%d", names[ev.Thread], ev.Activity, us(ev.Time), us(ev.End)))
		}
	}
	return out
}

func TestCallsOfFutexes(t *testing.T) {
	for name, c := range map[string]struct {
		text []byte
		want []string
	}{
		"a mutex, whose owner wakes who waits": {script(
			"2 1 wait 10 2", "2 1.01 out S", "3 2 wake 10 1", "3 2.001 waking 2", "3 2.002 ret 1", "2 2.5 in",
			"2 2.51 ret 0"),
			[]string{"t3 gives 1 back at 2000 to t2", "t2 waits for 1 exclusive 1000-2510"}},
		"the return alone says who was woken": {script(
			"2 1 wait 10 2", "4 1.5 wait 10 2", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.51 ret 0", "3 3 wake 10 1",
			"3 3.1 ret 1", "4 3.2 ret 0"),
			[]string{"t3 gives 1 back at 2000 to t2", "t2 waits for 1 exclusive 1000-2510",
				"t3 gives 1 back at 3000 to t4", "t4 waits for 1 exclusive 1500-3200"}},
		"another thread is quicker": {script(
			"2 1 wait 10 2", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.5 ret 0", "2 2.51 wait 10 2", "4 3 wake 10 1",
			"4 3.01 ret 1", "2 3.5 ret 0"),
			[]string{"t3 gives 1 back at 2000 to t2, which blocks again 510 later", "t4 gives 1 back at 3000 to t2",
				"t2 waits for 1 exclusive 1000-3500"}},
		"it had the lock and slept before it asks again": {script(
			"2 1 wait 10 2", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.5 ret 0", "2 2.505 out S", "2 2.8 in",
			"2 2.81 wait 10 2", "4 3 wake 10 1", "4 3.01 ret 1", "2 3.5 ret 0"),
			[]string{"t2: unknown 2505-2800", "t3 gives 1 back at 2000 to t2", "t2 waits for 1 exclusive 1000-2500",
				"t4 gives 1 back at 3000 to t2", "t2 waits for 1 exclusive 2810-3500"}},
		"preempted between two tries": {script(
			"2 1 wait 10 2", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.5 ret 0", "2 2.505 out R", "2 2.8 in",
			"2 2.81 wait 10 2", "4 3 wake 10 1", "4 3.01 ret 1", "2 3.5 ret 0"),
			[]string{"t2: ready 2505-2800", "t3 gives 1 back at 2000 to t2, which blocks again 810 later",
				"t4 gives 1 back at 3000 to t2", "t2 waits for 1 exclusive 1000-3500"}},
		"it gave the lock back in between": {script(
			"2 1 wait 10 2", "3 2 wake 10 1", "3 2.002 ret 1", "2 2.5 ret 0", "2 2.505 wake 10 1", "2 2.506 ret 0",
			"2 2.51 wait 10 2", "2 3.5 ret 0"),
			[]string{"t3 gives 1 back at 2000 to t2", "t2 waits for 1 exclusive 1000-2500",
				"t2 gives 1 back at 2505", "t2 waits for 1 exclusive 2510-3500"}},
		"the value was another one: no wait": {script("2 1 wait 10 2", "2 1.1 ret fffffffffffffff5"), nil},
		"it gives up": {script("2 1 wait 10 2", "2 1.1 ret ffffffffffffff92"),
			[]string{"t2 waits for 1 exclusive 1000-1100 in vain"}},
		"a signal": {script("2 1 wait 10 2", "2 1.1 ret fffffffffffffffc", "2 1.11 wait 10 2", "2 2 ret 0"),
			[]string{"t2 waits for 1 exclusive 1000-2000"}},
		"a condition, whose waiters move on to the mutex": {script(
			"2 1 waits 20 0 0 0 cond", "4 1.1 waits 20 0 0 0 cond", "3 2 requeue 20 1 7 10", "3 2.01 ret 2",
			"2 2.2 ret 0", "3 3 wake 10 1", "3 3.1 ret 1", "4 3.2 ret 0"),
			[]string{"t4: wait 1100-2010", "t2: wait 1000-2000", "t3 gives 0 back at 2000 to t2",
				"t3 gives 1 back at 3000 to t4", "t4 waits for 1 exclusive 2010-3200"}},
		"a mutex that lends priority": {script(
			"2 1 lockpi 10 0", "3 2 unlockpi 10", "3 2.1 ret 0", "2 2.2 ret 0"),
			[]string{"t3 gives 1 back at 2000 to t2", "t2 waits for 1 exclusive 1000-2200"}},
		"pthread_join": {script("4 0.5 ret 0", "2 1 x:y: z", "2 1 syscalls:sys_enter_futex: uaddr: 0x30, op: "+
			"0x00000109, val: 0x00000004, utime: 0x0, uaddr2: 0x0, val3: 0xffffffff", "2 5 ret 0"),
			[]string{"t2: park 1000-5000"}},
		"a read-write lock waits at two words": {script(
			"4 0.5 waits 1c 2 0 0 write", "2 1 waits 18 3 0 0 read", "3 2 wake 18 7fffffff", "3 2.1 ret 1",
			"2 2.2 ret 0", "3 3 wake 1c 1", "3 3.1 ret 1", "4 3.2 ret 0"),
			[]string{"t3 gives 1 back at 2000 to t2", "t2 waits for 1 shared 1000-2200",
				"t3 gives 1 back at 3000 to t4", "t4 waits for 1 exclusive 500-3200"}},
		"it waits when the recording ends": {script("2 1 wait 10 2", "3 4 x:y: z", "3 5 wake 99 1"),
			[]string{"t2 waits for 1 exclusive 1000-5000"}},
		"its thread ends": {script("2 1 wait 10 2", "2 2 sched:sched_process_exit: comm=t2 pid=2 "+
			"prio=120"), []string{"t2 waits for 1 exclusive 1000-2000"}},
		"the interpreter's lock": {script(
			"2 1 waits 10 0 0 0 gil", "2 6 ret ffffffffffffff92", "2 6.01 waits 14 0 0 0 gil",
			"4 6.5 wake 30 1 0 0 taker", "3 7 wake 14 1 0 0 drop", "3 7.1 ret 1", "2 7.2 ret 0"),
			[]string{"t3 gives 1 back at 7000 to t2", "t2 waits for 1 exclusive 1000-7200"}},
		"a lock whose waiters wait at their own addresses": {script(
			"2 1 waits 10 0 0 0 park", "4 1.5 waits 30 0 0 0 park", "3 2 wake 10 1", "3 2.1 ret 1", "2 2.2 ret 0",
			"2 3 wake 30 1", "2 3.1 ret 1", "4 3.2 ret 0"),
			[]string{"t3 gives 1 back at 2000 to t2", "t2 waits for 1 exclusive 1000-2200",
				"t2 gives 1 back at 3000 to t4", "t4 waits for 1 exclusive 1500-3200"}},
		"a lock of the kernel, spun for and then slept for": {script(
			"2 1 lock:contention_begin: 0xffff8881071b00b8 (flags=SPIN|MUTEX)", "2 1.1 lock:contention_begin: "+
				"0xffff8881071b00b8 (flags=MUTEX)", "2 3 lock:contention_end: 0xffff8881071b00b8 (ret=0)"),
			[]string{"t2 waits for 1 exclusive 1000-3000"}},
		"a reader of one": {script("2 1 lock:contention_begin: 0xffff8881071b00b8 (flags=READ)",
			"2 3 lock:contention_end: 0xffff8881071b00b8 (ret=-4)"),
			[]string{"t2 waits for 1 shared 1000-3000 in vain"}},
		"its last switch": {script("2 1 wait 10 2", "2 2 out X", "3 3 x:y: z", "3 4 wake 99 0"),
			[]string{"t2 waits for 1 exclusive 1000-2000"}},
		"asleep, woken, and without a CPU for a while": {script(
			"2 1 syscalls:sys_enter_clock_nanosleep: which_clock: 0", "2 1.1 out S", "3 4 waking 2", "2 5 in"),
			[]string{"t2: sleep 1100-4000", "t2: ready 4000-5000"}},
	} {
		got := told(t, c.text)
		golden.Same(t, got, c.want, name, c.text)
	}
}
