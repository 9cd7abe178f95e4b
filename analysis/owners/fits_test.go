package owners

import (
	"testing"

	"contend/format"
)

// What a program does again and again elsewhere falls into a stretch of waiting now
// and then; where short waits are not recorded no acquisition in it betrays that.
func TestWhatIsDoneElsewhereIsNotInsideByChance(t *testing.T) {
	const second = int64(1e9)
	inside := func(others int, waits []format.Event) int {
		r := NewRecord()
		for i := range waits {
			r.Add(&waits[i], waits[i].End)
		}
		for i := range int64(others) { // of which the first is while somebody waits
			ev := format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 2, Stack: 3, Time: i*second/10 + 2, End: i*second/10 + 60}
			r.Add(&ev, ev.End)
		}
		a := r.Arrange(monitors{}.Kind)
		a.indexing.Wait()
		ev := a.evidence(monitors{})
		return len(learntOfOne(ev).seen)
	}
	wait := func(at int64, t, owner format.ThreadID) format.Event {
		return format.Event{Kind: format.KindWait, Thread: t, Owner: owner, Object: 1, Stack: 9, Time: at, End: at + 100}
	}
	unnamed := []format.Event{wait(0, 1, 0), wait(second/20, 2, 0), wait(2*second, 1, 0)}
	if n := inside(1, unnamed); n != 1 {
		t.Errorf("once, while somebody waits: %d inside, want 1", n)
	}
	if n := inside(20, unnamed); n != 20 {
		t.Errorf("20 times in 2 s, of which somebody waits 300 ns: %d inside, want all", n)
	}
	long := wait(0, 1, 0)
	long.End = second / 12
	if n := inside(20, []format.Event{long, unnamed[1], unnamed[2]}); n != 0 {
		t.Errorf("20 times in 2 s, of which somebody waits a twentieth: %d inside, want 0", n)
	}
}

// Acquisitions that name the last owner tell a thread that is inside from one that is
// named now and then.
func TestNamedOftenerThanByChance(t *testing.T) {
	s := &section{users: 6, busy: []span{{0, 10}, {90, 100}}}
	for _, c := range []struct {
		f    fits
		n    int
		want bool
	}{
		{fits{named: 1, others: 9, before: preexisting{others: 6}}, 56, true},
		{fits{named: 50, others: 54, before: preexisting{named: 5, others: 69}}, 258, false},
		{fits{named: 2, others: 8}, 14, true},
		{fits{named: 1}, 1, false},
		{fits{named: 1}, 60, true},
		{fits{unnamed: 1}, 77, true},
		{fits{unnamed: 1, before: preexisting{promptly: 2}}, 6, false},
		{fits{unnamed: 66}, 66, false},
	} {
		if got := c.f.byChance(s, c.n); got != c.want {
			t.Errorf("%+v of %d: by chance %v, want %v", c.f, c.n, got, c.want)
		}
	}
}

// One activity that overlaps another thread's acquisition may be chance; of a few it
// is too many, and two of some are.
func TestOneBreakIsTolerated(t *testing.T) {
	for _, c := range []struct {
		breaks, of int
		want       bool
	}{{0, 1, true}, {1, 3, false}, {1, 10, true}, {2, 20, false}, {2, 40, true}, {10, 100, false}} {
		if got := tolerated(c.breaks, c.of); got != c.want {
			t.Errorf("%d of %d: %v, want %v", c.breaks, c.of, got, c.want)
		}
	}
}

// What comes within a sixteenth of an activity after it comes promptly.
func TestWhatComesPromptly(t *testing.T) {
	d := activity{start: 0, end: 1600}
	if !d.promptly(1690) || d.promptly(1720) {
		t.Errorf("90 ns after it: %v, 120 ns: %v", d.promptly(1690), d.promptly(1720))
	}
}

// Where short waits are not recorded, who came in between is named instead of who slept
// inside: those who wait get the lock each time the sleep ends. Not so if who is named
// waited for another lock until then, and had this one.
func TestWhoIsNamedMayHaveComeInBetween(t *testing.T) {
	const ms = int64(1e6)
	inside := func(elsewhere, late int64) int {
		r := NewRecord()
		add := func(ev format.Event) { r.Add(&ev, ev.End) }
		wait := func(t, owner format.ThreadID, lock format.ObjectID, from, to int64) {
			add(format.Event{Kind: format.KindWait, Thread: t, Owner: owner, Object: lock, Stack: 9, Time: from, End: to})
		}
		for i := range int64(20) {
			at := i * 100 * ms
			if elsewhere > 0 {
				wait(4, 2, 2, at+ms, at+elsewhere)
			}
			add(format.Event{Kind: format.KindActivity, Activity: format.ActivitySleep, Thread: 2, Stack: 3, Time: at, End: at + 24*ms})
			wait(1, 4, 1, at+5*ms+i*ms/20, at+24*ms+late)
		}
		wait(2, 1, 1, 3000*ms, 3016*ms)
		a := r.Arrange(monitors{}.Kind)
		a.indexing.Wait()
		n := 0
		for _, seen := range learntOfOne(a.evidence(monitors{})).seen {
			if seen.thread == 2 {
				n++
			}
		}
		return n
	}
	if n := inside(0, ms/4); n != 20 {
		t.Errorf("%d sleeps are inside, want all 20", n)
	}
	if n := inside(0, 4*ms); n != 0 {
		t.Errorf("%d sleeps are inside that end long before others get the lock", n)
	}
	if n := inside(24*ms, ms/4); n != 0 {
		t.Errorf("%d sleeps are inside while who is named waited", n)
	}
}
