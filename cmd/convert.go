package cmd

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"contend/blame/waits"
	"contend/decode"
	"contend/format"
	"contend/report/document/perfetto"

	"github.com/spf13/cobra"
)

// codecs are what --codec takes.
var codecs = map[string]format.Codec{"none": format.Plain, "deflate": format.Deflate, "zstd": format.Zstd}

type convertOptions struct {
	trace traceOptions
	out   string
	codec string // of codecs
	text  bool
}

func newConvert(e *env) *cobra.Command {
	c, o := newCopy(e, "convert")
	c.Aliases = []string{"merge"}
	bindCodec(c, &o.codec)
	c.Flags().BoolVar(&o.text, "text", false, "write the text form of a trace")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if err := distinct(args); err != nil {
			return err
		}
		if strings.HasSuffix(o.out, ".perfetto.json") {
			return runPerfetto(e, o)
		}
		return runConvert(e, o)
	}
	return c
}

func newDump(e *env) *cobra.Command {
	c, o := newCopy(e, "dump")
	o.text = true
	return c
}

// distinct refuses labels that would make two inputs one.
func distinct(args []string) error {
	_, labels := labelsOf(args)
	seen := map[string]bool{}
	for _, name := range labels {
		if seen[name] {
			return usageError{fmt.Errorf("two inputs are called %q", name), "label them: a=FILE b=FILE"}
		}
		seen[name] = true
	}
	return nil
}

// newCopy makes a command that copies a trace.
func newCopy(e *env, name string) (*cobra.Command, *convertOptions) {
	o := &convertOptions{}
	c := newCommand(name, func(*cobra.Command, []string) error { return runConvert(e, o) })
	o.trace.bindLimits(c)
	c.Flags().StringVar(&o.trace.rules, "lock-rules", "", "separate locks from idle waits by the rules in `FILE`")
	c.Flags().StringVarP(&o.out, "output", "o", "", outputUsage)
	return c, o
}

// outputUsage is the help of -o.
const outputUsage = "write to `FILE`; - is standard output"

// bindCodec adds --codec to a command that writes traces.
func bindCodec(c *cobra.Command, codec *string) {
	c.Flags().StringVar(codec, "codec", "zstd", "compress blocks by `CODEC`: none, deflate, zstd")
	offer(c, "codec", slices.Sorted(maps.Keys(codecs))...)
}

// traceWriter is a sink that must be closed.
type traceWriter interface {
	format.Sink
	Close() error
}

// createTrace opens the file a trace is written to.
func (e *env) createTrace(path, codec string, text bool) (w traceWriter, end func(error) error, err error) {
	packed, ok := codecs[codec]
	if !ok && !text {
		return nil, nil, usageError{fmt.Errorf("--codec: there is no codec %q", codec), "choose none, deflate or zstd"}
	}
	out, end, err := e.create(path, !text)
	if err != nil {
		return nil, nil, err
	}
	if text {
		return format.NewTextWriter(out), end, nil
	}
	if w, err = format.NewWriter(out, format.WriterOptions{Codec: packed}); err != nil {
		return nil, nil, end(err)
	}
	return w, end, nil
}

func runConvert(e *env, o *convertOptions) error {
	e.bar.hidden = o.text && o.out == "" && isTerminal(e.out)
	src, _, err := o.trace.open(e)
	if err != nil {
		return err
	}
	defer src.Close()
	in, done := e.listen(src)
	defer done()
	w, end, err := e.createTrace(o.out, o.codec, o.text)
	if err != nil {
		return err
	}
	part := partly{src, in}
	err = copyTrace(w, part)
	e.bar.erase()
	if err = end(errors.Join(err, w.Close())); err != nil {
		return err
	}
	res := &result{stats: part.Stats()}
	res.warn(e, false)
	return res.verdict()
}

// runPerfetto draws a trace for ui.perfetto.dev.
func runPerfetto(e *env, o *convertOptions) error {
	lay := waits.NewLanes(math.MinInt64, math.MaxInt64, 0)
	res, err := o.trace.named(e, nil, lay)
	if err != nil {
		return err
	}
	lay.Finish()
	out, end, err := e.create(o.out, false)
	if err != nil {
		return err
	}
	if err = end(perfetto.Write(out, lay, res.trace, res.lockName)); err != nil {
		return err
	}
	return res.verdict()
}

// partly is a trace that Ctrl-C stops reading early.
type partly struct {
	decode.Source
	in *reading
}

// Read implements format.Source.
func (p partly) Read(ev *format.Event) error { return p.in.Read(ev) }

// Stats implements decode.Source. It reports whether the trace was read to its end.
func (p partly) Stats() format.Stats {
	s := p.Source.Stats()
	p.in.warnUnread(&s)
	return s
}

// copyTrace copies events and then adds the warnings of the reader as notes, since the copy
// lacks what the input lacked.
func copyTrace(dst format.Sink, src decode.Source) error {
	if err := copyEvents(dst, src); err != nil {
		return err
	}
	stats := src.Stats()
	for _, note := range stats.Notes() {
		if err := dst.Write(&note); err != nil {
			return err
		}
	}
	return nil
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
