package waits

import (
	"cmp"
	"slices"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"

	"pgregory.net/rapid"
)

// every is a visitor that remembers every recorded wait.
type every struct{ lengths []int64 }

func (*every) Begin(*analysis.Symbols, int64) {}
func (e *every) Slice(s *analysis.Slice) {
	for i := range s.Waiters {
		if s.Waiters[i].First && s.Waiters[i].WaitNs > 0 {
			e.lengths = append(e.lengths, s.Waiters[i].WaitNs)
		}
	}
}

// The waits kept are the longest there are, and their owners account for them
// to the nanosecond.
func TestTheLongestWaitsAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var exact, sampled format.List
		golden.Must(simulate.Run(golden.RandomProgram(t), &exact, &sampled))(t)
		all, found := &every{}, NewLongest(rapid.IntRange(1, 30).Draw(t, "most"))
		golden.Must(pass.Run(&exact, analysis.Filter{From: format.NoTime, To: format.NoTime}, all, found))(t)
		slices.SortFunc(all.lengths, func(a, b int64) int { return cmp.Compare(b, a) })
		waits := found.Waits()
		golden.Equal(t, len(waits), min(found.limit, len(all.lengths)))
		for i, w := range waits {
			golden.Equal(t, w.Ns, all.lengths[i], "wait", i, "takes")
			golden.Equal(t, w.charged(), w.Ns, "its owners account for")
			for j, p := range w.Parts {
				if p.BlockedNs > p.Ns || p.Start < w.Start || p.End > w.Start+w.Ns ||
					j > 0 && p.Start < w.Parts[j-1].Start {
					t.Errorf("part %d of the wait from %d for %d: %+v", j, w.Start, w.Ns, p)
				}
			}
		}
	})
}

// Of sampled waits the length is what their samples stand for.
func TestSampledWaitsAreMeasuredByTheirSamples(t *testing.T) {
	var exact, sampled format.List
	golden.Must(
		simulate.Run(
			simulate.Config{
				Scenario: "nested",
				Threads:  6,
				Locks:    3,
				Duration: 1e9,
				Period:   1e7,
				Handoff:  1000,
				Seed:     3,
			},
			&exact,
			&sampled,
		),
	)(
		t,
	)
	c := NewLongest(5)
	golden.Must(pass.Run(&sampled, analysis.Filter{From: format.NoTime, To: format.NoTime}, c))(t)
	waits := c.Waits()
	if len(waits) != 5 {
		t.Fatalf("%d waits", len(waits))
	}
	for i, w := range waits {
		if w.Ns <= 0 || w.charged() != w.Ns || i > 0 && w.Ns > waits[i-1].Ns {
			t.Errorf("wait %d: %d ns, owners account for %d", i, w.Ns, w.charged())
		}
	}
}

// oneByOne hides that a collector follows crowds.
type oneByOne struct{ c *Longest }

func (o oneByOne) Begin(sym *analysis.Symbols, start int64) { o.c.Begin(sym, start) }
func (o oneByOne) Slice(s *analysis.Slice)                  { o.c.Slice(s) }

// The waits in crowds have the owners that they have when each is told of every slice.
func TestCrowdsAreToldAsEachIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []format.Event
		threads := rapid.IntRange(30, 60).Draw(t, "threads")
		for at, end := int64(0), int64(600); at < end; {
			next := min(at+rapid.Int64Range(1, 30).Draw(t, "held"), end)
			owner := format.ThreadID(rapid.IntRange(1, threads).Draw(t, "owner"))
			events = append(
				events,
				format.Event{Kind: format.KindTenure, Thread: owner + 1000, Object: 1, Time: at, End: next},
			)
			at = next
		}
		for thread := 1; thread <= threads; thread++ {
			for at := rapid.Int64Range(0, 50).Draw(t, "begins"); at < 600; at += 20 {
				end := at + rapid.Int64Range(1, 600).Draw(t, "waits")
				events = append(
					events,
					format.Event{Kind: format.KindWait, Thread: format.ThreadID(thread), Object: 1, Time: at, End: end},
				)
				at = end
			}
		}
		together, each := NewLongest(threads), NewLongest(threads)
		golden.Must(
			pass.Run(
				&format.List{Events: events},
				analysis.Filter{From: format.NoTime, To: format.NoTime},
				together,
				oneByOne{each},
			),
		)(
			t,
		)
		same := func(a, b *Wait) bool {
			return a.Thread == b.Thread && a.Start == b.Start && a.Ns == b.Ns && a.Left == b.Left &&
				slices.Equal(a.Parts, b.Parts)
		}
		if a, b := each.Waits(), together.Waits(); !slices.EqualFunc(a, b, same) {
			t.Fatalf("%d waits one by one and %d together differ", len(a), len(b))
		}
	})
}

// Of waits at a time no more are open than may be kept: how long a recorded one is is known
// when it begins.
func TestFewWaitsAreOpen(t *testing.T) {
	const most = 5
	c := NewLongest(most)
	c.Begin(nil, 0)
	for i := range format.ThreadID(1000) {
		c.Slice(&analysis.Slice{
			Start:   int64(i),
			End:     int64(i) + 1,
			Lock:    1,
			Waiters: []analysis.Waiter{{Thread: i, First: true, WaitNs: int64(i) + 1, CutNs: int64(i) + 1}},
			Shares:  []analysis.Share{{Ns: 1}},
		})
		open := 0
		for _, w := range c.open {
			if w != nil {
				open++
			}
		}
		if open > most {
			t.Fatalf("%d waits are open, of which at most %d are kept", open, most)
		}
	}
	if list := c.Waits(); len(list) != most || list[0].Ns != 1000 || list[most-1].Ns != 996 {
		t.Errorf("%+v", list)
	}
}

// Of a long queue all waits that overlap what is collected are there, from their begin to
// their end, and no more arrows than a few for each wait and each hold.
func TestLongQueues(t *testing.T) {
	const waiters = 500
	list := format.List{
		Events: []format.Event{{Kind: format.KindObject, Object: 1, Class: "Lock", LockKind: format.KindMonitor}},
	}
	for i := range int64(waiters) { // wait i ends and its thread has the lock until the next one ends
		list.Events = append(
			list.Events,
			format.Event{Kind: format.KindWait, Thread: format.ThreadID(i + 1), Object: 1, Time: i, End: 1000 + 10*i},
			format.Event{
				Kind:   format.KindTenure,
				Thread: format.ThreadID(i + 1),
				Object: 1,
				Time:   1000 + 10*i,
				End:    1010 + 10*i,
			},
		)
	}
	for _, window := range []struct{ from, to, waits int64 }{{0, 10_000, waiters}, {1002, 1005, waiters - 1},
		{3002, 3005, waiters - 201}, {7000, 8000, 0}} {
		l := NewLanes(window.from, window.to, 0)
		if _, err := pass.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, l); err != nil {
			t.Fatal(err)
		}
		list.Rewind()
		l.Finish()
		waits := int64(0)
		for _, s := range l.Spans {
			if s.State != Waiting {
				continue
			}
			waits++
			if i := int64(s.Thread) - 1; s.Start != i || s.End != 1000+10*i {
				t.Errorf("from %d to %d: wait %d from %d to %d", window.from, window.to, i, s.Start, s.End)
			}
		}
		golden.Equal(t, waits, window.waits, window.from, window.to)
		golden.AtMost(t, len(l.Arrows), 40*waiters, window.from, window.to)
	}
}
