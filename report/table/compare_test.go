package table

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

func half(v float64) *float64 { return &v }

// rendered renders to a string.
func rendered(t *testing.T, render func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	golden.OK(t, render(&b))
	return b.String()
}

func TestPlusMinus(t *testing.T) {
	for _, c := range []struct {
		share float64
		half  *float64
		want  string
	}{
		{0.051, half(0.003), "5.1 % ± 0.30 %"},
		{0.5, nil, "50.0 % ± ?"},
		{0, half(0), "-"},
		{0, half(0.01), "0 % ± 1.0 %"},
		{0.0005, half(0.000012), "0.05 % ± 0.0012 %"},
		{0.0095, half(0.0094), "0.95 % ± 0.94 %"},
		{1, half(0), "100.0 % ± 0 %"},
	} {
		if got := plusMinus(c.share, c.half); got.Text != c.want || strings.ContainsAny(got.Raw, "% ") {
			t.Errorf("%v ± %v: %+v, want %s", c.share, c.half, got, c.want)
		}
	}
}

func TestDiffShowsEachStatus(t *testing.T) {
	rate := func(share float64) document.Rate {
		return document.Rate{
			WaitNs:           int64(share * 1e9),
			Share:            share,
			PlusMinus:        half(share / 10),
			Waiting:          10 * share,
			WaitingPlusMinus: half(share),
		}
	}
	d := &document.Diff{
		Alpha: 0.05,
		Total: document.DiffRow{
			Name:     "all locks",
			Status:   "changed",
			Base:     rate(0.2),
			New:      rate(0.3),
			Relative: half(0.5),
			P:        0.0001,
		},
		Locks: []document.DiffRow{
			{Name: "a.b.Up at m", Status: "changed", Base: rate(0.1), New: rate(0.15), Relative: half(0.5), P: 0.0001},
			{Name: "Far at m", Status: "changed", Base: rate(0.001), New: rate(0.1), Relative: half(99), P: 0.0001},
			{Name: "Off at m", Status: "gone", Base: rate(0.1), Relative: half(-1), P: 0.0001},
			{Name: "On at m", Status: "added", New: rate(0.1), P: 0.004},
			{Name: "Noise\x1b[2J at m", Status: "same", Base: rate(0.1), New: rate(0.2), Relative: half(1), P: 0.2},
		},
	}
	d.SetOmitted(document.DiffOmitted{Rows: 3, Changed: 2}, document.DiffOmitted{}, document.DiffOmitted{})
	text := rendered(t, func(b *strings.Builder) error { return Diff(b, d, Options{}) })
	golden.Holds(
		t,
		text,
		"1.00 ± 0.10",
		"waiting rose from 2.00 to 3.00 threads (+50 %, P < 0.001); most for Up at m: from 1.00 to 1.50\n",
		"+0.50    +50 %  <0.001  10.0 % to 15.0 %  Up at m",
		"× 100.0",
		"gone",
		"added        -   0.004",
		"~   +100 %   0.200",
		"3 more rows, 2 of them changed",
		"at most 5 %",
	)
	golden.Lacks(t, text, "\x1b")
	table := rendered(t, func(b *strings.Builder) error { return Diff(b, d, Options{Style: CSV}) })
	golden.Equal(t, strings.Count(table, "\n"), 7)
	golden.Holds(t, table, "lock,same,100000000,0.100000,0.010000,200000000,0.200000,0.020000,0.2,")
}

