package jfr

import (
	"testing"

	"contend/format"
)

// What virtual threads hide is at most their lives less what their events tell,
// overlapping events once, up to the end of the recording where their end is not
// recorded.
func TestVirtualThreadsHideTheirLives(t *testing.T) {
	const ms = int64(1e6)
	r := started(t)
	v := &r.ids.virtual
	v.since = 1000 * ms
	life := func(id format.ThreadID, start, end int64) {
		v.add(id)
		v.add(id) // as each chunk does
		virtualStart(r, &values{}, &format.Event{Time: start})
		if end > 0 {
			virtualEnd(r, &values{}, &format.Event{Time: end})
		}
	}
	life(3, 1000*ms, 1500*ms)
	life(4, 1200*ms, 0)
	for _, ev := range []format.Event{
		{Thread: 3, Time: 1100 * ms, End: 1200 * ms}, {Thread: 3, Time: 1150 * ms, End: 1250 * ms}, // 150 ms
		{Thread: 4, Time: 1900 * ms, End: 2000 * ms}, {Thread: 5, Time: 0, End: 9000 * ms}, // the last is none of them
	} {
		v.note(&ev)
	}
	if ns, bounded := v.unobserved(2000 * ms); bounded || ns != (500+800-150-100)*ms {
		t.Errorf("%d, %v", ns, bounded)
	}
	v.first = true
	if _, bounded := v.unobserved(2000 * ms); !bounded {
		t.Error("all starts are recorded")
	}
	v.next(2000 * ms) // another JVM, without any
	if ns, bounded := v.unobserved(9000 * ms); !bounded || ns != 1050*ms {
		t.Errorf("in all: %d, %v", ns, bounded)
	}
	v.ran = true // it had some, whose starts are not recorded
	if _, bounded := v.unobserved(9000 * ms); bounded {
		t.Error("not all starts are recorded")
	}
}

// The starts of all count only where they were recorded all the time.
func TestVirtualThreadsAreCountedOrNot(t *testing.T) {
	for want, o := range map[bool][]ofJVM{
		true:  {{}, {ran: true, first: true, started: 2, seen: 2}},
		false: {{ran: true}, {ran: true, started: 2, seen: 2}, {ran: true, first: true, started: 1, seen: 2}, {ran: true, first: true, unlisted: true, started: 2, seen: 2}},
	} {
		for _, one := range o {
			if one.counted() != want {
				t.Errorf("%+v: %v", one, !want)
			}
		}
	}
}
