package profile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"
)

func load(t *testing.T, name string) []byte {
	t.Helper()
	return golden.Must(os.ReadFile("testdata/" + name))(t)
}

func open(data []byte) (*Reader, error) {
	in := bufio.NewReader(bytes.NewReader(data))
	if Is(data) {
		return NewPprof(in, "x", nil)
	}
	if !IsFolded(data) {
		return nil, format.ErrNotMine
	}
	return NewFolded(in, "x", nil)
}

// shown sums what a profile says, by lock and by whose stack it is.
func shown(t *testing.T, r *Reader) string {
	t.Helper()
	sums, locks, stacks := map[string]int64{}, map[format.ObjectID]string{}, map[format.StackID]string{}
	for ev := (format.Event{}); ; {
		if err := r.Read(&ev); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch ev.Kind {
		case format.KindObject:
			locks[ev.Object] = ev.Name
		case format.KindStack:
			f := ev.Frames[len(ev.Frames)-1]
			stacks[ev.Stack] = fmt.Sprintf("%d frames to %s.%s", len(ev.Frames), f.Class, f.Method)
		case format.KindContention:
			by := "waiter " + stacks[ev.Waiters[0].Stack]
			if ev.Owners[0].Stack != format.NoStack {
				by = "owner " + stacks[ev.Owners[0].Stack]
			}
			sums[locks[ev.Object]+" "+by] += ev.Weight
		}
	}
	var out strings.Builder
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return int(sums[b] - sums[a]) }) {
		fmt.Fprintf(&out, "%d %s\n", sums[k], k)
	}
	return out.String()
}

