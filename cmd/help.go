package cmd

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"contend/blame"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help texts, a file for each command: usage, one line, description and examples.
//
//go:embed help
var helpTexts embed.FS

// newCommand returns a command that is described by its help text.
func newCommand(name string, run func(c *cobra.Command, args []string) error) *cobra.Command {
	text, err := helpTexts.ReadFile("help/" + name + ".txt")
	must(err)
	use, rest, _ := strings.Cut(string(text), "\n")
	short, rest, _ := strings.Cut(rest, "\n")
	long, example, _ := strings.Cut(rest, "\nExamples:\n")
	return &cobra.Command{
		Use:     use,
		Short:   short,
		Long:    strings.Trim(long, "\n"),
		Example: strings.TrimSuffix(example, "\n"),
		RunE:    run,
	}
}

// decorate gives cobra's own commands our words and exit codes, wraps the lists of flags at
// the width of the terminal, at most helpColumns, and lists the daily commands first. columns
// is 0 without a terminal.
func decorate(root *cobra.Command, columns int) {
	if columns <= 0 || columns > helpColumns {
		columns = helpColumns
	}
	asListed()
	root.SetUsageTemplate(
		strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", columns)),
	)
	root.SuggestionsMinimumDistance = nearMiss
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	shells, _, err := root.Find([]string{"completion"})
	must(err)
	shells.Short = "print a script that completes commands and flags in a shell"
	shells.Long = "Print a script that teaches a shell to complete commands, flags and the values of\nflags. The " +
		"help of each shell says where the script goes."
	shells.Example = "  source <(contend completion bash)"
	shells.Args = cobra.ArbitraryArgs
	shells.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError{
				fmt.Errorf("there is no completion for %q", args[0]),
				"choose from bash, zsh, fish, powershell",
			}
		}
		return c.Help()
	}
	for _, c := range shells.Commands() {
		c.Short = "print the script for " + c.Name()
		if c.Name() == "bash" {
			completeInBash(c)
		}
	}
	for _, c := range append(root.Commands(), root) {
		c.Long, c.Example = filled(c.Long, columns), filledCommands(c.Example, columns)
	}
}

// asListed makes help list commands in the order in which they were added. cobra has one variable
// for all roots.
var asListed = sync.OnceFunc(func() { cobra.EnableCommandSorting = false })

// helpColumns is how wide help is at most: longer lines are hard to read.
const helpColumns = 100

// nearMiss is the number of letters by which a mistyped command may differ from the intended one.
const nearMiss = 2

func newHelp() *cobra.Command {
	c := newCommand("help", func(c *cobra.Command, args []string) error {
		about, rest, err := c.Root().Find(args)
		if err != nil || about == c.Root() && len(rest) > 0 {
			return unknownCommand(c.Root(), args[0])
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	})
	c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		for _, sub := range c.Root().Commands() {
			if len(args) == 0 && sub.IsAvailableCommand() {
				names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// unknownCommand suggests a command with a similar name, or analyze if the name is a trace.
func unknownCommand(root *cobra.Command, name string) error {
	hint := "'contend help' lists the commands"
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	} else if _, err := os.Stat(name); err == nil {
		hint = fmt.Sprintf("'contend analyze %s' gives an overview of a trace", name)
	}
	return usageError{fmt.Errorf("there is no command %q", name), hint}
}

// flagValues are the values that flags take, by the name that pflag has for the type, and how they
// are written.
var flagValues = map[string]struct{ what, hint string }{
	"duration": {"duration", "write 500ms, 1.5s or 2m"},
	"int":      {"whole number", "write digits alone"},
	"int64":    {"whole number", "write digits alone"},
	"uint16":   {"whole number", "write digits alone"},
	"uint64":   {"whole number", "write digits alone"},
	"float64":  {"number", "write 20 or 0.5"},
	"part":     {"share from 0 to 100%", "write 5% or 0.05"},
	"bool":     {"boolean", "leave the value out, or write true or false"},
}

// wrongValue says which values a flag takes.
func wrongValue(bad *pflag.InvalidValueError, hint string) error {
	name := "--" + bad.GetFlag().Name
	var own usageError
	if errors.As(bad, &own) { // the flag has its own message
		return own
	}
	if v, ok := flagValues[bad.GetFlag().Value.Type()]; ok {
		return usageError{fmt.Errorf("%s: %q is not a %s", name, bad.GetValue(), v.what), v.hint}
	}
	return usageError{fmt.Errorf("%s: %w", name, errors.Unwrap(bad)), hint}
}

// limits are the names that other tools have for the flag that limits rows.
var limits = map[string]bool{"n": true, "limit": true, "max": true, "rows": true, "count": true, "head": true}

// wrongFlag suggests a flag with a similar name for an unknown one, and says which values a
// flag takes if the value is wrong.
func wrongFlag(c *cobra.Command, err error) error {
	hint := fmt.Sprintf("'%s --help' lists the flags", c.CommandPath())
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return wrongValue(bad, hint)
	}
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		name := missing.GetSpecifiedName()
		if limits[name] && c.Flags().Lookup("top") != nil {
			name = "top"
		}
		if near := blame.Nearest(name, names, 1); len(near) > 0 {
			hint = "did you mean --" + near[0] + "? " + hint
		}
	}
	return usageError{err, hint}
}
