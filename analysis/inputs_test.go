package analysis

import (
	"slices"
	"testing"

	"contend/format"
)

func recorded(from, to int64) format.Event {
	return format.Event{Kind: format.KindRecording, Time: from, End: to}
}

func acts(what format.Activity, thread int, from, to int64) format.Event {
	return format.Event{Kind: format.KindActivity, Activity: what, Thread: format.ThreadID(thread), Time: from, End: to}
}

// Two recordings of one JVM are an hour apart. What its threads did in between is unknown,
// except for recorded waits.
func TestTimeBetweenRecordingsIsNoRunningTime(t *testing.T) {
	const s, hour = int64(1e9), int64(3600e9)
	both := []format.Event{recorded(0, 10*s), recorded(hour, hour+10*s), acts(format.ActivityRun, 1, s, s), acts(format.ActivityRun, 2, hour+s, hour+s)}
	for _, c := range []struct {
		name    string
		more    []format.Event
		running int64
	}{
		{"two threads", nil, 4 * 10 * s},
		{"one sleeps into the second", []format.Event{acts(format.ActivitySleep, 1, 4*s, hour+3*s)}, 4*10*s - 6*s - 3*s},
		{"one waits into the second", []format.Event{waits(1, 1, 9*s, hour+s)}, 4*10*s + hour - 10*s},
		{"pieces of one recording", []format.Event{recorded(10*s, hour)}, 2 * (hour + 10*s)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, tr := run(t, slices.Concat(both, c.more), open)
			if got.running != c.running || tr.Threads != 2 {
				t.Errorf("%d threads ran for %d, want 2 for %d", tr.Threads, got.running, c.running)
			}
		})
	}
}

// Waits recorded in one input add to the samples of a later one.
func TestRecordedWaitsBeforeTheFirstSampleCount(t *testing.T) {
	const s = int64(1e9)
	exact := []format.Event{recorded(0, 10*s), waits(1, 1, s, 3*s)}
	tick := func(at int64) []format.Event {
		return []format.Event{{Kind: format.KindTick, Time: at, Weight: s, Live: 2}, {Kind: format.KindContention, Time: at, Object: 2, Waiters: []format.Party{{Thread: 2}}}}
	}
	sampled := slices.Concat(tick(20*s), tick(21*s))
	input := []format.Event{{Kind: format.KindSetting, Name: format.SettingInput, Value: "next"}}
	var got summed
	if _, err := Run(&format.List{Events: slices.Concat(exact, input, sampled)}, open, &got); err != nil || got != summed(4*s) {
		t.Errorf("%d ns, want %d (%v)", got, 4*s, err)
	}
}

// summed is a visitor that sums waiting in any order.
type summed int64

func (*summed) Begin(*Symbols, int64) {}
func (n *summed) Slice(s *Slice)      { *n += summed(s.Ns()) }

// A recorder pauses for a moment when it begins a new file.
func TestPiecesOfOneRecordingNeedNotTouch(t *testing.T) {
	for _, c := range []struct {
		recorded, want []span
	}{
		{nil, nil},
		{[]span{{0, 10}}, nil},
		{[]span{{20e9, 30e9}, {0, 10e9}}, []span{{10e9, 20e9}}},
		{[]span{{0, 10e9}, {11e9, 12e9}, {12e9 + 1e6, 13e9}}, nil},
		{[]span{{0, 10e9}, {10.7e9, 11e9}, {12.5e9, 13e9}}, []span{{11e9, 12.5e9}}},
		{[]span{{0, 100e9}, {10e9, 20e9}, {30e9, 40e9}}, nil},
		{[]span{{0, 10e9}, {5e9, 7e9}, {14e9, 15e9}, {20e9, 20e9}}, []span{{10e9, 14e9}, {15e9, 20e9}}},
	} {
		if got := between(c.recorded); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.recorded, got, c.want)
		}
	}
}
