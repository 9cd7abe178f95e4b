package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"contend/blame/locks"
	"contend/blame/waits"
	"contend/decode"
	"contend/format/workers"
	"contend/report/document/facts"
	"contend/report/parquet"

	"github.com/spf13/cobra"
)

type exportOptions struct {
	trace     traceOptions
	own       expression
	out       string
	from      string
	shard     shard
	labels    labelPattern
	partition []string
	interval  time.Duration
	jobs      int
	most      share
	version   string
	sql       string
}

// defaultShare is how many recordings may be unreadable, in per cent.
const defaultShare = 1

func newExport(e *env) *cobra.Command {
	o := exportOptions{most: share{percent: defaultShare}}
	c := newCommand(
		"export",
		func(c *cobra.Command, _ []string) error { return runExport(c.Context(), e, &o, c.Root().Version) },
	)
	o.trace.bindLimits(c)
	o.trace.bindRules(c)
	o.own.bindApp(c)
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write Parquet files into `FOLDER`; - is lines of JSON on standard output")
	f.StringVar(
		&o.from,
		"files-from",
		"",
		"read the names of the recordings from `FILE`, one a line; - is standard input",
	)
	f.Var(
		&o.shard,
		"shard",
		"export part `I/N` only, with I from 0 to N-1: which part a recording is in depends on its name alone",
	)
	f.Var(
		&o.labels,
		"labels",
		"take labels from the ends of paths by `PATTERN`, such as '{service}/{version}/{host}/*.jfr'",
	)
	f.StringSliceVar(
		&o.partition,
		"partition",
		nil,
		"write a folder for each value of `LABELS`, separated by commas; date is the day a recording began, in UTC",
	)
	f.DurationVar(&o.interval, "interval", time.Minute, "sum by an `INTERVAL` of the clock")
	f.IntVar(&o.jobs, "jobs", 0, "analyse `N` recordings at a time; 0 is one for each processor, 4 at most")
	f.StringVar(
		&o.sql,
		"sql",
		"",
		"print the views and queries of the tables in FOLDER for the engine `DIALECT` instead: "+strings.Join(
			dialects(),
			", ",
		),
	)
	offer(c, "sql", dialects()...)
	f.Var(
		&o.most,
		"max-unreadable",
		"exit with 3 when more recordings than `SHARE` cannot be read: 1%, or a number of them",
	)
	return c
}

func runExport(ctx context.Context, e *env, o *exportOptions, version string) error {
	o.version = version
	o.jobs = cmp.Or(o.jobs, min(runtime.GOMAXPROCS(0), 4))
	if o.sql != "" {
		return o.printSQL(e)
	}
	if err := o.check(); err != nil {
		return err
	}
	if _, err := o.trace.table(e); err != nil { // else it would be the error of each recording
		return err
	}
	names, err := o.names(e)
	if err != nil {
		return err
	}
	total := len(names)
	if err := o.labels.check(e, names); err != nil {
		return err
	}
	if names = o.shard.namesIn(names); len(names) == 0 {
		e.say(fmt.Sprintf("contend: none of %d recordings is in part %s", total, o.shard.String()))
		return nil
	}
	return o.export(ctx, e, names, o.analyse)
}

// export analyses recordings and writes the tables. A panic in one analysis counts as its
// failure and leaves the others alone.
func (o *exportOptions) export(ctx context.Context, e *env, names []string, analyse func(string) *facts.Facts) error {
	bad, err := o.write(ctx, e, names, func(name string) (f *facts.Facts, panicked error) {
		if failed := workers.Try(func() { f = analyse(name) }); failed != nil {
			// not into panicked: a nil one would be an error
			f, panicked = facts.New(name, o.version, o.labels.labelsOf(name)), failed
			f.Fail(failed.Error())
		}
		return f, panicked
	})
	switch {
	case errors.Is(err, context.Canceled) && o.out == "-":
		return errors.New("interrupted: recordings are missing in what is written")
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted: nothing of this export is in the folder")
	case errors.Is(err, parquet.ErrPartitions):
		return usageError{
			fmt.Errorf(
				"--partition: more than %d values of %s",
				parquet.MaxPartitions,
				strings.Join(o.partition, ", "),
			),
			"partition by fewer labels, or give each --shard fewer recordings",
		}
	case err != nil:
		return err
	case bad.panicked != nil:
		return bad.panicked
	}
	return o.verdict(e, bad, len(names))
}

