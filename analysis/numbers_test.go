package analysis

import (
	"strings"
	"testing"
	"unicode/utf8"

	"contend/analysis/owners"
	"contend/format"
	"contend/golden"
)

// The factor of samples is between a sixteenth and sixteen, and the rest is carried over.
// More than an hour is not scaled.
func TestHowFarSamplesAreScaled(t *testing.T) {
	const hour = int64(3600e9)
	for _, c := range []struct {
		to, by, length int64
		least, most    int64
	}{
		{12, 1, 100, 1200, 1200}, {24, 1, 100, 1300, 2000},
		{100, 1200, 1200, 100, 100}, {100, 2400, 2400, 120, 190},
		{2, 1, hour * 3 / 4, hour * 3 / 2, hour * 3 / 2}, {2, 1, hour * 3 / 2, hour * 3 / 2, hour * 3 / 2},
	} {
		golden.Within(t, (scale{c.to, c.by}).of(c.length), c.least, c.most)
	}
}

// Instants are scaled together if about sixty show waiting, sooner if they take the memory
// of a quarter of a million, and unmeasured ones at a million.
func TestHowManyInstantsAreScaledTogether(t *testing.T) {
	for _, c := range []struct {
		m    measured
		want bool
	}{
		{measured{fresh: true, ticks: 50}, false}, {measured{fresh: true, ticks: 80}, true}, {measured{ticks: 80}, false},
		{measured{fresh: true, size: 2e5}, false}, {measured{fresh: true, size: 3e5}, true},
		{measured{size: 9e5}, false}, {measured{size: 1.2e6}, true},
	} {
		s := sampler{measured: c.m}
		s.measured.pending = []booking{}
		before := s.measured.ticks + s.measured.size
		if s.bookEnough(); (s.measured.ticks+s.measured.size == 0) != c.want {
			t.Errorf("%d: booked %v", before, !c.want)
		}
	}
}

// A sampler that is late for more than a twentieth of the time is reported.
func TestWhichStallsAreReported(t *testing.T) {
	for late, want := range map[int64]bool{4: false, 6: true} {
		if got := (&Stalls{LateNs: late, SpanNs: 100}).warning(); (len(got) > 0) != want {
			t.Errorf("late for %d of 100: %v", late, got)
		}
	}
}

// Each of the readers of a lock waits for the next one, which has as many readers. Of four
// thousand paths each is followed to its end, of eight thousand not.
func TestHowManyPathsAreFollowed(t *testing.T) {
	for readers, all := range map[int]bool{15: true, 20: false} {
		const locks = 3
		g := graph{owners: make([][]owners.Holder, locks+1), blocked: make([]blocked, locks*readers+2), cycles: &cycles{}, hops: &hopStore{}}
		g.blocked[1] = blocked{lock: 1, stack: 1}
		for thread := 2; thread < len(g.blocked); thread++ {
			lock := format.ObjectID(1 + (thread-2)/readers)
			if g.own(lock, owners.Holder{Thread: format.ThreadID(thread), Stack: 1}); lock < locks {
				g.blocked[thread] = blocked{lock: lock + 1, stack: 1}
			}
		}
		followed, sum := true, int64(0)
		shares, _ := g.shares(1, 0, 1e6)
		for _, s := range shares {
			followed, sum = followed && s.Hops == locks, sum+s.Ns
		}
		golden.Equal(t, followed, all, readers)
		golden.Equal(t, sum, 1e6, readers)
	}
}

// An instant with a weight of less than the time to the next begins half way from the one
// before.
func TestWhereAWeighedInstantBegins(t *testing.T) {
	events := []format.Event{tick(100, 100, 2, 0), tick(110, 110, 2, 0), sample(110, 1, 1, 2), tick(120, 120, 2, 0)}
	for _, i := range []int{0, 1, 3} {
		events[i].Weight = 4
	}
	for to, want := range map[int64]int64{105: 0, 107: 2, 120: 4} {
		f := open
		f.To = to
		if s, _ := run(t, events, f); s.direct["t1"] != want {
			t.Errorf("up to %d: %v, want %d", to, s.direct, want)
		}
	}
}

