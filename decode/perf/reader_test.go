package perf

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"contend/format"
)

// fixture returns a text that perf script printed of our own programs.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../shared/fixtures/perf/" + name)
	if err != nil {
		t.Skip("the shared fixtures are not here")
	}
	return data
}

// readAll reads a text to its end.
func readAll(t testing.TB, data []byte) (*Reader, []format.Event) {
	t.Helper()
	r := NewReader(bytes.NewReader(data), "test", nil)
	var list format.List
	var ev format.Event
	err := r.Read(&ev)
	for ; err == nil; err = r.Read(&ev) {
		_ = list.Write(&ev)
	}
	if !errors.Is(err, io.EOF) || r.Read(&ev) != err {
		t.Fatalf("ended with %v, then %v", err, r.Read(&ev))
	}
	return r, list.Events
}

// sum adds up what there is of a kind: how many, and how long together.
func sum(events []format.Event, kind format.Kind, of func(*format.Event) bool) (n int, ns int64) {
	for i := range events {
		if ev := &events[i]; ev.Kind == kind && (of == nil || of(ev)) {
			n++
			ns += max(ev.End-ev.Time, 0)
		}
	}
	return n, ns
}

// The sums are those a few lines of awk make of the entries and exits of
// FUTEX_WAIT at the mutex's address: 159 calls of together 239.056 ms, two of
// which are tries of one acquire.
func TestWaitsOfAMutexAreCounted(t *testing.T) {
	r, events := readAll(t, fixture(t, "perf-futex-sched-pthread.txt"))
	n, ns := sum(events, format.KindWait, nil)
	if n < 157 || n > 159 || ns < 237e6 || ns > 241e6 {
		t.Errorf("%d waits of %d ns", n, ns)
	}
	woken, _ := sum(events, format.KindRelease, func(ev *format.Event) bool { return ev.Thread != format.NoThread && ev.Woken != format.NoThread })
	if woken < 157 {
		t.Errorf("%d releases tell who gave the lock back to whom", woken)
	}
	if s := r.Stats(); s.Events != 1443 || !s.Damage.Whole() || s.BytesRead != s.BytesTotal {
		t.Errorf("%+v", s)
	}
}
