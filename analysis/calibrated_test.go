package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"contend/analysis/owners"
	"contend/format"
	"contend/golden"
)

// contended is a lock that logs who had it when, and whose waits are recorded.
type contended struct {
	threads       int
	think, wakeup float64   // means in ns
	holds         []float64 // by call site, numbered from 1
	seed          uint64
}

// tenure is a stretch in which somebody had the lock.
type tenure struct {
	from, to int64
	site     int
}

// request is a thread that comes to take the lock.
type request struct {
	thread, site int
	at           int64
}

// run plays until n waits have been recorded. A release wakes the first in the queue,
// who takes a while to run; who comes meanwhile takes the free lock.
func (c *contended) run(n int) (events []format.Event, log []tenure) {
	r := rand.New(rand.NewPCG(c.seed, 1))
	random := func(mean float64) int64 { return 1000 + int64(mean*r.ExpFloat64()) }
	next := make([]request, c.threads)
	plan := func(t int, now int64) { next[t] = request{t + 1, 1 + r.IntN(len(c.holds)), now + random(c.think)} }
	for t := range next {
		plan(t, 0)
	}
	var queue []request
	now, free, wakes := int64(0), true, int64(math.MaxInt64)
	var owner request
	ends := int64(math.MaxInt64)
	take := func(q request) {
		owner, free, wakes = q, false, math.MaxInt64
		ends = now + int64(c.holds[q.site-1]*(0.5+r.Float64()))
		log = append(log, tenure{now, ends, q.site})
	}
	for len(events) < n {
		t := 0
		for i := range next {
			if next[i].at < next[t].at {
				t = i
			}
		}
		switch now = min(next[t].at, ends, wakes); now {
		case ends:
			free, ends = true, math.MaxInt64
			plan(owner.thread-1, now)
			if len(queue) > 0 {
				wakes = now + random(c.wakeup)
			}
		case wakes:
			q := queue[0]
			queue = queue[1:]
			ev := after(q.thread, 1, q.at, now, 0)
			ev.Stack = format.StackID(q.site)
			events = append(events, ev)
			take(q)
		default:
			q := next[t]
			next[t].at = math.MaxInt64
			if free {
				take(q)
			} else {
				queue = append(queue, q)
			}
		}
	}
	return events, log
}

// judge is a visitor that holds what is inferred against a log.
type judge struct {
	log        []tenure
	all, right float64
}

func (j *judge) Begin(*Symbols, int64) {}

func (j *judge) Slice(sl *Slice) {
	for _, sh := range sl.Shares {
		if sh.Direct.Prov.Word() != owners.Inferred {
			continue
		}
		weight := float64(len(sl.Waiters))
		j.all += weight * float64(sl.End-sl.Start)
		held, same := int64(0), int64(0)
		for i := sort.Search(len(j.log), func(i int) bool { return j.log[i].to > sl.Start }); i < len(j.log) && j.log[i].from < sl.End; i++ {
			ns := min(j.log[i].to, sl.End) - max(j.log[i].from, sl.Start)
			held += ns
			if sh.Direct.Kind == OwnerThread && int(sh.Direct.Stack) == j.log[i].site {
				same += ns
			}
		}
		if sh.Direct.Kind == OwnerHandoff {
			same = sl.End - sl.Start - held
		}
		j.right += weight * float64(same)
	}
}

// What is said of what is inferred is so within 7 points; where it is more, within 8. Where
// threads wait for a processor longer than locks are held, nothing in waits tells that.
func TestWhatIsExpectedToBeRightIs(t *testing.T) {
	for _, c := range []contended{
		{threads: 6, think: 2e6, wakeup: 60e3, holds: []float64{200e3, 1e6}},
		{threads: 6, think: 20e6, wakeup: 3e6, holds: []float64{3e6}},
	} {
		for c.seed = range 2 {
			events, log := c.run(2000)
			events = append(events, kind(1, format.KindSynchronizer))
			for i := range c.holds {
				events = append(events, stack(i+1, fmt.Sprint("section", i), "loop"))
			}
			j := &judge{log: log}
			tr := golden.Must(Run(&format.List{Events: events}, open, j))(t)
			trust := tr.Coverage.Trust()
			if said, _ := trust.Expected(); said-j.right/j.all > 0.07 || j.right/j.all-said > 0.08 {
				t.Errorf("%+v: %.2f expected, %.2f is right", c, said, j.right/j.all)
			}
		}
	}
}
