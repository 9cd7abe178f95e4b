package whatif

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// A thread that is always in a section goes round and round at one instant when the
// section takes no time any more.
func TestRoundsThatTakeNoTimeEnd(t *testing.T) {
	steps := rounds(0, 10)
	steps[1].inside = 0
	r := one(lock{}, acquisition{}, program{steps: steps})
	r.length, r.change.section, r.change.keep = 1e6, []bool{true}, 0
	out := r.run() // ends, or go test ends it
	golden.Within(t, sum(&out.taken), maxRounds, maxRounds+10)
}

// If no owner is known, no change is predicted.
func TestHoldsOfUnknownThreadsPredictNothing(t *testing.T) {
	for _, rebuilt := range []bool{false, true} {
		c := New()
		c.Begin(analysis.NewSymbols(&format.Event{Kind: format.KindObject, Object: 1, Class: "Shop"}), 0)
		c.Running(0, 1000, 1000)
		c.Held(&analysis.Hold{Lock: 1, Asked: 100, Start: 100, End: 900, Rebuilt: rebuilt})
		c.waitNs = 300
		res := golden.Must(c.Predict([]Change{{Action: RemoveLock, Class: "Shop"}}))(t)
		if r := res.Rows[0]; !r.Throughput.holds(1) || r.Throughput.High > 2 || !r.WaitNs.holds(300) || r.Deadlocks {
			t.Errorf("rebuilt %v: %+v", rebuilt, r)
		}
	}
}

// Where only bounds are known, nobody waits for less than nothing, and several
// sections together may bring what one of them may.
func TestBoundsOfSeveralSections(t *testing.T) {
	c, _, _ := collected(t, simulate.Config{Scenario: "nested", Duration: 2e9, Seed: 1}, sampled)
	for _, by := range []float64{.5, 1} {
		all := golden.Must(c.Predict([]Change{{Action: Shrink, Section: "*", By: by}}))(t)
		best := 1.0
		for _, s := range c.Sections() {
			one := golden.Must(c.Predict([]Change{{Action: Shrink, Section: s.Method, By: by}}))(t)
			best = max(best, one.Rows[0].Throughput.High)
		}
		r := all.Rows[0]
		golden.AtLeast(t, r.WaitNs.Low, 0, by)
		golden.AtLeast(t, r.Throughput.High, best, by)
	}
}

// Of over a hundred changes of simulated programs, in .ci/run of twice as many, none brings
// more than its ceiling, and no range reaches beyond that. If holds are inferred, one in
// twenty may: sections for which nobody waited are not in such a trace.
func TestNothingExceedsItsCeiling(t *testing.T) {
	golden.SkipIfShort(t)
	names, _ := simulate.Scenarios()
	pairs, beyond := 0, 0
	for seed := uint64(1); seed <= golden.Depth[uint64](4, 4, 12); seed++ {
		for i, name := range names {
			if name == "bulk" || name == "deadlock" {
				continue
			}
			for _, from := range []source{recorded, rebuilt} {
				if from == rebuilt && seed > 4 {
					continue
				}
				c := simulate.Config{
					Scenario: name,
					Duration: 1e9,
					Handoff:  1000,
					Seed:     seed,
					Threads:  2 + (int(seed)*5+i)%9,
				}
				col, taken, _ := collected(t, c, from)
				for _, one := range col.Sections() {
					by := []float64{.25, .5, .75, .95}[pairs%4]
					res := golden.Must(col.Predict([]Change{{Action: Shrink, Section: one.Method, By: by}}))(t)
					short := c
					short.Slow, short.SlowBy = one.Method[strings.LastIndexByte(one.Method, '.')+1:], -int64(by*100)
					_, now, _ := collected(t, short, recorded)
					truth := float64(now) / float64(taken)
					pairs++
					r := res.Rows[0]
					if from == rebuilt && r.Ceiling < truth {
						beyond++
					} else if r.Ceiling < truth || r.Ceiling < r.Throughput.High {
						t.Errorf("%v %s, seed %d, %d threads, %s by %v: throughput %.3f, predicted %.3f, at most "+
							"%.3f", from, name, seed, c.Threads, one.Method, by, truth, r.Throughput, r.Ceiling)
					}
				}
			}
		}
	}
	golden.AtLeast(t, pairs, golden.Depth(140, 140, 275))
	golden.AtMost(t, beyond*20, 75)
}

// Adjacent holds of a thread are merged, if it did not wait for the second and no other thread
// held the lock between them. Other permits of a semaphore and other readers do not count.
func TestAdjacentHoldsAreMerged(t *testing.T) {
	first, other := hold{asked: 10, start: 10, end: 20}, hold{thread: 1, asked: 15, start: 18, end: 25}
	next, reads, waits := hold{
		asked: 20,
		start: 20,
		end:   30,
	}, hold{
		asked: 20,
		start: 20,
		end:   30,
		mode:  format.Shared,
	}, hold{
		asked: 19,
		start: 20,
		end:   30,
	}
	for name, c := range map[string]struct {
		all       []hold
		semaphore bool
		want      int
	}{
		"nobody between":     {[]hold{first, next}, false, 1},
		"later":              {[]hold{first, {asked: 21, start: 21, end: 30}}, false, 2},
		"it waited":          {[]hold{first, waits}, false, 2},
		"another lock":       {[]hold{first, {asked: 20, start: 20, end: 30, lock: 1}}, false, 2},
		"another between":    {[]hold{first, other, next}, false, 3},
		"another's permit":   {[]hold{first, other, next}, true, 2},
		"another one reads":  {[]hold{first, other, reads}, false, 2},
		"of threads unknown": {[]hold{nobodys(first), nobodys(next)}, false, 2},
	} {
		s := settling{holds: c.all, semaphores: []bool{c.semaphore, false}}
		s.mergeAdjacent()
		out := s.holds
		if len(out) != c.want || out[0].start != 10 || out[0].end != 20 && out[0].end != 30 ||
			(out[0].end == 30) != (c.want < len(c.all)) {
			t.Errorf("%s: %+v", name, out)
		}
	}
}

