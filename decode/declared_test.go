package decode

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/decode/rules"
	"contend/format"
	"contend/golden"
)

// declaring returns the rules that contend ships with and further lines behind them.
func declaring(t *testing.T, lines ...string) *rules.Table {
	t.Helper()
	return golden.Must(rules.Parse(strings.NewReader(string(rules.Text())+strings.Join(lines, "\n")), "my.rules"))(t)
}

// saysOf reads a text and returns what waits it tells of, in words: lock, thread and
// time, of instants the lock and its waiters.
func saysOf(t *testing.T, text string, table *rules.Table) (list []string, st format.Stats) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	golden.OK(t, os.WriteFile(path, []byte(text), 0o644))
	src := golden.Must(Open([]string{path}, nil, Options{Rules: table}))(t)
	defer src.Close()
	var ev format.Event
	locks, inner := map[format.ObjectID]string{}, map[format.StackID]string{}
	for {
		if err := src.Read(&ev); errors.Is(err, io.EOF) {
			slices.Sort(list)
			return list, src.Stats()
		} else if err != nil {
			t.Fatal(err)
		}
		switch ev.Kind {
		case format.KindObject:
			locks[ev.Object] = ev.Class
		case format.KindStack:
			inner[ev.Stack] = ev.Frames[0].Method
		case format.KindWait:
			list = append(
				list,
				fmt.Sprintf("%s %d [%d, %d) %s", locks[ev.Object], ev.Thread, ev.Time, ev.End, inner[ev.Stack]),
			)
		case format.KindTenure:
			list = append(list, fmt.Sprintf("%s held [%d, %d) by %d", locks[ev.Object], ev.Time, ev.End, ev.Thread))
		case format.KindContention:
			list = append(
				list,
				fmt.Sprintf("%s at %d: %d wait, %d own", locks[ev.Object], ev.Time, len(ev.Waiters), len(ev.Owners)),
			)
		}
	}
}

const traceHead = `contend 1
recording time=0 end=100000
thread thread=1 name="a"
thread thread=2 name="b"
stack stack=1 frames="java.lang.Thread":"sleep":"":0,"Spin":"nap":"":6,"Spin":"lock":"":7,"Spin":"run":"":9
stack stack=2 frames="java.lang.Thread":"sleep":"":0,"Spin":"nap":"":6,"Spin":"run":"":10
stack stack=3 frames="Spin":"lock":"":7,"Spin":"run":"":9
object lock=1 class="java.lang.Object" kind=monitor
`

const declaresSpin = "lock mutex exclusive - Spin.lock"

// Sleeps in a row at a declared site are one wait; what comes between, or takes longer
// than a sleep, begins another. Sleeps elsewhere, and waits for other locks, stay.
func TestSleepsAtADeclaredSiteAreWaits(t *testing.T) {
	text := traceHead + `
activity time=100 end=200 thread=1 activity=sleep stack=1
activity time=205 end=310 thread=1 activity=sleep stack=1
activity time=150 end=250 thread=2 activity=sleep stack=2
activity time=320 end=400 thread=1 activity=sleep stack=2
activity time=410 end=500 thread=1 activity=sleep stack=1
activity time=700 end=800 thread=1 activity=sleep stack=1
wait time=900 end=950 thread=2 lock=1 mode=exclusive stack=2
end
`
	got, st := saysOf(t, text, declaring(t, declaresSpin))
	want := []string{"Spin.lock 1 [100, 310) lock", "Spin.lock 1 [410, 500) lock", "Spin.lock 1 [700, 800) lock",
		"Spin.lock held [100, 310) by 0", "Spin.lock held [410, 500) by 0", "Spin.lock held [700, 800) by 0",
		"java.lang.Object 2 [900, 950) sleep"}
	if slices.Sort(want); !slices.Equal(got, want) || len(st.Warnings) > 0 {
		t.Errorf("%q\nwant %q\n%v", got, want, st.Warnings)
	}
	if got, _ := saysOf(t, text, nil); len(got) != 1 {
		t.Errorf("undeclared: %q", got)
	}
}

