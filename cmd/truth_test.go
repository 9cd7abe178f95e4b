package cmd

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/decode"
	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// nestedTransfer holds the ledger's lock while it waits for the inventory's:
// the root of that waiting is who held the inventory's.
func TestRootBlameNamesWhatTheOwnerWaitedFor(t *testing.T) {
	l := logged{Class: "Truth$LedgerLock", Sites: []string{"Truth.exportReport", "Truth.nestedTransfer"}}
	by := l.answer(
		ask[owned](t, "blame", "--root", "--by", "class,owner-stack", "../testdata/truth-8threads-dumps50ms.jfr"),
	).by
	if by["Truth.exportReport"] < by["Truth.nestedTransfer"] || by["Truth.exportReport"] == 0 {
		t.Errorf("%v", by)
	}
}

// withoutDumps hides the thread dumps of a recording.
type withoutDumps struct{ format.Source }

func (s withoutDumps) Read(ev *format.Event) error {
	for {
		if err := s.Source.Read(ev); err != nil || ev.Kind != format.KindContention {
			return err
		}
	}
}

// Without its thread dumps a recording gives wider doubt, not other totals.
func TestDumpsChangeDoubtNotTotals(t *testing.T) {
	run := func(hide bool) (*totals, *analysis.Trace) {
		src, err := decode.Open([]string{"../testdata/truth-8threads-dumps50ms.jfr"}, nil, decode.Options{})
		golden.OK(t, err)
		defer src.Close()
		var s format.Source = src
		if hide {
			s = withoutDumps{src}
		}
		sums := &totals{byLock: map[string]int64{}}
		tr, err := pass.Run(s, analysis.Filter{From: format.NoTime, To: format.NoTime}, sums)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return sums, tr
	}
	with, a := run(false)
	without, b := run(true)
	golden.Equal(t, with.all, without.all)
	golden.Equal(t, len(with.byLock), len(without.byLock))
	for lock, ns := range with.byLock {
		golden.Equal(t, without.byLock[lock], ns, lock, "and")
	}
	doubt := func(tr *analysis.Trace) int64 {
		return tr.Coverage.ByProvenance.Ns() - tr.Coverage.ByProvenance.Right()
	}
	golden.AtMost(t, doubt(a), doubt(b), "doubt with dumps")
}

// totals sums waiting by class.
type totals struct {
	sym    *analysis.Symbols
	byLock map[string]int64
	all    int64
}

func (s *totals) Begin(sym *analysis.Symbols, _ int64) { s.sym = sym }
func (s *totals) Slice(sl *analysis.Slice) {
	s.all += sl.Ns()
	s.byLock[s.sym.ClassName(sl.Lock)] += sl.Ns()
}

// What waits for work is no contention; what waits for a permit or a
// read-write lock is.
func TestLocksAndIdlenessAreToldApart(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for _, c := range []struct {
		name       string
		lock, idle []string
	}{
		{"hsqldb-6clients", []string{"ReentrantReadWriteLock$NonfairSync"}, []string{"CountUpDownLatch"}},
		{"phases", []string{"Semaphore$NonfairSync"},
			[]string{"ConditionObject", "ThreadPoolExecutor", "SynchronousQueue", "LinkedBlockingQueue"}},
		{"virtual-jdk25", nil, []string{"ForkJoinPool", "CountDownLatch", "unknown"}},
	} {
		a := ask[document.Analyze](t, "analyze", "--by", "class", "../testdata/"+c.name+".jfr")
		var classes []string
		for _, l := range a.Locks {
			classes = append(classes, l.Class)
		}
		all := strings.Join(classes, " ")
		for _, want := range c.lock {
			golden.Holds(golden.Labelled(t, c.name), all, want)
		}
		for _, not := range c.idle {
			golden.Lacks(golden.Labelled(t, c.name), all, not)
		}
	}
}

const goTrace = "../testdata/go126-truth-12goroutines.trace"

// goTruth is what the traced Go program logged of itself.
type goTruth struct {
	Locks []struct {
		Lock      string
		WaitNs    int64
		HandoffNs int64
		BlockedBy map[string]float64
	}
}

