package compare

import (
	"math"
	"strings"
	"testing"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/format"
	"contend/format/simulate"
	"contend/golden"
)

// profile analyses what the exact or the sampled recorder saw of a run.
func profile(t testing.TB, c simulate.Config, exact bool) *Profile {
	t.Helper()
	var list format.List
	e, s := format.Sink(nil), format.Sink(&list)
	if exact {
		e, s = &list, nil
	}
	golden.Must(simulate.Run(c, e, s))(t)
	p := &Profile{}
	golden.Must(pass.Run(&list, analysis.Filter{From: format.NoTime, To: format.NoTime}, p))(t)
	return p
}

// found lists the rows that differ.
func found(rows []Row) (names []string) {
	for _, r := range rows {
		if r.Status != Same {
			names = append(names, r.Name)
		}
	}
	return names
}

func TestATraceDoesNotDifferFromItself(t *testing.T) {
	names, _ := simulate.Scenarios()
	names = names[:golden.Depth(4, 8, len(names))]
	for _, name := range names {
		for _, exact := range []bool{true, false} {
			c := simulate.Config{Scenario: name, Threads: 6, Duration: 1e9, Seed: 3}
			p := profile(t, c, exact)
			d := Compare(Group{p}, Group{p}, Options{})
			for _, rows := range [][]Row{{d.Total}, d.Locks, d.Owners, d.Chains} {
				if f := found(rows); f != nil {
					t.Errorf("%s: %q differ", name, f)
				}
				if len(rows) == 0 && name != "idle-pool" && name != "fork-join" {
					t.Errorf("%s: no rows", name)
				}
			}
		}
	}
}

// Of runs that differ in one critical section, that one is found, by three runs of each side, and
// anything else in one of twenty pairs: the error rate that is stated.
func TestOneSlowerSectionIsFoundAndNothingElse(t *testing.T) {
	pairs := golden.Depth(1, 2, 20) // of each kind, and no run is used twice
	wrong := [3]int{}
	for i, exact := range []bool{true, false} {
		missed := [3]int{}
		for pair := range pairs {
			c := simulate.Config{
				Scenario: "shards",
				Threads:  12,
				Locks:    4,
				Duration: 4e9,
				Period:   5e6,
				Seed:     uint64(6 * (i*pairs + pair)),
			}
			three := func() (g Group) {
				for range 3 {
					g = append(g, profile(t, c, exact))
					c.Seed++
				}
				return g
			}
			base := three()
			c.Slow, c.SlowBy = "serve2", 50
			d := Compare(base, three(), Options{})
			for k, rows := range [][]Row{d.Locks, d.Owners, d.Chains} {
				hit := false
				for _, name := range found(rows) {
					if strings.Contains(name, "serve2") {
						hit = true
					} else {
						wrong[k]++
					}
				}
				if !hit {
					missed[k]++
				}
			}
		}
		t.Logf("exact %v: missed %v of %d", exact, missed, pairs)
		for k := range missed {
			golden.AtMost(t, missed[k], 0, "exact", exact, "table", k, "missed", pairs)
		}
	}
	t.Logf("wrong %v of %d", wrong, 2*pairs)
	for k := range wrong {
		if wrong[k] > pairs/10+4 { // more than 7 of 60 come up once in a hundred times
			t.Errorf("table %d: wrong %d of %d", k, wrong[k], 2*pairs)
		}
	}
}

