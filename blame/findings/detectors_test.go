package findings

import (
	"slices"
	"testing"

	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// served lets threads take a lock in turns of a ms each, each as soon as it may
// again, in the order that pick makes of who waits.
func served(t *testing.T, threads int, pick func(turn int, waiting []int) int) *script {
	s := newScript(t, threads, 1)
	site := s.stack("Shop.sell")
	since, waiting, owner := map[int]int64{}, []int(nil), threads
	for id := 1; id < threads; id++ {
		waiting = append(waiting, id)
	}
	for turn := range 300 {
		i := pick(turn, waiting)
		next := waiting[i]
		waiting = append(slices.Delete(waiting, i, i+1), owner)
		now := int64(10 * (turn + 1))
		s.wait(next, 1, site, since[next], now, now+10)
		since[owner], owner = now, next
	}
	return s
}

// The ways in which a lock may serve those who wait.
func inOrder(int, []int) int { return 0 }

// passesOne serves the first thread after all others have been twice.
func passesOne(turn int, w []int) int {
	if at := slices.Index(w, 1); turn%8 != 7 {
		return slices.IndexFunc(w, func(id int) bool { return id != 1 })
	} else if at >= 0 {
		return at
	}
	return 0
}

func anyhow(turn int, w []int) int { return int(uint32(turn*2654435761)>>7) % len(w) }

func backwardsInTurns(turn int, w []int) int {
	if turn/3%2 == 0 {
		return len(w) - 1
	}
	return 0
}

func serves(pick func(int, []int) int) func(*testing.T) []Finding {
	return func(t *testing.T) []Finding { return find(t, &served(t, 4, pick).list, 10000*ms) }
}

// Who is always passed starves; a lock that serves the last first, or anyone,
// is unfair to all alike.
func TestStarvation(t *testing.T) {
	for _, c := range []struct {
		name    string
		threads int
		pick    func(turn int, waiting []int) int
		want    string
	}{{"in order", 4, inOrder, ""}, {"one is passed", 4, passesOne, "starvation"},
		{"by two others", 3, passesOne, "starvation"}, {"in any order", 4, anyhow, ""},
		{"backwards in turns", 4, backwardsInTurns, ""}} {
		got := find(t, &served(t, c.threads, c.pick).list, 10000*ms)
		if kindsOf(got) != c.want {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		} else if c.want != "" && (got[0].Thread != "worker-0" || got[0].Confidence != High) {
			t.Errorf("%s: %+v", c.name, got[0])
		}
	}
}

// The ways in which waits may be spread over four locks, and how long each is, in ms.
func evenly(i int) (lock int, long int64) { return 1 + i%4, 20 }

func hot(i int) (lock int, long int64) {
	if i%5 < 4 {
		return 1, 20
	}
	return evenly(i / 5)
}

func ofTwo(i int) (lock int, long int64) { return 1 + i%5/4, 20 }

func inABurst(i int) (lock int, long int64) {
	if i >= 40 && i < 80 {
		return 1, 80
	}
	return 2 + i%3, 20
}

func oneAfterTheOther(i int) (lock int, long int64) { return 1 + min(i, 10)/5, 20 }

func spreads(over func(i int) (lock int, long int64)) func(*testing.T) []Finding {
	return func(t *testing.T) []Finding {
		s := newScript(t, 3, 4)
		site := s.stack("Shop.sell")
		for i := range 100 {
			l, long := over(i)
			at := int64(i * 90)
			s.write(
				format.Event{
					Kind:   format.KindTenure,
					Thread: 1,
					Object: format.ObjectID(l),
					Time:   at * ms,
					End:    (at + long) * ms,
					Stack:  site,
				},
			)
			s.wait(2, l, site, at, at+long, at+long+1)
		}
		return find(t, &s.list, 10000*ms)
	}
}

// One stripe is hot that has most of the waiting, most of the time, of locks
// that are alike: not of two, of which one always has, not in one burst, and not
// among the parts of a lock that changed its address.
func TestHotStripe(t *testing.T) {
	for _, c := range []struct {
		name string
		over func(i int) (int, int64)
		want string
	}{{"even", evenly, ""}, {"hot", hot, "hot-stripe"}, {"of two", ofTwo, ""}, {"in a burst", inABurst, ""},
		{"one after the other", oneAfterTheOther, ""}} {
		golden.Equal(t, kindsOf(spreads(c.over)(t)), c.want, c.name)
	}
}

// reads returns what is found where one who is in a method waits for one who is in
// another.
func reads(owner, waiter string) func(*testing.T) []Finding {
	return func(t *testing.T) []Finding {
		s := newScript(t, 2, 1)
		owning, waiting := s.stack(owner, "Shop.price"), s.stack(waiter, "Shop.price")
		s.write(format.Event{Kind: format.KindTenure, Thread: 1, Object: 1, Time: 0, End: 500 * ms, Stack: owning})
		s.wait(2, 1, waiting, 0, 500, 501)
		return find(t, &s.list, 10000*ms)
	}
}

// Readers of the JDK's collections wait for readers; writers do not count.
func TestReadMostly(t *testing.T) {
	for _, c := range []struct{ owner, waiter, want string }{
		{"java.util.Hashtable.get", "java.util.Hashtable.containsKey", "read-mostly"},
		{"java.util.Hashtable.get", "java.util.Hashtable.put", ""},
		{"java.util.Hashtable.put", "java.util.Hashtable.get", ""},
		{"java.util.HashMap.get", "java.util.HashMap.get", ""},
	} {
		got := reads(c.owner, c.waiter)(t)
		if kindsOf(got) != c.want || c.want != "" && (got[0].Confidence != Medium || got[0].WaitNs != 500*ms) {
			t.Errorf("%s, %s: %+v", c.owner, c.waiter, got)
		}
	}
}

// Those of a long queue count as each does, while they are together and when some have
// left.
func TestReadMostlyOfMany(t *testing.T) {
	const readers, writers = 50, 30
	s := newScript(t, readers+writers+1, 1)
	owning, reading, writing := s.stack(
		"java.util.Hashtable.get",
		"Shop.price",
	), s.stack(
		"java.util.Hashtable.size",
		"Shop.price",
	), s.stack(
		"java.util.Hashtable.put",
		"Shop.price",
	)
	for i := range 5 { // so that all wait together when they leave
		s.write(
			format.Event{
				Kind:   format.KindTenure,
				Thread: 1,
				Object: 1,
				Time:   int64(i) * 100 * ms,
				End:    int64(i+1) * 100 * ms,
				Stack:  owning,
			},
		)
	}
	want := int64(0)
	for i := range readers + writers {
		end := int64(500)
		if i%2 == 0 {
			end = 250
		}
		stack := writing
		if i < readers {
			stack, want = reading, want+end*ms
		}
		s.write(
			format.Event{
				Kind:   format.KindWait,
				Thread: format.ThreadID(2 + i),
				Object: 1,
				Time:   0,
				End:    end * ms,
				Stack:  stack,
				Failed: true,
			},
		)
	}
	if got := find(t, &s.list, 10000*ms); len(got) == 0 || got[0].Kind != ReadMostly || got[0].WaitNs != want {
		t.Errorf("%+v, want %d ms of readers", got, want/ms)
	}
}

// pauses returns what is found where the JVM stops while a lock is waited for.
func pauses(why string) func(*testing.T) []Finding {
	return func(t *testing.T) []Finding {
		s := newScript(t, 2, 1)
		site := s.stack("Shop.sell")
		s.write(format.Event{Kind: format.KindPause, Name: why, Time: 100 * ms, End: 400 * ms})
		s.write(
			format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: 0, End: 500 * ms, Stack: site, Owner: 1},
		)
		return find(t, &s.list, 10000*ms)
	}
}

