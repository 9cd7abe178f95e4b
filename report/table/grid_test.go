package table

import (
	"encoding/csv"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"contend/golden"
	"contend/report/document"
	"contend/report/text"
)

// hostile is what a trace may call its threads and locks.
var hostile = []string{
	"plain",
	"=1+1",
	"@SUM(A1)",
	"-2",
	`quote " and, comma`,
	"pipe | end",
	"two\nlines",
	"\x1b[2J",
	"a.B.<init>",
	"`code` *star*",
	"",
}

func write(t *testing.T, g *Grid, o Options) string {
	t.Helper()
	var out strings.Builder
	golden.OK(t, report{grids: []*Grid{g}}.write(&out, o))
	return out.String()
}

func hostileGrid() *Grid {
	g := &Grid{Title: "names", Head: []string{"TIMES SEEN", "LOCK"}, Left: left(2, 1)}
	for i, name := range hostile {
		g.Rows = append(g.Rows, []Cell{Count(int64(1000 * i)), Name(name)})
	}
	return g
}

func TestCSVReadsBackAndRunsNothing(t *testing.T) {
	got := golden.Must(csv.NewReader(strings.NewReader(write(t, hostileGrid(), Options{Style: CSV}))).ReadAll())(t)
	want := [][]string{{"times_seen", "lock"},
		{
			"0",
			"plain",
		}, {"1000", "'=1+1"}, {"2000", "'@SUM(A1)"}, {"3000", "-2"}, {"4000", `quote " and, comma`}, {"5000",
			"pipe | end"},
		{"6000", `two\nlines`}, {"7000", `\x1b[2J`}, {"8000", "a.B.<init>"}, {"9000", "`code` *star*"}, {"10000", ""}}
	golden.Same(t, got, want)
}

func TestMarkdownCellsStayCells(t *testing.T) {
	out := write(t, hostileGrid(), Options{Style: Markdown})
	rows := 0
	for _, line := range strings.Split(out, "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		golden.Equal(t, strings.Count(line, "|")-strings.Count(line, `\|`), 3, "bars in", line)
	}
	if want := len(hostile) + 2; rows != want { // head and rule
		t.Errorf("%d lines, want %d:\n%s", rows, want, out)
	}
	golden.Holds(t, out, "` a.B.<init> `", "`` `code` *star* ``", "` \\x1b[2J `", "| plain ")
}

func TestTheWidestColumnGivesWay(t *testing.T) {
	long := strings.Repeat("frame < ", 30)
	g := &Grid{
		Title: "t",
		Head:  []string{"WAIT", "OWNER", "KNOWN"},
		Left:  left(3, 1, 2),
		Rows:  [][]Cell{{Time(5e9), Name(long), Name("inferred 100 %")}},
	}
	widest := func(width int) (n int) {
		for _, line := range strings.Split(write(t, g, Options{Width: width}), "\n") {
			n = max(n, utf8.RuneCountInString(strings.TrimRight(line, " ")))
		}
		return n
	}
	golden.AtLeast(t, widest(0), len(long), "without a limit", "columns")
	for _, width := range []int{80, 100, 132} {
		golden.Within(t, widest(width), width-4, width)
	}
	golden.AtMost(t, widest(40), 40, "columns of 40")
	golden.AtLeast(t, widest(10), 2*slimmest, "columns left in a narrow terminal")
	golden.Holds(t, write(t, g, Options{Width: 80}), "inferred 100 %")
}

// Stacks that differ in what their last line called are not shown alike.
func TestStacksThatLookAlikeAreToldApart(t *testing.T) {
	take := document.Frame{Class: "com.acme.Shop", Method: "pay", Line: 12}
	stack := func(lock ...document.Frame) document.Stack { return append(document.Stack(lock), take) }
	b := &document.Blame{
		Metric:   "direct",
		By:       []string{"owner-stack"},
		Coverage: document.Coverage{Unit: "ns"},
		Rows: []document.BlameRow{
			{Keys: []string{"a"}, Stack: stack()},
			{
				Keys: []string{"b"},
				Stack: stack(
					document.Frame{Class: "jdk.internal.misc.Unsafe", Method: "park"},
					document.Frame{Class: "java.util.concurrent.locks.ReentrantLock", Method: "lock", Line: 322},
				),
			},
			{
				Keys: []string{"c"},
				Stack: document.Stack{
					{Class: "java.lang.Thread", Method: "sleep"},
					{Class: "com.acme.Shop", Method: "nap", Line: 3},
				},
			}},
	}
	var got []string
	for _, row := range blameGrid(b).Rows {
		got = append(got, row[4].Text)
	}
	golden.Same(t, got, []string{"Shop.pay:12", "Shop.pay:12 (in ReentrantLock.lock)", "Shop.nap:3"})
}

