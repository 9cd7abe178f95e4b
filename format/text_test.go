package format

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// enums are how many values the fields have that stand for names.
var enums = map[fieldCode]int{
	fMode:     len(modeNames),
	fLockKind: len(lockKindNames),
	fActivity: len(activityNames),
	fFailed:   2,
}

// drawEvent draws an event of any kind but the end, with only the fields its
// kind has.
func drawEvent(t *rapid.T) Event {
	kinds := []Kind{
		KindThread,
		KindObject,
		KindStack,
		KindThreadStart,
		KindThreadEnd,
		KindRecording,
		KindTick,
		KindGap,
		KindSetting,
		KindContention,
		KindWait,
		KindTenure,
		KindActivity,
		KindRelease,
		KindPause,
		KindBlocked,
	}
	ev := Event{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	for _, f := range layouts[ev.Kind] {
		drawField(t, f, &ev)
	}
	return ev
}

func drawField(t *rapid.T, f fieldCode, ev *Event) {
	text := rapid.StringMatching(`[a-z "'\x60#\\=,:/\x00\x1b\né\x{1F512}\x{FFFD}]{0,8}`)
	party := rapid.Custom(func(t *rapid.T) Party {
		return Party{
			ThreadID(rapid.Uint32().Draw(t, "t")),
			StackID(rapid.Uint32().Draw(t, "s")),
			Mode(rapid.IntRange(0, len(modeNames)-1).Draw(t, "m")),
		}
	})
	switch f {
	case fFrames:
		ev.Frames = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Frame {
			return Frame{
				text.Draw(t, "c"),
				text.Draw(t, "m"),
				text.Draw(t, "f"),
				rapid.IntRange(-1, 1<<30).Draw(t, "l"),
			}
		}), 0, 3).Draw(t, "frames")
		return
	case fOwners:
		ev.Owners = rapid.SliceOfN(party, 0, 3).Draw(t, "owners")
		return
	case fWaiters:
		ev.Waiters = rapid.SliceOfN(party, 0, 3).Draw(t, "waiters")
		return
	case fHash, fCount:
		ev.setNumber(f, rapid.Uint64().Draw(t, "wide"))
		return
	}
	if p := ev.signed(f); p != nil {
		*p = rapid.Int64().Draw(t, "signed")
	} else if s := ev.text(f); s != nil {
		*s = text.Draw(t, "text")
	} else if n := enums[f]; n > 0 {
		ev.setNumber(f, uint64(rapid.IntRange(0, n-1).Draw(t, "name")))
	} else {
		ev.setNumber(f, uint64(rapid.Uint32().Draw(t, "id")))
	}
}

func writeText(t interface{ Fatal(...any) }, events []Event) []byte {
	var out bytes.Buffer
	w := NewTextWriter(&out)
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readText(in io.Reader) ([]Event, Stats, error) {
	r, err := NewTextReader(in, "t.txt")
	if err != nil {
		return nil, Stats{}, err
	}
	l := &List{}
	var ev Event
	for err == nil {
		if err = r.Read(&ev); err == nil {
			_ = l.Write(&ev)
		}
	}
	if again := r.Read(&ev); again != err {
		return nil, Stats{}, errors.Join(errors.New("the end does not stick"), again)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return l.Events, r.Stats(), err
}

func TestEventsRoundTripThroughTextAndBinary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(drawEvent), 0, 6).Draw(t, "events")
		text := writeText(t, want)
		read, st, err := readText(bytes.NewReader(text))
		if err != nil || len(st.Warnings) > 0 {
			t.Fatalf("%v %v\n%s", err, st.Warnings, text)
		}
		if diff := cmp.Diff(want, read, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("text: %s", diff)
		}
		if st.Events != int64(len(want)) || st.BytesRead != int64(len(text)) || st.BytesTotal != st.BytesRead {
			t.Fatalf("%d events in %d bytes: %+v", len(want), len(text), st)
		}

		var raw []byte
		const first = 5 // of a block: any number does
		last, back, arena := int64(first), int64(first), &Arena{}
		for i := range read {
			raw = AppendEvent(raw, &read[i], &last)
		}
		var decoded List
		for range want {
			var ev Event
			kind, body, rest, err := CutEvent(raw)
			if err == nil {
				err = DecodeFields(kind, body, &ev, &back, arena)
			}
			if err != nil {
				t.Fatal(err)
			}
			raw, _ = rest, decoded.Write(&ev)
		}
		if len(raw) > 0 || last != back {
			t.Fatalf("%d bytes left, clocks %d and %d", len(raw), last, back)
		}
		if again := writeText(t, decoded.Events); !bytes.Equal(again, text) {
			t.Fatalf("binary: %s", cmp.Diff(string(text), string(again)))
		}
	})
}

