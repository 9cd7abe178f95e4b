package owners

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contend/format"
)

// story is a lock's history, a point a word: 10+A blocks at 10, 20-A releases,
// 30=A has acquired; small letters are readers. A release by a writer may name
// since when the one it wakes was queued: 20-A@5.
func story(text string) (points []point) {
	for word := range strings.FieldsSeq(text) {
		var p point
		var sign, name byte
		if n, _ := fmt.Sscanf(word, "%d%c%c@%d", &p.at, &sign, &name, &p.queued); n < 3 {
			panic(word)
		}
		p.what = map[byte]what{'+': blocked, '-': released, '=': acquired}[sign]
		p.thread, p.stack = format.ThreadID(name&^0x20), format.StackID(1)
		if name >= 'a' {
			p.mode = format.Shared
		}
		points = append(points, p)
	}
	return points
}

// oneFunction are symbols of a program that uses its only lock in one function.
type oneFunction struct{ kind format.LockKind }

func (f oneFunction) Kind(format.ObjectID) format.LockKind { return f.kind }
func (oneFunction) Frames(format.StackID) []format.Frame   { return nil }
func (oneFunction) Bare(format.StackID) bool               { return false }
func (oneFunction) Caller(format.StackID) format.Frame {
	return format.Frame{Class: "main", Method: "f"}
}

// tell rebuilds a story that ends at 100; sections take usual, 0 for unknown.
func tell(points []point, kind format.LockKind, usual int64) string {
	h := &history{ev: &evidence{Activities: &Activities{Record: NewRecord(), store: &store{}}, sym: oneFunction{kind}}, kind: kind,
		points: points, to: 100, usual: map[function]int64{}, busy: []span{{0, 100}}}
	h.several = kind == format.KindSemaphore && overlaps(points)
	if h.learn(); usual != 0 {
		h.usual[function{"main", "f"}] = usual
	}
	return h.told()
}

// told writes the owners of a story.
func (h *history) told() string {
	h.walk()
	slices.SortStableFunc(h.out, func(a, b Ownership) int { return int(a.Start - b.Start) })
	var out []string
	for _, t := range h.out {
		who := "?"
		if t.Holder.Kind == Thread {
			who = string(rune(t.Holder.Thread))
		}
		out = append(out, fmt.Sprintf("%s:%d-%d", who, t.Start, t.End))
	}
	return strings.Join(out, " ")
}

func TestOwnersFromReleases(t *testing.T) {
	for _, c := range []struct {
		name  string
		story string
		usual int64
		want  string
	}{
		{"a waiter is handed the lock and gives it back", "10+A 20-X 22=A 25+B 30-A 31=B", 5, "X:10-20 A:22-30 B:31-36"},
		{"who is first seen giving it back had it when the other blocked", "10+A 50-X 52=A", 5, "X:10-50 A:52-57"},
		{"and as long before as usual", "45+A 50-X 52=A", 20, "X:30-50 A:52-72"},
		{"but not before another gave it back", "5+A 10-Y 11=A 20+B 30-A 45+C 50-X 52=C", 40, "Y:0-10 A:11-30 X:30-50 C:52-92"},
		{"an acquirer without a release had it as long as usual", "5+A 10-X 12=A 60+B 70-Y 72=B", 10, "X:0-10 A:12-22 Y:60-70 B:72-82"},
		{"who gives it back first had it half of the time, if nothing tells", "18+A 20-X 22=A", 0, "X:10-20 A:22-100"},
		{"lengths are learned", "10+A 20-X 22=A 25+B 30-A 32=B 35+C 40-B 41=C", 0, "X:10-20 A:22-30 B:32-40 C:41-49"},
		{"nobody gives it back to the end", "10+A 20-X 22=A 30+B", 5, "X:10-20 A:22-100"},
		{"nor is known to have had it", "10+A", 5, "?:10-100"},
		{"an owner that blocks had given it back", "10+A 20-X 22=A 40+A 60-Y 61=A", 5, "X:10-20 A:22-27 Y:40-60 A:61-66"},
	} {
		if got := tell(story(c.story), format.KindMutex, c.usual); got != c.want {
			t.Errorf("%s: %s gives %s, want %s", c.name, c.story, got, c.want)
		}
	}
}

