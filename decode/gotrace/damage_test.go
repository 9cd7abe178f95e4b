package gotrace

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"contend/format"
	"contend/format/column"
	"contend/golden"

	"golang.org/x/exp/trace"
)

// The library panics when an event of this trace is looked at, not when it is
// read: a goroutine's state is none there is.
func TestDamageTheLibraryDoesNotExpect(t *testing.T) {
	data := load(t, ours)
	const at = 116
	if data[at] != 222 {
		t.Fatal("the recording is another one: find a place for this test")
	}
	data[at] = 94
	r, counts := readAll(t, data)
	if s := r.Stats(); counts[format.KindGap] != 1 || s.Damage.Whole() || len(s.Warnings) == 0 {
		t.Errorf("damage is not told: %v %+v", counts, s)
	}
}

// A panic of our own is not taken for damage of the trace.
func TestOwnPanicsGoOn(t *testing.T) {
	r, err := NewReader(bytes.NewReader(load(t, ours)), "test", nil)
	golden.OK(t, err)
	defer func() {
		if recover() == nil {
			t.Error("a nil map was written to and nobody heard")
		}
	}()
	r.goroutines = nil
	var ev format.Event
	for err == nil {
		err = r.Read(&ev)
	}
	t.Errorf("read on to %v", errors.Is(err, io.EOF))
}

// within is a stack of a function that calls a method of sync.Mutex at some line.
func within(method string, line uint64) trace.Stack {
	return trace.MakeStack(
		[]trace.StackFrame{
			{PC: 1, Func: "sync.(*Mutex)." + method, File: "sync/mutex.go", Line: 10},
			{PC: 2, Func: "main.work", File: "main.go", Line: line},
		},
	)
}

// A goroutine that was woken, finds the lock taken and soon blocks at the same place
// again still tries to get it. One that woke another by giving the lock back had it, and
// so may one that ran on for longer, or blocks elsewhere.
func TestWhatIsAFurtherTry(t *testing.T) {
	const mine, other = trace.GoID(1), trace.GoID(2)
	for name, c := range map[string]struct {
		gives bool
		ran   int64
		line  uint64
		want  bool
	}{
		"soon":           {false, 10e3, 20, true},
		"gave it back":   {true, 10e3, 20, false},
		"ran for longer": {false, 30e3, 20, false},
		"elsewhere":      {false, 10e3, 21, false},
	} {
		r := golden.Must(NewReader(bytes.NewReader(load(t, ours)), "test", nil))(t)
		step := func(at int64, by, of trace.GoID, from, to trace.GoState, its, their trace.Stack) {
			st := trace.MakeGoStateTransition(of, from, to)
			st.Reason, st.Stack = "sync", their
			ev := golden.Must(
				trace.MakeEvent(
					trace.EventConfig[trace.StateTransition]{
						Kind:      trace.EventStateTransition,
						Time:      trace.Time(at),
						Goroutine: by,
						Stack:     its,
						Details:   st,
					},
				),
			)(
				t,
			)
			r.transition(&ev, &st)
		}
		blocks := func(at int64, g trace.GoID, line uint64) {
			step(at, g, g, trace.GoRunning, trace.GoWaiting, within("Lock", line), within("Lock", line))
		}
		wakes := func(at int64, by, g trace.GoID) {
			step(at, by, g, trace.GoWaiting, trace.GoRunnable, within("Unlock", 30), trace.NoStack)
		}
		runs := func(at int64, g trace.GoID) {
			step(at, trace.NoGoroutine, g, trace.GoRunnable, trace.GoRunning, trace.NoStack, trace.NoStack)
		}
		blocks(1000, mine, 20)
		wakes(100e3, other, mine)
		blocks(101e3, other, 20)
		runs(110e3, mine)
		if c.gives {
			wakes(112e3, mine, other)
		}
		blocks(110e3+c.ran, mine, c.line)
		wakes(200e3, other, mine)
		runs(210e3, mine)
		var tries []wait
		r.waits.Each(func(_ column.Ref, w *wait) {
			if w.thread == r.goroutines[mine].thread {
				tries = append(tries, *w)
			}
		})
		if len(tries) != 2 || (tries[0].again != 0) != c.want || (tries[1].asked == tries[0].asked) != c.want {
			t.Errorf("%s: %+v", name, tries)
		}
	}
}

// A damaged name of a file is text all the same.
func TestNamesAreText(t *testing.T) {
	data := bytes.ReplaceAll(load(t, ours), []byte("sync/mutex.go"), []byte("sync/mute\xff.go"))
	r, err := NewReader(bytes.NewReader(data), "test", nil)
	golden.OK(t, err)
	met := false
	var ev format.Event
	for err = r.Read(&ev); err == nil; err = r.Read(&ev) {
		for _, f := range ev.Frames {
			if !utf8.ValidString(f.File) {
				t.Fatalf("%q is no text", f.File)
			}
			met = met || f.File == "mute\uFFFD.go"
		}
	}
	if !errors.Is(err, io.EOF) || !met {
		t.Errorf("the name is met: %v; %v", met, err)
	}
}

func TestMain(m *testing.M) { golden.Main(m) }