func TestColumnsGoWhereThereIsNoRoom(t *testing.T) {
	g := &Grid{
		Title: "t",
		Head:  []string{"WAIT", "WALL", "OWNER", "LOCK"},
		Left:  left(4, 2, 3),
		Drop:  []string{"WALL", "WAIT"},
		Rows:  [][]Cell{{Time(5e9), Time(4e9), Name(strings.Repeat("o", 50)), Name(strings.Repeat("l", 50))}},
	}
	for width, want := range map[int]string{200: "5.00 s 4.00 s", 56: "5.00 s 4.00 s", 48: "5.00 s ooo"} {
		out := write(t, g, Options{Width: width})
		golden.Holds(golden.Labelled(t, width), strings.Join(strings.Fields(out), " "), want)
		if gone := strings.Contains(out, "no room for WALL"); gone != (width == 48) {
			t.Errorf("%d columns: a note says what is gone: %v\n%s", width, gone, out)
		}
		for line := range strings.SplitSeq(out, "\n") {
			golden.AtMost(t, utf8.RuneCountInString(strings.TrimRight(line, " ")), width, "columns", line)
		}
	}
	if out := write(t, g, Options{Style: CSV, Width: 20}); !strings.HasPrefix(out, "wait,wall,owner,lock\n") {
		t.Errorf("%s", out)
	}
}

// wide has letters of two columns, of one and of none.
const wide = "在庫管理Lock🔒e\u0301.ロック"

// Columns stay in line and inside the terminal whatever the letters: an
// ideograph takes two columns.
func TestWideLetters(t *testing.T) {
	t.Setenv("LANG", "ja_JP.UTF-8")
	for width := 27; width <= 60; width++ {
		g := &Grid{
			Title: "名前 " + wide + " " + wide,
			Head:  []string{"WAIT", "LOCK", "OWNER"},
			Left:  []bool{false, true, true},
			Rows:  [][]Cell{{Count(12), Name(wide), Name("a " + wide)}, {Count(1234), Name("plain"), Name("b")}},
		}
		var b strings.Builder
		golden.OK(t, report{grids: []*Grid{g}}.write(&b, Options{Width: width}))
		lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
		for _, line := range lines {
			golden.AtMost(t, text.Columns(line), width, line)
		}
		rows := lines[len(lines)-2:]
		golden.Equal(t, text.Columns(rows[0]), text.Columns(rows[1]), "at", width, "rows of", "columns", rows)
	}
}

// A table may have a million lines: one takes what its cells take, and little else.
func TestLinesOfLongTablesCostLittle(t *testing.T) {
	const lines = 10_000
	row := []Cell{{"1.000 s", "1000000000"}, {"app.Cache@7f6ea80174f0", "app.Cache"}}
	g := &Grid{
		Title: "waits",
		Head:  []string{"TIME", "LOCK"},
		Left:  []bool{false, true},
		Made: func(yield func([]Cell) bool) {
			for range lines {
				if !yield(row) {
					return
				}
			}
		},
	}
	n := testing.AllocsPerRun(3, func() {
		if err := (report{grids: []*Grid{g}}).write(io.Discard, Options{}); err != nil {
			t.Error(err)
		}
	})
	golden.AtMost(t, n, lines, "lines")
}

// A name that matters more than the width of a table stands under its row where it does
// not fit, whole, before what stands there anyway.
func TestAColumnStandsUnderItsRowsWhereItDoesNotFit(t *testing.T) {
	grid := func() *Grid {
		return &Grid{
			Title: "phases",
			Head:  []string{"WAIT", "CAUSE", "LOCK"},
			Left:  left(3, 1, 2),
			Under: []string{"CAUSE"},
			Below: []string{"", "then Stock.close"},
			Rows: [][]Cell{
				{Count(1), Name("Store.flush < Shop.order"), Name("Store")},
				{Count(2), Name("Stock.open"), Name("Stock")},
				{Count(3), none, Name("Shelf")},
			},
		}
	}
	for width, want := range map[int]string{
		60: "phases\n WAIT  CAUSE                     LOCK  \n    1  Store.flush < Shop.order  Store \n    2  " +
			"Stock.open                Stock \n      then Stock.close\n    3  -                         Shelf \n\n",
		36: "phases\n WAIT  LOCK  \n    1  Store \n      Store.flush < Shop.order\n    2  Stock \n      Stock.open; " +
			"then Stock.close\n    3  Shelf \n\n",
	} {
		golden.Same(t, write(t, grid(), Options{Width: width}), want, width, "columns")
	}
}

func TestCountsAreGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -999: "-999", -1000: "-1,000",
		1234567: "1,234,567"} {
		if got := Count(n); got.Text != want || strings.Contains(got.Raw, ",") {
			t.Errorf("Count(%d) = %+v, want %q", n, got, want)
		}
	}
}

func TestShareOfNothingIsNoNumber(t *testing.T) {
	golden.Equal(t, Share(0, 0).Text, "-")
	if got := Share(1, 8); got.Text != "12.5 %" || got.Raw != "0.125000" {
		t.Errorf("%+v", got)
	}
}
