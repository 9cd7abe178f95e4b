package findings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// stay is what a thread does for a time, in µs.
type stay struct {
	thread   int
	from, to int64
	polls    bool // else it holds the lock, or does something else
}

// polled returns what threads do that share a lock made of compareAndSet and sleep(1):
// who finds it held sleeps, holds it for 4 ms, and works outside.
func polled(rng *rand.Rand, threads int, outside, end int64) (list []stay) {
	since := make([]int64, threads) // when each wants the lock
	for at := int64(0); at < end; {
		owner, got := 0, int64(1<<62)
		for i, from := range since { // the first that looks
			if look := max(from, at+rng.Int64N(1000)); from > at || at == 0 {
				look = max(from, at)
				if look < got {
					owner, got = i, look
				}
			} else if look < got {
				owner, got = i, look
			}
		}
		if got > since[owner] {
			list = append(list, stay{owner, since[owner], got, true})
		}
		hold := got + 3500 + rng.Int64N(1000)
		list = append(list, stay{owner, got, hold, false})
		since[owner] = hold + outside
		at = hold
	}
	return list
}

// shown writes what threads do as a recorder shows it.
type shown struct {
	*script
	poll, hold format.StackID
}

// recordSleeps records each sleep: of 1 ms while a thread polls.
func (s shown) recordSleeps(list []stay) {
	for _, v := range list {
		if !v.polls {
			s.write(s.activity(v.thread, format.ActivitySleep, s.hold, v.from, v.to))
			continue
		}
		for at := v.from; at < v.to; at += 1005 {
			s.write(s.activity(v.thread, format.ActivitySleep, s.poll, at, min(at+1000, v.to)))
		}
	}
}

// look shows where each thread is, every 50 ms.
func (s shown) look(list []stay, what format.Activity) {
	for at := int64(50_000); at < 10_000_000; at += 50_000 {
		for _, v := range list {
			stack := s.hold
			if v.polls {
				stack = s.poll
			}
			if v.from <= at && at < v.to {
				s.write(s.activity(v.thread, what, stack, at, at))
			}
		}
	}
}

func (s shown) activity(thread int, what format.Activity, stack format.StackID, from, to int64) format.Event {
	return format.Event{
		Kind:     format.KindActivity,
		Activity: what,
		Thread:   format.ThreadID(thread + 1),
		Stack:    stack,
		Time:     from * 1000,
		End:      to * 1000,
	}
}

func newShown(t *testing.T, threads int, inner ...string) shown {
	s := shown{script: newScript(t, threads, 1)}
	s.poll = s.stack(append(inner, "Spin.lock", "Worker.run")...)
	s.hold = s.stack(append(inner, "Worker.run")...)
	return s
}

// polling returns the finding about it, if there is one, in words.
func (s shown) polling() string {
	for _, f := range find(s.t, &s.list, 10000*ms) {
		if f.Kind == Polling {
			return fmt.Sprintf(
				"%s %d threads %.1f s %s: %s",
				f.Site,
				f.Threads,
				float64(f.WaitNs)/1e9,
				f.Confidence,
				f.Evidence,
			)
		}
	}
	return ""
}

// truth is how long threads polled, in s.
func truth(list []stay) (s float64) {
	for _, v := range list {
		if v.polls {
			s += float64(min(v.to, 10_000_000)-v.from) / 1e6
		}
	}
	return s
}

// pollsBySleep is a trace of threads that poll; one of threads that sleep when they like is
// healthy.
func pollsBySleep(t *testing.T) []Finding {
	s := newShown(t, 4, "java.lang.Thread.sleep", "Spin.nap")
	s.recordSleeps(polled(rand.New(rand.NewPCG(1, 2)), 4, 100, 10_000_000))
	return find(t, &s.list, 10000*ms)
}

func sleepsAtWill(t *testing.T) []Finding {
	s := newShown(t, 4, "java.lang.Thread.sleep", "Spin.nap")
	rng := rand.New(rand.NewPCG(3, 4))
	for thread := range 4 {
		for at := int64(0); at < 10_000_000; at += 1 + rng.Int64N(2000) {
			sleep := 1 + rng.Int64N(6000)
			s.write(s.activity(thread, format.ActivitySleep, s.poll, at, at+sleep))
			at += sleep
		}
	}
	return find(t, &s.list, 10000*ms)
}

// Recorded sleeps, and dumps, show where threads poll for a lock: several sleep there, and
// never all at once. Where they hold it they sleep, too.
func TestPollingBySleepIsFound(t *testing.T) {
	for _, threads := range []int{2, 3, 4, 8} {
		list := polled(rand.New(rand.NewPCG(1, 2)), threads, 100, 10_000_000)
		want := fmt.Sprintf("Spin.lock:1 %d threads", threads)
		s := newShown(t, threads, "java.lang.Thread.sleep", "Spin.nap")
		late := slices.IndexFunc(list, func(v stay) bool { return v.from > 1_000_000 })
		s.recordSleeps(list[late:]) // recorders do not write in order of time
		s.recordSleeps(list[:late])
		var seconds float64
		got := s.polling()
		if _, err := fmt.Sscanf(strings.TrimPrefix(got, want), " %f s medium:", &seconds); err != nil ||
			math.Abs(seconds/truth(list)-1) > 0.01 {
			t.Errorf("recorded: %q, want %.1f s", got, truth(list))
		}
		var part float64
		_, after, _ := strings.Cut(got, "threads, ")
		if _, err := fmt.Sscanf(after, "%f %%", &part); err != nil ||
			math.Abs(part-10*truth(list)/float64(threads)) > 1 {
			t.Errorf("recorded: %q, want %.1f %%", got, 10*truth(list)/float64(threads))
		}
		if threads == 2 {
			continue // at single instants it cannot be distinguished from a critical section
		}
		s = newShown(t, threads, "java.lang.Thread.sleep", "Spin.nap")
		s.look(list, format.ActivitySleep)
		if got := s.polling(); !strings.HasPrefix(got, want) || !strings.Contains(got, " low: ") ||
			!strings.Contains(got, "never all at once") {
			t.Errorf("dumps: %q", got)
		}
		s = newShown(t, threads)
		s.look(list, format.ActivityRunnable)
		if got := s.polling(); !strings.HasPrefix(got, want) {
			t.Errorf("dumps of threads that run: %q", got)
		}
	}
}