func TestPausedHolding(t *testing.T) {
	for why, want := range map[string]string{format.PauseGC: "paused-while-holding", "safepoint": ""} {
		if got := pauses(why)(t); kindsOf(got) != want || want != "" && got[0].WaitNs != 300*ms {
			t.Errorf("%s: %+v", why, got)
		}
	}
}

// stopped returns what is found where the owner of a lock does something for 300 ms.
func stopped(activity format.Activity) func(*testing.T) []Finding {
	return func(t *testing.T) []Finding {
		s := newScript(t, 3, 1)
		s.write(format.Event{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesWaking})
		sell := s.stack("Shop.sell")
		release := func(thread, woken format.ThreadID, at int64) {
			s.write(
				format.Event{
					Kind:   format.KindRelease,
					Thread: thread,
					Woken:  woken,
					Object: 1,
					Time:   at * ms,
					Stack:  sell,
				},
			)
		}
		s.write(format.Event{Kind: format.KindWait, Thread: 1, Object: 1, Time: 0, End: 50 * ms, Stack: sell})
		release(3, 1, 50)
		s.write(
			format.Event{
				Kind:     format.KindActivity,
				Activity: activity,
				Thread:   1,
				Time:     100 * ms,
				End:      400 * ms,
				Stack:    sell,
			},
		)
		s.write(format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: 60 * ms, End: 500 * ms, Stack: sell})
		release(1, 2, 500)
		return find(t, &s.list, 10000*ms)
	}
}

