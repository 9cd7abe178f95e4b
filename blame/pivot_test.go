package blame

import (
	"strings"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
)

// Threads, locks and stacks of the hand-made trace. Stacks 1 and 2 have the
// same frames under two ids, as recorders that write a table per chunk give.
const (
	web1, web2, batch        = format.ThreadID(1), format.ThreadID(2), format.ThreadID(3)
	cacheA, cacheB, journal  = format.ObjectID(1), format.ObjectID(2), format.ObjectID(3)
	put, putAgain, flush     = format.StackID(1), format.StackID(2), format.StackID(3)
	putText, flushText       = "java.lang.Object.wait < Cache.put:7", "Journal.flush:40"
	putMethod, flushMethod   = "Cache.put", "Journal.flush"
	webGroup, batchGroup     = "web-", "batch"
	cacheClass, journalClass = "Cache", "Journal"
)

func symbols() *analysis.Symbols {
	stack := func(id format.StackID, frames ...format.Frame) *format.Event {
		return &format.Event{Kind: format.KindStack, Stack: id, Frames: frames}
	}
	wait := format.Frame{Class: "java.lang.Object", Method: "wait"}
	site := format.Frame{Class: "Cache", Method: "put", Line: 7}
	return analysis.NewSymbols(
		&format.Event{Kind: format.KindThread, Thread: web1, Name: "web-1"},
		&format.Event{Kind: format.KindThread, Thread: web2, Name: "web-2"},
		&format.Event{Kind: format.KindThread, Thread: batch, Name: "batch"},
		&format.Event{Kind: format.KindObject, Object: cacheA, Class: "Cache", Hash: 0xa},
		&format.Event{Kind: format.KindObject, Object: cacheB, Class: "Cache", Hash: 0xb},
		&format.Event{Kind: format.KindObject, Object: journal, Class: "Journal", Name: "the journal"},
		stack(put, wait, site), stack(putAgain, wait, site),
		stack(flush, format.Frame{Class: "Journal", Method: "flush", Line: 40}),
	)
}

// by is an owner that is a thread.
func by(t format.ThreadID, s format.StackID, p analysis.Provenance) analysis.Owner {
	return analysis.Owner{Thread: t, Stack: s, Prov: p}
}

func kind(k analysis.OwnerKind) analysis.Owner {
	return analysis.Owner{Kind: k, Prov: analysis.Unknown}
}

// direct makes a slice whose time goes to one owner.
func direct(from, to int64, t format.ThreadID, l format.ObjectID, first bool, o analysis.Owner) analysis.Slice {
	return analysis.Slice{
		Start:   from,
		End:     to,
		Lock:    l,
		Waiters: []analysis.Waiter{{Thread: t, Stack: flush, First: first}},
		Shares:  []analysis.Share{{Ns: to - from, Direct: o, Root: o, Hops: 1}},
	}
}

// handmade: web-1 waits for Cache a over [0, 100): the first 60 ns for web-2,
// which for 40 of them waits itself for the journal that batch holds; then for
// nobody known. web-2 waits for the journal over [20, 60), and web-1 again,
// for Cache b, over [100, 130).
func handmade() []analysis.Slice {
	passed := direct(20, 60, web1, cacheA, false, by(web2, put, analysis.Sampled))
	passed.Shares[0].Root = by(batch, flush, analysis.Exact)
	passed.Shares[0].Hops = 2
	passed.Shares[0].Path = analysis.PathOf(analysis.Hop{Thread: web2, Stack: put, Lock: journal})
	return []analysis.Slice{
		direct(0, 20, web1, cacheA, true, by(web2, put, analysis.Sampled)),
		passed,
		direct(20, 60, web2, journal, true, by(batch, flush, analysis.Exact)),
		direct(60, 100, web1, cacheA, false, kind(analysis.OwnerUnknown)),
		direct(100, 130, web1, cacheB, true, by(web2, putAgain, analysis.Likely(0.5))),
	}
}

// pivot sums slices.
func pivot(sym *analysis.Symbols, list []analysis.Slice, root bool, keys ...Key) *Table {
	p := New(keys, root)
	p.Begin(sym, 0)
	for i := range list {
		p.Slice(&list[i])
	}
	return p.Table()
}

// line is a row without its stacks and provenance.
type line struct {
	Keys                    string
	ThreadNs, WallNs, Waits int64
}

func lines(t *Table) (out []line) {
	for _, r := range t.Rows {
		out = append(out, line{strings.Join(r.Keys, " | "), r.Sum.ThreadNs, r.Sum.WallNs, r.Sum.Waits})
	}
	return out
}