// nobodys is a hold of an unknown thread.
func nobodys(t hold) hold {
	t.thread = unknown
	return t
}

// A lock has one owner at a time: the threads that need it least acquire it as often as they
// would alone, and the others share the time that is left.
func TestALockBoundsThoseWhoUseIt(t *testing.T) {
	for _, c := range []struct {
		alone []float64 // of three threads, of which the last does without the lock
		want  float64
	}{{[]float64{20, 20, 5}, 20 + 8 + 5}, {[]float64{80, 20, 5}, 50 + 5}, {[]float64{3, 2, 5}, 10}} {
		golden.Equal(t, maxAcquisitions([]need{{1, 75}, {0, 20}}, c.alone, 1000), c.want, c.alone)
	}
}

// A semaphore has as many permits out as it has for half of the time in which anybody
// waits.
func TestPermitsOfHalfTheTime(t *testing.T) {
	for one, want := range map[int64]int{60: 1, 40: 2} {
		if most, half := heldAtOnce([]permitChange{{0, 1, 1}, {one, 1, 0}, {100, -2, -1}}); most != 2 || half != want {
			t.Errorf(
				"one was out for %d, two for %d: %d at most, %d for half of the time; want 2 and %d",
				one,
				100-one,
				most,
				half,
				want,
			)
		}
	}
}

// A replay that misses its own trace by a tenth is not believed.
func TestHowFarAReplayMayMiss(t *testing.T) {
	for miss, want := range map[float64]bool{0.08: true, 0.12: false} {
		golden.Equal(t, (&Misfit{Waiting: miss}).Fits(), want)
		golden.Equal(t, (&Misfit{Throughput: miss}).Fits(), want)
	}
}

// A thread that barged in the trace barges in the replay if it arrives 0.8 us later, and does
// not if it arrives 1.5 us later.
func TestHowLateOneMayCome(t *testing.T) {
	r := one(lock{}, acquisition{waited: true, free: 10, overtakers: 1}, program{steps: rounds(0, 10)})
	l := &r.locks[0]
	l.first = 1
	golden.Within(t, r.freeTime(l, 0), 800, 1500)
	late := (&thread{}).inOrder([]hold{{asked: 1000, start: 5000, end: 6000}}, 10000)
	golden.Within(t, (&thread{}).programOf(late, 10000).steps[0].busy, 1100, 1250)
}

// A hold of another lock six holds ago limits the start of one around the five since; a hold
// twelve ago does not, see maxRecent.
func TestRecentHoldsLimitStarts(t *testing.T) {
	const outer, inner, other = int32(0), int32(1), int32(2)
	for within, want := range map[int]int64{5: 50, 11: 0} {
		all := []hold{{asked: 10, start: 20, end: 50, lock: other}}
		for i := range int64(within) {
			all = append(all, hold{asked: 100 + 10*i, start: 101 + 10*i, end: 105 + 10*i, lock: inner})
		}
		all = append(all, hold{asked: 300, start: 300, end: 320, lock: outer, section: 1})
		all = append(
			all,
			hold{asked: 999, start: 1000, end: 1010, lock: outer},
			hold{asked: 1001, start: 1002, end: 1003, lock: inner},
		) // the order of the two
		s := settling{holds: all, usual: map[uint32]int64{1: 320}, threads: 1, semaphores: make([]bool, 3)}
		s.extendStarts()
		golden.Equal(t, all[within+1].start, want, within, "holds inside it: its start")
	}
}

// What is due comes by its time, and at one
// instant by its turn and as it was asked for.
func TestWhatIsDueComesInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	q := newQueue(10, 1000)
	var due, came []event
	push := func(from int64) {
		at, turn := from+random.Int64N(50), []uint32{releasing, granting, arriving}[random.IntN(3)]
		id := int32(len(due))
		due = append(due, event{at, q.push(at, turn, id), id})
	}
	for range 40 {
		push(0)
	}
	for e, ok := q.pop(); ok; e, ok = q.pop() {
		if came = append(came, e); len(due) < 600 && e.at < 900 {
			push(e.at + 1)
		}
	}
	slices.SortFunc(due, func(a, b event) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	golden.AtLeast(t, len(due), 400, len(came))
	golden.Same(t, came, due, len(came))
}

// A thread that acquires a lock at once while another waits for it has overtaken that one; if
// there are two permits, it may have had the second.
func TestWhoIsLetThrough(t *testing.T) {
	for permits, want := range map[int]int32{0: 1, 1: 1, 2: 0} {
		waits, comes := hold{asked: 10, start: 50, end: 60}, hold{asked: 20, start: 20, end: 30}
		lockHandover([]*hold{&waits, &comes}, permits)
		if !waits.acquired.waited || waits.acquired.overtakers != want {
			t.Errorf("%d permits: %+v, want %d", permits, waits.acquired, want)
		}
	}
}

func TestMain(m *testing.M) { golden.Main(m) }
