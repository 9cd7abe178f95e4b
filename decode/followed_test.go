package decode

import (
	"testing"

	"contend/format"
	"contend/golden"
)

// Of a class that an agent followed, its waits and holds replace the waits of the flight recording, whose stacks they
// keep; samples and waits from before the flight recording are left out, and so are those of other classes.
func TestWhatAnAgentFollowedReplacesWaits(t *testing.T) {
	f := newFollowed()
	f.classes["Followed"] = &followedClass{since: 1000, whole: true}
	f.from, f.to = 1000, 100_000_000
	f.held = map[string]bool{"Followed": true, "Missed": true}
	object := func(id format.ObjectID, class string) *format.Event {
		return &format.Event{Kind: format.KindObject, Object: id, Class: class}
	}
	wait := func(lock format.ObjectID, start, end int64, stack format.StackID) *format.Event {
		return &format.Event{Kind: format.KindWait, Object: lock, Thread: 7, Time: start, End: end, Stack: stack}
	}
	golden.Equal(t, f.holdsBack(object(1, "Followed")), false, "names stay")
	f.holdsBack(object(2, "Other"))
	golden.Equal(t, f.holdsBack(wait(1, 5000, 9000, 3)), true, "the flight recording's wait for it")
	golden.Equal(t, f.holdsBack(wait(2, 5000, 9000, 3)), false, "one for another lock")
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
	f.see(object(21, "Followed")) // the same lock, as it is numbered in the output
	both, lacks := wait(21, 5100, 9100, 0), wait(21, 50_000_000, 60_000_000, 4)
	golden.Equal(t, f.see(both) && f.see(lacks), true, "waits of a class of which the agent has nearly all")
	golden.Equal(t, both.Stack, format.StackID(3), "the whole stack of the wait")
	golden.Equal(t, lacks.Stack, format.StackID(4), "that of a wait that the flight recording lacks")
}

// Waits that an agent lacks are those of the flight recording. Of a class that it recorded in part, all are; its
// holds stay, and where it is not known who held the lock, an unknown thread does: not between holds without an
// acquisition in between, nor from a hold up to an acquisition after which its thread is the previous owner.
func TestWaitsThatTheAgentLacksStay(t *testing.T) {
	type interval struct{ start, end int64 }
	for _, c := range []struct {
		what    string
		whole   bool
		seen    []interval // waits of thread 7 by the agent
		held    []interval // holds of thread 8
		flight  []interval // waits of thread 7 by the flight recorder
		owner   format.ThreadID
		unknown []interval
		waits   int // of the flight recording
	}{
		{"a wait that both have", true, []interval{{10, 20}}, []interval{{10, 15}}, []interval{{11, 20}}, 8, nil, 0},
		{"one that the agent lacks, after it", true, []interval{{10, 20}}, []interval{{10, 15}},
			[]interval{{11, 20}, {30, 40}}, 8, []interval{{30, 40}}, 1},
		{"in part, and the same owner before", false, []interval{{10, 20}}, []interval{{10, 15}},
			[]interval{{11, 20}, {30, 40}}, 8, []interval{{30, 40}}, 2},
		{"in part, and another owner before", false, []interval{{10, 20}}, []interval{{10, 15}},
			[]interval{{11, 20}}, 9, []interval{{15, 20}}, 1},
		{"in part, and holds without an acquisition in between", false, []interval{{10, 40}},
			[]interval{{10, 15}, {20, 30}}, []interval{{11, 40}}, 9, []interval{{30, 40}}, 1},
	} {
		f := newFollowed()
		f.classes["A"] = &followedClass{whole: c.whole}
		wait := func(lock format.ObjectID, w interval) *format.Event {
			return &format.Event{
				Kind:   format.KindWait,
				Object: lock,
				Thread: 7,
				Owner:  c.owner,
				Time:   w.start,
				End:    w.end,
			}
		}
		for lock := range format.ObjectID(2) {
			f.holdsBack(&format.Event{Kind: format.KindObject, Object: lock + 1, Class: "A"})
		}
		for _, w := range c.flight {
			f.holdsBack(wait(1, w))
		}
		f.sort()
		for _, w := range c.seen {
			golden.Equal(t, f.see(wait(2, w)), c.whole, c.what+": whether the agent's wait counts")
		}
		for _, h := range c.held {
			f.see(&format.Event{Kind: format.KindTenure, Object: 2, Thread: 8, Time: h.start, End: h.end})
		}
		var unknown []interval
		waits := 0
		for _, ev := range f.missed() {
			golden.Equal(t, ev.Object, format.ObjectID(2), c.what+": the lock by the agent's number")
			if ev.Kind == format.KindWait {
				waits++
			} else {
				unknown = append(unknown, interval{ev.Time, ev.End})
			}
		}
		golden.Equal(t, waits, c.waits, c.what+": waits of the flight recording")
		golden.Same(t, unknown, c.unknown, c.what+": held by an unknown thread")
	}
}

// Samples of a lock that is too busy to be logged count all waiting for it, so that nothing is estimated beside them.
func TestNothingIsEstimatedBesideSamples(t *testing.T) {
	f := newFollowed()
	f.classes["Logged"], f.classes["Sampled"] = &followedClass{}, &followedClass{busy: true}
	for lock, want := range map[string]format.ThreadID{"Logged": 8, "Sampled": format.NoThread} {
		f.holdsBack(&format.Event{Kind: format.KindObject, Object: 1, Class: lock})
		ev := &format.Event{Kind: format.KindActivity, Activity: format.ActivityWait, Object: 1, Thread: 7, Owner: 8}
		golden.Equal(t, f.holdsBack(ev), false, "an idle wait stays")
		golden.Equal(t, ev.Owner, want, lock, ": who ended it")
	}
}
