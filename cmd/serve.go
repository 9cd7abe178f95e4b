package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"contend/blame"
	"contend/blame/cube"
	"contend/blame/stacks"
	"contend/decode"
	"contend/report/document"
	"contend/report/document/columns"
	"contend/report/page"
	"contend/report/pprof"
	"contend/report/server"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type serveOptions struct {
	report reportOptions
	listen string
	open   bool
}

// ownMachine is the default address of a server: a free port that only this machine reaches.
const ownMachine = "127.0.0.1:0"

func newServe(e *env) *cobra.Command {
	var o serveOptions
	c := newCommand("serve", func(c *cobra.Command, _ []string) error { return runServe(c.Context(), e, &o) })
	o.report.trace.bind(c)
	o.report.own.bindApp(c)
	c.Flags().StringVar(&o.report.diff, "diff", "", "compare with the trace `BASE`")
	c.Flags().
		StringVar(&o.listen, "listen", ownMachine, "listen at `ADDRESS`, a HOST:PORT; beyond this machine it opens "+
			"the trace, unencrypted, to anyone with the printed URL")
	c.Flags().BoolVar(&o.open, "open", false, "open the page in a browser")
	return c
}

// servedLimits bound the data of a server. They are larger than pageLimits, since no file is sent.
var servedLimits = cube.Limits{Bins: 4800, Rows: 400_000, Cells: 4_000_000}

func runServe(ctx context.Context, e *env, o *serveOptions) error {
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return usageError{fmt.Errorf("--listen: %w", err), "write HOST:PORT; port 0 is a free one"}
	}
	o.report.limits = servedLimits
	content, damage := o.report.content(e)
	if content == nil {
		return damage
	}
	s, err := server.Listen(o.listen, newServed(o, content))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmp.Or(ctx, context.Background()), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintln(e.out, s.URL())
	e.say("Ctrl-C ends the server")
	if o.open {
		if err := browse(s.URL()); err != nil {
			e.warn("no browser opens: " + err.Error())
		}
	}
	return cmp.Or(s.Run(ctx), damage)
}

// browsers open an address, by operating system.
var browsers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

func browse(address string) error {
	words, ok := browsers[runtime.GOOS]
	if !ok {
		words = []string{"xdg-open"}
	}
	c := exec.Command(words[0], append(slices.Clone(words[1:]), address)...)
	if err := c.Start(); err != nil {
		return err
	}
	go c.Wait() // the command may last as long as the browser
	return nil
}

// served is the data that a server answers from.
type served struct {
	o       *serveOptions
	content *columns.Content
	data    func() ([]byte, error) // computed by the first call
	reading sync.Mutex             // one request at a time reads the trace, with all processors
}

func newServed(o *serveOptions, content *columns.Content) *served {
	return &served{
		o:       o,
		content: content,
		data: sync.OnceValues(func() ([]byte, error) {
			var b bytes.Buffer
			err := columns.Write(&b, content)
			return b.Bytes(), err
		}),
	}
}

// Page implements server.Source.
func (s *served) Page(w io.Writer) error { return page.Frame(w, s.content.Title, "") }

// Data implements server.Source.
func (s *served) Data(w io.Writer) error {
	data, err := s.data()
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Profile implements server.Source.
func (s *served) Profile(w io.Writer) error {
	b := stacks.New(stacks.Chain, s.content.App)
	res, err := s.run(
		&s.o.report.trace,
		func(e *env, o *traceOptions) (*result, error) { return o.named(e, s.content.App, b) },
	)
	if err != nil {
		return err
	}
	b.Name = res.lockName
	return pprof.Write(w, document.NewProfile(b), res.stats.Unit, pprof.AllLabels)
}

// Select implements server.Source: the sweep, run again with the filter.
func (s *served) Select(_ context.Context, w io.Writer, q url.Values) error {
	o := s.o.report.trace
	o.how.lenient = true // a selection may be empty
	for name, into := range map[string]pflag.Value{"class": &o.class, "lock": &o.lock, "thread": &o.thread,
		"from": &o.from, "to": &o.to} {
		if q.Has(name) {
			if err := into.Set(q.Get(name)); err != nil {
				return server.BadQuery{Err: err}
			}
		}
	}
	if _, err := o.filter(); err != nil {
		return server.BadQuery{Err: err}
	}
	var answer selection
	owners, roots := s.blamed(false), s.blamed(true)
	_, err := s.run(&o, func(e *env, o *traceOptions) (res *result, err error) {
		answer.Analyze, _, res, err = o.summarize(e, onPage(s.content.App), owners, roots)
		return res, err
	})
	if err != nil {
		return err
	}
	doc := answer.Analyze
	answer.Owners = document.NewBlame(owners.Table(), doc.Total.RunningNs, doc.Coverage, selectedOwners)
	answer.Roots = document.NewBlame(roots.Table(), doc.Total.RunningNs, doc.Coverage, selectedOwners)
	return document.Write(w, &answer)
}

// selection is the answer for a selection, neither merged nor rounded to bins of time.
type selection struct {
	Analyze *document.Analyze `json:"analyze"`
	Owners  *document.Blame   `json:"owners"` // by stack: the lock's owners
	Roots   *document.Blame   `json:"roots"`  // by stack: the owners at the ends of the chains
}

// selectedOwners is the number of owner stacks in the answer, by waiting.
const selectedOwners = 50

// blamed sums waiting by the stacks of owners and by the sites at which they acquired the
// lock.
func (s *served) blamed(root bool) *blame.Pivot {
	return blame.New([]blame.Key{blame.ByOwnerStack, blame.ByOwnerSite, blame.ByOwnerDoing}, root).App(s.content.App)
}

// run reads the trace again, without messages.
func (s *served) run(o *traceOptions, read func(*env, *traceOptions) (*result, error)) (*result, error) {
	if slices.Contains(o.paths, decode.Stdin) {
		return nil, errors.New("standard input cannot be read again: give the server a file")
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	return read(&env{out: io.Discard, msg: io.Discard}, o)
}
