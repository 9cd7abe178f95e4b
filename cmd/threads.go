package cmd

import (
	"cmp"
	"errors"
	"io"

	"contend/report/document"
	"contend/report/screen"
	"contend/report/table"

	"github.com/spf13/cobra"
)

type threadsOptions struct {
	trace traceOptions
	out   outputOptions
	own   expression
	full  bool
}

func newThreads(e *env) *cobra.Command {
	var o threadsOptions
	c := newCommand("threads", func(*cobra.Command, []string) error { return runThreads(e, &o) })
	o.trace.bindRules(c)
	o.trace.bindLimits(c)
	o.out.bind(c, threadsOutputs)
	o.own.bindApp(c)
	c.Flags().BoolVar(&o.full, "full", false, "print all stacks, groups and dumps")
	c.Flags().IntVar(&o.out.how.Width, "width", 0, widthUsage)
	return c
}

// threadsAnswer is the document, and how it is shown.
type threadsAnswer struct {
	*document.Threads
	full bool
}

var threadsOutputs = outputs[threadsAnswer]{
	{
		"table",
		[]string{".txt"},
		false,
		func(w io.Writer, a threadsAnswer, how table.Options) error {
			return screen.Threads(w, a.Threads, screen.Options{Width: how.Width, Color: how.Color, Full: a.full})
		},
	},
	{"json", []string{".json"}, false, inJSON[threadsAnswer]},
}

func runThreads(e *env, o *threadsOptions) error {
	o.trace.how.shown = o.out.format == threadsOutputs[0].name
	doc, _, res, err := o.trace.summarize(e, summary{app: o.own.re, phases: noPhases, locks: 1, places: 1})
	if err != nil {
		return err
	}
	if doc.Dumps == nil {
		return usageError{
			errors.New("the input has no thread dump that shows all threads"),
			"take one: jcmd PID Thread.print, or jstack PID; of a flight recording: " +
				"jfr print --events ThreadDump FILE | contend threads -",
		}
	}
	if n := o.out.top; n > 0 && !o.full {
		doc.Dumps.Limit(n)
	}
	threads := &document.Threads{
		Schema:    "contend.threads/1",
		Trace:     doc.Trace,
		Dumps:     *doc.Dumps,
		Deadlocks: doc.Deadlocks,
		Coverage:  doc.Coverage,
	}
	return cmp.Or(write(e, &o.out, threadsOutputs, threadsAnswer{threads, o.full}), res.verdict())
}
