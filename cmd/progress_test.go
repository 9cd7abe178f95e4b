package cmd

import (
	"bytes"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/golden"
)

// TestABarIsErased plays what a bar writes on a line: nothing of it is left.
func TestABarIsErased(t *testing.T) {
	var out strings.Builder
	b := bar{out: &out, since: time.Now().Add(time.Hour)}
	b.draw(5e6, 260e6)
	want := "reading   2% |" + strings.Repeat(" ", barCells) + "| 5 of 260 MB"
	golden.Equal(t, out.String(), want)
	b.draw(6e6, 260e6) // too soon
	golden.Equal(t, out.String(), want, "drawn twice")
	b.next = time.Time{}
	b.draw(130e6, 260e6)
	b.next = time.Time{}
	b.draw(131e6, -1)
	b.erase()
	golden.Holds(
		t,
		out.String(),
		"reading  50% |"+strings.Repeat("█", barCells/2)+strings.Repeat(" ", barCells/2)+"| 130 of 260 MB",
		"reading, 131 MB so far",
	)
	golden.Equal(t, strings.TrimSpace(played(out.String())), "", "is left")
}

// played returns what stands on a terminal's line in the end.
func played(text string) string {
	var line []rune
	at := 0
	for _, r := range text {
		switch {
		case r == '\r':
			at = 0
			continue
		case at < len(line):
			line[at] = r
		default:
			line = append(line, r)
		}
		at++
	}
	return string(line)
}

func TestNoBarWithoutATerminal(t *testing.T) {
	if (&env{msg: &strings.Builder{}}).progress() != nil {
		t.Error("there is a bar, and nobody to see it")
	}
}

// TestTheBarTellsHowLong holds what a bar says of events and of the time left.
func TestTheBarTellsHowLong(t *testing.T) {
	for _, c := range []struct {
		at   position
		want string
	}{
		{position{read: 65e6, total: 260e6, events: 1_530_000, took: 2 * time.Second},
			"| 65 of 260 MB, 1.5 M events, 6s left"},
		{position{read: 1e6, total: 720e6, took: time.Second}, "| 1 of 720 MB, 11m59s left"},
		{position{read: 260e6, total: 260e6, took: time.Second}, "| 260 of 260 MB"},
		{position{read: 65e6, total: -1, events: 1e6, took: time.Second}, "reading, 65 MB so far, 1.0 M events"},
	} {
		got := c.at.String()
		if !strings.HasSuffix(got, c.want) || len([]rune(got)) > 80 {
			t.Errorf("%q, want %q at the end of 80 columns", got, c.want)
		}
	}
}

// Garbage is collected by this package's rule from the reading of a trace on, by the user's
// where GOGC is set.
func TestKeepHeapSmall(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	for gogc, want := range map[string]int{"": heapPercent, "77": 77} {
		t.Setenv("GOGC", gogc)
		restore := keepHeapSmall()
		golden.Equal(t, debug.SetGCPercent(want), want, "GOGC=", gogc, "the heap may grow by")
		restore()
		golden.Equal(t, debug.SetGCPercent(77), want, "GOGC=", gogc, "in the end it may grow by")
	}
}

// Analyses that run at once share nothing that shows: each answers what it
// answers alone.
func TestAnalysesAtOnce(t *testing.T) {
	traces := []string{
		"../testdata/truth-8threads.jfr",
		"../testdata/derby-8clients.jfr",
		"../testdata/truth-8threads.jfr",
	}
	answer := func(trace string) []byte {
		var out, msg bytes.Buffer
		golden.Equal(t, Main([]string{"analyze", "--format", "json", trace}, nil, &out, &msg), 0, trace, &msg)
		return out.Bytes()
	}
	alone, together := make([][]byte, len(traces)), make([][]byte, len(traces))
	for i, trace := range traces {
		alone[i] = answer(trace)
	}
	var running sync.WaitGroup
	for i, trace := range traces {
		running.Go(func() { together[i] = answer(trace) })
	}
	running.Wait()
	for i, trace := range traces {
		if len(alone[i]) == 0 || !bytes.Equal(alone[i], together[i]) {
			t.Errorf("%s: %d bytes alone, %d together, or not the same", trace, len(alone[i]), len(together[i]))
		}
	}
}
