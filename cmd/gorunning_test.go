package cmd

import (
	"errors"
	"io"
	"math"
	"os"
	"testing"

	"contend/golden"
	"contend/report/document"

	"golang.org/x/exp/trace"
)

// runningTime adds up, straight from a trace, the time of goroutines, and the time they
// wait less, but for a Mutex or RWMutex and asleep with one.
func runningTime(t *testing.T, path string) (ns int64) {
	t.Helper()
	f := golden.Must(os.Open(path))(t)
	defer f.Close()
	r := golden.Must(trace.NewReader(f))(t)
	idleSince := map[trace.GoID]trace.Time{}
	alive := map[trace.GoID]bool{}
	first, last := trace.Time(0), trace.Time(0)
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		golden.OK(t, err)
		if ev.Kind() == trace.EventSync {
			continue
		}
		if last = ev.Time(); first == 0 {
			first = last
		}
		if ev.Kind() != trace.EventStateTransition || ev.StateTransition().Resource.Kind != trace.ResourceGoroutine {
			continue
		}
		st := ev.StateTransition()
		g := st.Resource.Goroutine()
		from, to := st.Goroutine()
		at := last
		if from == trace.GoUndetermined {
			at = first
		}
		if !alive[g] {
			alive[g] = true
			ns -= int64(at)
		}
		if _, idle := idleSince[g]; to == trace.GoWaiting && !idle && !stillRuns(st.Stack) {
			idleSince[g] = at
		}
		if since, idle := idleSince[g]; idle && to != trace.GoWaiting {
			ns -= int64(last - since)
			delete(idleSince, g)
		}
		if to == trace.GoNotExist {
			ns += int64(last)
			delete(alive, g)
		}
	}
	for g := range alive {
		ns += int64(last)
		if since, idle := idleSince[g]; idle {
			ns -= int64(last - since)
		}
	}
	return ns
}

// stillRuns reports whether a wait is for a lock, or inside of a critical section: in these
// functions the traced program sleeps with one.
func stillRuns(s trace.Stack) bool {
	for f := range s.Frames() {
		switch f.Func {
		case "sync.(*Mutex).Lock", "sync.(*RWMutex).Lock", "sync.(*RWMutex).RLock",
			"main.reconcile", "main.flush", "main.refresh":
			return true
		}
	}
	return false
}

// Pressure is a share of the time goroutines run, can run, are in system calls, wait
// for locks or sleep with one.
func TestGoRunningTime(t *testing.T) {
	paths := []string{goTrace}
	const public = "../../shared/fixtures/public/gotrace/go125-encoding-json.trace"
	if _, err := os.Stat(public); err == nil {
		paths = append(paths, public)
	} else {
		t.Log("skipped: the public trace is not here")
	}
	for _, path := range paths {
		want := runningTime(t, path)
		got := ask[document.CSP](t, "csp", path).Total.RunningNs
		t.Logf("%s: %d ns, %d straight from the trace", path, got, want)
		if off := math.Abs(float64(got)/float64(want) - 1); off > 0.001 {
			t.Errorf("%s: running %d ns, want %d", path, got, want)
		}
	}
}
