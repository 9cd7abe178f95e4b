package owners

import (
	"math/rand/v2"
	"slices"
	"testing"

	"contend/format"
)

// queuedAt are symbols of a program that waits in queues of the runtime.
type queuedAt struct{ stacked }

func (s queuedAt) Application(id format.StackID) []format.Frame {
	frames := s.stacks[id]
	return frames[slices.IndexFunc(frames, func(f format.Frame) bool { return f.Class == "C" }):]
}

// Waits of stack 1 an interrupt may end, those of stack 2 not; 3 is what a thread does inside.
func interruptibleStacks() queuedAt {
	queue := func(method string) format.Frame {
		return format.Frame{Class: "java.util.concurrent.locks.AbstractQueuedSynchronizer", Method: method}
	}
	own := func(method string) format.Frame { return format.Frame{Class: "C", Method: method} }
	return queuedAt{stacked{stacks: [][]format.Frame{{own("main")}, {queue("acquire"), queue("acquireInterruptibly"), own("serve")},
		{queue("acquire"), own("audit")}, {own("sleep"), own("audit")}}}}
}

// bank is a lock that eight threads have for 0.4 ms and a ninth one for 10 ms, asleep. Each 3 ms
// some of those who wait are interrupted, the first in the queue too: when in its sleeps is
// returned. Some of the threads wait with stack as.
func bank(as format.StackID) (ev *evidence, sleeps []span, inside []int64) {
	const step, auditor = 10e3, 8
	random := rand.New(rand.NewPCG(1, 2))
	r := NewRecord()
	wait := func(t int, from, to int64) {
		stack := as
		if t == auditor {
			stack = 2
		}
		r.Add(&format.Event{Kind: format.KindWait, Thread: format.ThreadID(t + 1), Object: 1, Stack: stack, Time: from, End: to}, to)
	}
	var from, comes [auditor + 1]int64
	var queue []int
	free := int64(0)
	leave := func(t int, now, pause int64) {
		wait(t, from[t], now)
		comes[t] = now + pause
		queue = slices.DeleteFunc(queue, func(o int) bool { return o == t })
	}
	for now := int64(step); now < 3000e6; now += step {
		for t := range comes {
			if now >= comes[t] && !slices.Contains(queue, t) {
				queue, from[t] = append(queue, t), now+int64(random.IntN(step/2))
			}
		}
		if now%3e6 == 0 {
			for _, t := range slices.Clone(queue) {
				if t == auditor || from[t] > now || random.IntN(3) > 0 {
					continue
				}
				leave(t, now+int64(t), 1e6+int64(random.IntN(2e6)))
				if n := len(sleeps); n > 0 && now < sleeps[n-1].end {
					inside = append(inside, now+int64(t))
				}
			}
		}
		if now < free || len(queue) == 0 || from[queue[0]] > now {
			continue
		}
		t := queue[0]
		if free = now + 400e3; t == auditor {
			free = now + 10e6
			sleeps = append(sleeps, span{now + 1e3, free})
			r.Add(&format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: auditor + 1, Stack: 3, Time: now + 1e3, End: free}, free)
		}
		leave(t, now, free-now+int64(random.IntN(3e6)))
		if t == auditor {
			comes[t] += 30e6
		}
	}
	sym := interruptibleStacks()
	a := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindSynchronizer })
	a.indexing.Wait()
	return &evidence{Activities: a, sym: sym, shown: make([][]sample, 2), class: make([]uint32, 2), fair: make([]bool, 2), takersOf: map[uint32]*family{}}, sleeps, inside
}

