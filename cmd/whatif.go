package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"contend/blame/whatif"
	"contend/format"
	"contend/report/document"

	"github.com/spf13/cobra"
)

type whatIfOptions struct {
	trace   traceOptions
	out     outputOptions
	section string
	shrink  string
	remove  string
	split   string
	readers string
}

func newWhatIf(e *env) *cobra.Command {
	var o whatIfOptions
	c := newCommand("whatif", func(*cobra.Command, []string) error { return runWhatIf(e, &o) })
	o.trace.bind(c)
	o.out.bind(c, whatIfOutputs)
	f := c.Flags()
	f.StringVar(&o.section, "section", "", "make critical sections of `METHOD` shorter")
	f.StringVar(&o.shrink, "shrink", "50%", "by this `PART`")
	f.StringVar(&o.remove, "remove-lock", "", "do without the locks of `CLASS`")
	f.StringVar(&o.split, "split", "", "make stripes of each lock of a class, `CLASS=N`")
	f.StringVar(&o.readers, "readers", "", "let critical sections of `METHOD` share the lock with each other")
	return c
}

func runWhatIf(e *env, o *whatIfOptions) error {
	changes, by, err := o.changes()
	if err != nil {
		return err
	}
	c := whatif.New()
	res, err := o.trace.named(e, nil, c)
	if err != nil {
		return err
	}
	var answer *whatif.Result
	if len(changes) == 0 {
		answer, err = c.Rank(by, o.out.top)
	} else {
		answer, err = c.Predict(changes)
	}
	if err != nil {
		return usageError{err, "'contend whatif' without a change lists the sections and classes there are"}
	}
	if res.warned(format.CodeSaturated) {
		answer.Assumptions = append(
			answer.Assumptions,
			"no processor was idle during the recording: threads that wait less would also compete for processors, "+
				"which the ranges ignore",
		)
	}
	return cmp.Or(write(e, &o.out, whatIfOutputs, document.NewWhatIf(answer, res.coverage())), res.verdict())
}

// changes returns the changes to simulate, and the factor by which sections shrink.
func (o *whatIfOptions) changes() (list []whatif.Change, by float64, err error) {
	if by, err = parsePart(o.shrink); err != nil {
		return nil, 0, usageError{fmt.Errorf("--shrink: %w", err), "write 50% or 0.5"}
	}
	if o.section != "" {
		list = append(list, whatif.Change{Action: whatif.Shrink, Section: o.section, By: by})
	}
	if o.remove != "" {
		list = append(list, whatif.Change{Action: whatif.RemoveLock, Class: o.remove})
	}
	if o.split != "" {
		class, n, _ := strings.Cut(o.split, "=")
		stripes, err := strconv.Atoi(n)
		if err != nil || stripes < 1 || stripes > 1<<16 {
			return nil, 0, usageError{
				fmt.Errorf("--split: %q does not say into how many stripes", o.split),
				"write CLASS=16",
			}
		}
		list = append(list, whatif.Change{Action: whatif.Split, Class: class, Stripes: stripes})
	}
	if o.readers != "" {
		list = append(list, whatif.Change{Action: whatif.Readers, Section: o.readers})
	}
	return list, by, nil
}

// parsePart reads 50% or 0.5.
func parsePart(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	by, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		by /= 100
	}
	if err != nil || !(by > 0 && by <= 1) {
		return 0, errors.New(strconv.Quote(s) + " is not a share from 0 to 100%")
	}
	return by, nil
}

// partValue is a flag that takes a part of something, as parsePart reads it.
type partValue float64

func (p *partValue) String() string { return strconv.FormatFloat(100*float64(*p), 'g', -1, 64) + "%" }

// Type implements pflag.Value.
func (p *partValue) Type() string { return "part" }

// Set implements pflag.Value.
func (p *partValue) Set(s string) error {
	v, err := parsePart(s)
	*p = partValue(v)
	return err
}
