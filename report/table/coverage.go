package table

import (
	"fmt"
	"io"
	"strings"

	"contend/report/document"
)

// provenances are the names of a provenance's parts, best first.
func provenances(p document.Provenance) []struct {
	name string
	ns   int64
} {
	return []struct {
		name string
		ns   int64
	}{{"exact", p.ExactNs}, {"sampled", p.SampledNs}, {"inferred", p.InferredNs}, {"estimated", p.EstimatedNs}, {"thread only", p.ThreadOnlyNs}, {"unknown", p.UnknownNs}}
}

// Known writes how the owners of some waiting are known: "inferred 83 %,
// unknown 17 %".
func Known(p document.Provenance) string {
	var parts []string
	total := int64(0)
	for _, q := range provenances(p) {
		total += q.ns
	}
	for _, q := range provenances(p) {
		if q.ns > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", q.name, 100*float64(q.ns)/float64(total)))
		}
	}
	return strings.Join(parts, ", ")
}

// knownCell is the same for a table.
func knownCell(p document.Provenance) Cell {
	var raw []string
	for _, q := range provenances(p) {
		raw = append(raw, fmt.Sprintf("%s=%d", strings.ReplaceAll(q.name, " ", "-"), q.ns))
	}
	return Cell{Known(p), strings.Join(raw, " ")}
}

// coverage writes what the trace could not tell. In CSV nothing follows the
// rows: the warnings went to standard error already.
func coverage(w io.Writer, c document.Coverage, o Options) error {
	if o.Style == CSV {
		return nil
	}
	lines := []string{fmt.Sprintf("coverage: %s events, %s of %s bytes read", group(c.Events), group(c.BytesRead), group(c.BytesTotal))}
	if known := Known(c.Provenance); known != "" {
		lines = append(lines, "owners known by waiting time: "+known)
	}
	if s := c.Sampler; s != nil {
		lines = append(lines, fmt.Sprintf("sampler: %s samples, late for %s of the recording, at the 99th percentile by %s, at most by %s",
			group(s.Samples), Share(s.LateNs, s.SpanNs).Text, Duration(s.Late.P99Ns), Duration(s.Late.MaxNs)))
	}
	for _, warning := range c.Warnings {
		lines = append(lines, "note: "+Sanitize(warning.Text))
	}
	for i := range lines {
		lines[i] = wrap(lines[i], "", o)
	}
	sep := "\n"
	if o.Style == Markdown {
		sep = "\n\n"
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, sep))
	return err
}