// What is done inside is known to be, though some of those who wait are interrupted meanwhile,
// and they are no owners. Waits that no interrupt can end got the lock.
func TestWhoIsInterruptedGetsNoLock(t *testing.T) {
	ev, sleeps, left := bank(1)
	if len(left) < len(sleeps) {
		t.Fatalf("%d interrupts in %d sleeps", len(left), len(sleeps))
	}
	s := learntOfOne(ev)
	if !s.inside[callSite{stack: 3}] {
		t.Error("a sleep inside is not known to be")
	}
	for _, a := range s.acquired {
		if slices.ContainsFunc(sleeps, func(z span) bool { return z.start < a.time && a.time < z.end }) {
			t.Errorf("%d got the lock at %d while another slept inside", a.thread, a.time)
		}
	}
	ev, _, _ = bank(2)
	if s = learntOfOne(ev); s.inside[callSite{stack: 3}] || len(s.failed) > 0 {
		t.Errorf("%d were interrupted that could not be", len(s.failed))
	}
}

// line is a queue of waits of some length that begin 1 ms after one another, of which some end
// before those before them: one in so many, that long after them.
func line(oneIn int, after, length int64) (waits lockWaits) {
	for i := range 300 {
		w := lockWait{start: int64(i) * 1e6, thread: format.ThreadID(i), doer: 1}
		if w.end = w.start + length; oneIn > 0 && i%oneIn == oneIn-1 {
			w.start = waits[i-1].start + after
			w.end = w.start + 1e5
		}
		waits = append(waits, w)
	}
	return waits
}

// Who stops waiting before those who queued before has left the queue, if that is no rare thing
// and it queued behind them for sure.
func TestWhoLeavesAQueue(t *testing.T) {
	may := []bool{1: true}
	for _, c := range []struct {
		what  string
		oneIn int
		after int64
		may   []bool
		left  int
	}{
		{"in order", 0, 0, may, 0},
		{"one in five", 5, 5e5, may, 60},
		{"one in 25", 25, 5e5, may, 12},
		{"one in 100", 100, 5e5, may, 0},
		{"just behind", 5, 60e3, may, 60},
		{"who knows whether behind", 5, 5e3, may, 0},
		{"not to be interrupted", 5, 5e5, []bool{1: false}, 0},
		{"none to be interrupted", 5, 5e5, nil, 0},
	} {
		left, rate := leavers(line(c.oneIn, c.after, 1.05e6), c.may)
		n := 0
		for _, one := range left {
			if one {
				n++
			}
		}
		if n != c.left || (rate > 0) != (n > 0) {
			t.Errorf("%s: %d left, %v per ns, want %d", c.what, n, rate, c.left)
		}
	}
}

// Acquisitions may be interrupts some times as often as others in the queue are interrupted, half
// as often as the lock changes hands at most, and where all waits are recorded.
func TestHowOftenAcquisitionsAreDoubted(t *testing.T) {
	for _, c := range []struct {
		length   int64
		from, to float64 // per ms
	}{{1.05e6, 0.4, 0.6}, {1.3e6, 0.4, 0.6}, {4e6, 0.1, 0.22}, {10e6, 0.035, 0.07}} {
		ev := &evidence{Activities: &Activities{store: &store{what: []doer{{}, {stack: 1, lock: 1}}}}, sym: interruptibleStacks()}
		waits := line(12, 5e5, c.length)
		s := &section{lock: 1, busy: waits.busy(), recorded: 1}
		if ev.acquire(s, waits); s.leaving*1e6 < c.from || s.leaving*1e6 > c.to {
			t.Errorf("waits of %v ns: %v per ms", c.length, s.leaving*1e6)
		}
		s = &section{lock: 1, busy: waits.busy(), recorded: 0.5}
		if ev.acquire(s, waits); s.leaving > 0 {
			t.Error("doubted though short waits are not recorded")
		}
	}
	s := &section{leaving: 1e-6}
	for n, want := range map[int]bool{90: false, 110: false, 125: true} {
		if d := (doubts{n: n, time: 100e6}); d.tooMany(s, 300) != want {
			t.Errorf("of %d in 100 ms at one in a ms: %v", n, !want)
		}
	}
}
