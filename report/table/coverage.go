package table

import (
	"fmt"
	"strings"

	"contend/format"
	"contend/format/human"
	"contend/report/document"
	"contend/report/text"
)

// knownCell holds the provenance of the owners of some waiting, and the expected accuracy unless all
// owners are recorded or unknown.
func knownCell(p document.Provenance) Cell {
	var raw []string
	for _, q := range p.Parts() {
		raw = append(raw, fmt.Sprintf("%s=%d", strings.ReplaceAll(q.Name, " ", "-"), q.Ns))
	}
	all := p.RecordedNs() + p.InferredNs + p.UnknownNs
	known := fmt.Sprintf("%.0f %%", 100*float64(p.RightNs)/float64(max(all, 1)))
	switch all {
	case 0:
		known = ""
	case p.RecordedNs():
		known = "recorded"
	case p.UnknownNs:
		known = "unknown"
	}
	return Cell{known, strings.Join(raw, " ")}
}

// coverageLines write the amount of data, the provenance of owners, and the limits of the answer.
func coverageLines(c document.Coverage) []string {
	lines := []string{
		fmt.Sprintf(
			"coverage: %s, %s of %s bytes read",
			text.Amount(c.Events, "event"),
			text.Number(c.BytesRead),
			text.Number(c.BytesTotal),
		),
	}
	if known := text.Known(c.Provenance); known != "" {
		lines = append(lines, "owners known by waiting time: "+known)
	}
	lines = append(lines, calibration(c.Calibration)...)
	if s := c.Sampler; s != nil {
		lines = append(
			lines,
			fmt.Sprintf(
				"sampler: %s samples, late for %s of the recording, at the 99th percentile by %s, at most by %s",
				text.Number(
					s.Samples,
				),
				Share(s.LateNs, s.SpanNs).Text,
				text.Duration(s.Late.P99Ns),
				text.Duration(s.Late.MaxNs),
			),
		)
	}
	lines = append(lines, runningRange(c.Running)...)
	for _, warning := range c.Warnings {
		lines = append(lines, "note: "+warning.String())
	}
	return lines
}

// calibration writes the expected accuracy of inferred owners.
func calibration(c *document.Calibration) []string {
	if c == nil {
		return nil
	}
	var parts []string
	for _, p := range c.Provenance {
		if p.ExpectedRight != nil {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", p.Name, 100**p.ExpectedRight))
		}
	}
	line := "expected to be right: " + strings.Join(parts, ", ")
	if c.Waiters > 0 {
		line += human.Say(
			"; of %s hidden from the inference, %.0f %% agree",
			human.Some(c.Dumps, "dump of a lock", "dumps of locks"),
			100*float64(c.Agreeing)/float64(c.Waiters),
		)
	}
	return []string{line}
}

// runningRange writes the range of pressure if the running time of threads is not known exactly.
func runningRange(b *document.Bounds) []string {
	if b == nil {
		return nil
	}
	return []string{
		fmt.Sprintf(
			"running time: at least %s, at most %s if threads ran wherever nothing shows that they were idle: "+
				"pressure is then %s of the value shown",
			text.Duration(b.LowNs),
			text.Duration(b.HighNs),
			Share(b.LowNs, b.HighNs).Text,
		),
	}
}

// ranAs writes a running time and its upper bound.
func ranAs(ns int64, b *document.Bounds) string {
	if b == nil {
		return text.Duration(ns)
	}
	return fmt.Sprintf("%s (at most %s)", text.Duration(ns), text.Duration(b.HighNs))
}

// inputsOf returns the names of all inputs of some traces.
func inputsOf(traces []document.SideTrace) (names []string) {
	for _, t := range traces {
		names = append(names, t.Trace.Inputs...)
	}
	return names
}

// notesOf returns the warnings of some traces, each with its inputs.
func notesOf(traces []document.SideTrace) (notes []string) {
	var all []format.Warning
	for _, t := range traces {
		for _, w := range t.Coverage.Warnings {
			w.Text = strings.Join(t.Trace.Inputs, " ") + ": " + w.Text
			all = append(all, format.Warning(w))
		}
	}
	for _, w := range format.MergeAlike(all, inputsOf(traces)) {
		notes = append(notes, "note: "+w.String())
	}
	return notes
}
