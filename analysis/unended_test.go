package analysis

import (
	"slices"
	"testing"

	"contend/format"
)

// seenAt returns samples, each 100 ms, that show threads waiting for a lock.
func seenAt(from, to int64, lock, owner int, waiters ...int) (out []format.Event) {
	for at := from; at <= to; at += 1e8 {
		out = append(out, dump(at, lock, owner, 70+owner, waiters...))
	}
	return out
}

// A wait is recorded when it ends, if it began in the recording: who hangs all the
// while is in none, and is counted from samples. What ends or begins in between is
// recorded, and counts once.
func TestWaitsThatDoNotEndAreSeen(t *testing.T) {
	const s = int64(1e9)
	recording := format.Event{Kind: format.KindRecording, Time: 0, End: 5 * s}
	gaveUp := waits(2, 2, 0, 15e7)
	gaveUp.Failed = true
	cases := []struct {
		name        string
		events      []format.Event
		waits       int
		total       int64
		direct      map[string]int64
		deadlocks   int
		atThreshold int64
	}{
		{name: "all the while", events: seenAt(1e8, 49e8, 1, 9, 1, 2), waits: 2, total: 2 * 48e8, direct: map[string]int64{"t9": 2 * 48e8}},
		{name: "to the end", events: append(seenAt(1e8, 49e8, 3, 9, 4), seenAt(2*s, 49e8, 1, 9, 2)...), waits: 2, total: 48e8 + 29e8},
		{name: "from before the beginning", events: append(seenAt(1e8, 3*s, 1, 9, 2), sleeps(2, 5, 4*s, 5*s)), waits: 1, total: 29e8},
		{name: "in the midst, where it would be recorded", events: append(seenAt(2*s, 35e8, 1, 9, 2), dump(1e8, 2, 8, 0, 7), dump(49e8, 2, 8, 0, 7)), waits: 1, total: 48e8},
		{name: "ran in between", events: append(seenAt(1e8, 49e8, 1, 9, 2), runs(2, 5, 45e8)), waits: 1, total: 43e8},
		{name: "recorded", events: append(seenAt(1e8, 49e8, 1, 9, 2), waits(2, 2, 0, 5*s)), waits: 1, total: 5 * s},
		{name: "a short one at the end", events: append(seenAt(1e8, 1e8, 1, 9, 3), seenAt(42e8, 49e8, 1, 9, 2)...)},
		{name: "where short ones are left out", events: seenAt(1e8, 49e8, 1, 9, 1, 2), atThreshold: 10e6},
		{name: "a lock that is recorded under another name", events: append(seenAt(1e8, 49e8, 1, 9, 1), dump(1e8, 1, 9, 0, 2), gaveUp), waits: 2, total: 48e8 + 15e7,
			direct: map[string]int64{"t9": 48e8 + 15e7}},
		{name: "a deadlock", events: append(seenAt(1e8, 49e8, 1, 1, 2), seenAt(1e8, 49e8, 2, 2, 1)...), waits: 2, total: 2 * 48e8, deadlocks: 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			events := []format.Event{recording, {Kind: format.KindSetting, Name: "wait#threshold", Weight: c.atThreshold}}
			for lock := format.ObjectID(1); lock <= 3; lock++ {
				events = append(events, format.Event{Kind: format.KindObject, Object: lock, Class: "L", LockKind: format.KindMonitor})
			}
			got, tr := run(t, append(events, c.events...), open)
			if int(got.waits) != c.waits || got.total != c.total {
				t.Errorf("%d waits of %d ns, want %d of %d", got.waits, got.total, c.waits, c.total)
			}
			for owner, ns := range c.direct {
				if got.direct[owner] != ns {
					t.Errorf("owners %v, want %v", got.direct, c.direct)
				}
			}
			if len(tr.Deadlocks) != c.deadlocks {
				t.Errorf("deadlocks: %v", tr.Deadlocks)
			}
			says := slices.ContainsFunc(tr.Coverage.Warnings, func(w format.Warning) bool { return w.Code == "unended" })
			if says != (c.waits > 0 && c.name != "recorded") {
				t.Errorf("warnings: %v", tr.Coverage.Warnings)
			}
		})
	}
}

// Samples of one recording say nothing of the threads of another, and each has its
// own end.
func TestWaitsThatDoNotEndAreOfTheirRecording(t *testing.T) {
	input := format.Event{Kind: format.KindSetting, Name: format.SettingInput, Value: "a"}
	events := append([]format.Event{input, {Kind: format.KindRecording, Time: 0, End: 5e9}}, seenAt(1e8, 49e8, 1, 9, 1)...)
	second := input
	second.Value = "b"
	events = append(append(events, second, format.Event{Kind: format.KindRecording, Time: 8e9, End: 12e9}), seenAt(81e8, 119e8, 2, 8, 2)...)
	if got, _ := run(t, events, open); got.total != 48e8+38e8 {
		t.Errorf("%d ns of waiting, want %d", got.total, int64(48e8+38e8))
	}
}
