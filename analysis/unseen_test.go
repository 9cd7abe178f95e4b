package analysis

import (
	"fmt"
	"slices"
	"testing"

	"contend/format"
)

func tellsIdle(how string) format.Event {
	return format.Event{Kind: format.KindSetting, Name: format.SettingIdle, Value: how}
}

func starts(thread int, at int64) format.Event {
	return format.Event{Kind: format.KindThreadStart, Thread: format.ThreadID(thread), Time: at}
}

// Two threads exclude each other for 30 s, and eight of a pool wait for the lock
// once, early, and then have nothing to do, which no event tells of.
func TestWhoIsNotSeenDoesNotRun(t *testing.T) {
	const s, ms = int64(1e9), int64(1e6)
	var events []format.Event
	events = append(events, recorded(0, 30*s))
	for at := int64(0); at < 30*s; at += 2 * ms {
		events = append(events, waits(1, 1, at, at+ms), waits(2, 1, at+ms, at+2*ms))
	}
	for i := range 8 {
		at := int64(i+1) * 10 * ms
		events = append(events, starts(10+i, at-ms), waits(10+i, 1, at, at+4*ms))
	}
	const waited = 30*s + 8*4*ms
	for _, c := range []struct {
		how      string
		sampled  bool
		low, top int64 // running time
		high     int64
	}{
		{"", false, 299 * s, 300 * s, 300 * s}, // all there was is in the trace
		{format.IdleEnded, false, 60*s - 10*ms, 60*s + 8*10*ms, 300 * s},
		{format.IdleEnded, true, 60*s - 10*ms, 60*s + 8*10*ms, 300 * s},
		{format.IdleLong, true, waited, waited + 100*ms, 300 * s}, // it may have slept between any two waits
	} {
		list := slices.Clone(events)
		if c.how != "" {
			list = append(list, tellsIdle(c.how))
		}
		if c.sampled {
			list = append(list, acts(format.ActivityRun, 1, s, s))
		}
		got, tr := run(t, list, open)
		if got.running < c.low || got.running > c.top || got.running != tr.RunningNs {
			t.Errorf("%q: running %d, want %d to %d", c.how, got.running, c.low, c.top)
		}
		if tr.RunningHigh < tr.RunningNs || tr.RunningHigh > c.high || tr.RunningHigh < c.high-s {
			t.Errorf("%q: at most %d, want about %d", c.how, tr.RunningHigh, c.high)
		}
		if tr.RunningIsWide() != (c.how != "") {
			t.Errorf("%q: between %d and %d", c.how, tr.RunningNs, tr.RunningHigh)
		}
	}
}

// The constants of unseen.go, which README gives as well.
func TestHowLongAThreadMayGoUnseen(t *testing.T) {
	const s, ms = int64(1e9), int64(1e6)
	if unseenFor != s || sampleFor != 20*ms || wideRange != 1.05 {
		t.Error("they have changed")
	}
	sample := func(at int64) format.Event { return acts(format.ActivityRun, 1, at, at) }
	parks := func(from, to int64) format.Event { return acts(format.ActivityPark, 1, from, to) }
	begun := []format.Event{recorded(0, 100*s), starts(1, 0)}
	for i, c := range []struct {
		how  string
		more []format.Event
		want int64
	}{
		{format.IdleEnded, nil, 0},                                                                                           // nothing but its start is known
		{format.IdleEnded, []format.Event{parks(10*s, 20*s)}, 10 * s},                                                        // a park before would have shown; behind it nothing is known
		{format.IdleEnded, []format.Event{parks(10*s, 20*s), sample(20 * s)}, 0},                                             // who runs for so long would have been sampled
		{format.IdleEnded, []format.Event{sample(s / 2), sample(s), sample(3 * s)}, s},                                       // up to the one that is followed by a long gap
		{format.IdleEnded, []format.Event{sample(s), {Kind: format.KindThreadEnd, Thread: 1, Time: 2 * s}}, 2 * s},           // its life is known
		{format.IdleLong, []format.Event{sample(s), sample(s + 10*ms), sample(3 * s)}, 30*ms + 20*ms},                        // about the samples
		{format.IdleLong, []format.Event{sample(s), waits(1, 1, 2*s, 4*s), parks(s, s+5*ms)}, 20*ms - 5*ms + 2*s},            // less what is known to be idle
		{format.IdleLong, []format.Event{parks(10*s, 20*s), parks(30*s, 31*s)}, 10*s + 10*s},                                 // not sampled: nothing better is known
		{"", []format.Event{parks(10*s, 20*s)}, 90 * s},                                                                      // another recorder tells all
		{format.IdleEnded, []format.Event{{Kind: format.KindThreadEnd, Thread: 1, Time: 90 * s}, parks(10*s, 20*s)}, 80 * s}, // and so does who ended
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			list := slices.Concat(begun, c.more)
			if c.how != "" {
				list = append(list, tellsIdle(c.how))
			}
			if got, _ := run(t, list, open); got.running != c.want {
				t.Errorf("running %v, want %v", got.running, c.want)
			}
		})
	}
}

