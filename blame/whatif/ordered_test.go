package whatif

import (
	"testing"

	"contend/format"
)

// inOrder runs tenures of some locks in order, of which section 1 takes a part of its
// time, and returns how long threads wait.
func inOrder(by rule, change func(e *effect), threads ...thread) int64 {
	c := &Collector{locks: make([]format.ObjectID, 2), end: 1000, waitNs: 1, threads: threads}
	e := c.unchanged()
	e.section, e.keep = []bool{false, true}, .5
	if change != nil {
		change(e)
	}
	out := newOrdered(c, make([]int64, 2)).run(e, by)
	return int64(out.waited)
}

func owns(asked, start, end int64, lock int32, section uint32) hold {
	return hold{asked: asked, start: start, end: end, lock: lock, section: section}
}

// A wait ends as much later than the lock is given back as it did, if nothing is known
// of that time; if it may have been the section's, it shrinks with it.
func TestAWaitInOrderEndsAfterTheTenureBefore(t *testing.T) {
	owner, waiter := thread{holds: []hold{owns(0, 0, 100, 0, 1)}}, thread{holds: []hold{owns(20, 120, 150, 0, 2)}}
	for _, c := range []struct {
		by     rule
		change func(e *effect)
		want   int64
	}{
		{closed, nil, 50}, // given back at 50, taken 20 later, asked for at 20
		{rule{likely: true}, func(e *effect) { e.share[0] = 1 }, 40}, // taken 10 later
		{rule{likely: true}, func(e *effect) { e.share[0] = 0 }, 50}, // nothing of the 20 is a section's
		{closed, func(e *effect) { e.gone[0] = true }, 0},            // without the lock nobody waits
		{closed, func(e *effect) { e.keep = 1 }, 100},                // as it was
	} {
		if got := inOrder(c.by, c.change, owner, waiter); got != c.want {
			t.Errorf("%+v: waits %d, want %d", c, got, c.want)
		}
	}
}

// Who had a lock without waiting, and comes earlier than the one before gives it back,
// waits for that by the strict rule alone: not as a reader among readers, and not for a
// lock that is gone.
func TestWhoDidNotWaitMayHaveToInOrder(t *testing.T) {
	owner := func(mode format.Mode) thread {
		h := owns(0, 0, 100, 0, 2)
		h.mode = mode
		return thread{holds: []hold{h}}
	}
	comes := func(mode format.Mode) thread {
		h := owns(110, 110, 130, 0, 2)
		h.mode = mode
		return thread{holds: []hold{owns(10, 10, 90, 1, 1), h}}
	}
	exclusive, shared := format.Exclusive, format.Shared
	for _, c := range []struct {
		by           rule
		first, later format.Mode
		change       func(e *effect)
		want         int64
	}{
		{closed, exclusive, exclusive, nil, 0},
		{rule{strict: true}, exclusive, exclusive, nil, 30}, // comes at 70
		{rule{strict: true}, shared, shared, nil, 0},
		{rule{strict: true}, exclusive, exclusive, func(e *effect) { e.gone[0] = true }, 0},
		{rule{strict: true}, exclusive, exclusive, func(e *effect) { e.keep = 1 }, 0}, // as it was
	} {
		if got := inOrder(c.by, c.change, owner(c.first), comes(c.later)); got != c.want {
			t.Errorf("%+v: waits %d, want %d", c, got, c.want)
		}
	}
}
