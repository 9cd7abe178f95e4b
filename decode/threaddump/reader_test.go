package threaddump

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
)

func open(t *testing.T, name string, text []byte) *Reader {
	t.Helper()
	return golden.Must(NewReader(bufio.NewReader(bytes.NewReader(text)), name, nil, 0, 0))(t)
}

// events reads a series to its end.
func events(t *testing.T, r *Reader) (list []format.Event) {
	t.Helper()
	for {
		var ev format.Event
		if err := r.Read(&ev); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
}

// shown writes what a series says, ids resolved.
func shown(t *testing.T, text []byte) string {
	t.Helper()
	var out strings.Builder
	threads, locks := map[format.ThreadID]string{0: "?"}, map[format.ObjectID]string{}
	for _, ev := range events(t, open(t, "x", text)) {
		switch ev.Kind {
		case format.KindThread:
			threads[ev.Thread] = ev.Name
		case format.KindObject:
			locks[ev.Object] = fmt.Sprintf("%s@%x", ev.Class, ev.Hash)
		case format.KindTick:
			fmt.Fprintf(&out, "%d live, %d idle\n", ev.Live, ev.IdleThreads)
		case format.KindContention:
			fmt.Fprintf(&out, "%s:", locks[ev.Object])
			for _, o := range ev.Owners {
				fmt.Fprintf(&out, " %s", threads[o.Thread])
			}
			out.WriteString(" <-")
			for _, w := range ev.Waiters {
				fmt.Fprintf(&out, " %s", threads[w.Thread])
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// Each file is a dump in one dialect, or an excerpt as people quote them, by what its
// first line names, with what it shows.
func TestDialects(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d dialects: %v", len(paths), err)
	}
	for _, path := range paths {
		text := golden.Must(os.ReadFile(path))(t)
		want, dump, ok := strings.Cut(string(text), "-- dump --\n")
		if !ok {
			t.Fatalf("%s has no dump", path)
		}
		source, want, _ := strings.Cut(want, "\n")
		golden.Equal(t, shown(t, []byte(dump)), want, path, "shows")
		r := open(t, path, []byte(dump))
		events(t, r)
		if s := r.Stats(); s.Damage.Whole() == strings.HasSuffix(source, "; cut") {
			t.Errorf("%s: %v", path, s.Warnings)
		}
	}
}

// Any prefix of a dump in any dialect ends in an answer or a clear error.
func TestEveryPrefixOfDialects(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*/*")
	for _, path := range paths {
		text := golden.Must(os.ReadFile(path))(t)
		_, dump, _ := bytes.Cut(text, []byte("-- dump --\n"))
		most := 0
		for _, d := range parse(t, path, dump) {
			most += len(d.Threads)
		}
		for n := 0; n < len(dump); n += golden.Depth(83, 83, 29) {
			r, err := NewReader(bufio.NewReader(bytes.NewReader(dump[:n])), path, nil, 0, 0)
			if (r == nil) == (err == nil) ||
				err != nil && !errors.Is(err, format.ErrNotMine) && !errors.Is(err, format.ErrTruncated) {
				t.Fatalf("%s cut to %d bytes: %v, %v", path, n, r, err)
			}
			if err == nil {
				if events(t, r); int(r.Stats().Events) > most+1 { // an owner may be named and not listed yet
					t.Errorf("%s cut to %d bytes: %d threads, the whole has %d", path, n, r.Stats().Events, most)
				}
			}
		}
	}
}

// A header without threads is no dump, and one among others is none.
func TestHeaderWithoutThreads(t *testing.T) {
	const header = "2026-11-22 09:30:00\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n"
	_, err := NewReader(bufio.NewReader(strings.NewReader(header)), "x", nil, 0, 0)
	if !errors.Is(err, format.ErrTruncated) || !strings.Contains(err.Error(), "no thread follows") {
		t.Errorf("%v", err)
	}
	whole := header + "\"main\" #1 prio=5 tid=0x1 nid=0x1 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat " +
		"A.b(A.java:1)\n\nJNI global refs: 1\n"
	golden.Equal(t, shown(t, []byte(header+whole)), "1 live, 0 idle\n")
}

const deadlock = "../../testdata/deadlock-monitors-and-juc-jdk17.txt"

// Lines of an application between the dumps change nothing.
func TestSeriesInALog(t *testing.T) {
	plain := golden.Must(os.ReadFile("../../testdata/truth-series-8dumps-jdk17.txt"))(t)
	noise := "2026-11-21 02:57:15,900 ERROR [pool-1] failed\njava.lang.IllegalStateException: x\n\tat " +
		"a.B.c(B.java:1)\n\t- locked doors\n"
	log := bytes.ReplaceAll(
		plain,
		[]byte("\nJNI global ref"),
		[]byte("\nJNI global refs: 1, weak refs: 0\n\n"+noise+"JNI global ref"),
	)
	if got, want := shown(t, log), shown(t, plain); got != want || strings.Count(want, "live") != 8 {
		t.Errorf("a log shows\n%swant\n%s", got, want)
	}
}

// A dump cut anywhere gives no more than the whole one, says that it was cut,
// and never fails: what ends behind a whole thread may have lost others, which
// is said where it matters. What -l prints under a thread follows a blank line, so one
// thread may seem whole before it is.
func TestEveryPrefix(t *testing.T) {
	files, stride := []string{
		deadlock,
		"../../testdata/truth-jdk25-1.json",
	}, golden.Depth(
		37,
		7,
		3,
	) // lines are alike, and long enough that each place in one is met
	for _, path := range files {
		text := golden.Must(os.ReadFile(path))(t)
		whole := parse(t, path, text)[0]
		last := 0
		for i := 0; i < len(text); i += stride {
			dumps := parse(t, path, text[:i])
			if len(dumps) == 0 {
				continue
			}
			d := dumps[0]
			if len(d.Threads) < last-1 || len(d.Threads) > len(whole.Threads) {
				t.Fatalf("%s: prefix %d: %d threads after %d", path, i, len(d.Threads), last)
			}
			last = max(last, len(d.Threads))
			if !d.Cut && !d.Fragment && !d.Listed && len(d.Threads) < len(whole.Threads) {
				t.Fatalf("%s: prefix %d: %d of %d threads and not cut", path, i, len(d.Threads), len(whole.Threads))
			}
		}
		golden.Equal(t, last, len(whole.Threads), path, "threads at the end")
	}
}

func TestTextThatIsNoDump(t *testing.T) {
	for text, want := range map[string]string{
		"hello\nworld\n":          `x:1: "hello": not a thread dump: input is of another kind`,
		"\n\n  \n":                `x:1: "  ": not a thread dump: input is of another kind`,
		"{\"threadDump\": nought": `x:1: "": not a thread dump: input is of another kind`,
	} {
		_, err := NewReader(bufio.NewReader(strings.NewReader(text)), "x", nil, 0, 0)
		if err == nil || err.Error() != want || !errors.Is(err, format.ErrNotMine) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The files of one process may come in any order.
func TestFilesAreOrderedByTime(t *testing.T) {
	dump := func(at string, blocked bool) []byte {
		s := at + "\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n\"main\" #1 prio=5 tid=0x1 " +
			"nid=0x1 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat A.b(A.java:1)\n\t- locked <0x1> (a L)\n\n"
		if blocked {
			s += "\"w\" #2 prio=5 tid=0x2 nid=0x2 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED (on " +
				"object monitor)\n\tat A.c(A.java:2)\n\t- waiting to lock <0x1> (a L)\n\n"
		}
		return []byte(s + "JNI global refs: 1, weak refs: 0\n")
	}
	r := open(t, "b", dump("2026-01-01 00:00:10", true))
	r.Join(open(t, "a", dump("2026-01-01 00:00:00", false)))
	r.Join(open(t, "c", dump("2026-01-01 00:00:20", true)))
	var at []int64
	names := map[string]int{}
	for _, ev := range events(t, r) {
		switch ev.Kind {
		case format.KindTick:
			at = append(at, ev.Time)
		case format.KindThread:
			names[ev.Name]++
		}
	}
	if len(at) != 3 || at[1]-at[0] != 10e9 || at[2]-at[1] != 10e9 || names["main"] != 1 || names["w"] != 1 {
		t.Errorf("dumps at %v, threads %v", at, names)
	}
}

// Files that a shell lists have the tenth behind the first: dumps that come one behind
// the other are put in order too, those of one second by how long the process has run.
func TestDumpsOfOneInputAreOrderedByTime(t *testing.T) {
	dump := func(second int, uptime string) string {
		return fmt.Sprintf("2026-01-01 00:00:%02d\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n"+
			"\"main\" #1 prio=5 elapsed=%ss tid=0x1 nid=0x1 runnable\n\tat A.b(A.java:1)\n\nJNI global refs: 1, "+
			"weak refs: 0\n", second, uptime)
	}
	times := func(r *Reader) (at []int64) {
		for _, ev := range events(t, r) {
			if ev.Kind == format.KindTick {
				at = append(at, ev.Time-time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())
			}
		}
		golden.AtMost(t, len(r.Stats().Warnings), 0)
		return at
	}
	one, ten, two, three := dump(1, "5.20"), dump(10, "14.20"), dump(2, "6.20"), dump(2, "6.60")
	want := []int64{1e9, 2e9, 2.4e9, 10e9}
	golden.Same(t, times(open(t, "x", []byte(one+ten+three+two))), want, "one input")
	r := open(t, "1", []byte(one))
	for _, text := range []string{ten, three, two} {
		r.Join(open(t, "x", []byte(text)))
	}
	golden.Same(t, times(r), want, "four inputs")
}

// Dumps of the same second are told apart by how long the process has run, or
// spread over the second.
func TestTimesWithinASecond(t *testing.T) {
	dump := func(elapsed string) string {
		return "2026-01-01 00:00:10\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed mode):\n\n" +
			"\"main\" #1 prio=5 " + elapsed + " tid=0x1 nid=0x1 runnable\n\tat A.b(A.java:1)\n\n" +
			"JNI global refs: 1, weak refs: 0\n"
	}
	times := func(text string) (at []int64) {
		for _, ev := range events(t, open(t, "x", []byte(text))) {
			if ev.Kind == format.KindTick {
				at = append(at, ev.Time)
			}
		}
		return at
	}
	if at := times(dump("elapsed=1.50s") + dump("elapsed=1.75s") + dump("elapsed=2.10s")); len(at) != 3 ||
		at[1]-at[0] != 250e6 ||
		at[2]-at[1] != 350e6 {
		t.Errorf("by uptime: %v", at)
	}
	if at := times(dump("") + dump("") + dump("") + dump("")); len(at) != 4 || at[1]-at[0] != 250e6 ||
		at[3]-at[0] != 750e6 {
		t.Errorf("spread: %v", at)
	}
}

// Depth, length and kind of hostile JSON cost nothing.
func TestHostileJSON(t *testing.T) {
	for _, text := range []string{
		`{"threadDump":` + strings.Repeat("[", 1<<20),
		`{"threadDump":` + strings.Repeat(`{"a":`, 1<<20),
		`{"threadDump":{"threads":[1,2,{"tid":[1]},{"tid":"9","name":7}]}}`,
		`{"threadDump":{"threads":[{"tid":"1","stack":["at","(",".)"],"monitorsOwned":[{"locks":["@","x@"]}]}]}}`,
	} {
		for _, d := range parse(t, "x", []byte(text)) {
			golden.AtMost(t, len(d.Threads), 4, text, "threads")
		}
	}
}

// A thread that is BLOCKED where it has locked a monitor has just been handed it:
// it waits for nothing, and those behind it waited for whoever gave it back.
func TestWhoHasJustEnteredWaitsForNothing(t *testing.T) {
	blocked := func(name string, id int, lines string) string {
		return fmt.Sprintf(
			"%q #%d prio=5 os_prio=0 cpu=1ms elapsed=9.00s tid=0x000000000000%04x nid=%d waiting for monitor entry  "+
				"[0x0000000000001000]\n"+
				"   java.lang.Thread.State: BLOCKED (on object monitor)\n%s\n\n",
			name,
			id,
			id,
			id,
			lines,
		)
	}
	const head, end = "2026-01-02 03:04:05\n" +
		"Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n", "JNI global refs: 1, weak refs: 0\n"
	enters := blocked(
		"next",
		11,
		"\tat Shop.take(Shop.java:1)\n\t- locked <0x0000000000000100> (a Shop)\n\tat Shop.sell(Shop.java:9)\n\t- "+
			"locked <0x0000000000000200> (a Till)",
	)
	waits := blocked("behind", 12, "\tat Shop.take(Shop.java:1)\n\t- waiting to lock <0x0000000000000100> (a Shop)")
	other := blocked("till", 13, "\tat Shop.sell(Shop.java:9)\n\t- waiting to lock <0x0000000000000200> (a Till)")
	const want = "3 live, 0 idle\nShop@100: <- behind\nTill@200: next <- till\n"
	golden.Equal(t, shown(t, []byte(head+enters+waits+other+end)), want)
	// Cut out of a dump, where a monitor without an owner has one that is missing, it is told too.
	golden.Equal(t, shown(t, []byte(enters+waits+other)), want, "a fragment")
}
