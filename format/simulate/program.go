package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"contend/format"
)

// op is the kind of a step of a thread's program.
type op uint8

const (
	opRun     op = iota // run for about d
	opAcquire           // acquire a lock, waiting if necessary
	opRelease           // release it
	opSleep             // do nothing for about d
	opAwait             // release a lock and wait for its condition, then re-acquire it
	opNotify            // wake all threads that wait for a lock's condition
	opPark              // do nothing until the end of the run
	opEnd               // end the thread
)

// step is one instruction. A program repeats from the start at its end.
type step struct {
	op     op
	d      int64 // mean duration, ns
	lock   int
	mode   format.Mode
	method string // of the critical section; names its stack
}

// program is the program of the threads of one group.
type program struct {
	group   string
	threads int
	steps   []step
}

// scenario builds the programs for a number of threads and locks.
type scenario struct {
	name  string
	about string
	build func(c *Config, rng *rand.Rand) []program
}

const (
	us = int64(1e3)
	ms = int64(1e6)
)

// section is a critical section on one lock.
func section(lock int, method string, d int64) []step {
	return []step{{op: opAcquire, lock: lock, method: method}, {op: opRun, d: d}, {op: opRelease, lock: lock}}
}

func join(parts ...[]step) []step { return slices.Concat(parts...) }

func run(d int64) []step { return []step{{op: opRun, d: d}} }

func shared(lock int, method string, d int64) []step {
	s := section(lock, method, d)
	s[0].mode = format.Shared
	return s
}

// scenarios are the available scenarios.
var scenarios = []scenario{
	{"ping-pong", "threads exclude each other all the time", func(c *Config, _ *rand.Rand) []program {
		return []program{{"player", c.Threads, section(0, "hit", ms)}}
	}},
	{
		"fork-join",
		"a coordinator works alone, then wakes workers that contend for a moment",
		func(c *Config, _ *rand.Rand) []program {
			return []program{
				{
					"coordinator",
					1,
					join(run(100*ms), []step{{op: opAcquire, method: "fork"}, {op: opNotify}, {op: opRelease}}),
				},
				{
					"worker",
					max(c.Threads-1, 1),
					join(
						[]step{
							{op: opAcquire, method: "await"},
							{op: opAwait},
							{op: opRun, d: 20 * us},
							{op: opRelease},
						},
						run(10*ms),
					),
				},
			}
		},
	},
	{"reader-writer", "many readers, a writer now and then", func(c *Config, _ *rand.Rand) []program {
		return []program{
			{"reader", max(c.Threads-1, 1), join(shared(0, "lookup", 500*us), run(300*us))},
			{"writer", 1, join(section(0, "update", 2*ms), run(5*ms))},
		}
	}},
	{"nested", "owners wait for a second lock while holding the first", func(c *Config, _ *rand.Rand) []program {
		inner := section(1, "post", 2*ms)
		outer := join(
			[]step{{op: opAcquire, lock: 0, method: "transfer"}, {op: opRun, d: 200 * us}},
			inner,
			[]step{{op: opRelease, lock: 0}},
		)
		return []program{
			{"teller", max(c.Threads/2, 1), join(outer, run(ms))},
			{"clerk", max(c.Threads-c.Threads/2, 1), join(section(1, "archive", 3*ms), run(ms))},
		}
	}},
	{"convoy", "short sections on one lock, queued behind each other", func(c *Config, _ *rand.Rand) []program {
		return []program{
			{"driver", max(c.Threads-1, 1), join(section(0, "pass", 200*us), run(200*us))},
			{"truck", 1, join(section(0, "crawl", 20*ms), run(100*ms))},
		}
	}},
	{"phases", "quiet stretches and contended ones", func(c *Config, _ *rand.Rand) []program {
		busy := []step{}
		for range 200 {
			busy = append(busy, join(section(0, "log", 200*us), run(100*us))...)
		}
		return []program{{"phased", c.Threads, join(run(200*ms), busy)}}
	}},
	{"idle-pool", "a pool with nothing to do beside a few busy threads", func(c *Config, _ *rand.Rand) []program {
		return []program{
			{"pool", c.Threads, []step{{op: opPark}}},
			{"busy", 2, join(section(0, "count", 100*us), run(2*ms), []step{{op: opSleep, d: 3 * ms}})},
		}
	}},
	{
		"deadlock",
		"two threads take two locks in opposite order; a third queues behind them",
		func(*Config, *rand.Rand) []program {
			cross := func(a, b int, method string) []step {
				return []step{
					{op: opRun, d: 10 * ms},
					{op: opAcquire, lock: a, method: method},
					{op: opRun, d: 10 * ms},
					{op: opAcquire, lock: b, method: method},
					{op: opEnd},
				}
			}
			return []program{{"teller-a", 1, cross(0, 1, "transferAB")}, {"teller-b", 1, cross(1, 0, "transferBA")},
				{"reporter", 1, join(run(30*ms), section(0, "report", ms))}}
		},
	},
	{"random", "a random mixture of sections, nesting in one order, sleeps and readers", random},
	{
		"shards",
		"independent services, each with its own lock and critical section",
		func(c *Config, _ *rand.Rand) []program {
			var list []program
			for l := range c.Locks {
				list = append(
					list,
					program{
						fmt.Sprintf("service-%d", l),
						max(c.Threads/c.Locks, 2),
						join(section(l, fmt.Sprintf("serve%d", l), 2*ms), run(3*ms)),
					},
				)
			}
			return list
		},
	},
	{"bulk", "endless contention on many locks, for benchmarks", func(c *Config, _ *rand.Rand) []program {
		var list []program
		for l := range c.Locks {
			list = append(
				list,
				program{
					fmt.Sprintf("load-%d", l),
					max(c.Threads/c.Locks, 2),
					join(section(l, "update", 50*us), run(20*us)),
				},
			)
		}
		return list
	}},
}

// random draws programs that can never deadlock: locks nest in rising order.
func random(c *Config, rng *rand.Rand) []program {
	var list []program
	for t := range c.Threads {
		var steps []step
		for range 1 + rng.IntN(4) {
			l := rng.IntN(c.Locks)
			body := section(l, fmt.Sprintf("section%d", rng.IntN(6)), us*(1+rng.Int64N(3000)))
			if rng.IntN(3) == 0 {
				body[0].mode = format.Mode(rng.IntN(2))
			}
			if l+1 < c.Locks && rng.IntN(3) == 0 {
				inner := section(l+1, fmt.Sprintf("inner%d", rng.IntN(3)), us*(1+rng.Int64N(800)))
				body = join(body[:2], inner, body[2:])
			}
			steps = join(steps, body, run(us*(1+rng.Int64N(1000))))
			if rng.IntN(4) == 0 {
				steps = append(steps, step{op: opSleep, d: us * (1 + rng.Int64N(2000))})
			}
		}
		list = append(list, program{fmt.Sprintf("group%d", t%3), 1, steps})
	}
	return list
}
