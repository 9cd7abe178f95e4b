package cmd

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"contend/analysis"
	"contend/decode"
	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// truth is what testdata's traced program logged of itself.
type truth struct {
	Locks []struct {
		Class     string
		BlockedBy map[string]float64
	}
}

// operations of the traced program, as they appear in stacks.
var operations = []string{"checkout", "refund", "exportReport", "login", "nestedTransfer", "auditWrite", "auditScan"}

// shares sums blame for one class by the operation in the owner's stack.
func shares(b *document.Blame, class string) (by map[string]float64, unknown float64) {
	by = map[string]float64{}
	total, unnamed := 0.0, 0.0
	for _, r := range b.Rows {
		if r.Keys[0] != class {
			continue
		}
		total += float64(r.ThreadNs)
		op := operation(r.Stack)
		if op != "" {
			by[op] += float64(r.ThreadNs)
		} else if r.Keys[1] != "[handoff]" {
			unnamed += float64(r.ThreadNs)
		}
	}
	return by, unnamed / total
}

func operation(s document.Stack) string {
	for _, f := range s {
		for _, op := range operations {
			if f.Class == "Truth" && f.Method == op {
				return op
			}
		}
	}
	return ""
}

// distance is the total variation distance of two distributions.
func distance(a, b map[string]float64) (d float64) {
	ta, tb := 0.0, 0.0
	for _, op := range operations {
		ta += a[op]
		tb += b[op]
	}
	for _, op := range operations {
		d += math.Abs(a[op]/ta-b[op]/tb) / 2
	}
	return d
}

// The owners' operations, against what the program logged of itself.
func TestOwnersEqualTheProgramsOwnLog(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const inventory, reentrant = "Truth$InventoryLock", "java.util.concurrent.locks.ReentrantLock$NonfairSync"
	for _, c := range []struct {
		name, class       string
		distance, unknown float64
	}{
		{"truth-8threads-dumps50ms", inventory, 0.08, 0.10},
		{"truth-8threads", inventory, 0.20, 0.25},
		{"truth-8threads-jdk25", inventory, 0.08, 0.25}, // sleeps without stacks
		{"truth-8threads-dumps50ms", reentrant, 0.20, 1},
		{"truth-8threads", reentrant, 0.20, 1},
		{"truth-8threads-jdk25", reentrant, 0.20, 0.25},
		{"truth-8threads-dumps50ms", "Truth$LedgerLock", 0.01, 0.10},
		{"truth-light-8threads", inventory, 0.08, 0.10}, // threads think in between: few wait
		{"truth-light-8threads", "Truth$LedgerLock", 0.01, 0.10},
		{"truth-light-8threads-jdk25", inventory, 0.08, 0.10},
		{"truth-light-8threads-jdk25", reentrant, 0.08, 0.10},
	} {
		var want truth
		readTruth(t, "../testdata/"+c.name+".truth.json", &want)
		by, unknown := shares(ask[document.Blame](t, "blame", "--by", "class,owner-stack", "../testdata/"+c.name+".jfr"), c.class)
		for _, l := range want.Locks {
			if l.Class != c.class {
				continue
			}
			d := distance(by, l.BlockedBy)
			t.Logf("%s %s: distance %.3f, unknown %.1f %%", c.name, c.class, d, 100*unknown)
			if d > c.distance || unknown > c.unknown {
				t.Errorf("%s %s: distance %.3f, unknown %.3f", c.name, c.class, d, unknown)
			}
		}
	}
}

// nestedTransfer holds the ledger's lock while it waits for the inventory's:
// the root of that waiting is who held the inventory's.
func TestRootBlameNamesWhatTheOwnerWaitedFor(t *testing.T) {
	by, _ := shares(ask[document.Blame](t, "blame", "--root", "--by", "class,owner-stack", "../testdata/truth-8threads-dumps50ms.jfr"), "Truth$LedgerLock")
	if by["exportReport"] < by["nestedTransfer"] || by["exportReport"] == 0 {
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
		if err != nil {
			t.Fatal(err)
		}
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
	if a.Coverage.ByProvenance[analysis.Sampled] == 0 || b.Coverage.ByProvenance[analysis.Sampled] != 0 {
		t.Errorf("sampled: %v and %v", a.Coverage.ByProvenance, b.Coverage.ByProvenance)
	}
	doubt := func(tr *analysis.Trace) int64 {
		return tr.Coverage.ByProvenance[analysis.Estimated] + tr.Coverage.ByProvenance[analysis.ThreadOnly] + tr.Coverage.ByProvenance[analysis.Unknown]
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
