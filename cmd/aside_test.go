package cmd

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/decode"
	"contend/format"
	"contend/golden"
	"contend/report/document"

	"golang.org/x/exp/trace"
)

type stretch struct{ from, to int64 }

// waiting adds up, straight from the events of a trace, the time in which each
// thread waits for a lock or is idle, whatever it waits for; exact is false when
// instants stand for time.
func waiting(t *testing.T, path string) (ns int64, exact bool) {
	t.Helper()
	src := golden.Must(decode.Open([]string{path}, nil, decode.Options{}))(t)
	defer src.Close()
	by, end, exact := map[format.ThreadID][]stretch{}, int64(0), true
	var ev format.Event
	for {
		if err := src.Read(&ev); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == format.KindTick {
			exact = false
		}
		if ev.Kind == format.KindWait ||
			ev.Kind == format.KindActivity && ev.Activity <= format.ActivitySleep && ev.Thread != format.NoThread {
			by[ev.Thread] = append(by[ev.Thread], stretch{ev.Time, ev.End})
		}
		end = max(end, ev.End)
	}
	for _, list := range by {
		slices.SortFunc(list, func(a, b stretch) int { return int(min(max(a.from-b.from, -1), 1)) })
		last := int64(math.MinInt64)
		for _, s := range list {
			if s.from = max(s.from, last); s.from < s.to {
				ns, last = ns+s.to-s.from, s.to
			}
		}
	}
	return ns, exact
}

// What threads wait for locks, wait for resources and are idle is all the
// waiting a trace tells of. Parks that are one acquire of a lock count as one
// wait, with what is between them.
func TestNoWaitingIsLost(t *testing.T) {
	golden.ParallelUnlessShort(t)
	paths := golden.Must(filepath.Glob("../testdata/*"))(t)
	for _, of := range []string{"../testdata/documents/*.txt", "../../shared/fixtures/public/jfr/*.jfr"} {
		more, _ := filepath.Glob(of)
		paths = append(paths, more[:min(len(more), 25)]...)
	}
	exact, counted := 0, 0
	for _, path := range paths {
		if !slices.Contains([]string{".jfr", ".trace", ".txt"}, filepath.Ext(path)) {
			continue
		}
		d, err := decoded[document.Analyze]("analyze", "--idle", "--top", "0", path)
		if err != nil {
			continue // damaged, or no trace
		}
		want, told := waiting(t, path)
		if !told {
			counted++
			continue
		}
		exact++
		got := d.Total.WaitNs + d.ResourceTotal.WaitNs + d.IdleTotal.WaitNs
		if off := math.Abs(float64(got-want)) / float64(max(want, 1)); off > 0.002 &&
			math.Abs(float64(got-want)) > 1000 {
			t.Errorf(
				"%s: %d for locks, %d for resources and %d idle are %d, of %d",
				path,
				d.Total.WaitNs,
				d.ResourceTotal.WaitNs,
				d.IdleTotal.WaitNs,
				got,
				want,
			)
		}
		for _, list := range [][]document.Resource{d.Resources, d.Idle} {
			for _, r := range list {
				if strings.TrimSpace(r.What) == "" || r.Waiters == 0 || r.WaitNs > 0 && r.Waits == 0 {
					t.Errorf("%s: %+v", path, r)
				}
			}
		}
	}
	t.Logf("%d traces held to it, %d count", exact, counted)
	if _, err := os.Stat("../testdata/phases.jfr"); err == nil && exact < 5 {
		t.Errorf("%d traces held to it", exact)
	}
}

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
		golden.AtMost(t, math.Abs(float64(got)/float64(want)-1), 0.001, path, "running", got, want)
	}
}