// A column of intervals stands beside estimates only, and says how they were
// made.
func TestUncertaintyColumn(t *testing.T) {
	ns := int64(5e6)
	list := []*document.Uncertainty{{PlusMinusNs: &ns, BlockNs: 2e7}, {BlockNs: 3e7}, nil}
	grid := func() *Grid {
		return &Grid{
			Head: []string{"WAIT", "LOCK"},
			Left: left(2, 1),
			Rows: [][]Cell{{Time(1e9), Name("a")}, {Time(2e9), Name("b")}, {Time(3e9), Name("c")}},
		}
	}
	g := grid()
	g.addUncertainty(func(i int) *document.Uncertainty { return list[i] })
	text := rendered(t, func(b *strings.Builder) error { return report{grids: []*Grid{g}}.write(b, Options{}) })
	golden.Holds(t, text, "+/-", "5.00 ms  a", "?  b", "?  c", "blocks of 20.0 ms to 30.0 ms")
	if !g.Left[2] || g.Left[1] {
		t.Errorf("the other columns did not move along: %+v", g)
	}
	exact := grid()
	exact.addUncertainty(func(int) *document.Uncertainty { return nil })
	golden.Equal(t, len(exact.Head), 2)
	golden.Equal(t, len(exact.Notes), 0)
}

func TestCheckShowsWhatDecided(t *testing.T) {
	c := &document.Check{Rules: []document.CheckRule{
		{
			Rule:   "csp(*) < 5%",
			Status: "fail",
			Unit:   "ratio",
			Subjects: []document.CheckSubject{
				{
					Name:      "A",
					Status:    "fail",
					Value:     0.1,
					PlusMinus: new(0.01),
					Limit:     0.05,
				}, {
					Name:   "B",
					Status: "fail",
					Value:  0.06,
					Limit:  0.05,
				}, {Name: "C", Status: "pass", Value: 0.01, Limit: 0.05}},
		},
		{
			Rule:   "max(*) < +20% vs baseline",
			Status: "pass",
			Unit:   "ns",
			Subjects: []document.CheckSubject{
				{
					Name:   "D",
					Status: "pass",
					Value:  5e6,
					Limit:  6e6,
					Base:   half(5e6),
					Noise:  half(1e6),
				}, {Name: "E", Status: "pass"}},
		},
		{Rule: "p99(none) < 1s", Status: "pass", Unit: "ns"},
	}}
	text := rendered(t, func(b *strings.Builder) error { return Check(b, c, Options{}) })
	golden.Holds(
		t,
		text,
		"1 of 3 rules does not hold",
		"10.0 % ± 1.0 %",
		"6.0 %",
		"6.00 ms + 1.00 ms noise, was 5.00 ms",
		"nothing it names was waited for",
	)
	golden.Lacks(t, text, "  C ", "  E ")
}

// What does not hold is coloured where the terminal shows colours, and there
// alone; nothing else changes.
func TestCheckColoursWhatDoesNotHold(t *testing.T) {
	c := &document.Check{Rules: []document.CheckRule{
		{Rule: "a", Status: "fail", Subjects: []document.CheckSubject{{Name: "FAIL", Status: "fail"}}},
		{Rule: "b", Status: "undecided", Reason: "why", Hint: "what to do"},
		{Rule: "c", Status: "pass"},
	}}
	var plain, coloured strings.Builder
	golden.OK(t, errors.Join(Check(&plain, c, Options{}), Check(&coloured, c, Options{Color: true})))
	golden.Holds(
		t,
		coloured.String(),
		"\n \x1b[1;31mFAIL\x1b[0m ",
		"\n \x1b[1;33mUNDECIDED\x1b[0m ",
		"\nundecided: b: why; what to do\n",
	)
	golden.Equal(t, regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured.String(), ""), plain.String())
	golden.Lacks(t, plain.String(), "\x1b")
}

