package cmd

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/durations"
	"contend/blame/waits"
	"contend/golden"
	"contend/report/document"
)

// wholeWaits takes the length of every whole wait, by class of lock.
type wholeWaits struct {
	sym *analysis.Symbols
	by  map[string][]int64
}

func (l *wholeWaits) Begin(sym *analysis.Symbols, _ int64) { l.sym = sym }
func (l *wholeWaits) Slice(s *analysis.Slice) {
	for _, w := range s.Waiters {
		if w.First {
			class := l.sym.ClassName(s.Lock)
			l.by[class] = append(l.by[class], w.WaitNs)
		}
	}
}

// The percentiles of every recording are those of the lengths of its waits, to three
// digits, and analyze and hist say the same.
func TestPercentilesEqualTheRawDurations(t *testing.T) {
	golden.ParallelUnlessShort(t)
	paths, checked, least := recordings(t), 0, 60
	if !golden.IsThorough() {
		paths, least = append(varied(t), "../testdata/xalan-8threads.jfr"), 10
	}
	for _, path := range paths {
		if !strings.HasSuffix(path, ".jfr") {
			continue
		}
		all := &wholeWaits{by: map[string][]int64{}}
		golden.Must((&traceOptions{paths: []string{path}}).run(&env{out: io.Discard, msg: io.Discard}, all))(t)
		got := map[string]document.HistRow{}
		for _, r := range ask[document.Hist](t, "hist", "--by", "class", path).Rows {
			got[r.Keys[0]] = r
		}
		golden.Equal(t, len(got), len(all.by), path)
		for _, r := range ask[document.Analyze](t, "analyze", "--by", "class", path).Locks {
			if h := got[r.Class].Exact; h == nil || h.Count != r.Waits || h.P50Ns != r.P50Ns || h.P99Ns != r.P99Ns ||
				h.MaxNs != r.MaxNs {
				t.Errorf("%s: %s: analyze has %+v, hist %+v", path, r.Class, r, h)
			}
		}
		for class, list := range all.by {
			checked++
			samePercentiles(t, filepath.Base(path)+" "+class, got[class].Exact, list)
		}
	}
	t.Logf("%d classes compared", checked)
	golden.AtLeast(t, checked, least, "classes compared")
}

func samePercentiles(t *testing.T, what string, got *document.Lengths, raw []int64) {
	t.Helper()
	if got == nil || got.Count != int64(len(raw)) {
		t.Errorf("%s: %+v, want %d waits", what, got, len(raw))
		return
	}
	slices.Sort(raw)
	for q, ns := range map[int]int64{0: got.MinNs, 5000: got.P50Ns, 9000: got.P90Ns, 9900: got.P99Ns,
		9990: got.P999Ns, 9999: got.P4Ns, 10000: got.MaxNs} {
		rank := max((len(raw)*q+9999)/10000, 1) // at or below it lie q hundredths of a per cent
		if want := raw[rank-1]; math.Abs(float64(ns-want)) > float64(want)*1e-3 {
			t.Errorf("%s: p%v is %d ns, want %d", what, float64(q)/100, ns, want)
		}
	}
}

// Of a sampled trace the bounds enclose what the exact trace of the same run
// says: the longest wait there is and, for locks all of whose waits the sampler
// told apart, every percentile.
func TestBoundsEncloseTheTruth(t *testing.T) {
	golden.ParallelUnlessShort(t)
	dir := t.TempDir()
	for _, scenario := range []string{"convoy", "nested", "ping-pong"} {
		exact, sampled := filepath.Join(dir, scenario+".exact"), filepath.Join(dir, scenario+".sampled")
		for path, flag := range map[string]string{exact: "--exact", sampled: "--exact=false"} {
			if code := Main([]string{"simulate", "--scenario", scenario, "--threads", "8", "--period", "1ms", flag,
				"-o", path}, nil, os.Stdout, os.Stderr); code != exitOK {
				t.Fatalf("exit %d", code)
			}
		}
		whole, seen := ask[document.Hist](t, "hist", exact), ask[document.Hist](t, "hist", sampled)
		truth, bounds := whole.Total, seen.Total
		if truth.Exact == nil || truth.AtLeast != nil || bounds.Exact != nil || bounds.AtLeast == nil {
			t.Fatalf("%s: %+v and %+v", scenario, truth, bounds)
		}
		golden.AtLeast(t, bounds.AtMost.MaxNs, truth.Exact.MaxNs, scenario, "waits of at most")
		golden.AtMost(t, bounds.AtLeast.P50Ns, bounds.AtMost.P50Ns, scenario)
		golden.Equal(t, bounds.AtLeast.Count, bounds.AtMost.Count, scenario)
		compared := 0
		for _, row := range seen.Rows {
			i := slices.IndexFunc(whole.Rows, func(w document.HistRow) bool { return slices.Equal(w.Keys, row.Keys) })
			if i < 0 || whole.Rows[i].Waits != row.Waits {
				continue
			}
			compared++
			least, most := percentiles(row.AtLeast), percentiles(row.AtMost)
			for i, ns := range percentiles(whole.Rows[i].Exact) {
				golden.Within(t, ns, least[i], most[i], scenario, row.Keys)
			}
		}
		if scenario == "nested" && compared == 0 {
			t.Error("nothing was compared")
		}
	}
}

