package whatif

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

// Each repair makes a hold what it must have been; without it, the others do not.
func TestRepairs(t *testing.T) {
	const outer, inner = int32(0), int32(1)
	known := hold{asked: 0, start: 10, end: 30, lock: outer, section: 1} // its section usually takes 20
	for name, c := range map[string]struct {
		holds []hold
		want  string // thread, lock, asked, start and end of the last
	}{
		"readers": {[]hold{{asked: 0, start: 10, end: 20, section: 1, mode: format.Shared},
			{thread: 1, asked: 15, start: 15, end: 18, section: 1}}, "1:0 15-15-18 shared"},
		"no start in a wait": {[]hold{{asked: 100, start: 200, end: 210, lock: inner},
			{asked: 150, start: 150, end: 220}}, "0:0 100-100-220"},
		"ends": {[]hold{known, {thread: 1, asked: 40, start: 50, end: 50, section: 1}},
			"1:0 40-50-70"},
		"starts": {[]hold{known, {thread: 1, asked: 100, start: 100, end: 105, section: 1}},
			"1:0 85-85-105"},
		"one of two that touch": {[]hold{{asked: 5, start: 10, end: 20}, {asked: 20, start: 20, end: 30}},
			"0:0 5-10-30"},
		"one order of locks": {[]hold{
			{asked: 0, start: 1, end: 20, lock: outer}, {asked: 2, start: 3, end: 4, lock: inner},
			{asked: 5, start: 6, end: 7, lock: inner},
			{asked: 50, start: 51, end: 52, lock: outer},
			{asked: 40, start: 41, end: 60, lock: inner}}, "0:1 40-41-50"},
		"no end in a wait": {[]hold{{asked: 40, start: 80, end: 90, lock: inner},
			{asked: 10, start: 11, end: 60, lock: outer}}, "0:0 10-11-40"},
	} {
		rule := slices.IndexFunc(repairs, func(r repair) bool { return r.name == name })
		golden.Equal(t, settled(c.holds, repairs), c.want, name)
		if without := settled(c.holds, slices.Delete(slices.Clone(repairs), rule, rule+1)); without == c.want {
			t.Errorf("%s: nothing needs it", name)
		}
	}
	golden.Equal(t, len(repairs), 7, "each has a case above")
}

// settled describes the last of some holds as it is after some repairs.
func settled(holds []hold, rules []repair) string {
	s := settling{holds: slices.Clone(holds), threads: 2, semaphores: make([]bool, 2)}
	of := &s.holds[len(holds)-1]
	of.number = 1 // which no repair changes
	for _, rule := range rules {
		rule.apply(&s)
	}
	at := max(slices.IndexFunc(s.holds, func(h hold) bool { return h.number == 1 }), 0) // merged into the first
	h := s.holds[at]
	text := fmt.Sprintf("%d:%d %d-%d-%d", h.thread, h.lock, h.asked, h.start, h.end)
	if h.mode == format.Shared {
		text += " shared"
	}
	return strings.TrimSpace(text)
}

// An end that nothing shows is not before the start, and no hold of an unknown thread limits another's.
func TestHoldsOfUnknownThreads(t *testing.T) {
	s := settling{
		threads:    1,
		semaphores: make([]bool, 2),
		holds: []hold{
			{asked: 0, start: 10, end: 30, section: 1},
			{thread: unknown, asked: 40, start: 50, end: 50, section: 1},
			{thread: unknown, asked: 55, start: 55, end: 58, lock: 1, section: 2},
		},
	}
	s.limitEnds()
	golden.Equal(t, s.holds[1].end, int64(70))
}

// Holds of unknown threads alone, in every shape that a rule looks for, pass all rules: none
// of them is of a thread that has waits, other holds or an order of locks.
func TestRepairsOfUnknownThreadsAlone(t *testing.T) {
	var holds []hold
	for i, mode := range []format.Mode{format.Exclusive, format.Shared} {
		for lock := range int32(2) {
			at := int64(10 * i)
			holds = append(
				holds,
				hold{
					thread:  unknown,
					lock:    lock,
					mode:    mode,
					asked:   at,
					start:   at + 5,
					end:     at + 20,
					section: 1,
				}, // waited
				hold{
					thread: unknown,
					lock:   lock,
					mode:   mode,
					asked:  at + 20,
					start:  at + 20,
					end:    at + 20,
				}, // without an end, touching
				hold{
					thread: unknown,
					lock:   1 - lock,
					mode:   mode,
					asked:  at + 6,
					start:  at + 7,
					end:    at + 9,
				},
			) // inside another lock
		}
	}
	for _, threads := range []int{0, 1} {
		s := settling{holds: slices.Clone(holds), threads: threads, semaphores: make([]bool, 2)}
		for _, rule := range repairs {
			rule.apply(&s)
		}
		golden.Equal(t, len(s.holds), len(holds), "none is merged")
		for _, h := range s.holds {
			if h.thread != unknown || h.asked > h.start || h.start > h.end {
				t.Errorf("%+v", h)
			}
		}
	}
}

// Two holds of unknown threads may be of two threads: they are no evidence of readers or of an
// order of locks.
func TestRepairsLeaveHoldsOfUnknownThreads(t *testing.T) {
	readers := []hold{
		{asked: 0, start: 10, end: 20, section: 1, mode: format.Shared},
		{thread: unknown, asked: 15, start: 15, end: 18, section: 1},
	}
	golden.Equal(t, settled(readers, repairs), "-1:0 15-15-18", "readers")
	orders := []hold{
		{thread: unknown, asked: 0, start: 1, end: 20, lock: 0}, {thread: unknown, asked: 2, start: 3, end: 4, lock: 1},
		{
			thread: unknown,
			asked:  45,
			start:  46,
			end:    50,
			lock:   0,
		}, {thread: unknown, asked: 40, start: 41, end: 60, lock: 1}}
	golden.Equal(t, settled(orders, repairs), "-1:1 40-41-60", "orders")
}
