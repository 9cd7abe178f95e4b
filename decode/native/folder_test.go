package native

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sampled is n instants at which few things are seen again and again, with other
// events between some of them, and a few instants that no reader gives folded.
func sampled(n int, seed uint64) *format.List {
	rng, l := rand.New(rand.NewPCG(seed, 1)), &format.List{}
	add := func(ev format.Event) { _ = l.Write(&ev) }
	at := int64(1e18)
	for i := range n {
		at += 1e6 + rng.Int64N(1e6)
		add(format.Event{Kind: format.KindTick, Time: at, Intended: at - rng.Int64N(1000), Live: 9, IdleThreads: uint32(rng.IntN(2))})
		for lock := range rng.IntN(3) {
			ev := format.Event{Kind: format.KindContention, Time: at, Object: format.ObjectID(lock + 1),
				Owners:  []format.Party{{Thread: format.ThreadID(rng.IntN(2) + 1), Stack: 70_000}},
				Waiters: []format.Party{{Thread: format.ThreadID(rng.IntN(2) + 5), Stack: 2, Mode: format.Shared}, {Thread: 200_000, Stack: 3}}}
			if rng.IntN(40) == 0 {
				ev.Weight = format.EvidenceOnly
			}
			add(ev)
		}
		for t := range rng.IntN(3) {
			add(format.Event{Kind: format.KindActivity, Time: at, End: at + max(rng.Int64N(30)-28, 0), Thread: format.ThreadID(t + 20), Stack: 4, Activity: format.ActivityPark, Resource: t == 1})
		}
		if i%17 == 0 {
			add(format.Event{Kind: format.KindThread, Thread: format.ThreadID(100 + i), Name: "t"})
			add(format.Event{Kind: format.KindContention, Time: at, Object: 5, Waiters: []format.Party{{Thread: 1, Stack: 1}}})
		}
	}
	return l
}

// unfold writes what a folded event stands for.
func unfold(t *testing.T, to *format.List, ev *format.Event) (instants int) {
	t.Helper()
	s := ev.Samples
	if s == nil {
		_ = to.Write(ev)
		return 0
	}
	from := len(to.Events)
	for _, tick := range s.Ticks {
		_ = to.Write(&format.Event{Kind: format.KindTick, Time: tick.Time, Intended: tick.Intended, Weight: tick.Weight, Live: tick.Live, IdleThreads: tick.Idle})
		for _, at := range s.Scenes[tick.Scene] {
			part := s.Parts[at]
			part.Time = tick.Time
			if part.Kind == format.KindActivity {
				part.End = tick.Time
			}
			_ = to.Write(&part)
		}
	}
	if n := len(to.Events) - from; int64(n) != s.Events || s.Mixed {
		t.Fatalf("%d events of %d, mixed %v", n, s.Events, s.Mixed)
	}
	return len(s.Ticks)
}

// What is read folded, from any event on, is what is read one by one, of both
// versions and blocks of any size; and version 2 is the smaller one.
func TestFoldedIsTheSame(t *testing.T) {
	want := sampled(600, 7)
	sizes := map[uint16]int{}
	for _, version := range []uint16{format.Version1, format.Version} {
		for _, size := range []int{200, 1 << 20} {
			data := encode(t, want, format.WriterOptions{Version: version, BlockSize: size})
			sizes[version] = len(data)
			for _, from := range []int{3, 0, 1 << 20}[:golden.Depth(1, 2, 3)] {
				r, err := NewReader(bytes.NewReader(data), "test.ctd")
				if err != nil {
					t.Fatal(err)
				}
				got, folded := &format.List{}, 0
				for n := 0; ; n++ {
					if n == from {
						r.Fold()
					}
					var ev format.Event
					if err := r.Read(&ev); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatal(err)
					}
					folded += unfold(t, got, &ev)
				}
				st := r.Stats()
				r.Close()
				if diff := cmp.Diff(want.Events, got.Events, cmpopts.EquateEmpty()); diff != "" || st.Events != int64(len(want.Events)) || len(st.Warnings) > 0 {
					t.Fatalf("version %d, blocks of %d, folded from event %d: %d events, %v\n%s", version, size, from, st.Events, st.Warnings, diff)
				}
				if wantFolded := from < len(want.Events); wantFolded != (folded > 500) {
					t.Fatalf("version %d, blocks of %d, folded from event %d: %d instants", version, size, from, folded)
				}
			}
		}
	}
	if 2*sizes[format.Version] > sizes[format.Version1] {
		t.Errorf("%v bytes by version", sizes)
	}
}