// An owner that is ready to run, and does not, is told where the recorder says so,
// as perf does of the kernel's switches.
func TestDescheduledHolding(t *testing.T) {
	for activity, want := range map[format.Activity]string{format.ActivityReady: "descheduled-while-holding",
		format.ActivityRun: ""} {
		if got := stopped(activity)(t); kindsOf(got) != want ||
			want != "" && (got[0].WaitNs != 300*ms || got[0].Owner != "Shop.sell:1") {
			t.Errorf("%v: %+v", activity, got)
		}
	}
}

// borrows returns what is found where two threads are parked inside a method.
func borrows(method string) func(*testing.T) []Finding {
	return func(t *testing.T) []Finding {
		s := newScript(t, 3, 1)
		for i, caller := range []string{"Shop.buy", "Shop.sell"} {
			site := s.stack("java.util.concurrent.locks.LockSupport.park", method, "Shop.query", caller)
			from := int64(100 * i)
			s.write(
				format.Event{
					Kind:     format.KindActivity,
					Activity: format.ActivityPark,
					Resource: true,
					Thread:   format.ThreadID(i + 1),
					Time:     from * ms,
					End:      (from + 300) * ms,
					Stack:    site,
				},
			)
		}
		return find(t, &s.list, 1000*ms)
	}
}

// A pool is exhausted while anybody waits for it; a queue is no pool.
func TestPoolExhausted(t *testing.T) {
	for method, want := range map[string]string{
		"com.zaxxer.hikari.pool.HikariPool.getConnection":              "pool-exhausted",
		"org.apache.commons.pool2.impl.GenericObjectPool.borrowObject": "pool-exhausted",
		"java.util.concurrent.LinkedBlockingQueue.take":                "",
	} {
		if got := borrows(method)(t); kindsOf(got) != want {
			t.Errorf("%s: %+v", method, got)
		} else if want != "" && (got[0].WaitNs != 600*ms || got[0].Threads != 2 ||
			got[0].Evidence != "2 waits of 2 threads: nothing was left for 400 ms, 40 % of the time") {
			t.Errorf("%s: %+v", method, got[0])
		}
	}
}

// convoying is a program whose queue hand-over keeps.
var convoying = simulate.Config{
	Scenario: "shards",
	Threads:  8,
	Locks:    1,
	Slow:     "serve0",
	SlowBy:   -95,
	Handoff:  1 * ms,
	Duration: 2e9,
	Seed:     1,
}

// A queue is a convoy where handing over keeps it, and not where the sections
// themselves do, or where the same hand-over comes so rarely that queues end.
func TestConvoy(t *testing.T) {
	got := simulated(t, convoying)
	if kindsOf(got) != "convoy" || got[0].Confidence != High {
		t.Errorf("%+v", got)
	}
	for name, change := range map[string]func(*simulate.Config){
		"hand-over takes no time": func(c *simulate.Config) { c.Handoff = 1000 },
		"sections are long":       func(c *simulate.Config) { c.Slow = "" },
		"few threads":             func(c *simulate.Config) { c.Threads = 2 },
	} {
		c := convoying
		change(&c)
		golden.Equal(t, kindsOf(simulated(t, c)), "", name)
	}
}
