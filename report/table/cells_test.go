package table

import (
	"strings"
	"testing"
)

func TestCountsAreGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -999: "-999", -1000: "-1,000", 1234567: "1,234,567"} {
		if got := Count(n); got.Text != want || strings.Contains(got.Raw, ",") {
			t.Errorf("Count(%d) = %+v, want %q", n, got, want)
		}
	}
}

func TestShareOfNothingIsNoNumber(t *testing.T) {
	if got := Share(0, 0); got.Text != "-" {
		t.Errorf("%+v", got)
	}
	if got := Share(1, 8); got.Text != "12.5 %" || got.Raw != "0.125000" {
		t.Errorf("%+v", got)
	}
}
