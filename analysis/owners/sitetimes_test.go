package owners

import (
	"testing"

	"contend/analysis/internal/column"
	"contend/format"
	"contend/golden"
)

// sorted returns sections whose call sites are judged, and what was done there put in order.
func sorted(ev *evidence) *inquiry {
	c := &inquiry{ev: ev, all: ev.sections()}
	c.judge()
	ev.sortSites(c.all)
	return c
}

// Of locks of a class that are so many, each is shown what was done while somebody waited
// for it, once, moved as far as it may be; and so it fits by chance as often as among all.
func TestNearIsAllThatMayFit(t *testing.T) {
	golden.Unhurried(t)
	left := 0
	for seed := range uint64(4) {
		ev := striped(2*manySections, 16, seed)
		for _, s := range sorted(ev).all {
			for at := range s.inside {
				list, most := ev.activitiesAt(at, s.lock), moves[len(moves)-1]
				shown := map[column.Ref]int{}
				for i := range ev.near(s, at, most) {
					shown[i]++
				}
				for i := range list.all {
					d, _ := ev.met(i)
					for by := -most; by <= most; by++ {
						end := d.end + by*(d.end-d.start)
						if s.isBusy(end, end) && shown[i] == 0 {
							t.Fatalf("%+v, moved %d times its length, ends while somebody waits", d, by)
						}
					}
					if shown[i] > 1 {
						t.Fatalf("%+v is shown %d times", d, shown[i])
					}
				}
				left += list.n - len(shown)
			}
		}
	}
	if left == 0 {
		t.Error("nothing is left out")
	}
}

// For few locks, all that was done at a call site is looked at.
func TestOfFewLocksAllIsNear(t *testing.T) {
	ev := striped(manySections/2, 16, 1)
	if sorted(ev); len(ev.times) != 0 {
		t.Errorf("%d call sites are put in order", len(ev.times))
	}
	if manySections < 8 || manySections > 128 {
		t.Errorf("%d locks are many", manySections)
	}
}

// requests is threads that wait each for a lock of its own, among many that sleep at one
// call site with it.
func requests(locks int) *evidence {
	r := NewRecord()
	add := func(ev format.Event) { r.Add(&ev, ev.End) }
	for l := 1; l <= locks; l++ {
		at := int64(l) * 1000
		add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 1, Stack: 1, Time: at, End: at + 300})
		add(format.Event{Kind: format.KindWait, Thread: 2, Owner: 1, Object: format.ObjectID(l), Stack: 2, Time: at + 10, End: at + 301})
	}
	a := r.Arrange(monitors{}.Kind)
	a.indexing.Wait()
	return a.evidence(monitors{})
}

// Twice the locks, each with what is done about it, are twice the work.
func TestLocksOfRequestsAreShownTheirOwn(t *testing.T) {
	for _, locks := range []int{1000, 4000} {
		c, shown := sorted(requests(locks)), 0
		for _, s := range c.all {
			for at := range s.inside {
				for range c.ev.near(s, at, moves[len(moves)-1]) {
					shown++
				}
			}
		}
		if shown < locks || shown > 20*locks {
			t.Errorf("%d locks are shown %d activities", locks, shown)
		}
	}
}

// Where nothing of any length was done nothing is shown, of many locks as of few.
func TestWhereNothingWasDoneNothingIsNear(t *testing.T) {
	ev := requests(2 * manySections)
	all, at := ev.sections(), callSite{stack: 77}
	for _, s := range all {
		s.inside = map[callSite]bool{at: true}
	}
	ev.sortSites(all)
	for i := range ev.near(all[0], at, 0) {
		t.Errorf("activity %d", i)
	}
}
