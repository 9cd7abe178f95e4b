package cmd

import (
	"io"
	"os"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// workloads are commands on fixed inputs, with the allocations an event of the
// input may cost, measured in November 2026 with a quarter on top: sums hold
// for all of a command, its report included. What a change saves belongs here.
var workloads = []struct {
	name, command string
	perEvent      float64
}{
	{"analyze/monitors", "analyze ../testdata/truth-8threads.jfr", 5.7},
	{"analyze/parks", "analyze ../testdata/hsqldb-6clients.jfr", 0.34},
	{"analyze/dumps", "analyze ../testdata/truth-8threads-dumps50ms.jfr", 7.8},
	{"analyze/go", "analyze ../testdata/go126-truth-12goroutines.trace", 1.1},
	{"blame/sites", "blame --by class,owner-stack,waiter-method ../testdata/xalan-8threads.jfr", 31},
	{"csp/fine", "csp --interval 10ms ../testdata/truth-8threads.jfr", 15},
	{"dump/jdk", "analyze ../testdata/truth-series-8dumps-jdk17.txt", 50},
}

// BenchmarkCommands is made for benchstat: go test ./cmd -run ^$ -bench
// Commands -count 10 > new.txt && benchstat old.txt new.txt.
func BenchmarkCommands(b *testing.B) {
	for _, w := range workloads {
		b.Run(w.name, func(b *testing.B) {
			args := strings.Fields(w.command)
			info := golden.Must(os.Stat(args[len(args)-1]))(b)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				if code := Main(args, nil, io.Discard, io.Discard); code != exitOK {
					b.Fatalf("exit %d", code)
				}
			}
		})
	}
}

// TestAllocationsPerEvent holds what each command allocates to the table. Time
// depends on the machine; this does not.
func TestAllocationsPerEvent(t *testing.T) {
	golden.SkipIfShort(t)
	for _, w := range workloads {
		args := strings.Fields(w.command)
		events := ask[document.Analyze](t, "analyze", args[len(args)-1]).Coverage.Events
		got := testing.AllocsPerRun(2, func() {
			if code := Main(args, nil, io.Discard, io.Discard); code != exitOK {
				t.Fatalf("%s: exit %d", w.command, code)
			}
		}) / float64(events)
		t.Logf("%s: %.2f an event of %d", w.name, got, events)
		golden.AtMost(t, got, w.perEvent, w.name, "are expected")
	}
}