// A reader that changes the ids of what it is given, as one of several inputs does,
// changes no other event.
func TestAnEventIsItsReaders(t *testing.T) {
	want := sampled(500, 3)
	r, err := NewReader(bytes.NewReader(encode(t, want, format.WriterOptions{})), "test.ctd")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var ev format.Event
	for i := range want.Events {
		if err := r.Read(&ev); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Events[i], ev, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("event %d: %s", i, diff)
		}
		for _, list := range [][]format.Party{ev.Owners, ev.Waiters} {
			for j := range list {
				list[j].Thread += 1000
			}
		}
	}
}

// More than fits an instant, or a block, is written all the same.
func TestManyLocksAtOneInstant(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: nothing runs beside it that the race detector could see")
	}
	want := &format.List{}
	for tick := range int64(3) {
		_ = want.Write(&format.Event{Kind: format.KindTick, Time: 1000 + tick, Intended: 1000 + tick})
		for lock := range 40_000 {
			_ = want.Write(&format.Event{Kind: format.KindContention, Time: 1000 + tick, Object: format.ObjectID(lock + 1)})
		}
	}
	for _, size := range []int{1 << 10, 16 << 20} {
		got, st, err := readAll(encode(t, want, format.WriterOptions{BlockSize: size}))
		if err != nil || len(st.Warnings) > 0 || len(got.Events) != len(want.Events) {
			t.Fatalf("%v, %v, %d events of %d", err, st.Warnings, len(got.Events), len(want.Events))
		}
		for i := range got.Events {
			if g, w := &got.Events[i], &want.Events[i]; g.Kind != w.Kind || g.Time != w.Time || g.Object != w.Object {
				t.Fatalf("event %d: %+v", i, g)
			}
		}
	}
}

// Numbers that were not given, and more events than the header counts, are damage.
func TestRepeatsOfNothing(t *testing.T) {
	tick := []byte{byte(format.KindTick), 5, 2, 0, 0, 0, 0}
	part := []byte{byte(format.KindContention), 5, 0, 0, 1, 0, 0}
	for _, c := range []struct {
		name    string
		raw     [][]byte
		count   uint32 // by the header
		events  int
		damaged bool
	}{
		{"part and instant", [][]byte{tick, part, {byte(format.KindParts), 2, 1, 1}, {byte(format.KindAgain), 4, 1, 1, 2, 0}}, 6, 6, false},
		{"no part", [][]byte{tick, {byte(format.KindParts), 2, 1, 1}}, 9, 1, true},
		{"part 0", [][]byte{tick, part, {byte(format.KindParts), 2, 1, 0}}, 9, 2, true},
		{"no instant", [][]byte{{byte(format.KindAgain), 4, 1, 1, 2, 0}}, 9, 0, true},
		{"too many parts", [][]byte{tick, part, {byte(format.KindParts), 4, 3, 1, 1, 1}}, 3, 3, true},
		{"too many instants", [][]byte{tick, part, {byte(format.KindAgain), 6, 1, 2, 2, 0, 2, 0}}, 4, 2, true},
		{"a list that is longer than its event", [][]byte{tick, part, {byte(format.KindAgain), 3, 1, 100, 2}}, 9, 2, true},
		{"a part without an instant", [][]byte{part, {byte(format.KindParts), 2, 1, 1}, {byte(format.KindThreadStart), 2, 2, 1}, {byte(format.KindParts), 2, 1, 1}}, 4, 4, false},
	} {
		raw := bytes.Join(c.raw, nil)
		h := format.BlockHeader{Version: format.Version, Stored: uint32(len(raw)), Raw: uint32(len(raw)), Events: c.count}
		data := append([]byte(format.Magic), format.Version, 0, 0, 0)
		data = append(h.Append(data, raw), raw...)
		l, st, err := readAll(data)
		gaps := 0
		for _, ev := range l.Events {
			if ev.Kind == format.KindGap {
				gaps++
			}
		}
		if err != nil || len(l.Events)-gaps != c.events || (gaps > 0) != c.damaged {
			t.Errorf("%s: %v, %d events, %d gaps, %v", c.name, err, len(l.Events)-gaps, gaps, st.Warnings)
		}
	}
}
