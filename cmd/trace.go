package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame"
	"contend/blame/locks"
	"contend/decode"
	"contend/decode/rules"
	"contend/format"
	"contend/report/document"
	"contend/report/text"

	"github.com/spf13/cobra"
)

// traceOptions are the flags of every command that analyses a trace.
type traceOptions struct {
	paths    []string
	rules    string
	class    expression
	lock     expression
	thread   expression
	from, to instant
	minWait  time.Duration
	limits   decode.Limits
	how      readOptions
}

// readOptions are how a command reads a trace. No flag sets it.
type readOptions struct {
	why     func(lock format.ObjectID) (from, to int64) // see analysis.Filter
	lenient bool                                        // a filter may match nothing, as in one of two compared traces
	shown   bool                                        // the report has the warnings, so they are not printed
}

func (o *traceOptions) bind(c *cobra.Command) {
	f := c.Flags()
	o.bindRules(c)
	o.class.bind(c, "class", "only locks whose class, as recorded or as printed, matches `REGEXP`")
	o.lock.bind(c, "lock", "only locks whose name, as recorded or as printed, matches `REGEXP`")
	o.thread.bind(c, "thread", "only waits of threads whose name matches `REGEXP`")
	o.from.bind(c, "from", "only from `TIME` on: since the start (1.5s) or absolute (2026-01-31T12:00:00Z)")
	o.to.bind(c, "to", "only up to `TIME`")
	o.bindLimits(c)
	f.DurationVar(
		&o.minWait,
		"min-wait",
		0,
		"only waits of at least `DURATION`, and sampled ones, whose duration is unknown",
	)
}

func (o *traceOptions) bindRules(c *cobra.Command) {
	const usage = "separate locks from idle waits by the rules in `FILE` (see 'contend rules')"
	c.Flags().StringVar(&o.rules, "lock-rules", "", usage)
}

// bindLimits adds the flags of every command that reads a trace. Its arguments
// are the names of traces.
func (o *traceOptions) bindLimits(c *cobra.Command) {
	c.Args = func(_ *cobra.Command, args []string) error {
		o.paths = args
		return nil
	}
	c.Flags().
		Var(&size{bytes: &o.limits.Unproductive}, "max-barren", "give up after `SIZE` in a row with no event in it")
	c.Flags().Var(&size{bytes: &o.limits.Unpacked}, "max-unpacked", "unpack a compressed input to `SIZE` at most")
	for _, extreme := range []string{"max-barren", "max-unpacked"} {
		must(c.Flags().MarkHidden(extreme))
	}
}

// filter checks the flags that select.
func (o *traceOptions) filter() (f analysis.Filter, err error) {
	f = analysis.Filter{
		Class:   o.class.re,
		Lock:    o.lock.re,
		Thread:  o.thread.re,
		MinWait: o.minWait.Nanoseconds(),
		Why:     o.how.why,
	}
	f.From, f.FromRel = o.from.get()
	f.To, f.ToRel = o.to.get()
	if o.from.text != "" && o.to.text != "" && f.FromRel == f.ToRel && f.From >= f.To {
		return f, usageError{
			fmt.Errorf("--from %s is not before --to %s", o.from.text, o.to.text),
			"nothing would be left",
		}
	}
	if o.minWait < 0 {
		return f, usageError{errors.New("--min-wait: cannot be negative"), "0s lets every wait through"}
	}
	return f, nil
}

// defaultTrace is read when no trace is named and the file exists.
const defaultTrace = "trace.bin"

// inputs finds the trace: the arguments, $CONTEND_TRACE, ./trace.bin, or
// standard input when something is piped into it.
func (o *traceOptions) inputs(e *env) ([]string, error) {
	if len(o.paths) > 0 {
		return o.paths, nil
	}
	if path := os.Getenv("CONTEND_TRACE"); path != "" {
		return []string{path}, nil
	}
	if _, err := os.Stat(defaultTrace); err == nil {
		return []string{defaultTrace}, nil
	}
	if e.in != nil && !isTerminal(e.in) {
		return []string{decode.Stdin}, nil
	}
	return nil, usageError{
		errors.New("no trace is named"),
		"name a recording, set CONTEND_TRACE, or pipe one in; 'contend simulate -o trace.bin' makes one",
	}
}

// result is the input of every report besides its visitors.
type result struct {
	inputs []string
	stats  format.Stats
	trace  *analysis.Trace

	unmatched string          // the warning about a filter that matched no name of the trace
	names     *locks.Overview // for answers for people: the places of locks and owners
	places    document.Places // the names of locks in answers for people
}

