package native

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

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
	if diff := cmp.Diff(want, l.Events, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if again := encode(t, &format.List{Events: want}, format.WriterOptions{}); string(again) != string(data) {
		t.Errorf("the writer writes\n%s", hex.Dump(again))
	}
}
