package gotrace

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
		p.thread = format.ThreadID(name &^ 0x20)
		p.mode, p.stack = mode(name >= 'a'), format.StackID(1)
		points = append(points, p)
	}
	return points
}

// tell rebuilds a story that ends at 100; sections take usual, 0 for unknown.
func tell(points []point, kind format.LockKind, usual int64) string {
	r := &Reader{last: 100}
	r.stacks.byID = make([]stack, 2)
	r.stacks.byID[1].use.at = format.Frame{Class: "main", Method: "f"}
	h := &history{r: r, kind: kind, points: points, usual: map[string]int64{}}
	if h.learn(); usual != 0 {
		h.usual["main.f"] = usual
	}
	h.rebuild()
	slices.SortStableFunc(h.out, func(a, b tenure) int { return int(a.start - b.start) })
	var out []string
	for _, t := range h.out {
		who := "?"
		if t.thread != format.NoThread {
			who = string(rune(t.thread))
		}
		out = append(out, fmt.Sprintf("%s:%d-%d", who, t.start, t.end))
	}
	return strings.Join(out, " ")
}

func TestRebuild(t *testing.T) {
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

func TestRebuildReaders(t *testing.T) {
	for _, c := range []struct{ name, story, want string }{
		{"a writer wakes all readers at once", "10+a 11+b 20-W@10 21=a 22-W@11 23=b", "W:10-20 A:21-26 B:23-28"},
		{"readers share until the last wakes a writer", "10+a 10+b 20-W@10 20-W@10 21=a 21=b 22+V 30-b 32=V", "W:10-20 A:21-26 B:21-30 V:32-37"},
	} {
		if got := tell(story(c.story), format.KindReadWriteLock, 5); got != c.want {
			t.Errorf("%s: %s gives %s, want %s", c.name, c.story, got, c.want)
		}
	}
}

func TestSeveralAreBetrayedByBrokenTenures(t *testing.T) {
	one, two := "", ""
	for i := range 20 {
		at := 100 * i
		one += fmt.Sprintf("%d=A %d-A %d=B %d-B ", at, at+10, at+20, at+30)
		two += fmt.Sprintf("%d=A %d=B %d-A %d-B ", at, at+10, at+20, at+30)
	}
	if several(story(one)) || !several(story(two)) {
		t.Errorf("one is several: %v; two are: %v", several(story(one)), several(story(two)))
	}
}
