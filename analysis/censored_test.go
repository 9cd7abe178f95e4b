package analysis

import (
	"strings"
	"testing"

	"contend/format"
)

// A wait across a stretch that is lost says so, for as long as they overlap;
// lost stretches that overlap count once, and those nobody waits in do not.
func TestWaitsAcrossGapsAreCensored(t *testing.T) {
	list := &format.List{}
	for _, ev := range []format.Event{
		{Kind: format.KindThread, Thread: 1, Name: "a"}, {Kind: format.KindThread, Thread: 2, Name: "b"}, {Kind: format.KindObject, Object: 1, Class: "L"},
		{Kind: format.KindRecording, Time: 0, End: 10e6},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: 1e6, End: 3e6},
		{Kind: format.KindWait, Thread: 2, Object: 1, Time: 1e6, End: 5e6},
		{Kind: format.KindWait, Thread: 1, Object: 1, Time: 6e6, End: 7e6},
		{Kind: format.KindGap, Time: 2e6, End: 4e6, Name: "lost"}, {Kind: format.KindGap, Time: 25e5, End: 45e5, Name: "lost"}, {Kind: format.KindGap, Time: 8e6, End: 9e6, Name: "lost"},
	} {
		if err := list.Write(&ev); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := Run(list, Filter{From: format.NoTime, To: format.NoTime})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range tr.Coverage.Warnings {
		if w.Code == "censored" {
			got = append(got, w.Text)
		}
	}
	if len(got) != 1 || !strings.HasPrefix(got[0], "2 waits reach into stretches of which data is lost, 3.50 ms of") {
		t.Errorf("%q", got)
	}
}
