package cmd

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"contend/blame"
	"contend/blame/stacks"
	"contend/format"

	"github.com/spf13/cobra"
)

// expression is a flag that takes a regular expression, or a name as tables print it.
type expression struct {
	flag, text string
	re         *regexp.Regexp // nil where none is given
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

// String implements pflag.Value.
func (x *expression) String() string { return x.text }

// Type implements pflag.Value.
func (x *expression) Type() string { return "expression" }

// bindApp adds the flag of commands that name places in the program.
func (x *expression) bindApp(c *cobra.Command) {
	x.bind(c, "app", "name the frames of the program's own code, Class.method that matches `REGEXP` (default: what is no known library)")
}

// instant is a flag that takes a time, which counts from the start of the trace or is an
// absolute one.
type instant struct {
	flag, text string
	ns         int64
	relative   bool
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
	*t = instant{flag: t.flag, text: text}
	if d, err := time.ParseDuration(text); err == nil || text == "" {
		t.ns, t.relative = d.Nanoseconds(), true
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return usageError{fmt.Errorf("--%s: %q is neither a duration nor a time", t.flag, text), "write 1.5s, or 2026-01-31T12:00:00Z"}
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

// String implements pflag.Value.
func (t *instant) String() string { return t.text }

// Type implements pflag.Value.
func (t *instant) Type() string { return "instant" }

// choice is a flag that takes one of some words.
type choice struct {
	flag, none string // none says of another word that it is not one of them
	words      []string
	at         int
}

func (w *choice) bind(c *cobra.Command, flag, none, usage string, words []string, usual int) {
	*w = choice{flag, none, words, usual}
	c.Flags().Var(w, flag, usage)
	offer(c, flag, words...)
}

// Set implements pflag.Value.
func (w *choice) Set(text string) error {
	at := slices.Index(w.words, text)
	if at < 0 {
		return usageError{fmt.Errorf("--%s: %s %q", w.flag, w.none, text), "choose from " + strings.Join(w.words, ", ")}
	}
	w.at = at
	return nil
}

// String implements pflag.Value.
func (w *choice) String() string {
	if w.words == nil { // pflag asks a zero value
		return ""
	}
	return w.words[w.at]
}

// Type implements pflag.Value: what is chosen is printed as strings are.
func (w *choice) Type() string { return "string" }

// bindView adds the flag of commands that show sums by call stack.
func (w *choice) bindView(c *cobra.Command, usual stacks.View) {
	w.bind(c, "view", "there is no view", "show `VIEW`: "+strings.Join(stacks.Views[:], ", "), stacks.Views[:], int(usual))
}