// A sample in onSpinWait or in a compareAndSet says that its line spins: all samples of
// that line do. A lock of the JDK is none, nor is a counter.
func TestSpinningIsFound(t *testing.T) {
	for inner, want := range map[string]bool{
		"java.lang.Thread.onSpinWait": true, "java.util.concurrent.atomic.AtomicInteger.compareAndSet": true,
		"sync/atomic.CompareAndSwapInt32": true, "java.util.concurrent.atomic.AtomicLong.incrementAndGet": false,
		"Other.method": false,
	} {
		s := newShown(t, 2)
		spins := s.stack(inner, "Spin.lock", "Worker.run")
		for at := int64(0); at < 10_000_000; at += 20_000 {
			stack := s.poll
			if at == 40_000 {
				stack = spins
			}
			for thread := range 2 {
				s.write(s.activity(thread, format.ActivityRun, stack, at+int64(thread), at+int64(thread)))
			}
		}
		got := s.polling()
		if want &&
			!strings.HasPrefix(
				got,
				"Spin.lock:1 2 threads 20.0 s high: 2 threads, 100 % of their samples, in compareAndSet or onSpinWait",
			) ||
			!want && got != "" {
			t.Errorf("%s: %q", inner, got)
		}
	}
}

// No polling for one another: threads that sleep when they like, that sleep all while
// there is nothing to do, one that sleeps inside a critical section, and daemons.
func TestSleepIsNotAlwaysPolling(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, list := range map[string][]stay{"as they like": nil, "nothing to do": nil, "staggered": nil,
		"daemons": nil} {
		for thread := range 4 {
			for at := int64(thread); at < 10_000_000; {
				sleep, rest := int64(3000), int64(1000)
				switch name {
				case "as they like":
					sleep, rest = 1+rng.Int64N(6000), 1+rng.Int64N(2000)
				case "nothing to do":
					at = at/8000*8000 + 8000
					sleep, rest = 6000, 2000
				case "staggered":
					if at < 4 {
						at = int64(thread) * 1000
					}
				case "daemons":
					sleep, rest = 100_000, 2
				}
				list = append(
					list,
					stay{thread, at, at + sleep, true},
					stay{thread, at + sleep, at + sleep + rest, false},
				)
				at += sleep + rest
			}
		}
		s := newShown(t, 4, "java.lang.Thread.sleep", "Spin.nap")
		for _, v := range list {
			if v.polls {
				s.write(s.activity(v.thread, format.ActivitySleep, s.poll, v.from, v.to))
			}
		}
		golden.Equal(t, s.polling(), "", name, "recorded")
		if name == "staggered" {
			continue // at single instants this looks like a lock
		}
		s = newShown(t, 4, "java.lang.Thread.sleep", "Spin.nap")
		s.look(list, format.ActivitySleep)
		golden.Equal(t, s.polling(), "", name, "dumps")
	}
}

// A long trace is looked at more coarsely.
func TestGridGrowsCoarse(t *testing.T) {
	var g instants
	g.set(0, 3)
	g.set(8, 9)
	g.halve(false)
	if !g.has(0) || !g.has(1) || g.has(2) || !g.has(4) || g.count() != 3 {
		t.Errorf("%d instants", g.count())
	}
	s := newShown(t, 4, "java.lang.Thread.sleep")
	list := polled(rand.New(rand.NewPCG(5, 6)), 4, 100, 30_000_000)
	s.recordSleeps(list)
	if got := s.polling(); !strings.HasPrefix(got, "Spin.lock:1 4 threads") {
		t.Errorf("%q", got)
	}
}

// One stack with both lines is enough: with a finding for each its time would be reported
// twice. That the candidate is elsewhere, too, changes nothing.
func TestPlacesThatShareTimeAreOneFinding(t *testing.T) {
	of := func(lines ...string) *pollStack {
		s := &pollStack{}
		for _, line := range lines {
			s.places = append(s.places, place{line: line})
		}
		return s
	}
	p := &polling{
		stacks: map[format.StackID]*pollStack{1: of("nap", "first"), 2: of("nap", "second"), 3: of("spin", "first")},
	}
	nap := &candidate{key: spotKey{line: "nap"}}
	for line, want := range map[string]bool{"first": true, "second": true, "spin": false} {
		golden.Equal(t, nap.overlaps(line, p), want, line)
	}
}
