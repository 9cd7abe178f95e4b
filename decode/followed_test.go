package decode

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// Of a class that an agent followed, its waits and holds replace the waits of the flight recording, whose stacks they
// keep; samples and waits from before the flight recording are left out, and so are those of other classes.
func TestWhatAnAgentFollowedReplacesWaits(t *testing.T) {
	f := &followed{
		classes: map[string]int64{"Followed": 1000},
		from:    1000,
		to:      100_000_000,
		locks:   map[format.ObjectID]int64{},
		theirs:  map[format.ObjectID]bool{},
		waits:   map[format.ThreadID][]waitStack{},

		held:     map[string]bool{"Followed": true, "Missed": true},
		inferred: map[format.ObjectID]bool{},
	}
	object := func(id format.ObjectID, class string) *format.Event {
		return &format.Event{Kind: format.KindObject, Object: id, Class: class}
	}
	wait := func(lock format.ObjectID, start, end int64, stack format.StackID) *format.Event {
		return &format.Event{Kind: format.KindWait, Object: lock, Thread: 7, Time: start, End: end, Stack: stack}
	}
	golden.Equal(t, f.omits(object(1, "Followed")), false, "names stay")
	f.omits(object(2, "Other"))
	golden.Equal(t, f.omits(wait(1, 5000, 9000, 3)), true, "the flight recording's wait for it")
	golden.Equal(t, f.omits(wait(2, 5000, 9000, 3)), false, "one for another lock")
	f.sort()
	f.adds(object(11, "Followed"))
	f.adds(object(12, "Other"))
	for _, c := range []struct {
		ev   *format.Event
		want bool
		what string
	}{
		{wait(11, 5100, 9100, 0), true, "its wait"},
		{wait(12, 5100, 9100, 0), false, "a wait for a lock that was not seen enough"},
		{wait(11, 100, 900, 0), false, "a wait before the flight recording"},
		{&format.Event{Kind: format.KindContention, Time: 500}, false, "a sample before the flight recording"},
		{&format.Event{Kind: format.KindContention, Time: 1500}, true, "a sample in it"},
	} {
		golden.Equal(t, f.adds(c.ev), c.want, c.what)
	}
	f.adds(object(13, "Missed"))
	for lock, want := range map[format.ObjectID]int64{11: 1e6, 13: format.EvidenceOnly, 12: 1e6} {
		busy := &format.Event{Kind: format.KindContention, Object: lock, Time: 1500, Weight: 1e6}
		golden.Equal(t, f.adds(busy), true, "a sample of a busy lock")
		golden.Equal(t, busy.Weight, want, "the time that it stands for, where the flight recording lacks it")
	}
	early := wait(11, 500, 2000, 0)
	golden.Equal(t, f.adds(early), true, "a wait that ends in the flight recording")
	golden.Equal(t, early.Time, int64(1000), "it begins with the flight recording")
	golden.Equal(t, f.stackOf(wait(11, 5100, 9100, 0)), format.StackID(3), "the whole stack of the wait")
	missed := wait(11, 50_000_000, 60_000_000, 0)
	golden.Equal(t, f.stackOf(missed), format.NoStack, "a wait that the flight recording lacks")
}
