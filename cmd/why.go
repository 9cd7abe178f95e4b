package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"

	"contend/analysis"
	"contend/blame"
	"contend/blame/waits"
	"contend/decode"
	"contend/format"
	"contend/report/document"
	"contend/report/screen"
	"contend/report/table"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type whyOptions struct {
	trace traceOptions
	out   outputOptions
	own   expression
	lock  string // "" is the lock of the longest wait
	at    instant
	wait  string // a number, or typical
}

func newWhy(e *env) *cobra.Command {
	var o whyOptions
	c := newCommand("why", func(*cobra.Command, []string) error { return runWhy(e, &o) })
	o.trace.bindRules(c)
	o.trace.bindLimits(c)
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			if _, err := os.Stat(args[0]); err != nil && args[0] != decode.Stdin {
				o.lock, args = args[0], args[1:]
			}
		}
		o.trace.paths = args
		return nil
	}
	o.out.bindFormat(c, whyOutputs, whyOutputs[0].name, "print `FORMAT`: ")
	o.out.bindFile(c)
	o.own.bindApp(c)
	o.at.bind(c, "at", "the wait going on at `TIME`: since the start (1.5s) or absolute (2026-01-31T12:00:00Z)")
	c.Flags().StringVar(&o.wait, "wait", "1", "the `N`th longest wait, or typical: one of median duration")
	c.Flags().
		IntVar(&o.out.how.Width, "width", 0, widthUsage)
	return c
}

var whyOutputs = outputs[*document.Why]{
	{
		"table",
		[]string{".txt"},
		false,
		func(w io.Writer, d *document.Why, how table.Options) error { return screen.Why(w, d, how.Width) },
	},
	{"json", []string{".json"}, false, inJSON[*document.Why]},
}

// typical is what --wait takes besides a number.
const typical = "typical"

func runWhy(e *env, o *whyOptions) error {
	rank, err := strconv.Atoi(o.wait)
	if o.wait != typical && (err != nil || rank < 1) {
		return usageError{
			fmt.Errorf("--wait: %q is not the number of a wait", o.wait),
			"1 is the longest; or write typical",
		}
	}
	at, relative := o.at.get()
	paths, err := o.trace.inputs(e)
	if err != nil {
		return err
	}
	if slices.Contains(paths, decode.Stdin) {
		return usageError{
			errors.New("why reads a trace twice, and standard input can be read once"),
			"write it to a file first",
		}
	}
	found, err := o.find(e, max(rank, 1), func(w *waits.Wait, start int64) bool {
		t := analysis.Instant(at, relative, start)
		return at == format.NoTime || w.Start <= t && t < w.Start+w.Ns
	})
	if err != nil {
		return err
	}
	o.trace.paths = paths
	docs, res, err := o.trace.whys(e, o.own.re, found)
	if err != nil {
		return err
	}
	return cmp.Or(write(e, &o.out, whyOutputs, docs[0]), res.verdict())
}

// whys reads a trace again for the events around some waits, each for another lock.
func (o *traceOptions) whys(
	e *env,
	app *regexp.Regexp,
	of ...*foundWait,
) (docs []*document.Why, res *result, err error) {
	scenes, visitors := make([]*waits.Window, len(of)), make([]analysis.Visitor, len(of))
	for i, f := range of {
		scenes[i] = waits.NewWindow(f.wait.Lock, f.wait.Start, f.wait.Start+f.wait.Ns)
		visitors[i] = scenes[i]
	}
	asked := func(lock format.ObjectID) (from, to int64) {
		for _, s := range scenes {
			if s.Lock == lock {
				return s.From, s.To
			}
		}
		return 0, 0
	}
	all := traceOptions{
		paths:  o.paths,
		rules:  o.rules,
		limits: o.limits,
		how:    readOptions{why: asked, shown: true},
	} // no filter: the owner may be outside of the selection
	if res, err = all.run(&env{out: io.Discard, msg: io.Discard}, visitors...); err != nil {
		// the first reading printed the messages
		return nil, nil, err
	}
	names := blame.NewSites(app)
	names.Begin(res.trace.Symbols)
	for i, f := range of {
		scenes[i].Finish()
		if why, inferred := res.trace.Whys[f.wait.Lock]; inferred {
			scenes[i].Because = &why
		}
		asked := document.Asked{
			Wait:    f.wait,
			Site:    f.site,
			Rank:    f.rank,
			Waits:   f.waits,
			TraceNs: res.trace.Start,
			Paths:   f.plain.Paths,
		}
		docs = append(docs, document.NewWhy(&asked, scenes[i], res.trace.Symbols, names))
	}
	return docs, res, nil
}

// foundWait is a wait that was asked for.
type foundWait struct {
	wait  *waits.Wait
	rank  int
	waits int64  // for its lock
	site  string // of the lock, part of its name
	plain text.Plain
}

// maxFound is the number of the longest waits that are searched.
const maxFound = 10_000

// find looks for the rank-th longest wait for the lock of those that fit.
func (o *whyOptions) find(e *env, rank int, fits func(w *waits.Wait, start int64) bool) (*foundWait, error) {
	o.trace.lock = expression{written: written{flag: "lock"}}
	if err := o.trace.lock.Set(o.lock); err != nil {
		return nil, err
	}
	list := waits.NewLongest(maxFound).Only(fits)
	doc, about, res, err := o.trace.summarize(e, summary{phases: noPhases}, list)
	if err != nil {
		return nil, err
	}
	if res.stats.Unit != format.UnitTime {
		return nil, usageError{
			errors.New("the input has no instants of waits: there is none to show"),
			"'contend analyze' shows what it counts or sums",
		}
	}
	of := list.Waits()
	if len(of) == 0 {
		when := ""
		if o.at.text != "" {
			when = " at " + o.at.text
		}
		return nil, usageError{
			fmt.Errorf("no wait for %s is there%s", cmp.Or(o.lock, "a lock"), when),
			"'contend analyze' lists the locks",
		}
	}
	lock := of[0].Lock // of the longest wait
	if of = slices.DeleteFunc(of, func(w *waits.Wait) bool { return w.Lock != lock }); o.wait == typical {
		rank = (len(of) + 1) / 2
	}
	if rank > len(of) {
		return nil, usageError{
			fmt.Errorf("--wait %d: there are %s for that lock", rank, text.Amount(int64(len(of)), "wait")),
			"1 is the longest",
		}
	}
	return newFoundWait(of[rank-1], rank, doc, about, res.trace.Symbols), nil
}

func newFoundWait(
	w *waits.Wait,
	rank int,
	doc *document.Analyze,
	about *document.Overview,
	sym *analysis.Symbols,
) *foundWait {
	f := &foundWait{
		wait:  w,
		rank:  rank,
		site:  sitesOf(about.Locks)[w.Lock],
		plain: text.PlainOf(doc),
	}
	name := sym.LockName(w.Lock)
	if at := slices.IndexFunc(doc.Locks, func(l document.Lock) bool { return l.Lock == name }); at >= 0 {
		f.waits = doc.Locks[at].Waits
	}
	return f
}
