package cmd

import (
	"errors"
	"io"
	"strings"
	"testing"

	"contend/analysis"
	"contend/decode"
	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// nestedTransfer holds the ledger's lock while it waits for the inventory's:
// the root of that waiting is who held the inventory's.
func TestRootBlameNamesWhatTheOwnerWaitedFor(t *testing.T) {
	l := logged{Class: "Truth$LedgerLock", Sites: []string{"Truth.exportReport", "Truth.nestedTransfer"}}
	by := l.answer(ask[owned](t, "blame", "--root", "--by", "class,owner-stack", "../testdata/truth-8threads-dumps50ms.jfr")).by
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
		tr, err := analysis.Run(s, analysis.Filter{From: format.NoTime, To: format.NoTime}, sums)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		return sums, tr
	}
	with, a := run(false)
	without, b := run(true)
	if with.all != without.all || len(with.byLock) != len(without.byLock) {
		t.Errorf("%d and %d ns", with.all, without.all)
	}
	for lock, ns := range with.byLock {
		if without.byLock[lock] != ns {
			t.Errorf("%s: %d and %d ns", lock, ns, without.byLock[lock])
		}
	}
	doubt := func(tr *analysis.Trace) int64 {
		return tr.Coverage.ByProvenance.Ns() - tr.Coverage.ByProvenance.Right()
	}
	if doubt(a) > doubt(b) {
		t.Errorf("doubt with dumps %d, without %d", doubt(a), doubt(b))
	}
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
	t.Parallel()
	golden.Unhurried(t)
	for _, c := range []struct {
		name       string
		lock, idle []string
	}{
		{"hsqldb-6clients", []string{"ReentrantReadWriteLock$NonfairSync"}, []string{"CountUpDownLatch"}},
		{"phases", []string{"Semaphore$NonfairSync"}, []string{"ConditionObject", "ThreadPoolExecutor", "SynchronousQueue", "LinkedBlockingQueue"}},
		{"virtual-jdk25", nil, []string{"ForkJoinPool", "CountDownLatch", "unknown"}},
	} {
		a := ask[document.Analyze](t, "analyze", "--by", "class", "../testdata/"+c.name+".jfr")
		var classes []string
		for _, l := range a.Locks {
			classes = append(classes, l.Class)
		}
		all := strings.Join(classes, " ")
		for _, want := range c.lock {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %s is missing in %s", c.name, want, all)
			}
		}
		for _, not := range c.idle {
			if strings.Contains(all, not) {
				t.Errorf("%s: %s is no lock", c.name, not)
			}
		}
	}
}
