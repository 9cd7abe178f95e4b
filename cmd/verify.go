package cmd

import (
	"cmp"

	"contend/format"
	"contend/report/document"

	"github.com/spf13/cobra"
)

type verifyOptions struct {
	trace traceOptions
	out   outputOptions
}

func newVerify(e *env) *cobra.Command {
	var o verifyOptions
	c := newCommand("verify", func(*cobra.Command, []string) error { return runVerify(e, &o) })
	o.out.bind(c, verifyOutputs)
	o.trace.bindLimits(c)
	return c
}

func runVerify(e *env, o *verifyOptions) error {
	src, paths, err := o.trace.open(e)
	if err != nil {
		return err
	}
	defer src.Close()
	seen := span{format.NoTime, format.NoTime}
	err = copyEvents(&seen, src)
	e.bar.erase()
	if err != nil {
		return err
	}
	stats := src.Stats()
	if stats.Unit != format.UnitTime { // without times, the order is that of the input
		seen = span{format.NoTime, format.NoTime}
	}
	doc := document.NewVerify(paths, stats, seen.from, seen.until, o.out.top)
	res := &result{stats: stats}
	if w, ok := format.FindWarning(stats.Warnings, format.CodeUnfinished); ok {
		e.warn(w.String())
	}
	return cmp.Or(write(e, &o.out, verifyOutputs, doc), res.verdict())
}

// span is a sink that keeps the time from the first event of a trace to the last, in ns since
// the epoch, NoTime if no event has a time. It ignores recording events, which cover times
// without data, too.
type span struct{ from, until int64 }

// Write implements format.Sink.
func (s *span) Write(ev *format.Event) error {
	if !ev.Kind.Timed() || ev.Kind == format.KindRecording {
		return nil
	}
	if s.from == format.NoTime || ev.Time < s.from {
		s.from = ev.Time
	}
	s.until = max(s.until, ev.Time, ev.End)
	return nil
}
