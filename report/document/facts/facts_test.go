package facts

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/blame/cube"
	"contend/blame/locks"
	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var open = analysis.Filter{From: format.NoTime, To: format.NoTime}

func textOf(c *cube.Cube, r *cube.Row, k blame.Key) string {
	at := slices.Index(by, k)
	text, _ := c.Text(cube.Dim(at), r.Key[at])
	return text
}

// sums adds up the cells of rows by what some names of a row are.
func sums(c *cube.Cube, name func(*cube.Row) string) map[string][2]int64 {
	out := map[string][2]int64{}
	for i := range c.Rows {
		r := &c.Rows[i]
		for j := range r.Cells {
			n := out[name(r)]
			out[name(r)] = [2]int64{n[0] + r.Cells[j].Ns, n[1] + int64(r.Cells[j].Waits)}
		}
	}
	return out
}

// The rows are sums of what the page's cube holds, whatever their intervals are;
// they and the intervals add up to what analyze says.
func TestRowsAgreeWithTheCubeAndWithAnalyze(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newCube(
			rapid.Int64Range(1e5, 1e9).Draw(t, "interval"),
			cube.Limits{Bins: rapid.IntRange(1, 50).Draw(t, "bins"), Cells: rapid.IntRange(20, 1000).Draw(t, "cells")},
		)
		whole, all := cube.New(cube.Limits{Bins: 1 << 20, Rows: 1 << 20, Cells: 1 << 30}), locks.New(false)
		tr := golden.Must(pass.Run(golden.RandomTrace(t), open, c, whole, all))(t)
		c.Finish()
		want := map[string][2]int64{}
		for _, r := range whole.Rows {
			class := whole.Class(r.Key[cube.Lock])
			owner, _ := whole.Text(cube.OwnerStack, r.Key[cube.OwnerStack])
			waiter, _ := whole.Text(cube.WaiterStack, r.Key[cube.WaiterStack])
			prov, _ := whole.Text(cube.Provenance, r.Key[cube.Provenance])
			key := class + "|" + owner + "|" + waiter + "|" + prov
			want[key] = [2]int64{want[key][0] + r.Ns, want[key][1] + r.Waits}
		}
		got := sums(c, func(r *cube.Row) string {
			return textOf(
				c,
				r,
				blame.ByClass,
			) + "|" + textOf(
				c,
				r,
				blame.ByOwnerStack,
			) + "|" + textOf(
				c,
				r,
				blame.ByWaiterStack,
			) + "|" + analysis.Word(r.Key[len(by)]).
				String()
		})
		golden.Same(t, got, want, "rows")
		total := all.Total()
		var ns, wall, waits, running int64
		for i, s := range c.Total.Cells {
			ns, wall, waits = ns+s.Ns, wall+c.Total.WallNs(i), waits+int64(s.Waits)
			if i > 0 && s.Bin <= c.Total.Cells[i-1].Bin {
				t.Errorf("interval %d comes after %d", s.Bin, c.Total.Cells[i-1].Bin)
			}
		}
		for _, n := range c.RunningNs {
			running += n
		}
		if ns != total.WaitNs || wall != total.WallNs || waits != total.Waits || running != tr.RunningNs {
			t.Errorf(
				"%d ns, %d on the clock, %d waits, running %d; analyze says %d, %d, %d, %d",
				ns,
				wall,
				waits,
				running,
				total.WaitNs,
				total.WallNs,
				total.Waits,
				tr.RunningNs,
			)
		}
	})
}

// The stretches of a name over all intervals are as long as those that blame
// sees. It is a cell's wall-time that is cut to its thread-time: where owners
// share a wait, intervals may add up to less than the whole, never to more.
func TestWallTimeAddsOverIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, p := NewCube(rapid.Int64Range(1e5, 1e8).Draw(t, "interval"), nil), blame.New(by, false)
		golden.Must(pass.Run(golden.RandomTrace(t), open, c, p))(t)
		type sum struct{ ns, wall, stretches int64 }
		want, got, known := map[string]sum{}, map[string]sum{}, map[string]int{}
		for _, r := range p.Table().Rows {
			key := cmp.Diff(nil, r.Keys)
			want[key] = sum{ns: want[key].ns + r.Sum.ThreadNs, wall: want[key].wall + r.Sum.WallNs}
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			texts := make([]string, len(by))
			for i, k := range by {
				texts[i] = textOf(c, r, k)
			}
			key := cmp.Diff(nil, texts)
			known[key]++
			g := got[key]
			for j := range r.Cells {
				g.ns, g.stretches = g.ns+r.Cells[j].Ns, g.stretches+r.WallNs(j)
			}
			got[key] = g
		}
		for key, w := range want {
			g := got[key]
			if on := min(g.stretches, g.ns); g.ns != w.ns || known[key] == 1 && on != w.wall || on < w.wall {
				t.Errorf("%d ns, %d on the clock, want %d and %d of %s", g.ns, on, w.ns, w.wall, key)
			}
		}
		for i := range c.Rows {
			for j, cell := range c.Rows[i].Cells {
				if wall := c.Rows[i].WallNs(j); wall > c.BinNs || cell.Ns > 0 && wall == 0 {
					t.Errorf("%d on the clock of %d ns in an interval of %d", wall, cell.Ns, c.BinNs)
				}
			}
		}
	})
}