// open opens the trace.
func (o *traceOptions) open(e *env) (*decode.Trace, []string, error) {
	paths, err := o.inputs(e)
	if err != nil {
		return nil, nil, err
	}
	if at := slices.Index(paths, decode.Stdin); at >= 0 && slices.Contains(paths[at+1:], decode.Stdin) {
		return nil, nil, usageError{errors.New("standard input is named twice"), "it can be read once"}
	}
	if err := noAddress(paths); err != nil {
		return nil, nil, err
	}
	table, err := o.table(e)
	if err != nil {
		return nil, nil, err
	}
	paths, labels := labelled(paths)
	src, err := decode.Open(
		paths,
		e.in,
		decode.Options{Labels: labels, Rules: table, Limits: o.limits, Progress: e.progress(), Opened: e.ownOutputs},
	)
	if errors.Is(err, format.ErrNotMine) {
		err = noTrace(paths, err)
	}
	if err != nil {
		return nil, nil, err
	}
	named := slices.DeleteFunc(
		slices.Clone(src.Skipped()),
		func(file string) bool { return !slices.Contains(paths, file) },
	)
	if err := noTrace(named, nil); err != nil { // a folder may hold exported files
		src.Close()
		return nil, nil, err
	}
	e.reads(src.Files()...)
	return src, paths, nil
}

func (o *traceOptions) table(e *env) (*rules.Table, error) {
	if o.rules == "" {
		return nil, nil
	}
	e.reads(o.rules)
	f, err := os.Open(o.rules)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return rules.Parse(f, o.rules)
}

// alone returns the flags for one of several traces, in which a filter may match nothing.
func (o traceOptions) alone(path string) *traceOptions {
	o.paths, o.how.lenient = []string{path}, true
	return &o
}

// run reads the trace and feeds the visitors.
func (o *traceOptions) run(e *env, v ...analysis.Visitor) (*result, error) {
	defer keepHeapSmall()()
	return o.read(e, v...)
}

// named is run for answers for people: locks are named by their sites in the program. own matches
// the code of the program; nil means all code outside of known libraries.
func (o *traceOptions) named(e *env, own *regexp.Regexp, v ...analysis.Visitor) (*result, error) {
	names := locks.NewOverview(locks.Options{Names: true, App: own})
	res, err := o.run(e, append(v, names)...)
	if err == nil {
		res.names = names
		res.places = document.NewPlaces(res.trace.Symbols, names.Named(document.MaxLocks))
	}
	return res, err
}

// read is run for one of many small traces.
func (o *traceOptions) read(e *env, v ...analysis.Visitor) (*result, error) {
	filter, err := o.filter()
	if err != nil {
		return nil, err
	}
	lock := o.lock
	if strings.Contains(lock.text, siteSeparator) {
		if lock.re, err = o.locksAt(e); err != nil {
			return nil, err
		}
		filter.Lock = lock.re
	}
	src, paths, err := o.open(e)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	in, done := e.listen(src)
	defer done()
	tr, err := pass.Run(in, filter, v...)
	e.bar.erase()
	if err != nil {
		return nil, err
	}
	r := &result{inputs: paths, stats: src.Stats(), trace: tr}
	in.warnUnread(&r.stats)
	r.warn(e, o.how.shown)
	r.unmatched = o.unmatched(e, &lock, tr.Symbols)
	if said, near, _ := strings.Cut(r.unmatched, "; "); said != "" && !o.how.lenient {
		return nil, usageError{errors.New(said), near}
	}
	if o.leavesNothing(r) {
		if !o.how.lenient {
			return nil, usageError{
				errors.New("nothing of the input lies within --from and --to"),
				"'contend analyze' without them says how long it is",
			}
		}
		e.warn("nothing of the input lies within --from and --to")
	}
	return r, nil
}

// leavesNothing reports whether no recorded time of an input lies within --from and --to.
func (o *traceOptions) leavesNothing(r *result) bool {
	return o.cut() && len(r.trace.Recorded) == 0 && r.stats.Unit == format.UnitTime
}

// siteSeparator stands between the class and the site in the printed name of a lock.
const siteSeparator = " at "

