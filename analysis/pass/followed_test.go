package pass

import (
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// Where a recorder followed some locks, those have the owners that are recorded, and are free between
// holds; the owners of others are inferred. The samples beside count all threads that run, so that
// nothing is doubtful about pressure.
func TestSomeLocksAreFollowed(t *testing.T) {
	followed := []format.Event{
		{Kind: format.KindSetting, Name: format.SettingTenures, Value: format.TenuresContended},
		{Kind: format.KindWait, Time: 100, End: 200, Thread: 2, Object: 1},
		{Kind: format.KindTenure, Time: 100, End: 180, Thread: 1, Object: 1},
		{Kind: format.KindWait, Time: 100, End: 200, Thread: 4, Object: 2, Owner: 3},
		tick(100, 100, 4, 0),
		tick(150, 150, 4, 0),
	}
	s, tr := run(t, followed, open)
	got := s.direct
	golden.Equal(t, got["t1"], int64(80), "the recorded owner")
	golden.Equal(t, got["handoff"], int64(20), "the lock that was followed is free after its last hold")
	known := tr.Coverage.ByProvenance
	golden.Equal(t, known[analysis.ByTenure], int64(100), "waiting with recorded owners")
	for _, w := range tr.Coverage.Warnings {
		if w.Code == format.CodeMixed {
			t.Errorf("doubtful: %s", w.Text)
		}
	}
}

// Where such a recorder says that an unknown thread holds a lock, the owner is inferred. Recorded holds stay, and
// the lock is free between them.
func TestOwnersAreInferredBetweenRecordedHolds(t *testing.T) {
	const us = 1000
	wait := func(waiter, owner format.ThreadID, from, to int64) format.Event {
		return format.Event{Kind: format.KindWait, Time: from * us, End: to * us, Thread: waiter, Object: 1,
			Owner: owner, Stack: format.StackID(waiter)}
	}
	hold := func(owner format.ThreadID, from, to int64) format.Event {
		return format.Event{Kind: format.KindTenure, Time: from * us, End: to * us, Thread: owner, Object: 1}
	}
	events := []format.Event{
		{Kind: format.KindSetting, Name: format.SettingTenures, Value: format.TenuresContended},
		{Kind: format.KindStack, Stack: 2, Frames: []format.Frame{{Class: "A", Method: "two"}}},
		{Kind: format.KindStack, Stack: 3, Frames: []format.Frame{{Class: "A", Method: "three"}}},
		wait(2, 1, 100, 200),
		hold(1, 100, 130),
	}
	for at := int64(1000); at < 10_000; at += 1000 {
		events = append(events, wait(2, 3, at, at+200), hold(format.NoThread, at, at+200),
			wait(3, 2, at+500, at+700), hold(format.NoThread, at+500, at+700))
	}
	s, tr := run(t, events, open)
	got, known := s.direct, tr.Coverage.ByProvenance
	golden.Equal(t, got["t1"], int64(30*us), "the recorded owner")
	golden.Equal(t, known[analysis.ByTenure], int64(100*us), "it, and the time after it in which the lock was free")
	golden.AtLeast(t, got["t3"], int64(us), "the owner that other waits name")
	golden.AtLeast(t, known[analysis.ByInference], got["t2"]+got["t3"], "it is inferred")
}