func TestEveryKey(t *testing.T) {
	for _, c := range []struct {
		keys string
		root bool
		want []line
	}{
		{"class", false, []line{{cacheClass, 130, 130, 2}, {journalClass, 40, 40, 1}}},
		{"lock", false, []line{{"Cache@a", 100, 100, 1}, {"the journal", 40, 40, 1}, {"Cache@b", 30, 30, 1}}},
		{"owner-stack", false, []line{{putText, 90, 90, 2}, {flushText, 40, 40, 1}, {"[unknown owner]", 40, 40, 0}}},
		{"owner-stack", true, []line{{flushText, 80, 40, 1}, {putText, 50, 50, 2}, {"[unknown owner]", 40, 40, 0}}},
		{"owner-method", false, []line{{putMethod, 90, 90, 2}, {flushMethod, 40, 40, 1},
			{"[unknown owner]", 40, 40, 0}}},
		{"owner-thread", false, []line{{"web-2", 90, 90, 2}, {"[unknown owner]", 40, 40, 0}, {"batch", 40, 40, 1}}},
		{"owner-group", true, []line{{batchGroup, 80, 40, 1}, {webGroup, 50, 50, 2}, {"[unknown owner]", 40, 40, 0}}},
		{"waiter-stack", false, []line{{flushText, 170, 130, 3}}},
		{"waiter-method", false, []line{{flushMethod, 170, 130, 3}}},
		{"waiter-thread", false, []line{{"web-1", 130, 130, 2}, {"web-2", 40, 40, 1}}},
		{"waiter-group", false, []line{{webGroup, 170, 130, 3}}},
		{"owner-thread,class", false, []line{{"web-2 | Cache", 90, 90, 2}, {"[unknown owner] | Cache", 40, 40, 0},
			{"batch | Journal", 40, 40, 1}}},
		{"class,owner-thread", true, []line{{"Cache | web-2", 50, 50, 2}, {"Cache | [unknown owner]", 40, 40, 0},
			{"Cache | batch", 40, 40, 0}, {"Journal | batch", 40, 40, 1}}},
	} {
		keys := golden.Must(ParseKeys(c.keys, Pivots))(t)
		table := pivot(symbols(), handmade(), c.root, keys...)
		golden.Same(t, lines(table), c.want, "--by", c.keys, "root", c.root)
		if table.Total.ThreadNs != 170 || table.Total.WallNs != 130 || table.Total.Waits != 3 {
			t.Errorf("--by %s: total %+v", c.keys, table.Total)
		}
	}
}

// A pseudo owner is a row of its own under every owner key, whatever ids the
// threads and stacks of the trace have.
func TestPseudoOwnersAreRows(t *testing.T) {
	second := kind(analysis.OwnerDeadlock)
	second.Cycle = 2
	first := kind(analysis.OwnerDeadlock)
	first.Cycle = 1
	var list []analysis.Slice
	for i, o := range []analysis.Owner{kind(analysis.OwnerHandoff), kind(analysis.OwnerUnknown),
		kind(analysis.OwnerExternal), first, second, by(web2, format.NoStack, analysis.Likely(1))} {
		list = append(list, direct(int64(i)*10, int64(i)*10+10, web1, cacheA, true, o))
	}
	for key, last := range map[Key]string{ByOwnerStack: "[unknown stack]", ByOwnerMethod: "[unknown stack]",
		ByOwnerThread: "web-2", ByOwnerGroup: webGroup} {
		got := map[string]int64{}
		for _, r := range pivot(symbols(), list, false, key).Rows {
			got[r.Keys[0]] += r.Sum.ThreadNs
			if len(r.Stacks) > 0 && r.Stacks[0] != nil {
				t.Errorf("%s has a stack", r.Keys[0])
			}
		}
		want := map[string]int64{
			"[handoff]":       10,
			"[unknown owner]": 10,
			"[external]":      10,
			"[deadlock #1]":   10,
			"[deadlock #2]":   10,
			last:              10,
		}
		golden.Same(t, got, want, key)
	}
}

// Two readers own an odd number of nanoseconds between them: the shares keep
// the sum, neither row is longer on the wall than in thread-time, and the one
// wait counts in the row of the first share.
func TestReadersShareASlice(t *testing.T) {
	s := analysis.Slice{
		Start:   0,
		End:     101,
		Lock:    cacheA,
		Waiters: []analysis.Waiter{{Thread: web1, First: true}},
		Shares: []analysis.Share{
			{Ns: 51, Direct: by(web2, put, analysis.Exact), Root: by(web2, put, analysis.Exact), Hops: 1},
			{
				Ns:     50,
				Direct: by(batch, flush, analysis.Likely(0.5)),
				Root:   by(batch, flush, analysis.Likely(0.5)),
				Hops:   1,
			}},
	}
	table := pivot(symbols(), []analysis.Slice{s}, false, ByOwnerThread)
	golden.Same(t, lines(table), []line{{"web-2", 51, 51, 1}, {"batch", 50, 50, 0}})
	want := Sum{ThreadNs: 101, WallNs: 101, Waits: 1}
	want.ByProvenance.AddWaiting(analysis.Exact, 51)
	want.ByProvenance.AddWaiting(analysis.Likely(0.5), 50)
	golden.Equal(t, table.Total, want)
	golden.Equal(t, table.Total.ByProvenance.Right(), 76)
}

