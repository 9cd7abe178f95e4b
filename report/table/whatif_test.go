package table

import (
	"strings"
	"testing"

	"contend/report/document"
)

// A change that brings nothing is said to bring nothing, and no range has ends that
// read alike.
func TestWhatIfRanges(t *testing.T) {
	d := &document.WhatIf{Rows: []document.WhatIfRow{
		{Change: "shrink", Shrink: 0.5, Section: "Shop.sell", Throughput: document.Ends{Low: 0.999, High: 1.004}, WaitNs: document.TimeEnds{Low: 1e9, High: 1e9 + 1}},
		{Change: "shrink", Shrink: 0.5, Section: "Shop.ask", Throughput: document.Ends{Low: 1, High: 1.25}, WaitNs: document.TimeEnds{Low: 1e9, High: 2e9}},
		{Change: "shrink", Shrink: 0.5, Section: "Shop.buy", Throughput: document.Ends{Low: 1.25, High: 1.25}, WaitNs: document.TimeEnds{Low: 0, High: 0}},
		{Change: "shrink", Shrink: 0.5, Section: "Shop.try", Throughput: document.Ends{Low: 0.93, High: 1.88}, WaitNs: document.TimeEnds{Low: 0, High: 0}},
	}}
	var b strings.Builder
	if err := WhatIf(&b, d, Options{}); err != nil {
		t.Fatal(err)
	}
	for section, want := range map[string]string{"Shop.sell": "no change 1.00 s", "Shop.ask": "x 1.00 to 1.25 1.00 s to 2.00 s", "Shop.buy": "x 1.25 0", "Shop.try": "cannot be told 0"} {
		found := ""
		for line := range strings.Lines(b.String()) {
			if before, _, ok := strings.Cut(line, section); ok {
				found = strings.Join(strings.Fields(before), " ")
			}
		}
		if found != want {
			t.Errorf("%s: %q, want %q\n%s", section, found, want, b.String())
		}
	}
}
