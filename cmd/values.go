package cmd

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"contend/blame"
	"contend/blame/stacks"
	"contend/format"

	"github.com/spf13/cobra"
)

// written is the name and the text of a flag, for types that parse the text.
type written struct{ flag, text string }

// String implements pflag.Value.
func (w *written) String() string { return w.text }

// Type implements pflag.Value.
func (*written) Type() string { return "value" }

// expression is a flag that takes a regular expression, or a name as tables print it.
type expression struct {
	written
	re *regexp.Regexp // nil if the flag is not given
}

func (x *expression) bind(c *cobra.Command, flag, usage string) {
	x.flag = flag
	c.Flags().Var(x, flag, usage)
}

// Set implements pflag.Value.
func (x *expression) Set(text string) (err error) {
	x.text, x.re = text, nil
	compile, hint := blame.Expression, `a bracket that stands for itself is written \[ or \(`
	switch x.flag {
	case "class":
		text = blame.WithoutAddress(text)
	case "app":
		compile, hint = regexp.Compile, `a package is written '^com\.example\.'`
	}
	if text == "" {
		return nil
	}
	if x.re, err = compile(text); err != nil {
		return usageError{fmt.Errorf("--%s: %w", x.flag, err), hint}
	}
	return nil
}

// bindApp adds the flag of commands that name places in the program.
func (x *expression) bindApp(c *cobra.Command) {
	x.bind(
		c,
		"app",
		"frames whose Class.method matches `REGEXP` are the program's own code (default: all but known libraries)",
	)
}

// instant is a flag that takes a time, which counts from the start of the trace or is an
// absolute one.
type instant struct {
	written
	ns       int64
	relative bool
}

func (t *instant) bind(c *cobra.Command, flag, usage string) {
	t.flag = flag
	c.Flags().Var(t, flag, usage)
}

// get returns the time, NoTime where none is given.
func (t *instant) get() (ns int64, relative bool) {
	if t.text == "" {
		return format.NoTime, false
	}
	return t.ns, t.relative
}

// Set implements pflag.Value.
func (t *instant) Set(text string) error {
	*t = instant{written: written{t.flag, text}}
	if d, err := time.ParseDuration(text); err == nil || text == "" {
		t.ns, t.relative = d.Nanoseconds(), true
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return usageError{
			fmt.Errorf("--%s: %q is neither a duration nor a time", t.flag, text),
			"write 1.5s, or 2026-01-31T12:00:00Z",
		}
	}
	switch first, last := time.Unix(0, -math.MaxInt64), time.Unix(0, math.MaxInt64); { // of traces
	case at.Before(first):
		at = first
	case at.After(last):
		at = last
	}
	t.ns = at.UnixNano()
	return nil
}

// choice is a flag that takes one of some words.
type choice struct {
	written
	none  string // the error for another word
	words []string
	at    int
}

func (w *choice) bind(c *cobra.Command, flag, none, usage string, words []string, usual int) {
	*w = choice{written{flag, words[usual]}, none, words, usual}
	c.Flags().Var(w, flag, usage)
	offer(c, flag, words...)
}

// Set implements pflag.Value.
func (w *choice) Set(text string) error {
	at := slices.Index(w.words, text)
	if at < 0 {
		return usageError{fmt.Errorf("--%s: %s %q", w.flag, w.none, text), "choose from " + strings.Join(w.words, ", ")}
	}
	w.text, w.at = text, at
	return nil
}

// Type implements pflag.Value: what is chosen is printed as strings are.
func (w *choice) Type() string { return "string" }

// bindView adds the flag of commands that show sums by call stack.
func (w *choice) bindView(c *cobra.Command, usual stacks.View) {
	w.bind(
		c,
		"view",
		"there is no view",
		"show `VIEW`: "+strings.Join(stacks.Views[:], ", "),
		stacks.Views[:],
		int(usual),
	)
}

// size is a flag that holds a number of bytes.
type size struct {
	written
	bytes *int64
}

// sizeUnits are powers of 1024, the largest first.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Set implements pflag.Value. 65536, 64K, 64KB and 64KiB are equal.
func (s *size) Set(text string) error {
	number, unit := text, int64(1)
	for _, u := range sizeUnits {
		for _, suffix := range []string{u.name, u.name[:1] + "B", u.name[:1]} {
			if rest, ok := strings.CutSuffix(strings.ToUpper(text), strings.ToUpper(suffix)); ok && unit == 1 {
				number, unit = rest, u.bytes
			}
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is not a size: write 4GiB, 512MiB or a number of bytes", text)
	}
	*s.bytes = n * unit
	return nil
}