// Two threads that wait for each other in a dump are a deadlock. A thread that waits for
// its own lock, as after a hand-off, is none.
func TestACycleHasTwoThreads(t *testing.T) {
	lock := func(l format.ObjectID, owner, waiter format.ThreadID) owners.Unlinked {
		return owners.Unlinked{Time: 100, Lock: l, Owners: []format.Party{{Thread: owner}}, Waiters: []format.Party{{Thread: waiter}}}
	}
	for _, c := range []struct {
		locks []owners.Unlinked
		want  int
	}{{[]owners.Unlinked{lock(1, 1, 2), lock(2, 2, 1)}, 1}, {[]owners.Unlinked{lock(1, 1, 1)}, 0}} {
		known := map[string]int32{}
		if (&cycles{}).findCycles(c.locks, known); len(known) != c.want {
			t.Errorf("%+v: %d cycles, want %d", c.locks, len(known), c.want)
		}
	}
}

// Dumps that agree less than expected are a reason for doubt; dumps that agree more are not.
func TestOnlyDumpsThatAgreeLessAreADoubt(t *testing.T) {
	for code, agrees := range map[string]int64{"disagreement": 300, "modesty": 900} {
		c := &Trust{Seen: owners.Agreement{Dumps: 100, Asked: 1000, Agrees: agrees, Squares: 10000}}
		c.Known.Add(Likely(0.6), 1000)
		w := disagreement(c)
		if len(w) != 1 || w[0].Code != code || !strings.Contains(w[0].Text, "where it expects 60 % itself") {
			t.Errorf("%d of 1000 agree: %+v, want %s", agrees, w, code)
		}
	}
}

// A warning names the class with most waits that match no rule. Waits without a lock have no
// class to name.
func TestWaitsThatNoRuleKnowsNameTheirClass(t *testing.T) {
	for object, want := range map[format.ObjectID]string{format.NoObject: "without a word", 1: "most of them on app.Latch"} {
		sym := NewSymbols(&format.Event{Kind: format.KindObject, Object: 1, Class: "app.Latch"})
		rec := newRecord()
		rec.unclear[object] = someWaits{n: 2, ns: 3e6}
		got := unclassified(&whole{record: rec}, sym)
		if len(got) != 1 || !strings.Contains(got[0].Text, want) || strings.Contains(got[0].Text, "[unknown class]") {
			t.Errorf("lock %d: %v", object, got)
		}
	}
}

// However long names are, what is kept of them is short, valid, and told apart.
func TestLongNamesAreKeptShort(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"a.B", strings.Repeat("a", maxName), strings.Repeat("a", maxName+1), strings.Repeat("a", 200_000),
		strings.Repeat("é", 100_000), "x" + strings.Repeat("語", 70_000), strings.Repeat("a", 100_000) + "b" + strings.Repeat("a", 100_000)} {
		sym := NewSymbols(&format.Event{Kind: format.KindThread, Thread: 1, Name: name},
			&format.Event{Kind: format.KindObject, Object: 1, Class: name, Name: name},
			&format.Event{Kind: format.KindStack, Stack: 1, Frames: []format.Frame{{Class: name, Method: name, File: name}}})
		f := sym.Frames(1)[0]
		for what, kept := range map[string]string{"thread": sym.ThreadName(1), "class": sym.ClassName(1), "of a frame": f.Class, "method": f.Method, "file": f.File} {
			if len(kept) > maxName+64 || !utf8.ValidString(kept) || len(name) <= maxName && kept != name {
				t.Errorf("%s of %d bytes: %d are kept", what, len(name), len(kept))
			}
			if other, met := seen[kept]; met && other != name {
				t.Errorf("%s: two names are one", what)
			}
			seen[kept] = name
		}
	}
}
