package table

import (
	"encoding/csv"
	"strings"
	"testing"

	"contend/blame/waits"
	"contend/golden"
	"contend/report/document"

	"github.com/google/go-cmp/cmp"
)

// histDoc has a recorded row, corrected too, and a sampled one.
func histDoc(recorded, sampled string) *document.Hist {
	a, b, total := &waits.Lengths{}, &waits.Lengths{Open: 1}, &waits.Lengths{}
	for _, ns := range []int64{0, 1500, 30_000, 30_001} {
		a.Exact.Add(ns)
		a.Corrected.AddCorrected(ns, 1, 10_000)
	}
	b.AtLeast.Add(10e6)
	b.AtMost.Add(30e6)
	total.Merge(a)
	total.Merge(b)
	return document.NewHist([]string{"lock"}, 10_000, []waits.Row{{Keys: []string{recorded}, Lengths: a}, {Keys: []string{sampled}, Lengths: b}}, total, nil, 0)
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
	for _, want := range []string{"a.b.Cache", "[all]", "CORR is corrected for coordinated omission; sampled waits lie between LEAST and MOST (one wait expected every 10.0 µs)",
		"mostly not seen", "1 sampled waits reach the edge"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

// A chart has a bar for every band, as long as its share of the longest, and
// no name acts on the terminal.
func TestBars(t *testing.T) {
	var out strings.Builder
	d := histDoc("Cache\x1b[2J", "Journal")
	golden.OK(t, Bars(&out, d, Options{Width: 58}))
	_, cache, ok := strings.Cut(out.String(), "Cache\\x1b[2J: 4 waits\n")
	if !ok || strings.Contains(out.String(), "\x1b") {
		t.Fatalf("%q", out.String())
	}
	want := `        0 - 1 ns    ████████                   1  25.00 %
     1 ns - 2 ns                               0   0.00 %
      ...
   500 ns - 1.00 µs                            0   0.00 %
  1.00 µs - 2.00 µs ████████                   1  25.00 %
  2.00 µs - 5.00 µs                            0   0.00 %
      ...
  10.0 µs - 20.0 µs                            0   0.00 %
  20.0 µs - 50.0 µs ████████████████           2  50.00 %

`
	if diff := cmp.Diff(want, cache[:min(len(want), len(cache))]); diff != "" {
		t.Error(diff)
	}
	for _, heading := range []string{"[all]: 4 waits\n", "[all]: 8 waits, corrected\n", "[all]: 1 sampled waits, at least\n", "Journal: 1 sampled waits, at most\n"} {
		if !strings.Contains(out.String(), heading) {
			t.Errorf("%q is missing in\n%s", heading, out.String())
		}
	}
}

func TestBarNeverVanishesNorOverflows(t *testing.T) {
	for _, c := range []struct {
		n, most int64
		want    string
	}{{0, 10, ""}, {1, 1 << 60, "▏"}, {10, 10, "████"}, {5, 10, "██"}, {1, 32, "▏"}, {3, 32, "▍"}} {
		if got := bar(c.n, c.most, 4); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.n, c.most, got, c.want)
		}
	}
}