// A wait that began before a cut has no first slice in it: it is charged, but
// counted where it began.
func TestWaitsCountWhereTheyBegin(t *testing.T) {
	table := pivot(symbols(), []analysis.Slice{direct(0, 10, web1, cacheA, false, by(web2, put, analysis.Exact)),
		direct(20, 20, web1, cacheA, true, by(web2, put, analysis.Exact))}, false, ByLock)
	if diff := cmp.Diff([]line{{"Cache@a", 10, 10, 1}}, lines(table)); diff != "" || table.Total.Waits != 1 {
		t.Errorf("%s%+v", diff, table.Total)
	}
}

func TestStackRowsCarryTheirFrames(t *testing.T) {
	table := pivot(symbols(), handmade(), false, ByOwnerStack, ByClass, ByWaiterStack)
	for _, r := range table.Rows {
		if len(r.Stacks) != 2 {
			t.Fatalf("%d stacks", len(r.Stacks))
		}
		for i, key := range []string{r.Keys[0], r.Keys[2]} {
			if s := r.Stacks[i]; s != nil && analysis.StackText(s) != key {
				t.Errorf("%s carries %s", key, analysis.StackText(s))
			}
		}
	}
}

func TestParseKeys(t *testing.T) {
	for _, use := range []Use{Pivots, Lengths} {
		all := Keys(use)
		parsed, err := ParseKeys(strings.Join(all, " , "), use)
		if err != nil || len(parsed) != len(all) {
			t.Fatalf("%v: %v", parsed, err)
		}
		for i, k := range parsed {
			golden.Equal(t, k.String(), all[i], "is read as", k)
		}
	}
	for k := range keys {
		if keys[k].name == "" || keys[k].asked == 0 && Key(k) < ByChain ||
			keys[k].side == owner && keys[k].asked&Lengths != 0 {
			t.Errorf("key %d is not whole: %q", k, keys[k].name)
		}
	}
	if _, err := ParseKeys("owner-stack", Lengths); err == nil {
		t.Error("a length is asked for by owner")
	}
	for text, want := range map[string]string{"": `""`, "class,": `""`, "owner": "the nearest are owner-blocked-on, " +
		"owner-callers", "clss": "the nearest is class", "xyz": "there are class, lock",
		"class,lock,class": `"class" is given twice`} {
		if _, err := ParseKeys(text, Pivots); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		} else if strings.Contains(want, "is ") && strings.Contains(err.Error(), "lock") {
			t.Errorf("%q: others are listed, too: %v", text, err)
		}
	}
}

// The promise of Pivot: a row that exists costs nothing more.
func TestAddingToARowAllocatesNothing(t *testing.T) {
	list := handmade()
	p := New([]Key{ByClass, ByOwnerStack, ByOwnerGroup, ByWaiterMethod, ByWaiterThread, ByChain}, true)
	p.Begin(symbols(), 0)
	add := func() {
		for i := range list {
			p.Slice(&list[i])
		}
	}
	add()
	golden.Equal(t, testing.AllocsPerRun(100, add), 0, "allocations for", len(list), "slices")
}

// A table of a million rows is put in order without copying rows about, and allocates
// nothing for each of them.
func TestATableAllocatesNothingForARow(t *testing.T) {
	made := func(rows int) float64 {
		var threads []*format.Event
		for i := range rows {
			threads = append(
				threads,
				&format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: "worker"},
			)
		}
		p := New([]Key{ByWaiterThread, ByOwnerThread}, false)
		p.Begin(analysis.NewSymbols(threads...), 0)
		for i := range rows {
			owner := analysis.Owner{Kind: analysis.OwnerThread, Thread: format.ThreadID(rows - i)}
			p.Slice(&analysis.Slice{
				Start:   int64(i),
				End:     int64(i + 1),
				Lock:    1,
				Waiters: []analysis.Waiter{{Thread: format.ThreadID(i + 1)}},
				Shares:  []analysis.Share{{Ns: 1, Direct: owner, Root: owner, Hops: 1}},
			})
		}
		if n := len(p.Table().Rows); n != rows {
			t.Fatalf("%d rows, want %d", n, rows)
		}
		return testing.AllocsPerRun(10, func() { p.Table() })
	}
	golden.AtMost(t, made(1000), made(10), "allocations for 10 rows", "for 1000")
}
