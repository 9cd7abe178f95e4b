package cmd

import (
	"errors"
	"fmt"
	"io"

	"contend/format"

	"github.com/spf13/cobra"
)

// codecs are what --codec takes.
var codecs = map[string]format.Codec{"none": format.Plain, "deflate": format.Deflate, "zstd": format.Zstd}

type convertOptions struct {
	trace traceOptions
	out   string
	codec string
	text  bool
}

func newConvert(e *env) *cobra.Command {
	o := convertOptions{}
	c := &cobra.Command{
		Use:     "convert [TRACE ...] -o FILE",
		Short:   "write any input as a contend trace",
		Example: "  contend convert recording.jfr -o trace.bin",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			o.trace.paths = args
			return runConvert(e, &o)
		},
	}
	c.Flags().StringVar(&o.trace.rules, "rules", "", "tell locks from idleness by the rules in `FILE`")
	c.Flags().StringVarP(&o.out, "output", "o", "", "write to `FILE`; - is standard output")
	c.Flags().StringVar(&o.codec, "codec", "zstd", "compress blocks by `CODEC`: none, deflate, zstd")
	return c
}

func newDump(e *env) *cobra.Command {
	o := convertOptions{text: true}
	c := &cobra.Command{
		Use:     "dump [TRACE ...]",
		Short:   "print the events of any input as text, one a line",
		Long:    "Print the events of any input as text, one a line. What it prints is a trace again:\n'contend convert' reads it back.",
		Example: "  contend dump recording.jfr | grep ^wait | head",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			o.trace.paths = args
			return runConvert(e, &o)
		},
	}
	c.Flags().StringVar(&o.trace.rules, "rules", "", "tell locks from idleness by the rules in `FILE`")
	c.Flags().StringVarP(&o.out, "output", "o", "", "write to `FILE`; - is standard output")
	return c
}

// traceWriter is a sink that must be closed.
type traceWriter interface {
	format.Sink
	Close() error
}

func newTraceWriter(out io.Writer, codec string, text bool) (traceWriter, error) {
	if text {
		return format.NewTextWriter(out), nil
	}
	c, ok := codecs[codec]
	if !ok {
		return nil, usageError{fmt.Errorf("--codec: there is no codec %q", codec), "choose none, deflate or zstd"}
	}
	return format.NewWriter(out, format.WriterOptions{Codec: c})
}

func runConvert(e *env, o *convertOptions) error {
	if _, ok := codecs[o.codec]; !ok && !o.text {
		return usageError{fmt.Errorf("--codec: there is no codec %q", o.codec), "choose none, deflate or zstd"}
	}
	src, _, err := o.trace.open(e)
	if err != nil {
		return err
	}
	defer src.Close()
	out, closeOut, err := e.create(o.out, !o.text)
	if err != nil {
		return err
	}
	w, err := newTraceWriter(out, o.codec, o.text)
	if err != nil {
		return err
	}
	err = copyEvents(w, src)
	if err = errors.Join(err, w.Close(), closeOut()); err != nil {
		return err
	}
	res := &result{stats: src.Stats()}
	for _, warning := range res.stats.Warnings {
		e.warn(warning.Text)
	}
	return res.verdict()
}

func copyEvents(dst format.Sink, src format.Source) error {
	var ev format.Event
	for {
		err := src.Read(&ev)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := dst.Write(&ev); err != nil {
			return err
		}
	}
}