func TestSharedOwnersFromReleases(t *testing.T) {
	const readers, permits = format.KindReadWriteLock, format.KindSemaphore
	for _, c := range []struct {
		kind              format.LockKind
		name, story, want string
	}{
		{readers, "a writer wakes all readers at once", "10+a 11+b 20-W@10 21=a 22-W@11 23=b", "W:10-20 A:21-26 B:23-28"},
		{readers, "readers share until the last wakes a writer", "10+a 10+b 20-W@10 20-W@10 21=a 21=b 22+V 30-b 32=V", "W:10-20 A:21-26 B:21-30 V:32-37"},
		{permits, "of one permit the next acquirer ends a tenure", "10+A 20-X 22=A 25+B 30-A 31=B", "X:10-20 A:22-30 B:31-36"},
		{permits, "of several each has its own", "10+A 10+B 20-X 22=A 24-Y 26=B 30+C 50-A 52=C 60+D 70-B 71=D", "X:15-20 Y:19-24 A:22-50 B:26-70 C:52-57 D:71-76"},
	} {
		if got := tell(story(c.story), c.kind, 5); got != c.want {
			t.Errorf("%s: %s gives %s, want %s", c.name, c.story, got, c.want)
		}
	}
}

// One release in thirty out of turn is a mistake, three in forty are permits.
func TestSeveralPermitsAreSeenOftenerThanByMistake(t *testing.T) {
	for _, c := range []struct {
		alone, together int
		want            bool
	}{{28, 1, false}, {34, 3, true}} {
		var points []point
		add := func(what what, threads ...format.ThreadID) {
			for _, thread := range threads {
				points = append(points, point{at: int64(len(points)), what: what, thread: thread})
			}
		}
		for range c.alone {
			add(acquired, 1)
			add(released, 1)
		}
		for range c.together {
			add(acquired, 1, 2)
			add(released, 1, 2)
		}
		if got := overlaps(points); got != c.want {
			t.Errorf("%d alone and %d together: several %v", c.alone, c.together, got)
		}
	}
}

// Of parks, several are tries of one acquisition; what no release is known to
// have woken has the lock all the same, but for what timed out. A monitor of the
// same recording has no releases.
func TestPointsOfParks(t *testing.T) {
	r := NewRecord()
	for _, ev := range []format.Event{
		{Kind: format.KindWait, Thread: 'A', Object: 1, Time: 10, End: 21},
		{Kind: format.KindWait, Thread: 'A', Object: 1, Time: 25, End: 40},
		{Kind: format.KindWait, Thread: 'B', Object: 1, Time: 50, End: 60, Failed: true},
		{Kind: format.KindWait, Thread: 'C', Object: 1, Time: 50, End: 70},
		{Kind: format.KindRelease, Thread: 'X', Object: 1, Time: 20, Woken: 'A', Again: 5},
		{Kind: format.KindRelease, Thread: 'Y', Object: 1, Time: 38, Woken: 'A'},
		{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesUnparks},
	} {
		r.Add(&ev, ev.End)
	}
	a := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindSynchronizer })
	a.indexing.Wait()
	if got, want := spell(a.points(1)), "10+A@0 20-X@10 25+A@0 38-Y@25 40=A@0 50+B@0 50+C@0 70=C@0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Waits and releases give the points: a wait that is woken in vain blocks again,
