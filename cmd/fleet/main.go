// Command contend-fleet asks what many recordings say together: the tables that
// 'contend export' wrote, with the engine DuckDB linked in. It is a module of its
// own, since that engine needs a C compiler and takes 50 MB.
//
//	main.go    the command line
//	answer.go  a question put to the engine
//	form.go    its answer as a table and as JSON
//	page.go    all answers as one page
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"contend/format/whole"
	"contend/report/facts/sql"
	"contend/report/table"

	"github.com/spf13/cobra"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes are those of contend.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a wrong use of the command line.
type usageError struct{ error }

// run runs one command line and returns the exit code.
func run(args []string, out, msg io.Writer) int {
	c := newRoot(out)
	c.SetArgs(args)
	c.SetOut(out)
	c.SetErr(msg)
	err := c.Execute()
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(msg, "contend-fleet: %v\n", oneLine(err))
		return exitUsage
	}
	fmt.Fprintf(msg, "contend-fleet: %v\n", oneLine(err))
	return exitFailed
}

func oneLine(err error) string {
	return strings.TrimSpace(strings.Join(strings.Fields(err.Error()), " "))
}

// options are the flags.
type options struct {
	top      int
	format   string
	file     string
	metadata string
}

func newRoot(out io.Writer) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "contend-fleet QUERY FOLDER",
		Short: "ask the tables of many recordings that 'contend export' wrote",
		Long: `Ask the tables in FOLDER, which 'contend export -o FOLDER' wrote. The queries are

  causes       call chains that held locks while others waited
  releases     pressure of each version, and its change
  since        since which version a call chain costs
  hosts        hosts that differ from the others with their version
  hours        pressure by the hour of the day, in UTC
  percentiles  how long single waits were
  unreadable   recordings of which all or part could not be read
  metadata     pressure by what --metadata says of hosts
  report       all of these as one page`,
		Example:       "  contend-fleet causes facts --top 20\n  contend-fleet report facts -o fleet.html",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{fmt.Errorf("wants a query and a folder, not %d names; --help lists the queries", len(args))}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(out, args[0], args[1]) },
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	f := c.Flags()
	f.IntVar(&o.top, "top", 10, "show at most `N` rows; 0 shows all")
	f.StringVar(&o.format, "format", "table", "print `FORMAT`: table, markdown, csv, json")
	f.StringVarP(&o.file, "output", "o", "", "write to `FILE`; - is standard output")
	f.StringVar(&o.metadata, "metadata", "", "read what is known of hosts from `FILE`, a CSV with the columns host, name and value")
	return c
}

// page is the name of what is no query.
const page = "report"

func (o *options) run(out io.Writer, name, folder string) error {
	switch {
	case name != page && sql.Query(name) == "":
		return usageError{fmt.Errorf("there is no query %q: choose from %s, %s", name, strings.Join(sql.Names, ", "), page)}
	case name == sql.Metadata && o.metadata == "":
		return usageError{errors.New("metadata needs --metadata FILE, a CSV with the columns host, name and value")}
	case !slices.Contains([]string{"table", "markdown", "csv", "json"}, o.format):
		return usageError{fmt.Errorf("--format: there is no format %q: choose from table, markdown, csv, json", o.format)}
	case o.top < 0:
		return usageError{errors.New("--top: cannot be negative; 0 shows all")}
	}
	e, err := open(folder, o.metadata)
	if err != nil {
		return err
	}
	defer e.close()
	if name == page {
		return o.page(out, e)
	}
	a, err := e.ask(name)
	if err != nil {
		return err
	}
	return o.write(out, func(w io.Writer, to io.Writer) error {
		if o.format == "json" {
			return a.json(w, o.top)
		}
		style := map[string]table.Style{"table": table.Text, "markdown": table.Markdown, "csv": table.CSV}[o.format]
		return a.grid(o.top).Write(w, table.Options{Style: style, Width: table.TerminalWidth(to)})
	})
}

// write opens where the answer goes to.
func (o *options) write(out io.Writer, answer func(w, to io.Writer) error) error {
	if o.file == "" || o.file == "-" {
		w := bufio.NewWriter(out)
		return errors.Join(answer(w, out), w.Flush())
	}
	f, err := whole.Create(o.file)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(answer(w, f), w.Flush()); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}
