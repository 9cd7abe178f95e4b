package owners

import (
	"testing"

	"contend/format"
)

func TestBareActivitiesBelongToTheSiteTheyFollow(t *testing.T) {
	for _, c := range []struct {
		name string
		by   distances
		want homeSite
		ok   bool
	}{
		{"promptly after one site, long after another", distances{1: {3, 4, 9}, 2: {300, 900, 1400, 2000, 5000}}, homeSite{1, 4 * promptPart}, true},
		{"promptly after two", distances{1: {3, 4, 9}, 2: {5, 6, 7}}, homeSite{}, false},
		{"promptly after two, most at one", distances{1: {3, 4, 9}, 2: {5, 6, 7, 7, 7}}, homeSite{2, maxTime}, true},
		{"too few to tell", distances{1: {3, 4}, 2: {300, 900}}, homeSite{}, false},
		{"one site", distances{1: {3}}, homeSite{1, maxTime}, true},
		{"long after one site", distances{1: {300, 400, 500}}, homeSite{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := c.by.nearest()
			if !ok {
				got, ok = c.by.usual(100)
			}
			if got != c.want || ok != c.ok {
				t.Errorf("%v, %t; want %v, %t", got, ok, c.want, c.ok)
			}
		})
	}
}

// A site too seldom met to be chosen is one the others must be nearer than,
// whichever is looked at first.
func TestTheNearestSiteDependsOnNoOrder(t *testing.T) {
	by := distances{1: {3, 4}, 2: {5, 6, 7}, 3: {300, 900, 1400}}
	for range 200 {
		if at, ok := by.nearest(); ok {
			t.Fatalf("site %d is the nearest, but 1 is nearer", at.stack)
		}
	}
}

// Activities that begin together are met in one order, whichever call site is
// looked at first.
func TestActivitiesThatBeginTogetherKeepTheirOrder(t *testing.T) {
	r := NewRecord()
	for _, ev := range []format.Event{
		{Kind: format.KindWait, Thread: 1, Owner: 2, Object: 1, Stack: 9, Time: 0, End: 100},
		{Kind: format.KindActivity, Activity: format.ActivityIO, Thread: 2, Stack: 3, Time: 10, End: 40},
		{Kind: format.KindActivity, Activity: format.ActivityIO, Thread: 2, Stack: 4, Time: 10, End: 30},
		{Kind: format.KindActivity, Activity: format.ActivityIO, Thread: 2, Stack: 5, Time: 10, End: 40},
	} {
		r.Add(&ev, ev.End)
	}
	a := r.Arrange(monitors{}.Kind)
	a.indexing.Wait()
	ev := a.evidence(monitors{})
	for range 200 {
		s := learntOfOne(ev)
		if len(s.seen) != 3 || s.seen[0].stack != 3 || s.seen[1].stack != 5 || s.seen[2].stack != 4 {
			t.Fatalf("%+v", s.seen)
		}
	}
}

// monitors are symbols of a program whose locks are monitors of one class.
type monitors struct{}

func (monitors) Kind(format.ObjectID) format.LockKind      { return format.KindMonitor }
func (monitors) Class(format.ObjectID) uint32              { return 0 }
func (monitors) Fair(format.ObjectID) bool                 { return false }
func (monitors) Frames(format.StackID) []format.Frame      { return nil }
func (monitors) Bare(format.StackID) bool                  { return false }
func (monitors) Caller(format.StackID) format.Frame        { return format.Frame{} }
func (monitors) Application(format.StackID) []format.Frame { return nil }
func (monitors) Group(format.ThreadID) uint32              { return 0 }

// learntOfOne learns of lock 1.
func learntOfOne(ev *evidence) *section {
	list := ev.gather(ev.byLock[1], nil)
	s := ev.section(1, list, list.busy())
	ev.learn([]*section{s})
	return s
}