// one that nothing ends acquires nothing, and a release by nobody known says no
// more than that somebody was woken.
func TestPointsOfWaitsAndReleases(t *testing.T) {
	r := NewRecord()
	for _, ev := range []format.Event{
		{Kind: format.KindSetting, Name: format.SettingReleases, Value: format.ReleasesWaking},
		{Kind: format.KindWait, Thread: 'A', Object: 1, Time: 10, End: 40},
		{Kind: format.KindWait, Thread: 'B', Object: 1, Time: 15, End: 50, Mode: format.Shared},
		{Kind: format.KindWait, Thread: 'C', Object: 1, Time: 45, End: 100},
		{Kind: format.KindWait, Thread: 'A', Object: 1, Time: 60, End: 80},
		{Kind: format.KindWait, Thread: 'B', Object: 2, Time: 70, End: 75},
		{Kind: format.KindRelease, Thread: 'X', Object: 1, Time: 20, Woken: 'A', Again: 5},
		{Kind: format.KindRelease, Thread: 'Y', Object: 1, Time: 38, Woken: 'A'},
		{Kind: format.KindRelease, Thread: 'A', Object: 1, Time: 49, Woken: 'B', Mode: format.Shared},
		{Kind: format.KindRelease, Thread: format.NoThread, Object: 1, Time: 79, Woken: 'A'},
		{Kind: format.KindRelease, Thread: 'A', Object: 1, Time: 90},
	} {
		r.Add(&ev, ev.End)
	}
	a := r.Arrange(func(format.ObjectID) format.LockKind { return format.KindMutex })
	a.indexing.Wait()
	const want = "10+A@0 15+b@0 20-X@10 25+A@0 38-Y@25 40=A@0 45+C@0 49-a@15 50=b@0 60+A@0 80=A@0 90-A@90"
	if got := spell(a.points(1)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// spell writes points as story reads them.
func spell(points []point) string {
	var words []string
	for _, p := range points {
		name := rune(p.thread)
		if p.mode == format.Shared {
			name |= 0x20
		}
		words = append(words, fmt.Sprintf("%d%c%c@%d", p.at, "-+="[p.what], name, p.queued))
	}
	return strings.Join(words, " ")
}

func (f oneFunction) Application(id format.StackID) []format.Frame {
	return []format.Frame{f.Caller(id)}
}
func (oneFunction) Group(format.ThreadID) uint32 { return 0 }

// Who slept inside the section, or waited for another lock, had the lock
// before.
func TestATenureBeganBeforeWhatWasDoneInside(t *testing.T) {
	const x = format.ThreadID('X')
	for _, c := range []struct {
		name  string
		ev    format.Event
		story string
		want  string
	}{
		{"asleep", format.Event{Kind: format.KindActivity, Thread: x, Activity: format.ActivitySleep, Stack: 1, Time: 20, End: 48}, "45+A 50-X 52=A", "X:20-48 X:48-50 A:52-57"},
		{"waiting for another lock", format.Event{Kind: format.KindWait, Thread: x, Object: 9, Stack: 1, Time: 20, End: 48}, "49+A 50-X 52=A", "X:20-50 A:52-57"},
		{"asleep before", format.Event{Kind: format.KindActivity, Thread: x, Activity: format.ActivitySleep, Stack: 1, Time: 20, End: 43}, "49+A 50-X 52=A", "X:45-50 A:52-57"},
		{"while another had it", format.Event{Kind: format.KindActivity, Thread: x, Activity: format.ActivitySleep, Stack: 1, Time: 20, End: 48}, "10+B 30-Y 31=B 33-B 49+A 50-X 52=A", "Y:10-30 B:31-33 X:45-48 X:48-50 A:52-57"},
	} {
		r := NewRecord()
		r.Add(&c.ev, c.ev.End)
		h := &history{ev: &evidence{Activities: r.Arrange(oneFunction{}.Kind), sym: oneFunction{format.KindMutex}}, lock: 1, kind: format.KindMutex,
			points: story(c.story), to: 100, usual: map[function]int64{{"main", "f"}: 5}, busy: []span{{0, 100}}}
		if got := h.told(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
