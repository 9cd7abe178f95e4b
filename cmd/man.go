package cmd

import (
	"errors"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

func newMan() *cobra.Command {
	c := newCommand("man", func(c *cobra.Command, args []string) error { return writeManuals(c.Root(), args[0]) })
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError{errors.New("man takes the one folder to write to"), "'contend man .' writes here"}
		}
		return nil
	}
	return c
}

// exitStatus is the section on exit codes of each page.
const exitStatus = `

# EXIT STATUS
0
: answered

1
: failed

2
: used wrongly

3
: answered from damaged input: totals are lower bounds

4
: answered: a rule of contend-check does not hold, or is undecided
`

// markdown escapes what cobra's generator, which reads help as Markdown, would take for
// emphasis or for a tag.
var markdown = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`)

// manualColumns is how wide the text of a page is: its lines stay as they are, as they hold tables,
// and stand 7 columns from the edge of a terminal of 80.
const manualColumns = 72

// placeholder is the value of a flag as help writes it: a page shows it after the flag's name.
type placeholder struct{ pflag.Value }

// Type implements pflag.Value: not a string, whose default the generator would quote.
func (placeholder) Type() string { return "placeholder" }

// showPlaceholder makes the page of a flag show what it takes, and its default in words.
func showPlaceholder(f *pflag.Flag) {
	name, usage := pflag.UnquoteUsage(f)
	if name != "" {
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		f.Value, f.DefValue = placeholder{f.Value}, name
	}
	f.Usage = markdown.Replace(usage)
}

// writeManuals writes the pages of a command and of all below it.
func writeManuals(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	version := "devel"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = release(info)
	}
	root.DisableAutoGenTag = true
	for _, c := range append(root.Commands(), root) {
		c.Long = "```\n" + filled(c.Long, manualColumns) + "\n```\n" + exitStatus
		c.Example = filledCommands(c.Example, manualColumns)
		c.Flags().VisitAll(showPlaceholder)
	}
	return doc.GenManTree(root, &doc.GenManHeader{Source: "contend " + version, Manual: "contend manual"}, folder)
}
