package compare

import (
	"math"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
)

// several is the rate of three runs, or of one, of a row with an error of its own of an eighth.
func several(runs int, value, spread float64) Rate {
	r := Rate{WaitNs: 1e9, Value: value, Traces: runs, Within: value / 8, DF: 50}
	r.SE = r.Within / math.Sqrt(float64(runs))
	if runs >= minTraces {
		r.Spread = spread
	}
	return r
}

func rowOf(base, newer Rate) Row {
	return Row{Name: "a", Base: Rates{Waiting: base}, New: Rates{Waiting: newer}}
}

// Three runs of each side find what is twice as long, though three values alone have few degrees
// of freedom, and do not find what runs vary by anyway.
func TestThreeRunsKnowMoreThanTheirSpread(t *testing.T) {
	for _, c := range []struct {
		what   string
		row    Row
		change bool
	}{
		{"twice as long", rowOf(several(3, 1, 0.35), several(3, 2, 0.5)), true},
		{"twice as long, and three runs disagree", rowOf(several(3, 1, 0.2), several(3, 1.9, 0.45)), true},
		{"a third longer, and runs vary", rowOf(several(3, 1, 0.35), several(3, 1.3, 0.4)), false},
		{"one run each, twice as long", rowOf(several(1, 1, 0), several(1, 3.2, 0)), true},
		{"one run each, as runs vary", rowOf(several(1, 1, 0), several(1, 1.6, 0)), false},
	} {
		rows := []Row{c.row, {Name: "b"}, {Name: "c"}, {Name: "d"}}
		judge(rows, noCoarser, Options{Alpha: 0.05})
		golden.Equal(t, rows[0].Status.Changes(), c.change, c.what, "P", rows[0].P)
	}
}

// A row without waiting on one side varies there as on the other, and so do runs that are too short to
// show how much they vary.
func TestAbsentRowsVaryAsOnTheOtherSide(t *testing.T) {
	rare := several(1, 1, 0)
	rare.Within = 0.3
	short := several(3, 1, 0.1)
	short.Within, short.SE = math.Inf(1), math.Inf(1)
	for _, c := range []struct {
		what string
		row  Row
		want float64 // t
	}{
		{"absent", rowOf(Rate{Traces: 1}, rare), 1 / (math.Sqrt(2*usualRatio) * 0.3)},
		{"absent in three", rowOf(Rate{Traces: 3}, rare), 1 / (math.Sqrt(usualRatio*4/3) * 0.3)},
		{"too short", rowOf(several(1, 2, 0), short), 1 / math.Hypot(math.Sqrt(usualRatio)/4, 0.1/math.Sqrt(3))},
	} {
		a, b := Usual.Compared(c.row.Base.Waiting, c.row.New.Waiting)
		got := math.Abs(a.Value-b.Value) / math.Hypot(a.SE, b.SE)
		golden.Within(t, got, c.want-1e-9, c.want+1e-9, c.what)
	}
}

// An owner that is inferred may be wrong: less than what may be others' is no change, and rows whose
// owners are mostly unknown are not compared.
func TestUnsureOwnersAreNoChange(t *testing.T) {
	row := func(base, newer, wrong float64, unsure bool) Row {
		a, b := several(1, base, 0), several(1, newer, 0)
		a.Wrong, b.Wrong, a.Unsure = wrong, wrong, unsure
		return rowOf(a, b)
	}
	for _, c := range []struct {
		what string
		row  Row
		want Status
	}{
		{"sure owners", row(0.01, 0.04, 0, false), Changed},
		{"others may have as much", row(0.01, 0.04, 0.03, false), Same},
		{"mostly unknown", row(0.01, 0.04, 0, true), Unsure},
	} {
		rows := []Row{c.row}
		judge(rows, noCoarser, Options{Alpha: 0.05})
		golden.Equal(t, rows[0].Status, c.want, c.what)
	}
}

// How right owners are expected to be comes with the waiting: what is likely wrong makes a row unsure, and may be
// that of other owners of the lock.
func TestWaitingTellsHowSureItsOwnersAre(t *testing.T) {
	p := &Profile{}
	frames := func(method string) []format.Frame { return []format.Frame{{Class: "App", Method: method}} }
	p.Begin(analysis.NewSymbols(
		&format.Event{Kind: format.KindStack, Stack: 1, Frames: frames("sure")},
		&format.Event{Kind: format.KindStack, Stack: 2, Frames: frames("guessed")},
		&format.Event{Kind: format.KindObject, Object: 1, Class: "Lock"},
	), 0)
	p.Running(0, 10e9, 20e9)
	for i, chance := range []float64{0.9, 0.1} {
		o := analysis.Owner{Thread: 1, Stack: format.StackID(i + 1), Prov: analysis.Likely(chance)}
		start := int64(i) * 5e9
		p.Slice(&analysis.Slice{
			Start:   start,
			End:     start + 4e9,
			Lock:    1,
			Waiters: []analysis.Waiter{{Thread: 2, First: true}},
			Shares:  []analysis.Share{{Ns: 4e9, Direct: o, Root: o, Hops: 1}},
		})
	}
	rows := byName(Group{p}, func(p *Profile) *rows { return p.takers }, func(name string) string { return name })
	for name, want := range map[string]struct {
		unsure bool
		wrong  float64 // threads on average: 0.1 and 0.9 of 4 s, of 10 s
	}{"App.sure": {false, 0.4}, "App.guessed": {true, 0.4}} {
		got := rows[name].Waiting
		golden.Equal(t, got.Unsure, want.unsure, name)
		golden.Within(t, got.Wrong, want.wrong-0.01, want.wrong+0.01)
	}
}

// An owner that one recording knows by a method inside of the lock, and the other by the method that
// acquired it, is the same.
func TestOneOwnerByTwoNames(t *testing.T) {
	chains := []string{"sl < reload < work", "busy < update < work"}
	names := func(inner, outer string) []string {
		first, second := rowOf(several(1, 1, 0), Rate{}), rowOf(Rate{}, several(1, 1, 0))
		first.Name, second.Name = inner, outer
		rows := []Row{first, second}
		judge(rows, coarser{callersIn(chains).ofMethod, partners}, Options{Alpha: 0.05})
		return found(rows)
	}
	golden.Equal(t, len(names("sl", "reload")), 0, "one call chain")
	golden.Equal(t, len(names("sl", "update")), 2, "two call chains")
}