// handmade builds a trace of waits by hand: each names its lock's class, the
// site and the lock, and lasts 1 ms.
func handmade(t *testing.T, waits ...[3]string) *Profile {
	t.Helper()
	ids := map[string]uint32{}
	list := &format.List{}
	write := func(ev format.Event) {
		golden.OK(t, list.Write(&ev))
	}
	id := func(kind, name string) (uint32, bool) {
		key := kind + name
		if n, ok := ids[key]; ok {
			return n, false
		}
		ids[kind]++
		ids[key] = ids[kind]
		return ids[key], true
	}
	write(format.Event{Kind: format.KindRecording, Time: 0, End: 1e9})
	write(format.Event{Kind: format.KindThread, Thread: 1, Name: "t"})
	write(format.Event{Kind: format.KindThreadStart, Thread: 1, Time: 0})
	for i, w := range waits {
		lock, fresh := id("lock", w[2])
		if fresh {
			write(
				format.Event{
					Kind:   format.KindObject,
					Object: format.ObjectID(lock),
					Class:  w[0],
					Hash:   uint64(1000 * len(waits) * int(lock)),
				},
			)
		}
		stack, fresh := id("stack", w[1])
		if fresh {
			write(
				format.Event{
					Kind:   format.KindStack,
					Stack:  format.StackID(stack),
					Frames: []format.Frame{{Class: "App", Method: w[1], Line: len(waits)}},
				},
			)
		}
		write(
			format.Event{
				Kind:   format.KindWait,
				Thread: 1,
				Object: format.ObjectID(lock),
				Stack:  format.StackID(stack),
				Time:   int64(i) * 10e6,
				End:    int64(i)*10e6 + 1e6,
			},
		)
	}
	write(format.Event{Kind: format.KindThreadEnd, Thread: 1, Time: 1e9})
	p := &Profile{}
	golden.Must(pass.Run(list, analysis.Filter{From: format.NoTime, To: format.NoTime}, p))(t)
	return p
}

// Locks match by class and sites: of one class two locks are told apart by
// where they are acquired, one lock acquired at two places is one row on both
// sides even if one of them saw a single place, and addresses do not matter.
func TestLocksMatchByClassAndSites(t *testing.T) {
	base := handmade(
		t,
		[3]string{"java.lang.Object", "get", "a"},
		[3]string{"java.lang.Object", "put", "a"},
		[3]string{"java.lang.Object", "log", "b"},
	)
	other := handmade(t, [3]string{"java.lang.Object", "log", "x"}, [3]string{"java.lang.Object", "get", "y"})
	d := Compare(Group{base}, Group{other}, Options{})
	got := map[string][2]int64{}
	for _, r := range d.Locks {
		got[r.Name] = [2]int64{r.Base.Waiting.WaitNs, r.New.Waiting.WaitNs}
	}
	want := map[string][2]int64{
		"java.lang.Object at App.get, App.put": {2e6, 1e6},
		"java.lang.Object at App.log":          {1e6, 1e6},
	}
	golden.Equal(t, len(got), len(want), "locks", got)
	for name, sums := range want {
		golden.Equal(t, got[name], sums, name)
	}
}

// A handful of waits that come or go is noise; hundreds are not.
func TestAddedAndGoneNeedEvidence(t *testing.T) {
	few := [][3]string{{"A", "a", "a"}, {"A", "a", "a"}}
	var many [][3]string
	for range 60 {
		many = append(many, [3]string{"B", "b", "b"})
	}
	status := func(base, new *Profile, name string) Status {
		for _, r := range Compare(Group{base}, Group{new}, Options{}).Locks {
			if r.Name == name {
				return r.Status
			}
		}
		return "missing"
	}
	a, b := handmade(t, few...), handmade(t, many...)
	for _, c := range []struct {
		base, new *Profile
		name      string
		want      Status
	}{{a, b, "B at App.b", Added}, {b, a, "B at App.b", Gone}, {a, b, "A at App.a", Same}, {b, a, "A at App.a", Same}} {
		golden.Equal(t, status(c.base, c.new, c.name), c.want, c.name)
	}
}

