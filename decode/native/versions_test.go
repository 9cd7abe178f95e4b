package native

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// version2 is a file of version 2 that was written once; text is what it says.
func version2(t *testing.T) (data []byte, text string) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/sampled-v2.bin")
	golden.OK(t, err)
	said := golden.Must(os.ReadFile("../../testdata/sampled-v2.txt"))(t)
	return data, string(said)
}

func TestVersion2IsRead(t *testing.T) {
	data, want := version2(t)
	l, st, err := readAll(data)
	if err != nil || len(st.Warnings) > 0 {
		t.Fatal(err, st.Warnings)
	}
	var got bytes.Buffer
	w := format.NewTextWriter(&got)
	for i := range l.Events {
		_ = w.Write(&l.Events[i]) // Close reports it
	}
	golden.OK(t, w.Close())
	golden.Same(t, got.String(), want)
}

// A reader that changes the ids of what it is given, as one of several inputs does,
// changes no other event.
func TestAnEventIsItsReaders(t *testing.T) {
	data, _ := version2(t)
	want, _, err := readAll(data)
	golden.OK(t, err)
	r := golden.Must(NewReader(bytes.NewReader(data), "test.ctd"))(t)
	defer r.Close()
	var ev format.Event
	for i := range want.Events {
		golden.OK(t, r.Read(&ev))
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
		{"part and instant", [][]byte{tick, part, {kindParts, 2, 1, 1}, {kindAgain, 4, 1, 1, 2, 0}}, 6, 6, false},
		{"no part", [][]byte{tick, {kindParts, 2, 1, 1}}, 9, 1, true},
		{"part 0", [][]byte{tick, part, {kindParts, 2, 1, 0}}, 9, 2, true},
		{"no instant", [][]byte{{kindAgain, 4, 1, 1, 2, 0}}, 9, 0, true},
		{"too many parts", [][]byte{tick, part, {kindParts, 4, 3, 1, 1, 1}}, 3, 3, true},
		{"too many instants", [][]byte{tick, part, {kindAgain, 6, 1, 2, 2, 0, 2, 0}}, 4, 4, true},
		{"a list that is longer than its event", [][]byte{tick, part, {kindAgain, 3, 1, 100, 2}}, 9, 2, true},
		{"a part without an instant", [][]byte{part, {kindParts, 2, 1, 1}, {byte(format.KindThreadStart), 2, 2, 1},
			{kindParts, 2, 1, 1}}, 4, 4, false},
	} {
		raw := bytes.Join(c.raw, nil)
		data := append([]byte(format.Magic), format.Version2, 0, 0, 0)
		data = append(append(data, header2(uint32(len(raw)), c.count, raw)...), raw...)
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

// header2 is the header of a block of version 2, with nothing in its summary of ticks.
func header2(length, events uint32, stored []byte) []byte {
	h := format.BlockHeader{Stored: length, Raw: length, Events: events}
	head := h.Append(nil, nil)
	head = append(head[:len(head)-4], make([]byte, 29)...)
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(head[len(format.Marker):], table), table, stored)
	return binary.LittleEndian.AppendUint32(head, sum)
}

// The example in the specification is the trace it says it is, and what the
// writer writes.
func TestTheSpecificationsExample(t *testing.T) {
	text := golden.Must(os.ReadFile("../../format/README.md"))(t)
	_, rest, found := strings.Cut(string(text), "```hex\n")
	dump, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("the specification has no example")
	}
	data := golden.Must(hex.DecodeString(strings.Join(strings.Fields(dump), "")))(t)
	want := []format.Event{
		{Kind: format.KindThread, Thread: 1, Name: "main"},
		{Kind: format.KindObject, Object: 1, Class: "L", LockKind: format.KindMonitor},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: 1000, End: 1300},
	}
	l, st, err := readAll(data)
	if err != nil || len(st.Warnings) > 0 {
		t.Fatal(err, st.Warnings)
	}
	golden.Same(t, l.Events, want)
	golden.Equal(
		t,
		string(encode(t, &format.List{Events: want}, format.WriterOptions{})),
		string(data),
		"the writer writes",
	)
}

// long is a trace of many more blocks than a reader holds ahead.
func long(t *testing.T) []byte {
	l := &format.List{}
	for i := range 20_000 {
		_ = l.Write(&format.Event{Kind: format.KindThreadStart, Time: int64(i), Thread: format.ThreadID(i)})
	}
	return encode(t, l, format.WriterOptions{Codec: format.Zstd, BlockSize: 512})
}

// Whoever reads ahead ends with the reader, at whatever event that is closed,
// and though it is closed twice.
func TestCloseEndsWhoReadsAhead(t *testing.T) {
	data := long(t)
	for _, events := range []int{0, 1, 500, 19_999, 20_001} {
		before := runtime.NumGoroutine()
		for range 8 {
			r := golden.Must(NewReader(bytes.NewReader(data), "test.ctd"))(t)
			var ev format.Event
			for i := range events {
				if err := r.Read(&ev); err != nil && (err != io.EOF || i < 20_000) {
					t.Fatalf("event %d: %v", i, err)
				}
			}
			if events < 19_999 && golden.CountGoroutines("created by contend/decode/native.NewReader") == 0 {
				t.Fatal("nobody reads ahead: there is nothing to test")
			}
			r.Close()
			r.Close()
		}
		if left := golden.WaitForGoroutines(before); left > before {
			stacks := make([]byte, 1<<16)
			t.Fatalf(
				"closed after %d events: %d goroutines for %d before\n%s",
				events,
				left,
				before,
				stacks[:runtime.Stack(stacks, true)],
			)
		}
	}
}

func TestMain(m *testing.M) { golden.Main(m) }