// What lies outside of the evidence of a thread is a range; a thread whose evidence is
// all idle is idle there.
func TestOutsideOfEvidenceIsARange(t *testing.T) {
	const s = int64(1e9)
	parks := func(from, to int64) format.Event { return acts(format.ActivityPark, 1, from, to) }
	for i, c := range []struct {
		events    []format.Event
		low, high int64
	}{
		{[]format.Event{starts(1, 0), parks(s, 2*s)}, s, 2 * s},
		{[]format.Event{parks(s, 2*s)}, 0, 0},
		{[]format.Event{parks(s/2, s), parks(2*s, 5*s/2)}, s, s}, // it ran between them
		{[]format.Event{parks(0, s), waits(1, 1, s, 2*s)}, s, 2 * s},
		{[]format.Event{waits(1, 1, s, 2*s)}, s, 3 * s},
		{[]format.Event{parks(s, 2*s), {Kind: format.KindThreadEnd, Thread: 1, Time: 3 * s}}, s, 2 * s},
	} {
		_, tr := run(t, append(c.events, recorded(0, 3*s), tellsIdle(format.IdleEnded)), open)
		if tr.RunningNs != c.low || tr.RunningHigh != c.high {
			t.Errorf("%d: running %v to %v, want %v to %v", i, tr.RunningNs, tr.RunningHigh, c.low, c.high)
		}
	}
}

// Two chunks of one JVM two years apart.
func TestYearsBetweenChunksAreNoRunningTime(t *testing.T) {
	const s, years = int64(1e9), 2 * 365 * 86400 * int64(1e9)
	list := []format.Event{recorded(0, 10*s), recorded(years, years+10*s), tellsIdle(format.IdleEnded),
		waits(1, 1, s, 2*s), waits(1, 1, years+s, years+2*s), starts(1, 0), starts(2, 0)}
	if _, tr := run(t, list, open); tr.ElapsedNs != 20*s || tr.RunningHigh != 40*s || tr.RunningNs > 40*s {
		t.Errorf("running %d, at most %d, of %d", tr.RunningNs, tr.RunningHigh, tr.ElapsedNs)
	}
}

func TestOutside(t *testing.T) {
	list, cut := []span{{0, 10}, {20, 30}, {40, 50}}, span{5, 45}
	for _, c := range []struct {
		others []span
		want   int64
	}{
		{nil, 5 + 10 + 5},
		{[]span{{0, 50}}, 0},
		{[]span{{8, 22}}, 3 + 8 + 5},
		{[]span{{0, 6}, {22, 24}, {25, 26}, {30, 40}, {44, 60}}, 4 + 7 + 4},
	} {
		if got := outside(list, c.others, cut); got != c.want {
			t.Errorf("outside of %v: %d, want %d", c.others, got, c.want)
		}
	}
}