// Runs of unequal length compare by running time; runs that disagree with one
// another widen the error.
func TestGroups(t *testing.T) {
	run := func(seed uint64, seconds int64, slow int64) *Profile {
		return profile(
			t,
			simulate.Config{
				Scenario: "shards",
				Threads:  4,
				Locks:    1,
				Duration: seconds * 1e9,
				Seed:     seed,
				Slow:     "serve0",
				SlowBy:   slow,
			},
			true,
		)
	}
	d := Compare(Group{run(1, 2, 0), run(2, 9, 0)}, Group{run(3, 5, 0)}, Options{})
	if rel, _ := d.Total.Relative(); math.Abs(rel) > 0.05 || d.Total.Status != Same {
		t.Errorf("%+v", d.Total)
	}
	noisy := Group{run(1, 2, 0), run(2, 2, 60), run(3, 2, 120)}
	if d := Compare(noisy, Group{run(4, 2, 60)}, Options{}); d.Total.Status != Same || d.Total.Base.Waiting.DF != 2 {
		t.Errorf("%+v", d.Total)
	}
	// The one run that is new may lie as far off as each of the others.
	golden.Equal(t, Compare(noisy, Group{run(4, 2, 120)}, Options{}).Total.Status, Same)
	golden.Equal(t, Compare(Group{noisy[0]}, Group{run(4, 2, 120)}, Options{}).Total.Status, Changed)
}

func TestNamesOutliveARestart(t *testing.T) {
	for name, want := range map[string]string{
		"App$$Lambda/0x00007f1c2c0a1bc8.run":                   "App$$Lambda.run",
		"App$$Lambda$14+0x0000000800c03000.12.run":             "App$$Lambda.run",
		"jdk.internal.reflect.GeneratedMethodAccessor7.invoke": "jdk.internal.reflect.GeneratedMethodAccessor.invoke",
		"$Proxy12":                               "$Proxy",
		"jdk.proxy2.$Proxy12.call":               "jdk.proxy2.$Proxy.call",
		"App$$Lambda$14+0x0000000800c03000":      "App$$Lambda",
		"App$$Lambda$14+0x0000000800c03000.1234": "App$$Lambda",
		"App$$Lambda/0x00007f1c2c0a1bc8.1234":    "App$$Lambda",
		"App$ProxyHandler":                       "App$ProxyHandler",
		"App$ProxyHandler.invoke":                "App$ProxyHandler.invoke",
		"App$ProxyHandler$$Lambda$3.run":         "App$ProxyHandler$$Lambda.run",
		"app.GeneratedMethodAccessors.7":         "app.GeneratedMethodAccessors.7",
		"java.util.Timer":                        "java.util.Timer",
	} {
		golden.Equal(t, analysis.StableName(name), want, name)
	}
}

func TestProbability(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b Rate
		want float64
	}{
		{Rate{Value: 1, SE: 1, DF: 10}, Rate{Value: 1, SE: 1, DF: 10}, 1},
		{Rate{Value: 0}, Rate{Value: 2.228, SE: 1, DF: 10}, 0.05},
		{Rate{Value: 5, SE: 0.6, DF: 1e9}, Rate{Value: 5 + 2.5758, SE: 0.8, DF: 1e9}, 0.01},
		{Rate{Value: 1}, Rate{Value: 2}, 0},
		{Rate{Value: 1, SE: inf}, Rate{Value: 2, SE: 1, DF: 3}, 1},
	} {
		golden.AtMost(t, math.Abs(probability(c.a, c.b)-c.want), 0.01*c.want, c.a, "and", c.b, c.want)
	}
}

// Rows that exist cost no memory.
func TestSliceAllocatesNothing(t *testing.T) {
	p := profile(t, simulate.Config{Scenario: "nested", Duration: 1e8}, true)
	owner := analysis.Owner{Thread: 1, Stack: 1}
	s := analysis.Slice{
		Start:   1_700_000_000e9,
		End:     1_700_000_000e9 + 1e6,
		Lock:    1,
		Waiters: []analysis.Waiter{{Thread: 2, Stack: 2}},
		Shares: []analysis.Share{
			{
				Ns:     1e6,
				Direct: owner,
				Root:   analysis.Owner{Thread: 3, Stack: 2},
				Hops:   2,
				Path:   analysis.PathOf(analysis.Hop{Thread: 1, Stack: 1, Lock: 2}),
			}},
	}
	p.Slice(&s)
	golden.Equal(t, testing.AllocsPerRun(100, func() { p.Slice(&s) }), 0, "allocations")
}