// The twin as people see it: this text is in use, so it must not change.
func TestTextLooksAsSpecified(t *testing.T) {
	got := writeText(t, []Event{
		{Kind: KindStack, Stack: 7, Frames: []Frame{{"a.B", "m", "B.java", 12}, {"a.C", "<init>", "", -1}}},
		{
			Kind:    KindContention,
			Time:    10,
			Weight:  EvidenceOnly,
			Object:  3,
			Owners:  []Party{{1, 5, Exclusive}, {2, 6, Shared}},
			Waiters: []Party{{NoThread, 7, Exclusive}},
		},
		{Kind: KindWait, Time: 10, End: 30, Thread: 1, Object: 3, Mode: Shared},
		{Kind: KindSetting, Name: "a \"b\"\n"},
	})
	want := `contend 1
stack stack=7 frames="a.B":"m":"B.java":12,"a.C":"<init>":"":-1
contention time=10 weight=-1 lock=3 owners=1/5/x,2/6/s waiters=0/7/x
wait time=10 end=30 thread=1 lock=3 mode=shared
setting name="a \"b\"\n"
end count=4
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestTextErrorsSayTheLine(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		what string
		want error
	}{
		{"", 1, "header", ErrTruncated},
		{"contend", 1, "header", ErrTruncated},
		{"contend 1", 1, "header", ErrTruncated},
		{"hello\n", 1, "header", ErrNotMine},
		{"contend\n", 1, "header", ErrNotMine},
		{"contend 9\n", 1, "header", ErrVersion},
		{"contend 1\n\n# note\nfly away\n", 4, "kind", ErrCorrupt},
		{"contend 1\nnone\n", 2, "kind", ErrCorrupt},
		{"contend 1\nwait time\n", 2, "field", ErrCorrupt},
		{"contend 1\nwait name=\"x\"\n", 2, "field", ErrCorrupt},
		{"contend 1\nwait time=x\n", 2, "time", ErrCorrupt},
		{"contend 1\nwait time=1.5\n", 2, "time", ErrCorrupt},
		{"contend 1\nwait time=99999999999999999999\n", 2, "time", ErrCorrupt},
		{"contend 1\nwait time=1 time=2\n", 2, "time", ErrCorrupt},
		{"contend 1\nwait thread=4294967296\n", 2, "thread", ErrCorrupt},
		{"contend 1\nwait thread=-1\n", 2, "thread", ErrCorrupt},
		{"contend 1\nwait mode=x\n", 2, "mode", ErrCorrupt},
		{"contend 1\ncontention owners=1/2\n", 2, "owners", ErrCorrupt},
		{"contend 1\ncontention owners=1/2/y\n", 2, "owners", ErrCorrupt},
		{"contend 1\ncontention owners=1/2/xs\n", 2, "owners", ErrCorrupt},
		{"contend 1\ncontention owners=1/2/x,\n", 2, "owners", ErrCorrupt},
		{"contend 1\nthread name=main\n", 2, "name", ErrCorrupt},
		{"contend 1\nthread name='m'\n", 2, "name", ErrCorrupt},
		{"contend 1\nthread name=`main`\n", 2, "name", ErrCorrupt},
		{"contend 1\nthread name=\"a\"group=\"b\"\n", 2, "name", ErrCorrupt},
		{"contend 1\nstack stack=1 frames=\"a\":\"b\n", 2, "frames", ErrCorrupt},
		{"contend 1\nstack stack=1 frames=\"a\":\"b\":\"c\"\n", 2, "frames", ErrCorrupt},
		{"contend 1\nend\nwait\n", 3, "line behind the end", ErrCorrupt},
		{"contend 1\n" + strings.Repeat("x", maxLine+1), 2, "line", ErrLimit},
	} {
		_, _, err := readText(strings.NewReader(c.text))
		var fe *Error
		if !errors.As(err, &fe) || fe.Pos != (Pos{File: "t.txt", Line: c.line}) || fe.What != c.what ||
			!errors.Is(err, c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v", c.text, err)
		}
	}
}

// sample is a trace with every kind of event.
const sample = `contend 1
# a comment, and an empty line

recording time=1 end=1000
setting name="threshold" value="20 ms" weight=20000000
thread thread=1 name="worker \"é\"" group="workers"
object lock=1 class="a.Lock" hash=18446744073709551615 kind=monitor name="m" stack=1
stack stack=1 frames="a.B":"m":"B.java":12,"a.C":"run":"":0
thread-start time=5 thread=1
tick time=10 intended=9 weight=4 live=3 idle=1
contention time=10 weight=-1 lock=1 owners=1/1/x waiters=2/0/x,3/1/s
wait time=10 end=30 thread=2 lock=1 mode=shared stack=1 owner=1
tenure time=8 end=30 thread=1 lock=1 stack=1
activity time=8 end=9 thread=3 activity=sleep stack=1
gap time=40 end=50 bytes=7 name="why"
thread-end time=900 thread=1
end count=13
`

// preamble is how many lines of the sample stand before its first event.
const preamble = 3

// However a trace is cut, what was whole is delivered, nothing is made up
// from half a line, and the cut is told.
func TestEveryPrefixOfAText(t *testing.T) {
	whole, st, err := readText(strings.NewReader(sample))
	if err != nil || len(st.Warnings) > 0 || len(whole) != 13 {
		t.Fatal(len(whole), st.Warnings, err)
	}
	for i := range sample {
		got, st, err := readText(strings.NewReader(sample[:i]))
		if i <= len(TextHeader) {
			if !errors.Is(err, ErrTruncated) {
				t.Fatalf("prefix %d: %v", i, err)
			}
			continue
		}
		if err != nil || st.BytesTotal != int64(i) {
			t.Fatalf("prefix %d: %v, %+v", i, err, st)
		}
		lines := strings.SplitAfter(sample[:i], "\n")
		rest := strings.TrimSpace(lines[len(lines)-1])
		ended := rest == "end" || rest == "end count=13" // a line end after it may go, its count too
		if told := len(st.Warnings) == 1; told == ended {
			t.Fatalf("prefix %d: warnings %v", i, st.Warnings)
		}
		if lost := st.BytesTotal - st.BytesRead; lost > 0 {
			gap := got[len(got)-1]
			if gap.Kind != KindGap || gap.Bytes != lost {
				t.Fatalf("prefix %d: lost %d bytes, the last event is %+v", i, lost, gap)
			}
			got = got[:len(got)-1]
		}
		want := whole[:max(0, len(lines)-1-preamble)]
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("prefix %d: %s", i, diff)
		}
	}
}

func TestTextThatLostLinesSaysSo(t *testing.T) {
	_, st, err := readText(strings.NewReader(strings.Replace(sample, "thread-start time=5 thread=1\n", "", 1)))
	want := []Warning{{Code: "lost-data", Text: "t.txt:16: the end line counts 13 events, the trace has 12"}}
	if diff := cmp.Diff(want, st.Warnings); err != nil || diff != "" {
		t.Error(err, diff)
	}
	byHand := "contend 1\r\nwait end=4   thread=1 time=2\r\nend\r\n"
	got, st, err := readText(strings.NewReader(byHand))
	if err != nil || len(st.Warnings) > 0 || len(got) != 1 || got[0].End != 4 {
		t.Error(got, st.Warnings, err)
	}
}

func TestTextKeepsTheFaultOfItsInput(t *testing.T) {
	fault := errors.New("the disk is on fire")
	_, _, err := readText(io.MultiReader(strings.NewReader("contend 1\nend\n"), iotest.ErrReader(fault)))
	if !errors.Is(err, fault) || !strings.HasPrefix(err.Error(), "t.txt:3: ") {
		t.Error(err)
	}
	if _, _, err = readText(iotest.ErrReader(fault)); !errors.Is(err, fault) {
		t.Error(err)
	}
	_, st, err := readText(
		io.MultiReader(strings.NewReader("contend 1\nwait time=1 e"), iotest.ErrReader(io.ErrUnexpectedEOF)),
	)
	if err != nil || len(st.Warnings) != 1 || st.Warnings[0].Code != "truncated" {
		t.Error(st.Warnings, err)
	}
	w := NewTextWriter(failing{fault})
	if err := w.Write(&Event{Kind: KindWait}); err != nil {
		t.Error("reported before it was tried:", err)
	}
	if err := w.Close(); !errors.Is(err, fault) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func contended() *Event {
	return &Event{
		Kind:    KindContention,
		Time:    1e18,
		Object:  70_000,
		Owners:  []Party{{80_000, 90_000, Exclusive}},
		Waiters: []Party{{1, 2, Shared}, {3, 4, Exclusive}},
	}
}

func TestTextWriterDoesNotAllocate(t *testing.T) {
	w, ev := NewTextWriter(io.Discard), contended()
	if n := testing.AllocsPerRun(100, func() { _ = w.Write(ev) }); n > 0 {
		t.Errorf("%v allocations an event", n)
	}
}
