package whatif

import (
	"fmt"
	"strings"
	"testing"

	"contend/analysis"
	"contend/format"
)

// What a thread has when it waits for another lock it took before that.
func TestTenuresAreSettled(t *testing.T) {
	outer, inner := int32(0), int32(1)
	c := New()
	c.locks = []format.ObjectID{1, 2}
	c.sym, c.threads = analysis.NewSymbols(), make([]*thread, 2)
	c.tenures = []tenure{
		{asked: 100, start: 110, end: 150, lock: outer, section: 1}, // its own wait says how long it takes
		{asked: 120, start: 130, end: 140, lock: inner, section: 2},
		{asked: 330, start: 330, end: 350, lock: outer, section: 1}, // first seen in the wait for the inner one
		{asked: 320, start: 340, end: 345, lock: inner, section: 2},

		{thread: 1, asked: 300, start: 400, end: 400, lock: outer, section: 1}, // nobody waited for its end
		{thread: 1, asked: 335, start: 335, end: 338, lock: outer, section: 1}, // impossible: it waits for it
	}
	var got []string
	for _, h := range c.settle() {
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
	first, other := tenure{asked: 10, start: 10, end: 20}, tenure{thread: 1, asked: 15, start: 18, end: 25}
	next, reads, waits := tenure{asked: 20, start: 20, end: 30}, tenure{asked: 20, start: 20, end: 30, mode: format.Shared}, tenure{asked: 19, start: 20, end: 30}
	for name, c := range map[string]struct {
		all       []tenure
		semaphore bool
		want      int
	}{
		"nobody between":     {[]tenure{first, next}, false, 1},
		"later":              {[]tenure{first, {asked: 21, start: 21, end: 30}}, false, 2},
		"it waited":          {[]tenure{first, waits}, false, 2},
		"another lock":       {[]tenure{first, {asked: 20, start: 20, end: 30, lock: 1}}, false, 2},
		"another between":    {[]tenure{first, other, next}, false, 3},
		"another's permit":   {[]tenure{first, other, next}, true, 2},
		"another one reads":  {[]tenure{first, other, reads}, false, 2},
		"of threads unknown": {[]tenure{nobodys(first), nobodys(next)}, false, 2},
	} {
		out := joined(c.all, []bool{c.semaphore, false})
		if len(out) != c.want || out[0].start != 10 || out[0].end != 20 && out[0].end != 30 || (out[0].end == 30) != (c.want < len(c.all)) {
			t.Errorf("%s: %+v", name, out)
		}
	}

	c := New()
	c.sym, c.locks, c.threads = analysis.NewSymbols(), []format.ObjectID{1}, make([]*thread, 1)
	c.tenures = []tenure{{asked: 5, start: 10, end: 20}, next}
	if got := c.settle(); len(got) != 1 || got[0].end != 30 {
		t.Errorf("settled: %+v", got)
	}
}

// nobodys is a tenure of an unknown thread.
func nobodys(t tenure) tenure {
	t.thread = -1
	return t
}
