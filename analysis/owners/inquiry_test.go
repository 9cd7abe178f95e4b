package owners

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
	"contend/golden"
)

// striped is a trace of threads that take locks of one class at random and do some things
// inside and some elsewhere, mostly at the same call sites whichever lock it is.
func striped(locks, threads int, seed uint64) *evidence {
	random, r := rand.New(rand.NewPCG(seed, 1)), NewRecord()
	add := func(ev format.Event) { r.Add(&ev, ev.End) }
	now, free := make([]int64, threads), make([]int64, locks)
	last := make([]format.ThreadID, locks)
	for range 400 * threads {
		t := slices.Index(now, slices.Min(now))
		l, me := random.IntN(locks), format.ThreadID(t+1)
		if got := free[l]; got > now[t] {
			add(format.Event{Kind: format.KindWait, Thread: me, Owner: last[l], Object: format.ObjectID(l + 1), Stack: 2, Time: now[t], End: got})
			now[t] = got
		}
		length := 20 + random.Int64N(400)
		if stack := format.StackID(3 + 2*random.IntN(2)*(l+1)); random.IntN(3) == 0 {
			add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: me, Stack: stack, Time: now[t] + 1, End: now[t] + length - 1})
		}
		now[t] += length
		free[l], last[l] = now[t], me
		length = random.Int64N(500)
		add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: me, Stack: 4, Time: now[t] + 1, End: now[t] + 2 + length})
		now[t] += length + 3
	}
	a := r.Arrange(monitors{}.Kind)
	a.indexing.Wait()
	return a.evidence(monitors{})
}

// sections returns those of all locks, their call sites not judged.
func (ev *evidence) sections() (all []*section) {
	for l := range ev.byLock {
		if list := ev.gather(ev.byLock[l], nil); len(list) > 0 {
			all = append(all, ev.section(format.ObjectID(l), list, list.busy()))
		}
	}
	return all
}

// Whatever is known of who waits when, call sites are judged alike, and the same ends while
// somebody waits.
func TestCellsChangeNoVerdict(t *testing.T) {
	golden.Unhurried(t)
	found, inside := 0, 0
	for seed := range uint64(6) {
		ev := striped(3<<seed, 16, seed)
		each, some := &inquiry{ev: ev, all: ev.sections()}, &inquiry{ev: ev, all: ev.sections()}
		each.judge()
		each.cells = nil // each is held against each
		each.findEndings()
		if some.judge(); len(some.cells) == 0 && seed > 0 {
			t.Error("there are no cells")
		}
		some.findEndings()
		for n, s := range each.all {
			other := some.all[n]
			if !maps.Equal(s.inside, other.inside) || len(s.ending) != len(other.ending) {
				t.Fatalf("lock %d: %v with cells, %v without; %d and %d ends", s.lock, other.inside, s.inside, len(other.ending), len(s.ending))
			}
			for at, list := range s.ending {
				want, got := slices.Collect(list.all), slices.Collect(other.ending[at].all)
				var all []column.Ref
				for i := range ev.activitiesAt(at, s.lock).all {
					if _, end := ev.Span(i); s.isBusy(end, end) {
						all = append(all, i)
					}
				}
				if !slices.Equal(got, want) || !slices.Equal(got, all) {
					t.Fatalf("lock %d: %d ends with cells, %d without, of %d", s.lock, len(got), len(want), len(all))
				}
				found++
			}
			for at, is := range s.inside {
				if is != ev.isInsideAlone(s, at) {
					t.Fatalf("lock %d: %v is inside: %t", s.lock, at, is)
				}
				if is {
					inside++
				}
			}
		}
	}
	if found < 100 || inside < 3 {
		t.Errorf("%d call sites of which somebody asks, %d inside", found, inside)
	}
}

// isInsideAlone judges a call site for one section, all of its activities looked at.
func (ev *evidence) isInsideAlone(s *section, at callSite) bool {
	l := &asker{inquiry: &inquiry{ev: ev}, question: &question{inputSite: inputSite{callSite: at}, list: ev.activitiesAt(at, s.lock)}}
	t := &answer{s: *s}
	for i := range l.list.all {
		start, end, thread := ev.spent(i)
		t.counts(ev, &bout{i, start, end, thread})
	}
	return float64(t.breaks) <= max(tolerance*float64(l.list.n), 1) && t.inside(l)
}

// Four times the locks that share what was done do not make each activity be looked at four
// times as often.
func TestActivitiesAreHeldAgainstFewLocks(t *testing.T) {
	told := func(locks int) (n int) {
		ev := striped(locks, 16, 7)
		c := &inquiry{ev: ev, all: ev.sections()}
		list := c.questions(func(s *section, ask func(callSite)) { ask(callSite{stack: 4}) })
		c.divide(list)
		c.ask(list, func(l *asker, _ int) {
			l.each(func(uint32, *bout) bool { n++; return true })
		})
		return n
	}
	few, many := told(16), told(64)
	if t.Logf("%d looks with 16 locks, %d with 64", few, many); many > 2*few {
		t.Errorf("with 16 locks %d looks, with 64 %d", few, many)
	}
}

// A call site is asked about for some thousand sections at a time, each time for others.
func TestManySectionsAskInTurns(t *testing.T) {
	ev := striped(2, 4, 8)
	c := &inquiry{ev: ev}
	for range 5000 {
		c.all = append(c.all, &section{lock: 1})
	}
	list, met := c.questions(func(s *section, ask func(callSite)) { ask(callSite{stack: 4}) }), map[uint32]bool{}
	for _, h := range list {
		for _, s := range h.of {
			met[s] = true
		}
	}
	if len(met) != 5000 || len(list) < 3 || len(list) > 10 {
		t.Errorf("%d sections in %d turns", len(met), len(list))
	}
}
