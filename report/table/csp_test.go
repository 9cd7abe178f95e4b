package table

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"contend/blame/waits"
	"contend/golden"
	"contend/report/document"

	"github.com/google/go-cmp/cmp"
)

// pressures makes a document of n intervals of 100 ns with 100 ns running:
// lock A is under pressure p(i) in interval i, lock B in the first only.
func pressures(n int, p func(i int) int64) *document.CSP {
	d := &document.CSP{IntervalNs: 100}
	for i := range n {
		iv := document.Interval{StartNs: int64(i) * 100, EndNs: int64(i+1) * 100, RunningNs: 100}
		if ns := p(i); ns > 0 {
			iv.Locks = append(iv.Locks, document.Pressure{Lock: "A", WaitNs: ns, CSP: float64(ns) / 100})
		}
		if i == 0 {
			iv.Locks = append(iv.Locks, document.Pressure{Lock: "com.example.\x1b[2JB\u202e", WaitNs: 1, CSP: 0.01})
		}
		for _, l := range iv.Locks {
			d.Total.WaitNs += l.WaitNs
		}
		d.Total.RunningNs += iv.RunningNs
		d.Intervals = append(d.Intervals, iv)
	}
	return d
}

func drawn(t *testing.T, d *document.CSP, top int, o Options) string {
	t.Helper()
	var b strings.Builder
	o.Chart, o.Top = true, top
	golden.OK(t, CSP(&b, d, o))
	return b.String()
}

func TestChartFitsTheTerminal(t *testing.T) {
	for _, n := range []int{0, 1, 7, 46, 47, 91, 5000} {
		for _, width := range []int{0, 1, 48, 80, 200} {
			out := drawn(t, pressures(n, func(i int) int64 { return int64(i % 90) }), 1, Options{Width: width})
			limit := max(width, chartMin)
			if width == 0 {
				limit = chartWidth
			}
			for line := range strings.SplitSeq(out, "\n") {
				golden.AtMost(t, utf8.RuneCountInString(strings.TrimRight(line, " ")), limit, n, "intervals", line)
			}
			if n > 1 && !strings.Contains(strings.Join(strings.Fields(out), " "), "left out: 1 lock with 1 ns") {
				t.Errorf("%d intervals: nothing says what is left out:\n%s", n, out)
			}
		}
	}
}

func TestChartColoursOnlyWhenAsked(t *testing.T) {
	d := pressures(20, func(i int) int64 { return int64(i * 4) })
	plain, color := drawn(t, d, 0, Options{Width: 80}), drawn(t, d, 0, Options{Width: 80, Color: true})
	golden.Lacks(t, plain, "\x1b")
	golden.Holds(t, color, "\x1b[38;5;196m")
	for i := range heat {
		color = strings.ReplaceAll(color, fmt.Sprintf("\x1b[38;5;%dm", heat[i]), "")
	}
	golden.Equal(t, strings.ReplaceAll(color, "\x1b[0m", ""), plain, "without its colours the chart is another", color)
}

func TestMergingIntervalsLosesNothing(t *testing.T) {
	d := pressures(97, func(i int) int64 { return int64(i * i % 100) })
	for _, n := range []int{1, 2, 10, 96, 97, 98, 1000} {
		lines, edges := d.Lines(n)
		sum := int64(0)
		for _, l := range lines {
			line := int64(0)
			for _, c := range l.Cells {
				line += c.WaitNs
				golden.Within(t, c.CSP, 0, 1, n)
			}
			golden.Equal(t, line, l.WaitNs, n)
			golden.Equal(t, len(l.Cells), len(edges)-1, n)
			sum += line
		}
		if sum != d.Total.WaitNs || len(edges) != min(n, 97)+1 || edges[0] != 0 || edges[len(edges)-1] != 9700 {
			t.Errorf("%d cells: %d of %d ns, edges %v", n, sum, d.Total.WaitNs, edges)
		}
	}
}