// The sums are those of go tool pprof -traces, and of the lines of folded stacks.
func TestSumsByStack(t *testing.T) {
	for name, want := range map[string]string{
		"mutex.pprof": "1732713758 sync.Mutex of main.(*stock).reserve owner 4 frames to sync.(*WaitGroup).Go.func1\n" +
			"58129344 sync.RWMutex of main.(*stock).fill owner 4 frames to sync.(*WaitGroup).Go.func1\n" +
			"57955 sync.RWMutex of main.(*stock).count owner 4 frames to sync.(*WaitGroup).Go.func1\n",
		"block.pprof": "1316646058 sync.Mutex of main.(*stock).reserve waiter 4 frames to " +
			"sync.(*WaitGroup).Go.func1\n" +
			"48103679 sync.RWMutex of main.(*stock).count waiter 4 frames to sync.(*WaitGroup).Go.func1\n" +
			"80704 sync.RWMutex of main.(*stock).fill waiter 4 frames to sync.(*WaitGroup).Go.func1\n",
		"async-profiler.folded": "50 java.util.concurrent.locks.ReentrantLock$NonfairSync of demo.Order.place " +
			"waiter 5 frames to java.lang.Thread.run\n" +
			"41 demo.Stock of demo.Stock.reserve waiter 3 frames to java.lang.Thread.run\n" +
			"9 demo.Stock of demo.Stock.read waiter 4 frames to java.lang.Thread.run\n",
	} {
		r := golden.Must(open(load(t, name)))(t)
		golden.Equal(t, shown(t, r), want, name, "sums")
		s := r.Stats()
		byWaiter := slices.ContainsFunc(
			s.Warnings,
			func(w format.Warning) bool { return w.Code == format.CodeByWaiter },
		)
		if byWaiter == (name == "mutex.pprof") || !s.Unit.Summed() ||
			(s.Unit == format.UnitDelays) != strings.HasSuffix(name, ".pprof") {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// What waits for channels and groups waits for no lock: 468.4 ms here.
func TestWaitsForNoLockAreSaid(t *testing.T) {
	r := golden.Must(open(load(t, "block.pprof")))(t)
	if s := r.Stats(); !slices.ContainsFunc(
		s.Warnings,
		func(w format.Warning) bool { return w.Code == "not-locks" && strings.HasPrefix(w.Text, "468 ms") },
	) {
		t.Errorf("%v", s.Warnings)
	}
}

func TestOtherProfilesAreRefused(t *testing.T) {
	if _, err := open(load(t, "cpu.pprof")); !errors.Is(err, format.ErrNotMine) ||
		!strings.Contains(err.Error(), "a profile: not a trace") {
		t.Errorf("%v", err)
	}
	if _, err := open(load(t, "mutex.pprof")[:500]); !errors.Is(err, format.ErrCorrupt) {
		t.Errorf("%v", err)
	}
}

// Only text of stacks alone is taken for them, and a line among them that is none is damage.
func TestFoldedLines(t *testing.T) {
	for _, no := range []string{"", "a;b\n", "12\n", "a 12\n", "level=info; done in 12\nthe next line\n",
		"\"main\" #1;x 1"} {
		if IsFolded([]byte(no)) && no != "\"main\" #1;x 1" {
			t.Errorf("%q is taken for folded stacks", no)
		}
	}
	r := golden.Must(open([]byte("[main tid=12];demo.A.run;demo.B.take_[j];demo.Lock_[i] 3\na;b 1\nc;d 1\n" +
		"broken\n")))(t)
	if s := r.Stats(); len(s.Damage.Places) != 1 || s.Damage.Places[0].Pos.Line != 4 || s.BytesTotal-s.BytesRead != 7 {
		t.Errorf("%+v", s)
	}
	golden.Equal(t, shown(t, r), "3 demo.Lock of demo.B.take waiter 2 frames to demo.A.run\n")
}

// Folded stacks may be of anything: they are of locks if their frames are.
func TestFoldedStacksOfLocksAlone(t *testing.T) {
	const (
		cpu    = "main;readFile;read 4790\nmain;drawBoxes;project 94436\n"
		goCPU  = "main.main;main.sum 90\nmain.main;sync.(*Mutex).Lock;runtime.procyield 3\n"
		native = "main;work;pthread_mutex_lock;__lll_lock_wait;futex_wait 70\nmain;work;read 4\n"
		java   = "demo.A.run;demo.B.take;java.lang.Object 3\n"
	)
	for text, locks := range map[string]bool{cpu: false, goCPU: false, native: true, java: true} {
		r, err := open([]byte(text))
		if errors.Is(err, format.ErrNotMine) == locks || locks && r == nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A profile without samples says why it may have none, and one without names how to add them.
func TestProfilesThatShowNothing(t *testing.T) {
	for text, want := range map[string]string{
		"--- mutex:\ncycles/second=2000000000\nsampling period=0\n": "did not call runtime." +
			"SetMutexProfileFraction",
		"--- contention:\ncycles/second=2000000000\n":                       "did not call runtime.SetBlockProfileRate",
		"--- contention:\ncycles/second=2000000000\n9000 1 @ 0x4d9d 0x4d\n": "-proto PROGRAM PROFILE",
	} {
		r := golden.Must(NewDebug(bufio.NewReader(strings.NewReader(text)), "x", nil))(t)
		said := ""
		for _, w := range r.Stats().Warnings {
			said += w.String() + "\n"
		}
		golden.Holds(t, said, want)
	}
}

// Profiles of goroutines count those that wait for locks.
func TestGoroutineProfile(t *testing.T) {
	const text = `goroutine profile: total 5
3 @ 0x43a1ce 0x44c1b2 0x47a6dd
#	0x468684	internal/sync.runtime_SemacquireMutex+0x24	/go/src/runtime/sema.go:95
#	0x468690	sync.(*Mutex).Lock+0x24				/go/src/sync/mutex.go:46
#	0x47a6dc	main.post+0x3c					/src/stuck.go:9

2 @ 0x43a1ce 0x409a8b
#	0x409a8a	main.main+0x2a	/src/stuck.go:20
`
	r := golden.Must(NewDebug(bufio.NewReader(strings.NewReader(text)), "x", nil))(t)
	golden.Equal(t, shown(t, r), "1 sync.Mutex of main.post waiter 3 frames to main.post\n")
	if s := r.Stats(); s.Unit != format.UnitThreads || !s.Damage.Whole() {
		t.Errorf("%+v", s)
	}
}

// What Go prints with debug=1 has the values of the binary profile: cycles by the rate.
func TestDebugText(t *testing.T) {
	const text = `--- mutex:
cycles/second=2000000000
sampling period=1
3000000000 79 @ 0x4d9ddf 0x4d9dd5
#	0x4d9dde	sync.(*Mutex).Unlock+0x3e	sync/mutex.go:65
#	0x4d9dd4	main.slow+0x34			prof/main.go:15

1000 1 @ 0x1 0x2
broken
`
	if !IsDebug([]byte(text)) {
		t.Fatal("is none")
	}
	r := golden.Must(NewDebug(bufio.NewReader(strings.NewReader(text)), "x", nil))(t)
	golden.Equal(
		t,
		shown(t, r),
		"1500000000 sync.Mutex of main.slow owner 2 frames to main.slow\n500 [unknown class] of 0x1 waiter 2 frames "+
			"to .0x2\n",
	)
	if s := r.Stats(); s.Unit != format.UnitDelays || s.Damage.Whole() || s.Damage.Places[0].Pos.Line != 9 {
		t.Errorf("%+v", s)
	}
}

// Stacks of one frame may stand among the folded ones.
func TestFoldedOfOneFrame(t *testing.T) {
	for text, want := range map[string]bool{"swapper 5\na;b 3\n": true, "swapper 5\nidle 3\n": false,
		"a; b 12\nno 3 x\n": false, "[main tid=1];a/B.c 7\n": true} {
		golden.Equal(t, IsFolded([]byte(text)), want, text, !want)
	}
}

// Whatever comes first, each stack has an id of its own: the lock that was
// waited for keeps the stack it was waited for in, the one created that which
// created it.
func TestStacksOfBothAgents(t *testing.T) {
	const waited = "contention detected on [0] java.lang.Object Sync.enter:2,  Sync.run:3,\n"
	const created = "creating lock 1: App.<clinit>(App.java:3), 1=5,\n"
	for _, text := range []string{waited + created, created + waited, waited + created + "new " + waited} {
		r := NewCounts(strings.NewReader(text), "test")
		frames, stacks := map[format.StackID]string{}, map[string]string{}
		var ev format.Event
		for {
			err := r.Read(&ev)
			if errors.Is(err, io.EOF) {
				break
			}
			switch {
			case err != nil:
				t.Fatal(err)
			case ev.Kind == format.KindStack:
				frames[ev.Stack] = ev.Frames[0].Method
			case ev.Kind == format.KindObject:
				stacks[ev.Name] = frames[ev.Stack]
			case ev.Kind == format.KindContention && ev.Waiters[0].Stack != format.NoStack:
				stacks["waits"] = frames[ev.Waiters[0].Stack]
			}
		}
		if len(frames) != 2 || stacks["lock 1"] != "<clinit>" || stacks["waits"] != "enter" {
			t.Errorf("%q: stacks %v, of locks and waits %v", text, frames, stacks)
		}
	}
}