// A change that brings nothing is said to bring nothing, and no range has ends that
// read alike.
func TestWhatIfRanges(t *testing.T) {
	d := &document.WhatIf{Rows: []document.WhatIfRow{
		{
			Change:     "shrink",
			Shrink:     0.5,
			Section:    "Shop.sell",
			Throughput: document.Range{Low: 0.999, High: 1.004},
			WaitNs:     document.TimeEnds{Low: 1e9, High: 1e9 + 1},
		},
		{
			Change:     "shrink",
			Shrink:     0.5,
			Section:    "Shop.ask",
			Throughput: document.Range{Low: 1, High: 1.25},
			WaitNs:     document.TimeEnds{Low: 1e9, High: 2e9},
		},
		{
			Change:     "shrink",
			Shrink:     0.5,
			Section:    "Shop.buy",
			Throughput: document.Range{Low: 1.25, High: 1.25},
			WaitNs:     document.TimeEnds{Low: 0, High: 0},
		},
		{
			Change:     "shrink",
			Shrink:     0.5,
			Section:    "Shop.try",
			Throughput: document.Range{Low: 0.93, High: 1.88},
			WaitNs:     document.TimeEnds{Low: 0, High: 0},
		},
	}}
	var b strings.Builder
	golden.OK(t, WhatIf(&b, d, Options{}))
	for section, want := range map[string]string{
		"Shop.sell": "no change 1.00 s",
		"Shop.ask":  "x 1.00 to 1.25 1.00 s to 2.00 s",
		"Shop.buy":  "x 1.25 0",
		"Shop.try":  "x 0.93 to 1.88 0",
	} {
		found := ""
		for line := range strings.Lines(b.String()) {
			if before, _, ok := strings.Cut(line, section); ok {
				found = strings.Join(strings.Fields(before), " ")
			}
		}
		golden.Equal(t, found, want, section, b.String())
	}
}

// What is written is XML, whatever a trace calls its locks, and counts its own
// failures.
func TestWhatIsWrittenParses(t *testing.T) {
	nasty := "a\x00b\x1b[2J<c>&\"]]>\xff\n"
	c := &document.Check{Rules: []document.CheckRule{
		{
			Rule:   "csp(*) < 5%",
			Status: "fail",
			Subjects: []document.CheckSubject{
				{Name: nasty, Status: "fail"},
				{Name: "fine", Status: "pass"},
				{Name: "second", Status: "fail"},
			},
		},
		{Rule: nasty, Status: "undecided", Subjects: []document.CheckSubject{{Name: "x", Status: "undecided"}}},
		{Rule: "no deadlock", Status: "pass"},
	}}
	var b strings.Builder
	golden.OK(t, JUnit(&b, c, Options{}))
	var doc suites
	if err := xml.Unmarshal([]byte(b.String()), &doc); err != nil {
		t.Fatalf("%v:\n%s", err, b.String())
	}
	s := doc.Suite
	if s.Tests != 3 || s.Failures != 1 || s.Errors != 1 || len(s.Cases) != 3 {
		t.Errorf("%+v", s)
	}
	f := s.Cases[0].Failure
	if f == nil || !strings.Contains(f.Text, "second") || strings.Contains(f.Text, "fine") ||
		!strings.HasPrefix(f.Message, "a?b?[2J<c>&") {
		t.Errorf("%+v", f)
	}
	if s.Cases[1].Error == nil || s.Cases[2].Failure != nil || s.Cases[2].Error != nil {
		t.Errorf("%+v", s.Cases)
	}
}

// full is a writer that fails.
type full struct{ after int }

func (w *full) Write(p []byte) (int, error) {
	if w.after -= len(p); w.after < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	c := &document.Check{Rules: []document.CheckRule{{Rule: "no deadlock", Status: "pass"}}}
	for after := range 200 {
		if err := JUnit(&full{after}, c, Options{}); err == nil {
			t.Fatalf("written to a disk of %d bytes", after)
		}
	}
}

// A matrix takes the square of its nodes: of thousands it shows the first, and
// sums the others, whether or not there is a terminal that it must fit.
func TestAMatrixOfManyNodesIsBounded(t *testing.T) {
	d := &document.Graph{}
	for i := range 5000 {
		d.Nodes = append(d.Nodes, document.Node{ID: i, Name: fmt.Sprintf("A.m%d", i)})
		d.Edges = append(d.Edges, document.Edge{From: i, To: (i + 1) % 5000, Sum: document.Sum{ThreadNs: 1}})
	}
	golden.AtMost(t, shownNodes(len(d.Nodes), Options{Style: CSV}), maxMatrix, "rows")
	for most, o := range map[int]Options{130: {Style: Text, Width: 120}} {
		var b bytes.Buffer
		golden.OK(t, matrix(&b, d, o))
		golden.AtMost(t, strings.Count(b.String(), "\n"), most, "wanted")
	}
}
