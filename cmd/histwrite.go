package cmd

import (
	"fmt"
	"io"

	"contend/analysis/dist"
	"contend/blame/waits"
	"contend/report/document"
	"contend/report/table"
)

// histAnswer is the input of the writers.
type histAnswer struct {
	*document.Hist
	total     *waits.Lengths
	head      dist.Head       // of a log
	intervals []dist.Interval // for a log, in no order
}

// writeHgrm writes the percentiles of all waits; of sampled ones, which only
// have bounds, the upper.
func writeHgrm(w io.Writer, a *histAnswer, _ table.Options) error {
	if a.total.Exact.Count() > 0 || a.total.AtMost.Count() == 0 {
		return a.total.Exact.WritePercentiles(w)
	}
	if _, err := fmt.Fprintln(w, "#[Sampled waits: each value is an upper bound]"); err != nil {
		return err
	}
	return a.total.AtMost.WritePercentiles(w)
}

func writeHlog(w io.Writer, a *histAnswer, _ table.Options) error {
	log, err := dist.NewLogWriter(w, a.head)
	if err != nil {
		return err
	}
	return log.WriteAll(a.intervals)
}