// Intervals are those of the clock, before the epoch too.
func TestIntervalsAreAligned(t *testing.T) {
	list := format.List{Events: []format.Event{
		{Kind: format.KindThread, Thread: 1, Name: "a"}, {Kind: format.KindObject, Object: 1, Class: "Lock"},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: -15, End: 25},
	}}
	c := NewCube(10, nil)
	golden.Must(pass.Run(&list, open, c))(t)
	c.Finish()
	var got [][4]int64
	for i, cell := range c.Rows[0].Cells {
		got = append(got, [4]int64{c.Start/c.BinNs + int64(cell.Bin), cell.Ns, c.Rows[0].WallNs(i), int64(cell.Waits)})
	}
	golden.Same(t, got, [][4]int64{{-2, 5, 5, 1}, {-1, 10, 10, 0}, {0, 10, 10, 0}, {1, 10, 10, 0}, {2, 5, 5, 0}})
}

// Each file is a question that is asked, of tables and columns that there are.
func TestEveryQueryIsAsked(t *testing.T) {
	entries, err := files.ReadDir("queries")
	if err != nil || len(entries) != len(Questions) {
		t.Fatalf("%d files, %d names (%v)", len(entries), len(Questions), err)
	}
	named := map[string][]string{"metadata": {"host", "name", "value"}}
	for _, table := range Tables {
		for _, c := range columns(table) {
			if c.sql == "" {
				t.Errorf("%s.%s has no type", table, c.name)
			}
			named[table] = append(named[table], c.name)
		}
	}
	alias := regexp.MustCompile(`(?i)(?:FROM|JOIN) (recordings|intervals|locks|lengths|waits|metadata) ([a-z])\b`)
	for _, name := range Questions {
		text := Query(name)
		if !strings.HasPrefix(text, "-- ") || strings.Contains(text, ";") {
			t.Errorf("%s: says nothing of itself, or is several statements", name)
		}
		for _, m := range alias.FindAllStringSubmatch(text, -1) {
			for _, use := range regexp.MustCompile(`\b`+m[2]+`\.([a-z_]+)`).FindAllStringSubmatch(text, -1) {
				if !slices.Contains(named[m[1]], use[1]) && !strings.Contains(text, " AS "+use[1]) {
					t.Errorf("%s: %s has no column %s", name, m[1], use[1])
				}
			}
		}
	}
	golden.Equal(t, Query("causes; DROP"), "", "what is no name has a question")
}

// A folder may be called what it wants.
func TestFoldersAreQuoted(t *testing.T) {
	for _, d := range Dialects {
		if text := d.Views("it's"); !strings.Contains(text, "'it''s/waits") || strings.Count(text, "'")%2 != 0 {
			t.Errorf("%s: %s", d.Name, text)
		}
	}
}

// Rows are made one by one, of names that are put together once: a million rows take no
// more memory than what they are made of.
func TestRowsAreMadeAsTheyAreAskedFor(t *testing.T) {
	const stacks = 60
	var events []*format.Event
	for i := range stacks {
		frames := []format.Frame{
			{Class: "Shop", Method: string(rune('a' + i)), Line: i},
			{Class: "Shop", Method: "run"},
		}
		events = append(events, &format.Event{Kind: format.KindStack, Stack: format.StackID(i + 1), Frames: frames})
	}
	c := NewCube(1000, nil)
	c.Begin(analysis.NewSymbols(events...), 0)
	for i := range stacks {
		for j := range stacks {
			owner := analysis.Owner{Kind: analysis.OwnerThread, Thread: 2, Stack: format.StackID(j + 1)}
			at := int64(i*stacks + j)
			c.Slice(&analysis.Slice{
				Start:   at,
				End:     at + 1,
				Lock:    1,
				Waiters: []analysis.Waiter{{Thread: 1, Stack: format.StackID(i + 1), First: true}},
				Shares:  []analysis.Share{{Ns: 1, Direct: owner, Root: owner, Hops: 1}},
			})
		}
	}
	c.Finish()
	waits := newWaits("a.jfr", c, true)
	rows := 0
	all := func() {
		for row := range waits.All() {
			rows += int(row.Waits)
		}
	}
	all()
	golden.Equal(t, rows, stacks*stacks)
	golden.Equal(t, waits.Len(), rows)
	golden.AtMost(t, testing.AllocsPerRun(3, all), stacks, "allocations to go through", waits.Len(), "rows")
}
