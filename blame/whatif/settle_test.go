package whatif

import (
	"fmt"
	"strings"
	"testing"

	"contend/format"
)

// What a thread has when it waits for another lock it took before that.
func TestTenuresAreSettled(t *testing.T) {
	outer, inner := int32(0), int32(1)
	c := New()
	c.locks = []format.ObjectID{1, 2}
	c.threads = []thread{{holds: []hold{
		{asked: 100, start: 110, end: 150, lock: outer, section: 1}, // its own wait says how long it takes
		{asked: 120, start: 130, end: 140, lock: inner, section: 2},
		{asked: 330, start: 330, end: 350, lock: outer, section: 1}, // first seen in the wait for the inner one
		{asked: 320, start: 340, end: 345, lock: inner, section: 2},
	}}, {holds: []hold{
		{asked: 300, start: 400, end: 400, lock: outer, section: 1}, // nobody waited for its end
		{asked: 335, start: 335, end: 338, lock: outer, section: 1}, // impossible: it waits for it
	}}}
	var got []string
	for _, h := range c.settle(make([]bool, 2)) {
		got = append(got, fmt.Sprintf("%d:%d %d-%d-%d", h.thread, h.lock, h.asked, h.start, h.end))
	}
	want := "0:0 100-110-150, 0:1 120-130-140, 0:0 310-310-350, -1:0 335-335-338, 0:1 320-340-345, 1:0 300-400-440"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// Tenures of a thread that follow each other at once are one, if nobody waited between
// them and nobody else had the lock: of a semaphore and among readers others may.
func TestTenuresThatFollowAtOnceAreOne(t *testing.T) {
	first, other := hold{asked: 10, start: 10, end: 20}, hold{asked: 15, start: 18, end: 25}
	next, reads, waits := hold{asked: 20, start: 20, end: 30}, hold{asked: 20, start: 20, end: 30, mode: format.Shared}, hold{asked: 19, start: 20, end: 30}
	for name, c := range map[string]struct {
		all       []tenure
		semaphore bool
		want      int
	}{
		"nobody between":     {[]tenure{{first, 0}, {next, 0}}, false, 1},
		"later":              {[]tenure{{first, 0}, {hold{asked: 21, start: 21, end: 30}, 0}}, false, 2},
		"it waited":          {[]tenure{{first, 0}, {waits, 0}}, false, 2},
		"another lock":       {[]tenure{{first, 0}, {hold{asked: 20, start: 20, end: 30, lock: 1}, 0}}, false, 2},
		"another between":    {[]tenure{{first, 0}, {other, 1}, {next, 0}}, false, 3},
		"another's permit":   {[]tenure{{first, 0}, {other, 1}, {next, 0}}, true, 2},
		"another one reads":  {[]tenure{{first, 0}, {other, 1}, {reads, 0}}, false, 2},
		"of threads unknown": {[]tenure{{first, -1}, {next, -1}}, false, 2},
	} {
		out := joined(c.all, []bool{c.semaphore, false})
		if len(out) != c.want || out[0].start != 10 || out[0].end != 20 && out[0].end != 30 || (out[0].end == 30) != (c.want < len(c.all)) {
			t.Errorf("%s: %+v", name, out)
		}
	}

	c := New()
	c.locks, c.threads = []format.ObjectID{1}, []thread{{holds: []hold{{asked: 5, start: 10, end: 20}, next}}}
	if got := c.settle(make([]bool, 1)); len(got) != 1 || got[0].end != 30 {
		t.Errorf("settled: %+v", got)
	}
}