// goLocks are the limits for each lock of the traced program, and a function
// by which to know it.
var goLocks = map[string]struct {
	taker    string
	distance float64
}{
	"ledger":  {"main.reconcile", 0.10},
	"journal": {"main.flush", 0.10},
	"cache":   {"main.refresh", 0.15},
}

// Waiting and owners, by lock, against what the program logged of itself.
func TestGoLocksEqualTheProgramsOwnLog(t *testing.T) {
	var want goTruth
	readTruth(t, strings.TrimSuffix(goTrace, ".trace")+".truth.json", &want)
	blame := ask[document.Blame](t, "blame", "--by", "lock,owner-method", goTrace)
	if len(want.Locks) != len(goLocks) {
		t.Fatalf("%d locks in the truth", len(want.Locks))
	}
	for _, l := range want.Locks {
		limit := goLocks[l.Lock]
		total, handoff, by, known := int64(0), int64(0), map[string]float64{}, 0.0
		for _, r := range blame.Rows {
			if !strings.Contains(r.Keys[0], limit.taker) {
				continue
			}
			total += r.ThreadNs
			if r.Keys[1] == "[handoff]" {
				handoff += r.ThreadNs
			}
			if op, ok := strings.CutPrefix(r.Keys[1], "main."); ok {
				by[strings.TrimSuffix(op, "J")] += float64(r.ThreadNs)
				known += float64(r.ThreadNs)
			}
		}
		golden.AtMost(t, math.Abs(float64(total)/float64(l.WaitNs)-1), 0.03, l.Lock, "waiting", total, l.WaitNs)
		if off := math.Abs(float64(handoff-l.HandoffNs)) / float64(l.WaitNs); off > 0.03 {
			t.Errorf("%s: %d ns of hand-off, want %d", l.Lock, handoff, l.HandoffNs)
		}
		sum, d := 0.0, 0.0
		for _, ns := range l.BlockedBy {
			sum += ns
		}
		for op, ns := range l.BlockedBy {
			d += math.Abs(ns/sum-by[op]/known) / 2
		}
		t.Logf(
			"%s: waiting %.4f of the truth, distance %.3f, owner's operation known %.3f",
			l.Lock,
			float64(total)/float64(l.WaitNs),
			d,
			known/float64(total),
		)
		golden.AtMost(t, d, limit.distance, l.Lock, "distance", by)
	}
}

// What a program says it does is a pivot: order waits for what nightly holds.
func TestTasksAndRegionsArePivots(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.out")
	f := golden.Must(os.Create(path))(t)
	if err := trace.Start(f); err != nil {
		t.Skipf("this process is being traced already: %v", err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	held, inLine := make(chan bool), make(chan bool)
	during := func(task, region string, do func()) {
		wg.Go(func() {
			ctx, end := trace.NewTask(context.Background(), task)
			defer end.End()
			trace.WithRegion(ctx, region, func() { trace.WithRegion(ctx, "over", func() {}); do() })
		})
	}
	during("reporting", "nightly", func() {
		mu.Lock()
		held <- true
		<-inLine
		time.Sleep(20 * time.Millisecond)
		mu.Unlock()
	})
	<-held
	during("ordering", "order", func() {
		mu.Lock()
		defer mu.Unlock()
	})
	if !comes(func() bool {
		return golden.CountGoroutines("[sync.Mutex.Lock", "contend/cmd.TestTasksAndRegionsArePivots") > 0
	}) {
		t.Error("nobody waits for the lock")
	}
	close(inLine)
	wg.Wait()
	trace.Stop()
	f.Close()
	b := ask[document.Blame](t, "blame", "--by", "task,region,owner-task,owner-region", path)
	top := strings.Join(b.Rows[0].Keys, " ")
	if top != "ordering order reporting nightly" || b.Rows[0].ThreadNs < 10e6 {
		t.Errorf("%s: %+v", top, b.Rows[0])
	}
	if rows := ask[document.Blame](t, "blame", "--by", "task,region", goTrace).Rows; len(rows) != 1 ||
		strings.Join(rows[0].Keys, " ") != "[no task] [no region]" {
		t.Errorf("%+v", rows)
	}
}
