package cmd

import (
	"strings"
	"testing"

	"contend/golden"
)

// TestDrawings compares what people look at with what was looked at before.
func TestDrawings(t *testing.T) {
	golden.Unhurried(t)
	t.Setenv("COLUMNS", "80")
	t.Chdir("..")
	for name, command := range map[string]string{
		"graph.dot.txt":     `graph --operation Truth\.(\w+) --top 8 --format dot testdata/truth-8threads.jfr`,
		"graph.mermaid.txt": `graph --operation Truth\.(\w+) --top 8 --format mermaid testdata/truth-8threads.jfr`,
		"graph.table.txt":   `graph --by group testdata/phases.jfr`,
		"chains.txt":        `chains --top 5 testdata/xalan-8threads.jfr`,
		"csp.chart.txt":     `csp --chart testdata/phases.jfr`,
		"csp.svg.txt":       `csp --interval 500ms --top 3 --format svg testdata/phases.jfr`,
	} {
		golden.Check(t, name, "$ contend "+command+"\n"+run(t, strings.Fields(command)...))
	}
}
