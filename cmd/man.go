package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"contend/format/whole"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "write a manual page of each command",
		Long: `Write manual pages, one of each command, into a folder: contend.1, contend-blame.1
and so on. They say what --help says.`,
		Example: "  contend man /usr/local/share/man/man1 && man contend-blame",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{errors.New("man takes the one folder to write to"), "'contend man .' writes here"}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return writeManuals(c.Root(), args[0]) },
	}
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
	for _, c := range append(root.Commands(), root) {
		if c.IsAvailableCommand() || c == root {
			name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
			if err := whole.Write(filepath.Join(folder, name), bytes.NewReader(manual(c, version))); err != nil {
				return err
			}
		}
	}
	return nil
}

// manual is one page in the man macros of roff. It is written here, and not by
// cobra's own generator, because that one reads help as Markdown: it would fill
// the tables in it and take the stars of "csp(*)" for emphasis.
func manual(c *cobra.Command, version string) []byte {
	var b bytes.Buffer
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"contend manual\"\n", strings.ToUpper(name), "contend "+version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", roff(c.UseLine()))
	literally(&b, "DESCRIPTION", c.Long)
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(sub.Name()), roff(sub.Short))
			}
		}
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString(".SH OPTIONS\n")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { option(&b, f) })
	}
	literally(&b, "EXAMPLES", c.Example)
	b.WriteString(".SH EXIT STATUS\n")
	for _, s := range statuses {
		fmt.Fprintf(&b, ".TP\n%d\n%s\n", s.code, roff(s.meaning))
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fR(1)\n", roff(c.Parent().Name()))
	}
	return b.Bytes()
}

// statuses say what the exit codes mean.
var statuses = []struct {
	code    int
	meaning string
}{
	{exitOK, "answered"},
	{exitFailed, "failed"},
	{exitUsage, "used wrongly"},
	{exitDamaged, "answered from damaged input: totals are lower bounds"},
	{exitRules, "answered: a rule of contend-check does not hold, or is undecided"},
}

// option writes one flag, with what it is when left out.
func option(b *bytes.Buffer, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	placeholder, usage := pflag.UnquoteUsage(f)
	b.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "\\fB\\-%s\\fR, ", roff(f.Shorthand))
	}
	fmt.Fprintf(b, "\\fB\\-\\-%s\\fR", roff(f.Name))
	if placeholder != "" {
		fmt.Fprintf(b, " \\fI%s\\fR", roff(placeholder))
	}
	b.WriteString("\n" + roff(usage))
	if zero := map[string]bool{"": true, "0": true, "0s": true, "false": true, "[]": true}; !zero[f.DefValue] {
		b.WriteString(" (default " + roff(f.DefValue) + ")")
	}
	b.WriteByte('\n')
}

// literally writes a section whose lines stay as they are.
func literally(b *bytes.Buffer, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, ".SH %s\n.nf\n", title)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
}

// roffEscapes are what typesets as itself nowhere else.
var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// roff escapes text. A dot at the beginning of a line would be a request.
func roff(text string) string {
	text = roffEscapes.Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}