// write analyses recordings and writes all of them, or nothing.
func (o *exportOptions) write(
	ctx context.Context,
	e *env,
	names []string,
	analyse func(string) (*facts.Facts, error),
) (unreadable, error) {
	ctx, stop := signal.NotifyContext(cmp.Or(ctx, context.Background()), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := o.writer(e, names)
	defer w.Discard()
	bad, err := o.each(ctx, names, analyse, func(f *facts.Facts) error { return w.Write(f, o.partitionOf(f)) }, e)
	if err == nil {
		err = w.Commit()
	}
	return bad, err
}

// dialects are the names of engines.
func dialects() (names []string) {
	for _, d := range facts.Dialects {
		names = append(names, d.Name)
	}
	return names
}

// printSQL prints the queries for an engine.
func (o *exportOptions) printSQL(e *env) error {
	d := facts.FindDialect(o.sql)
	switch {
	case d == nil:
		return usageError{
			fmt.Errorf("--sql: there is no dialect %q", o.sql),
			"choose from " + strings.Join(dialects(), ", "),
		}
	case len(o.trace.paths) > 0 || o.from != "":
		return usageError{errors.New("--sql reads no recordings"), "export them first, then ask for the queries"}
	}
	_, err := io.WriteString(e.out, d.Script(cmp.Or(o.out, "facts")))
	return err
}

// check refuses wrong flags.
func (o *exportOptions) check() error {
	switch {
	case o.out == "":
		return usageError{errors.New("-o is missing"), "-o FOLDER writes Parquet files, -o - lines of JSON"}
	case o.out == "-" && len(o.partition) > 0:
		return usageError{
			errors.New("--partition: lines of JSON have no folders"),
			"write Parquet files with -o FOLDER",
		}
	case o.interval <= 0:
		return usageError{errors.New("--interval: must be longer than 0"), "write 1m or 1h"}
	case o.jobs < 0:
		return usageError{errors.New("--jobs: cannot be negative"), "0 is one for each processor, 4 at most"}
	case o.from != "" && len(o.trace.paths) > 0:
		return usageError{
			errors.New("--files-from and names of recordings exclude each other"),
			"write all names into the file",
		}
	}
	return o.checkPartition()
}

// factsWriter takes recordings in order.
type factsWriter interface {
	Write(f *facts.Facts, partition string) error
	Commit() error
	Discard()
}

// lineWriter writes lines at once, so it has nothing to commit or discard.
type lineWriter struct{ lines *facts.Lines }

func (w lineWriter) Write(f *facts.Facts, _ string) error { return w.lines.Write(f) }
func (lineWriter) Commit() error                          { return nil }
func (lineWriter) Discard()                               {}

func (o *exportOptions) writer(e *env, names []string) factsWriter {
	if o.out == "-" {
		return lineWriter{facts.NewLines(e.out)}
	}
	return parquet.New(o.out, "part-"+partName(names), o.version, o.interval.Nanoseconds())
}

// analyse reads one recording. The row of the recording reports an error.
func (o *exportOptions) analyse(name string) *facts.Facts {
	f := facts.New(name, o.version, o.labels.labelsOf(name))
	by, err := waits.New(waits.Options{By: "class"})
	if err != nil { // the lists of keys are constants
		panic(err)
	}
	v := &facts.Visitors{Waits: facts.NewCube(o.interval.Nanoseconds(), o.own.re), Locks: locks.New(false), Lengths: by}
	one := o.trace
	one.paths = []string{name}
	res, err := one.read(&env{msg: io.Discard}, v.All()...) // the row has the messages
	if err != nil {
		f.Fail(strings.TrimPrefix(message(err), name+": ")) // the row names it
		return f
	}
	f.Fill(res.stats, res.trace, v)
	return f
}

// verdict reports how many recordings could not be read. It is an errDamaged if these are
// more than allowed.
func (o *exportOptions) verdict(e *env, bad unreadable, all int) error {
	if bad.n == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %d recordings cannot be read, the first is %s", bad.n, all, bad.first)
	if o.most.allows(bad.n, all) {
		e.warn(text)
		return nil
	}
	return tooManyUnreadable(text)
}

// tooManyUnreadable is an errDamaged that names the recordings.
type tooManyUnreadable string

func (e tooManyUnreadable) Error() string      { return string(e) }
func (tooManyUnreadable) Is(target error) bool { return target == errDamaged }

// refuseStdin refuses standard input: each recording needs a name.
func refuseStdin(names []string) error {
	if slices.Contains(names, decode.Stdin) {
		return usageError{
			errors.New("standard input is no recording of a fleet: it has no name"),
			"--files-from - reads names from it",
		}
	}
	return nil
}
