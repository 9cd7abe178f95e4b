package cmd

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// TestATerminalOf80ColumnsShowsEveryTable runs every command that prints for
// people, on recordings with long names and large numbers.
func TestATerminalOf80ColumnsShowsEveryTable(t *testing.T) {
	unhurried(t)
	t.Setenv("COLUMNS", "80")
	paths := []string{"../testdata/derby-8clients.jfr", "../testdata/hsqldb-6clients.jfr", "../testdata/xalan-8threads.jfr", "../testdata/truth-8threads.jfr", hostileTrace(t), exactly(t, "deadlock")}
	for _, path := range paths {
		for _, command := range []string{
			"analyze", "analyze --by class", "blame", "blame --root --by class,owner-method,waiter-method", "csp", "csp --metrics", "csp --chart",
			"graph", "graph --by thread --top 0", "graph --by method --matrix", "graph --by thread --matrix --top 0", "chains --top 0",
		} {
			out := run(t, append(strings.Fields(command), path)...)
			for line := range strings.SplitSeq(out, "\n") {
				if n := displaywidth.String(line); n > 80 {
					t.Errorf("%s %s: %d columns: %q", command, path, n, line)
					break
				}
			}
		}
	}
}