// Of threads that spin only instants are known: each stands for the time halfway to what
// is known next, and no farther than the others make likely.
func TestSamplesAtADeclaredSiteAreWaits(t *testing.T) {
	got, st := saysOf(t, traceHead+`
activity time=1000 end=1000 thread=1 activity=run stack=3
activity time=1100 end=1100 thread=1 activity=run stack=3
activity time=1200 end=1200 thread=1 activity=runnable stack=2
activity time=1300 end=1300 thread=1 activity=run stack=3
activity time=1400 end=1500 thread=1 activity=file stack=2
activity time=9000 end=9000 thread=2 activity=run stack=3
end
`, declaring(t, declaresSpin))
	want := []string{"Spin.lock 1 [750, 1150) lock", "Spin.lock 1 [1250, 1350) lock", "Spin.lock 2 [8750, 9250) lock",
		"Spin.lock held [750, 1150) by 0", "Spin.lock held [1250, 1350) by 0", "Spin.lock held [8750, 9250) by 0"}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if len(st.Warnings) != 1 || st.Warnings[0].Code != format.CodeDeclaredSites ||
		!strings.Contains(st.Warnings[0].Text, "4 samples") {
		t.Errorf("%v", st.Warnings)
	}
	if want := 1.96 * math.Sqrt(3.0/7/4) * 1000; st.HalfNs() != int64(want) { // 4 of 7 instants, 1000 ns
		t.Errorf("± %d ns, want %v", st.HalfNs(), want)
	}
}

// Samples that come in runs of what is alike tell less.
func TestRunsOfSamplesTellLess(t *testing.T) {
	half := func(order string) int64 {
		text := traceHead
		for i, stack := range order {
			text += fmt.Sprintf(
				"activity time=%d end=%d thread=1 activity=run stack=%c\n",
				1000+100*i,
				1000+100*i,
				stack,
			)
		}
		_, st := saysOf(t, text+"end\n", declaring(t, declaresSpin))
		return st.HalfNs()
	}
	if mixed, runs := half("323232323232"), half("333333222222"); mixed <= 0 || 2*runs < 3*mixed {
		t.Errorf("± %d ns in runs, ± %d ns mixed", runs, mixed)
	}
	if all := half("333333333333"); all <= 0 {
		t.Errorf("± %d ns where all samples are at the site", all)
	}
}

// An input that shows neither sleeping nor running threads cannot tell whether they wait at
// declared sites. Beside one that does it takes nothing away.
func TestUnseenSites(t *testing.T) {
	const tick = "tick time=1000 intended=1000 live=2 idle=2\n"
	for text, unseen := range map[string]bool{"end\n": true, tick + "end\n": true, tick + "activity time=1000 " +
		"end=1000 thread=1 activity=park stack=2\nend\n": true,
		"activity time=100 end=200 thread=1 activity=sleep stack=2\nend\n": false, "activity time=100 end=200 " +
			"thread=1 activity=sleep stack=1\nend\n": false} {
		_, st := saysOf(t, traceHead+text, declaring(t, declaresSpin))
		golden.Equal(
			t,
			slices.ContainsFunc(st.Warnings, func(w format.Warning) bool { return w.Code == format.CodeUnseenSites }),
			unseen,
			text,
		)
		golden.Equal(t, unseen, st.HiddenNs() == math.MaxInt64, text)
		if _, st := saysOf(t, traceHead+text, nil); len(st.Warnings) > 0 {
			t.Errorf("%q, undeclared: %v", text, st.Warnings)
		}
	}
}

// A dump shows who sleeps and who runs at a declared site: both wait. A park for what has
// a class is none.
func TestDumpsShowDeclaredSites(t *testing.T) {
	thread := func(n int, state string, frames ...string) string {
		return fmt.Sprintf(
			"\"t-%d\" #%d prio=5 os_prio=0 tid=0x%d nid=0x%d runnable\n   java.lang.Thread.State: %s\n\tat %s\n\n",
			n,
			n,
			n,
			n,
			state,
			strings.Join(frames, "\n\tat "),
		)
	}
	const lock, run = "Spin.lock(Spin.java:7)", "Spin.run(Spin.java:9)"
	text := "2026-01-02 03:04:05\nFull thread dump OpenJDK 64-Bit Server VM (17+1 mixed mode):\n\n" +
		thread(
			1,
			"TIMED_WAITING (sleeping)",
			"java.lang.Thread.sleep(Native Method)",
			"Spin.nap(Spin.java:6)",
			lock,
			run,
		) +
		thread(2, "RUNNABLE", lock, run) + thread(3, "RUNNABLE", run) +
		thread(
			4,
			"TIMED_WAITING (parking)",
			"jdk.internal.misc.Unsafe.park(Native Method)\n\t- parking to wait for  <0x1> (a "+
				"java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)",
			lock,
			run,
		)
	got, _ := saysOf(t, text, declaring(t, "lock mutex exclusive - Spin.l*k"))
	if len(got) != 1 || !strings.HasPrefix(got[0], "Spin.l*k at ") || !strings.HasSuffix(got[0], ": 2 wait, 1 own") {
		t.Errorf("%q", got)
	}
}