// locksAt reads the trace once to find the locks whose printed name, with or without its number, is
// that of --lock. The place of a lock is known only at the end of the trace.
func (o *traceOptions) locksAt(e *env) (*regexp.Regexp, error) {
	first := *o
	first.lock, first.how.shown = expression{}, true
	if paths, err := o.inputs(e); err != nil || slices.Contains(paths, decode.Stdin) {
		return nil, cmp.Or(
			err,
			error(
				usageError{
					errors.New("--lock: a lock is found by its place in files alone, which can be read twice"),
					"select by --class, or write the input to a file",
				},
			),
		)
	}
	res, err := first.named(e, nil)
	if err != nil {
		return nil, err
	}
	var names, shown []string
	for name := range res.places {
		is := text.Lock(name, res.places)
		shown = append(shown, is)
		if is == o.lock.text || strings.HasPrefix(is, o.lock.text+" @") {
			names = append(names, regexp.QuoteMeta(name))
		}
	}
	if len(names) == 0 {
		return nil, usageError{
			fmt.Errorf("--lock: no lock is called %q", o.lock.text),
			blame.TheNearest(o.lock.text, shown, maxNearest),
		}
	}
	slices.Sort(names)
	return regexp.Compile("^(?:" + strings.Join(names, "|") + ")$")
}

// cut reports whether flags select an interval.
func (o *traceOptions) cut() bool { return o.from.text != "" || o.to.text != "" }

// selects reports whether flags leave out a part of the trace.
func (o *traceOptions) selects() bool {
	return o.cut() || o.class.text != "" || o.lock.text != "" || o.thread.text != "" || o.minWait > 0
}

// warned reports whether the input comes with a warning of a code.
func (r *result) warned(code string) bool {
	_, is := format.FindWarning(r.stats.Warnings, code)
	return is
}

// coverage returns the gaps in the trace.
func (r *result) coverage() document.Coverage {
	c := document.NewCoverage(r.stats, r.trace)
	c.SetPlaces(r.places)
	return c
}

// side returns the entry of a trace in documents of several traces.
func (r *result) side() document.SideTrace {
	return document.SideTrace{Trace: document.NewTrace(r.inputs, r.stats, r.trace), Coverage: r.coverage()}
}

// notes are the codes of warnings that hold for every input of a kind. Reports have them as
// footnotes, so they are not printed.
var notes = map[string]bool{
	format.CodeIdentity: true, format.CodeScheduling: true, format.CodeEpoch: true, format.CodeNoOwners: true,
	format.CodeSingleDump: true, format.CodeNoTimes: true, format.CodeNotOneInstant: true,
	format.CodeUnlistedOwners: true, format.CodeUnlistedThreads: true, format.CodeReaders: true,
	format.CodeCountsOnly: true, format.CodeNotRecorded: true, format.CodeTruncatedStacks: true,
	format.CodeReEntry: true, format.CodeMovedLocks: true, format.CodeJoinedLocks: true,
	format.CodeSaturated: true, format.CodeSpinning: true, format.CodeKernel: true, format.CodeFewerSamples: true,
	format.CodeByWaiter: true, format.CodeNotLocks: true, format.CodeDeadlock: true,
	format.CodeLikelyDeadlock: true, format.CodeUnlistedLocks: true, format.CodeAbsentOwners: true,
	format.CodeUnnamed: true, format.CodeUnfinished: true,
}

// maxPlaces bounds the damaged places that are warned of one by one.
const maxPlaces = 3

// warn prints the warnings of the decoder, unless the report has them.
func (r *result) warn(e *env, shown bool) {
	places := int64(0)
	for _, w := range r.stats.Warnings {
		if w.Code == format.CodeLostData || w.Code == format.CodeTruncated {
			if places++; places > maxPlaces {
				continue
			}
		}
		if !notes[w.Code] && !(shown && w.Hidden > 0) {
			e.warn(w.String())
		}
	}
	if places > maxPlaces {
		more := max(places, int64(len(r.stats.Damage.Places))+r.stats.Damage.Omitted) - maxPlaces
		e.warn(text.Amount(more, "more damaged place") + ": contend verify lists them")
	}
}

// lockName names a lock as tables do.
func (r *result) lockName(id format.ObjectID) string {
	return text.Lock(r.trace.Symbols.LockName(id), r.places)
}

// siteOf returns the site in the printed name of a lock, "" if it has none.
func (r *result) siteOf(id format.ObjectID) string {
	return r.places[r.trace.Symbols.LockName(id)].Site
}

// verdict returns errDamaged if the input of the answer is damaged.
func (r *result) verdict() error {
	if !r.stats.Damage.Whole() {
		return errDamaged
	}
	return nil
}

// timeless refuses inputs that count acquisitions: pressure needs time.
func (r *result) timeless() error {
	if !r.stats.Unit.Summed() {
		return nil
	}
	if r.stats.Unit == format.UnitDelays {
		return usageError{
			errors.New("a profile sums waiting without instants: pressure needs times"),
			"'contend analyze' shows the waiting",
		}
	}
	return usageError{
		errors.New("the input counts contended acquisitions: pressure needs times"),
		"'contend analyze' shows them per second",
	}
}
