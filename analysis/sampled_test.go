package analysis

import (
	"slices"
	"strings"
	"testing"

	"contend/format"

	"github.com/google/go-cmp/cmp"
)

func tick(at, intended int64, live, idle int) format.Event {
	return format.Event{Kind: format.KindTick, Time: at, Intended: intended, Live: uint32(live), IdleThreads: uint32(idle)}
}

func sample(at int64, lock, owner int, waiters ...int) format.Event {
	ev := dump(at, lock, owner, 0, waiters...)
	ev.Weight = format.WeightFromTicks
	return ev
}

func linked(at int64, lock, owner int, waiters ...int) format.Event {
	return dump(at, lock, owner, 0, waiters...)
}

func TestTicksReachHalfWayToTheirNeighbours(t *testing.T) {
	cases := []struct {
		name    string
		events  []format.Event
		direct  map[string]int64
		waits   int
		running int64
	}{
		{"even ticks",
			[]format.Event{tick(100, 100, 2, 0), sample(100, 1, 1, 2), tick(110, 110, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)},
			map[string]int64{"t1": 20}, 1, 60},
		{"the recorder stalled: actual time counts",
			[]format.Event{tick(100, 100, 3, 1), tick(110, 110, 3, 1), sample(110, 1, 1, 2), tick(150, 120, 3, 1)},
			map[string]int64{"t1": 5 + 20}, 1, 2 * 60},
		{"never further than ten periods",
			[]format.Event{tick(100, 100, 2, 0), tick(110, 110, 2, 0), sample(110, 1, 1, 2), tick(5000, 5000, 2, 0)},
			map[string]int64{"t1": 5 + 100}, 1, 2 * (10 + 105 + 105)},
		{"never across a gap",
			[]format.Event{tick(100, 100, 2, 0), {Kind: format.KindGap, Time: 104, End: 107}, tick(110, 110, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)},
			map[string]int64{"t1": 3 + 5}, 1, 2 * (9 + 8 + 10)},
		{"a free lock is being handed off; two waits of one thread",
			[]format.Event{tick(100, 100, 2, 0), sample(100, 1, 0, 2), tick(110, 110, 2, 0), tick(120, 120, 2, 0), sample(120, 1, 1, 2)},
			map[string]int64{"handoff": 10, "t1": 10}, 2, 60},
		{"a waiter that is listed twice stands for two",
			[]format.Event{tick(100, 100, 4, 0), sample(100, 1, 1, 2, 2), tick(110, 110, 4, 0), sample(110, 1, 1, 2, 2), tick(120, 120, 4, 0)},
			map[string]int64{"t1": 40}, 2, 120},
		{"a waiter that stands for no time shows whom the owner waits for",
			[]format.Event{tick(100, 100, 3, 0), linked(100, 2, 3, 1), sample(100, 1, 1, 2), tick(110, 110, 3, 0)},
			map[string]int64{"t1": 10}, 1, 60},
		{"nested at one instant",
			[]format.Event{tick(100, 100, 3, 0), sample(100, 1, 1, 2), sample(100, 2, 2, 3), tick(110, 110, 3, 0)},
			map[string]int64{"t1": 10, "t2": 10}, 2, 60},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, _ := run(t, c.events, open)
			if diff := cmp.Diff(c.direct, s.direct); diff != "" {
				t.Errorf("direct (-want +got):\n%s", diff)
			}
			if strings.Contains(c.name, "the owner waits for") && s.root["t3"] != 10 {
				t.Errorf("root: %v, want t3", s.root)
			}
			if s.waits != c.waits {
				t.Errorf("%d waits, want %d", s.waits, c.waits)
			}
			if s.running != c.running {
				t.Errorf("running %d, want %d", s.running, c.running)
			}
		})
	}
}

// The length of a sampled wait is unknown: its samples stand for the interval between them,
// however long the wait was.
func TestTheLeastLengthOfWaitsLeavesOutNoSampledOne(t *testing.T) {
	events := []format.Event{tick(100, 100, 2, 0), sample(100, 1, 1, 2), tick(110, 110, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)}
	f := open
	f.MinWait = 15
	s, tr := run(t, events, f)
	if s.waits != 1 || s.direct["t1"] != 20 {
		t.Errorf("%d waits, %v", s.waits, s.direct)
	}
	if !slices.ContainsFunc(tr.Coverage.Warnings, func(w format.Warning) bool { return w.Code == "min-wait" }) {
		t.Errorf("no warning: %v", tr.Coverage.Warnings)
	}
}

// A recorder that draws its instants at random may take two close together. Their distance
// is not its period, and does not limit the reach of the others.
func TestTheRecorderStatesItsPeriod(t *testing.T) {
	var ticks []format.Event
	for _, at := range []int64{1000, 1001, 1100, 1200} {
		ticks = append(ticks, tick(at, at, 1, 0), sample(at, 1, 0, 1))
	}
	stated, _ := run(t, append([]format.Event{{Kind: format.KindSetting, Name: format.SettingPeriod, Value: "100"}}, ticks...), open)
	if guessed, _ := run(t, ticks, open); stated.total != 250 || guessed.total < 200 {
		t.Errorf("%d ns of waiting, %d if the period is guessed", stated.total, guessed.total)
	}
}
