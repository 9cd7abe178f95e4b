package cmd

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"contend/golden"

	"github.com/clipperhouse/displaywidth"
)

// TestATerminalOf80ColumnsShowsEveryTable runs every command that prints for
// people, on recordings with long names and large numbers, exact and sampled.
func TestATerminalOf80ColumnsShowsEveryTable(t *testing.T) {
	golden.Unhurried(t)
	t.Setenv("COLUMNS", "80")
	const single, series = "../testdata/deadlock-monitors-and-juc-jdk17.txt", "../testdata/truth-series-8dumps-jdk17.txt"
	tables := []string{
		"analyze", "analyze --by class", "blame", "blame --root --by class,owner-method,waiter-method", "csp", "csp --metrics", "csp --chart",
		"graph", "graph --by thread --top 0", "graph --by method --matrix", "graph --by thread --matrix --top 0", "chains --top 0",
	}
	lengths := []string{"hist", "hist --expected-interval 10ms", "hist --format bars", "verify", "check --rule csp(*)<5%"}
	all := slices.Concat(tables, lengths)
	type printing struct {
		path     string
		commands []string
	}
	printings := []printing{
		{"../testdata/xalan-8threads.jfr", all}, {"../testdata/truth-8threads.jfr", tables}, {"../testdata/go126-truth-12goroutines.trace", lengths}, {hostileTrace(t), all}, {exactly(t, "deadlock"), tables},
		{series, append(all, "diff "+series)}, {single, append(slices.Concat([]string{"diff " + single}, tables), lengths...)},
	}
	if golden.IsThorough() {
		printings = append(printings, printing{"../testdata/derby-8clients.jfr", all}, printing{"../testdata/hsqldb-6clients.jfr", tables})
	}
	for _, c := range printings {
		for _, command := range c.commands {
			var out, msg bytes.Buffer
			code := Main(append(strings.Fields(command), c.path), nil, &out, &msg)
			if untimed := c.path == single && code == exitUsage; code != exitOK && code != exitRules && !untimed {
				t.Fatalf("%s %s: exit %d: %s", command, c.path, code, msg.String())
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				if n := displaywidth.String(line); n > 80 {
					t.Errorf("%s %s: %d columns: %q", command, c.path, n, line)
					break
				}
			}
		}
	}
}