func percentiles(l *document.Lengths) []int64 {
	return []int64{l.P50Ns, l.P90Ns, l.P99Ns, l.P999Ns, l.P4Ns, l.MaxNs}
}

// lengthsSum: every wait is in exactly one row, whatever the key, and the waits are those
// the overview counts.
func lengthsSum(t *testing.T, i int) law {
	by := []string{"lock", "waiter-thread,class", "waiter-group,mode,waiter-method"}[i%3]
	c := golden.Must(waits.New(waits.Options{By: by}))(t)
	return law{"Lengths", []analysis.Visitor{c}, func(t *testing.T, p *shared) {
		cov, d, sum := p.coverage(), new(document.Hist), int64(0)
		if cov.Unit != "ns" {
			return // a dump counts
		}
		unmarshal(t, p.says(t, document.NewHist(c.By(), 0, c.Rows(), c.Total(), &cov, 0), "hist", "--by", by), d)
		for _, r := range d.Rows {
			sum += r.Waits
		}
		if want := p.want.Total.Waits; sum != want || d.Total.Waits != want {
			t.Errorf("by %s: %d waits in rows, %d in total, want %d", by, sum, d.Total.Waits, want)
		}
	}}
}

// A log may be compressed, and named or piped in; of one that is cut off, what came before
// the cut counts.
func TestCompressedLogs(t *testing.T) {
	golden.ParallelUnlessShort(t)
	dir := t.TempDir()
	plain, path := filepath.Join(dir, "waits.hlog"), filepath.Join(dir, "waits.hlog.gz")
	run(t, "hist", "--by", "class", "--interval", "100ms", "../testdata/truth-8threads.jfr", "-o", plain)
	want := run(t, "hist", "--format", "json", plain)
	var packed, out, msg bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(golden.Must(os.ReadFile(plain))(t)); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	golden.OK(t, os.WriteFile(path, packed.Bytes(), 0o644))
	golden.Equal(t, run(t, "hist", "--format", "json", path), want)
	golden.Equal(
		t,
		Main([]string{"hist", "--format", "json", "-"}, bytes.NewReader(packed.Bytes()), &out, &msg),
		exitOK,
	)
	golden.Equal(t, out.String(), want)
	out.Reset()
	code := Main(
		[]string{"hist", "--format", "csv", "-"},
		bytes.NewReader(packed.Bytes()[:packed.Len()*3/4]),
		&out,
		&msg,
	)
	if code != exitDamaged || !strings.Contains(out.String(), "Truth$InventoryLock") ||
		!strings.Contains(msg.String(), "ends early") {
		t.Errorf("cut off: exit %d: %s%s", code, &msg, &out)
	}
}

// A log is cut as HdrHistogram's log processor does it: an interval that begins at either
// end is part of it.
func TestLogsAreCutAsHdrHistogramDoes(t *testing.T) {
	table := &logTable{from: 1e9, to: 2e9, rel: [2]bool{true, true}}
	for at, want := range map[int64]bool{999_999_999: false, 1e9: true, 1.5e9: true, 2e9: true, 2_000_000_001: false} {
		golden.Equal(
			t,
			table.wants(&durations.LogLine{Start: 100e9 + at}, 100e9),
			want,
			"an interval that begins after",
			at,
		)
	}
}
