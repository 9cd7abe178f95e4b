package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"contend/golden"
)

// traceEvent is an event of Chrome's JSON trace format.
type traceEvent struct {
	Ph, Name, Cat, Bp string
	Ts, Dur           *json.Number
	Pid, Tid          *int
	ID                int
	Args              map[string]any
}

// ns reads a time, which has three digits behind the point: none is lost.
func ns(t *testing.T, n *json.Number) int64 {
	t.Helper()
	whole, part, ok := strings.Cut(n.String(), ".")
	v, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil || !ok || len(part) != 3 {
		t.Fatalf("time %s: %v", n, err)
	}
	return v
}

// drawnFor writes a trace for ui.perfetto.dev and reads what was written.
func drawnFor(t *testing.T, path string) []traceEvent {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.perfetto.json")
	run(t, "convert", path, "-o", file)
	text := golden.Must(os.ReadFile(file))(t)
	var doc struct {
		DisplayTimeUnit string
		TraceEvents     []traceEvent
	}
	if unmarshal(t, string(text), &doc); doc.DisplayTimeUnit != "ns" {
		t.Errorf("times are shown in %q", doc.DisplayTimeUnit)
	}
	return doc.TraceEvents
}

// The rules of the format: known phases with their fields, in order of time; complete
// events of a lane apart; arrows of two ends with one id, the first
// before the second, each inside of the wait and the hold it belongs to, behind its first instant,
// which a reader may take for the last of the event before. All waiting of the
// analysis is drawn.
func TestThePerfettoPictureKeepsTheFormatsRules(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for _, path := range []string{"../testdata/truth-8threads.jfr", "../testdata/go126-truth-12goroutines.trace",
		"../testdata/perf-truth-seed1.perf.txt.zst", "../testdata/documents/exact.txt",
		"../testdata/documents/sampled-1.txt", "../testdata/documents/idle.txt", "../testdata/pools/pools-jdk17.jfr",
		"../testdata/truth-series-8dumps-jdk17.txt"} {
		type span struct {
			start, end int64
			cat, lock  string
		}
		open, named, begun, ended := map[int]span{}, map[int]bool{}, map[int]traceEvent{}, map[int]bool{}
		last, waited, waits, holds, edges := int64(0), int64(0), int64(0), 0, 0
		inside := func(e traceEvent, at int64, cat string) (lock string) {
			s := open[*e.Tid]
			if at == s.start {
				edges++
			}
			if at < s.start || at >= s.end || !strings.HasPrefix(s.cat, cat) {
				t.Errorf("%s: arrow %d has an end at %d ns in %v, no %s", path, e.ID, at, s, cat)
			}
			return s.lock
		}
		arrows := map[int]string{}
		for _, e := range drawnFor(t, path) {
			if e.Pid == nil || e.Tid == nil || e.Name == "" {
				t.Fatalf("%s: %+v has no lane or name", path, e)
			}
			if e.Ph == "M" {
				named[*e.Tid] = named[*e.Tid] || e.Name == "thread_name" && e.Args["name"] != ""
				continue
			}
			at := ns(t, e.Ts)
			if at < last || !named[*e.Tid] {
				t.Fatalf("%s: %+v comes behind %d ns, or its lane has no name", path, e, last)
			}
			last = at
			switch e.Ph {
			case "X":
				s := span{at, at + ns(t, e.Dur), e.Cat, fmt.Sprint(e.Args["lock"])}
				golden.AtLeast(t, at, open[*e.Tid].end, path, s, "overlaps", "in lane", *e.Tid)
				if open[*e.Tid] = s; e.Cat == "wait" {
					waited, waits = waited+s.end-at, waits+1
				} else if strings.HasPrefix(e.Cat, "hold,") {
					holds++
				}
			case "s":
				if begun[e.ID].Ph != "" || e.ID == 0 {
					t.Errorf("%s: two arrows are %d", path, e.ID)
				}
				begun[e.ID], arrows[e.ID] = e, inside(e, at, "wait")
			case "f":
				if b := begun[e.ID]; b.Ph != "s" || ended[e.ID] || b.Name != e.Name || b.Cat != e.Cat || e.Bp != "e" ||
					inside(e, at, "hold,") != arrows[e.ID] {
					t.Errorf("%s: %+v does not end %+v", path, e, b)
				}
				ended[e.ID] = true
			default:
				t.Errorf("%s: phase %q", path, e.Ph)
			}
		}
		if want := analyzed(t, path).Total; waited != want.WaitNs || len(begun) != len(ended) || holds == 0 ||
			len(begun) == 0 ||
			edges > 2 {
			t.Errorf(
				"%s: %d ns in %d waits, want %d in %d; %d holds, %d arrows, %d ends of them where another event may "+
					"end",
				path,
				waited,
				waits,
				want.WaitNs,
				want.Waits,
				holds,
				len(begun),
				edges,
			)
		}
	}
}

// A small program is drawn as it is known to have run: a hold in whole, though only its
// end was waited for, and one that reaches into the other gets a lane of its own.
func TestThePerfettoPictureOfAKnownProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "known.txt")
	text := `contend 1
recording time=0 end=9000
thread thread=1 name="a"
thread thread=2 name="b"
object lock=1 class="One" kind=monitor
object lock=2 class="Two" kind=monitor
tenure time=1000 end=5000 thread=1 lock=1
tenure time=2000 end=7000 thread=1 lock=2
wait time=3000 end=5000 thread=2 lock=1
wait time=5500 end=7000 thread=2 lock=2
activity time=7500 end=8500 thread=2 activity=wait
end
`
	golden.OK(t, os.WriteFile(path, []byte(text), 0o644))
	var got []string
	for _, e := range drawnFor(t, path) {
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				got = append(got, fmt.Sprintf("%d is %s", *e.Tid, e.Args["name"]))
			}
		case "X":
			got = append(got, fmt.Sprintf("%d %s %s+%s", *e.Tid, e.Name, e.Ts, e.Dur))
		default:
			got = append(got, fmt.Sprintf("%d %s %d %s", *e.Tid, e.Ph, e.ID, e.Ts))
		}
	}
	want := []string{"0 is all threads stopped", "1 is a", "2 is a (2)", "3 is b",
		"1 holds One#1 (recorded) 1.000+4.000", "2 holds Two#2 (recorded) 2.000+5.000",
		"3 waits for One#1 3.000+2.000", "3 s 1 3.001", "1 f 1 3.001",
		"3 waits for Two#2 5.500+1.500", "3 s 2 5.501", "2 f 2 5.501", "3 idle 7.500+1.000"}
	golden.Same(t, got, want, "drawn are", strings.Join(got, "\n"), strings.Join(want, "\n"))
}
