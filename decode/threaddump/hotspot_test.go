package threaddump

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// Whoever parses the dumps of a JVM keeps what they repeat: each is what it would be
// alone, and costs no copy of a line it has met.
func TestDumpsOfOneJVMRepeatTheirLines(t *testing.T) {
	series, err := os.ReadFile("../../testdata/truth-series-8dumps-jdk17.txt")
	if err != nil {
		t.Fatal(err)
	}
	const begins = "Full thread dump "
	texts := strings.Split(string(series), begins)[1:]
	h := NewHotSpot()
	for i, text := range texts {
		text = begins + text
		if got, want := h.Parse(text), NewHotSpot().Parse(text); !reflect.DeepEqual(got, want) || len(got.Threads) == 0 {
			t.Errorf("dump %d: %+v, alone %+v", i, got, want)
		}
		again := testing.AllocsPerRun(3, func() { h.Parse(text) })
		alone := testing.AllocsPerRun(3, func() { NewHotSpot().Parse(text) })
		if again > alone/2 {
			t.Errorf("dump %d: %v allocations, %v of a dump alone", i, again, alone)
		}
	}
}
