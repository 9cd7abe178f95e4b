package cmd

import (
	"math"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
	"contend/report/text"
)

// One wait is shown, the one that is asked for, with lanes that hold it and suspects with
// their evidence; recorded owners are named as such.
func TestWhy(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const path, lock = "../testdata/truth-8threads.jfr", "ReentrantLock at Truth.auditScan:21"
	longest := askWhy(t, lock, path)
	if longest.Known != "inferred" || longest.Rank != 1 || longest.Waits != 319 ||
		longest.Site != "Truth.auditScan:21" ||
		longest.Thread != "worker-2" ||
		longest.WaitsAt != "Truth.auditWrite:20" {
		t.Errorf("the longest wait is %+v", longest)
	}
	s, sum := longest.Suspects, 0.0
	if len(s) < 2 || s[0].Site != "Truth.auditScan:21" || s[0].Thread != "worker-5" || s[0].Chance < 0.9 {
		t.Fatalf("suspects %+v", s)
	}
	for i := range s {
		sum += s[i].Chance
		if s[i].Evidence == nil || s[i].Evidence.Each() == [7]float64{} {
			t.Errorf("nothing speaks for or against %+v", s[i])
			continue
		}
		bits := 0.0
		for _, b := range s[i].Evidence.Each() {
			bits += b
		}
		if odds := math.Log2(s[i].Chance / (1 - s[i].Chance)); s[i].Chance < 0.999 && math.Abs(odds-bits) > 0.01 {
			t.Errorf("%.2f bits, and odds of %.2f: %+v", bits, odds, s[i])
		}
	}
	golden.Within(t, sum, 0.97, 1.001)
	golden.AtLeast(t, s[0].Evidence.Activities, 0.2, "that the owner sleeps speaks for it by", "bits")
	own, holds := longest.Lanes[0], int64(0)
	if w := own.Spans[len(own.Spans)-1]; own.Thread != longest.Thread || own.Role != "waiter" ||
		w.StartNs != longest.StartNs ||
		w.EndNs != longest.StartNs+longest.WaitNs {
		t.Errorf("the first lane is %+v, of a wait of %d ns from %d on", own, longest.WaitNs, longest.StartNs)
	}
	for _, l := range longest.Lanes {
		if by := overlap(l.Spans); by > longest.WaitNs/100 {
			t.Errorf("%s waits for the lock and holds it at once for %d ns", l.Thread, by)
		}
		for _, h := range l.Spans {
			if h.What == "holds" && h.Here && h.Known == "inferred" && l.Role == "suspect" {
				holds += min(h.EndNs, own.Spans[len(own.Spans)-1].EndNs) - max(h.StartNs, longest.StartNs)
			}
		}
	}
	golden.AtLeast(t, holds, longest.WaitNs/2, "in", longest.WaitNs, "suspects held the lock for")

	typical := askWhy(t, lock, "--wait", "typical", path)
	var p50 int64
	for _, l := range ask[document.Analyze](t, "analyze", "--top", "0", path).Locks {
		if l.Site == longest.Site && l.Waits == longest.Waits {
			p50 = l.P50Ns
		}
	}
	golden.AtMost(t, math.Abs(float64(typical.WaitNs-p50))/float64(p50), 0.01)
	golden.Equal(t, typical.Lock, longest.Lock)
	if second := askWhy(t, lock, "--wait", "2", path); second.Rank != 2 || second.WaitNs > longest.WaitNs ||
		second.StartNs == longest.StartNs {
		t.Errorf("the second is %d ns, the longest %d", second.WaitNs, longest.WaitNs)
	}
	start := ask[document.Analyze](t, "analyze", path).Trace.StartNs
	at := text.Seconds(typical.StartNs + typical.WaitNs/2 - start)
	if then := askWhy(t, lock, "--at", strings.ReplaceAll(at, " ", ""),
		path); then.StartNs > typical.StartNs+typical.WaitNs ||
		then.StartNs+then.WaitNs < typical.StartNs {
		t.Errorf("at %s another wait goes on: %+v", at, then)
	}

	recorded := askWhy(t, "../testdata/documents/exact.txt")
	if recorded.Known != "recorded" || recorded.Lock != "bank.Desk@4000" || len(recorded.Suspects) != 1 ||
		recorded.Suspects[0].Thread != "clerk-1" ||
		recorded.Suspects[0].Chance != 1 ||
		recorded.Suspects[0].Evidence != nil {
		t.Errorf("of recorded owners %+v", recorded)
	}
}

// overlap returns how long a thread waits for the lock while it holds it.
func overlap(spans []document.Span) (ns int64) {
	for _, h := range spans {
		for _, w := range spans {
			if h.What == "holds" && h.Here && w.What == "waits" && w.Here {
				ns += max(0, min(h.EndNs, w.EndNs)-max(h.StartNs, w.StartNs))
			}
		}
	}
	return ns
}

func askWhy(t *testing.T, args ...string) (doc document.Why) {
	t.Helper()
	unmarshal(t, run(t, append([]string{"why", "--format", "json"}, args...)...), &doc)
	return doc
}

// The text fits 80 columns, and says how owners are known.
func TestWhyFitsTheTerminal(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for path, says := range map[string]string{"../testdata/hsqldb-6clients.jfr": "its owners are inferred\n",
		"../testdata/go126-truth-12goroutines.trace": "its owners are inferred from releases\n",
		"../testdata/documents/exact.txt":            "the only wait; its owners are recorded\n",
		"../testdata/documents/sampled-1.txt":        "its owners are recorded\n"} {
		out := run(t, "why", path)
		for line := range strings.Lines(out) {
			golden.AtMost(t, text.Columns(strings.TrimSuffix(line, "\n")), 80, path, "columns", line)
		}
		golden.Holds(golden.Labelled(t, path), out, says, "\nwaiters\n", "\nsuspects\n")
	}
}