// Times are told from the start, a phase with the part its cause has in it, and with the
// culprits one after the other where there were several.
func TestPressureAndItsPhases(t *testing.T) {
	const start, sec = int64(1_700_000_000e9), int64(1e9)
	d := &document.CSP{
		IntervalNs: sec,
		Total:      document.Total{Waiting: document.Waiting{WaitNs: 3 * sec}, RunningNs: 6 * sec},
		Coverage:   document.Coverage{Unit: "ns"},
		Intervals: []document.Interval{
			{
				StartNs:   start,
				EndNs:     start + sec,
				RunningNs: 4 * sec,
				Locks: []document.Pressure{
					{Lock: "Shop@1", WaitNs: 2 * sec, CSP: 0.5},
					{Lock: "Till@2", WaitNs: sec / 2, CSP: 0.125},
				},
			},
			{StartNs: start + sec, EndNs: start + 2*sec, RunningNs: 2 * sec},
		},
		Phases: []document.Phase{{
			Lock:    "Shop@1",
			StartNs: start + sec/2,
			EndNs:   start + 2*sec,
			WaitNs:  2 * sec,
			CSP:     0.4,
			Causes:  []document.Cause{{Owner: "Shop.pay:3 < Main.run:1", WaitNs: sec}},
			Segments: []document.Segment{
				{
					StartNs: start + sec/2,
					EndNs:   start + sec,
					WaitNs:  sec / 2,
					Cause:   document.Cause{Owner: "Shop.order:2", WaitNs: sec / 4},
				},
				{
					StartNs: start + sec,
					EndNs:   start + 2*sec,
					WaitNs:  sec,
					Cause:   document.Cause{Owner: "Shop.pay:3 < Main.run:1", WaitNs: sec * 3 / 4},
				},
			},
		}},
	}
	d.SetOriginNs(start)
	var out strings.Builder
	golden.OK(t, CSP(&out, d, Options{Top: 1}))
	want := `critical section pressure per 1.00 s: time spent acquiring the lock / running time of all threads
    FROM       TO  RUNNING    WAIT     CSP  LOCK     
 0.000 s  1.000 s   4.00 s  2.00 s  50.0 %  Shop@1   
 0.000 s  1.000 s   4.00 s  500 ms  12.5 %  (1 more) 
 1.000 s  2.000 s   2.00 s       0   0.0 %  -        
  total: 3.00 s of waiting in 6.00 s of running time: 50.0 %

phases of high pressure, with the main cause of the waiting in each
    FROM       TO    WAIT     CSP  LOCK    CAUSE                        
 0.500 s  2.000 s  2.00 s  40.0 %  Shop@1  50 % Shop.pay:3 < Main.run:1 
      from 0.500 s: 50 % Shop.order:2; from 1.000 s: 75 % Shop.pay:3 < Main.run:1
`
	got, _, _ := strings.Cut(out.String(), "\ncoverage:")
	golden.Same(t, got, want)
}

// histDoc has a recorded row, corrected too, and a sampled one.
func histDoc(recorded, sampled string) *document.Hist {
	a, b, total := &waits.Lengths{}, &waits.Lengths{Open: 1}, &waits.Lengths{}
	for _, ns := range []int64{0, 1500, 30_000, 30_001} {
		a.Exact.Record(ns)
		a.Corrected.AddCorrected(ns, 1, 10_000)
	}
	b.AtLeast.Record(10e6)
	b.AtMost.Record(30e6)
	total.Merge(a)
	total.Merge(b)
	return document.NewHist(
		[]string{"lock"},
		10_000,
		[]waits.Row{{Keys: []string{recorded}, Lengths: a}, {Keys: []string{sampled}, Lengths: b}},
		total,
		nil,
		0,
	)
}

func TestHistColumnsStandInPairs(t *testing.T) {
	var out strings.Builder
	golden.OK(t, Hist(&out, histDoc("a.b.Cache", "=evil\x1b"), Options{Style: CSV}))
	got := golden.Must(csv.NewReader(strings.NewReader(out.String())).ReadAll())(t)
	row := func(r []string) string {
		return strings.Join(append(append([]string{}, r[:6]...), r[len(r)-4:]...), " ")
	}
	want := []string{
		"waits waits_corr p50 p50_corr p50_least p50_most max max_least max_most lock",
		"4 8 1500 10001   30001   a.b.Cache",
		`1    10000000 30000000  10000000 30000000 '=evil\x1b`,
	}
	if diff := cmp.Diff(want, []string{row(got[0]), row(got[1]), row(got[2])}); diff != "" || len(got) != 3 {
		t.Errorf("%d lines: %s", len(got), diff)
	}
}

func TestHistSaysWhatItCannotSee(t *testing.T) {
	var out strings.Builder
	golden.OK(t, Hist(&out, histDoc("a.b.Cache", "x"), Options{}))
	golden.Holds(
		t,
		out.String(),
		"a.b.Cache",
		"[all]",
		"CORR is corrected for coordinated omission; sampled waits lie between LEAST and MOST (one wait expected "+
			"every 10.0 µs)",
		"most waits shorter than the sampling period are missing",
		"1 sampled waits reach the edge",
	)
}

func TestBarNeverVanishesNorOverflows(t *testing.T) {
	for _, c := range []struct {
		n, most int64
		want    string
	}{{0, 10, ""}, {1, 1 << 60, "▏"}, {10, 10, "████"}, {5, 10, "██"}, {1, 32, "▏"}, {3, 32, "▍"}} {
		golden.Equal(t, bar(c.n, c.most, 4), c.want, c.n, c.most)
	}
}
