package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"

	"contend/cmd/record"
	"contend/cmd/record/attach"
	"contend/format"
	"contend/format/workers"
	"contend/report/table"
	"contend/report/text"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitDamaged = 3 // answered, from damaged input
	exitRules   = 4 // answered: a rule of check does not hold, or is undecided
)

// errDamaged is returned by a command that answered from damaged input.
var errDamaged = errors.New("input is damaged; totals are lower bounds")

// usageError is a wrong use of the command line.
type usageError struct {
	err  error
	hint string
}

func (e usageError) Error() string { return e.err.Error() }

// noArgs refuses arguments of a command that takes none.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{
			fmt.Errorf("%s takes no argument, but got %q", c.Name(), args[0]),
			fmt.Sprintf("'%s --help' shows how it is called", c.CommandPath()),
		}
	}
	return nil
}

// env holds the input, the output and the state of one command.
type env struct {
	in       io.Reader
	out, msg io.Writer

	inputs        []string            // files of this command, which it must not write over
	ownOutputs    map[string]*os.File // inputs that this command has written itself, still open
	bar           bar                 // shows how much of an input is read
	interruptible bool                // the first Ctrl-C ends only the reading of a trace
	readingTrace  atomic.Bool         // a trace is being read, and the next Ctrl-C ends only that
	onReaderGone  func()              // called when the reader of the messages is gone; may be nil
}

// Main runs one command line and returns the exit code.
func Main(args []string, in io.Reader, out, msg io.Writer) int {
	e := &env{in: in, out: out, msg: msg, interruptible: true}
	root := newRoot(e)
	if completing(args) {
		complete(root)
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(msg)
	var err error
	if failed := workers.Try(func() { err = root.Execute() }); failed != nil {
		err = failed
	}
	return e.exit(err)
}

func newRoot(e *env) *cobra.Command {
	root := newCommand("contend", func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return c.Help()
	})
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.Args = cobra.ArbitraryArgs
	if info, ok := debug.ReadBuildInfo(); ok {
		root.Version = release(info)
		root.SetVersionTemplate("contend {{.Version}}\n")
	}
	root.SetFlagErrorFunc(wrongFlag)
	group(
		root,
		"Every day:",
		newRecord(e),
		newAnalyze(e),
		newReport(e),
		newBlame(e),
		newWhy(e),
		newThreads(e),
		newDiff(e),
		newCheck(e),
	)
	group(
		root,
		"Look closer:",
		newCSP(e),
		newChains(e),
		newGraph(e),
		newHist(e),
		newFlame(e),
		newPprof(e),
		newServe(e),
		newWhatIf(e),
	)
	group(
		root,
		"Make, join and convert recordings:",
		newConvert(e),
		newExport(e),
		newVerify(e),
		newDump(e),
		newSimulate(e),
		newJFC(e),
		newPerfArgs(e),
		newRules(e),
	)
	root.AddCommand(newVersion(e), newMan())
	root.SetGlobalNormalizationFunc(spelling)
	decorate(root, table.TerminalWidth(e.out))
	return root
}

// group adds commands that help lists under one heading.
func group(root *cobra.Command, heading string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: heading, Title: heading})
	for _, c := range commands {
		c.GroupID = heading
	}
	root.AddCommand(commands...)
}

// spelled are former names of flags. Help texts do not list them.
var spelled = map[string]pflag.NormalizedName{"rules": "lock-rules"}

// spelling returns the current name of a flag.
func spelling(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if now, old := spelled[name]; old {
		return now
	}
	return pflag.NormalizedName(name)
}

// exit prints the error and returns the exit code.
func (e *env) exit(err error) int {
	var usage usageError
	switch {
	case err == nil, closedPipe(err): // the reader of the answer has closed the pipe
		return exitOK
	case errors.Is(err, errDamaged):
		e.warn(err.Error())
		return exitDamaged
	case errors.Is(err, errRules):
		e.say("contend: " + err.Error())
		return exitRules
	case errors.As(err, &usage):
		e.say("contend: " + err.Error())
		e.hint(usage.hint)
		return exitUsage
	}
	e.say("contend: " + message(err))
	e.hint(advice(err))
	return exitFailed
}

// advices are the hints for errors without a hint of their own.
var advices = []struct {
	err  error
	hint string
}{
	{fs.ErrNotExist, "check the path; a relative one starts at the current directory"},
	{fs.ErrPermission, "check who may read or write it"},
	{format.ErrVersion, "a newer contend may read it"},
	{format.ErrTruncated, "the file may not be complete yet; copy or dump it again"},
}

// advice returns a hint for an error, "" if there is none.
func advice(err error) string {
	var fe *format.Error
	if errors.As(err, &fe) && fe.Hint != "" {
		return fe.Hint
	}
	var ae *attach.Error
	if errors.As(err, &ae) {
		return ae.Hint
	}
	var re *record.Error
	if errors.As(err, &re) {
		return re.Hint
	}
	for _, a := range advices {
		if errors.Is(err, a.err) {
			return a.hint
		}
	}
	return ""
}

// message writes an error of the operating system as place: reason, like all
// others.
func message(err error) string {
	var pe *fs.PathError
	var fe *format.Error
	switch {
	case errors.As(err, &pe):
		return pe.Path + ": " + pe.Err.Error()
	case errors.As(err, &fe) && fe.Pos.Off == 0 && fe.Pos.Line == 0:
		return fmt.Sprintf("%s: %s: %v", fe.Pos.File, fe.What, fe.Err)
	}
	return err.Error()
}

// say prints one line. It may quote the trace or a file's name, which must not
// act on the terminal.
func (e *env) say(line string) {
	e.bar.erase()
	if _, err := fmt.Fprintln(e.msg, text.Sanitize(strings.ReplaceAll(line, "\n", " "))); errors.Is(
		err,
		syscall.EPIPE,
	) &&
		e.onReaderGone != nil {
		e.onReaderGone()
	}
}

func (e *env) warn(text string) { e.say("contend: warning: " + text) }

func (e *env) hint(text string) {
	if text != "" {
		e.say("hint: " + text)
	}
}
