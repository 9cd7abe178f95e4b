package cmd

import (
	"bufio"
	"errors"
	"fmt"

	"contend/analysis/dist"
	"contend/decode"
	"contend/report/pprof"

	"github.com/spf13/cobra"
)

// ofTraces are the flags for traces alone.
var ofTraces = []string{"codec", "text", "lock-rules", "max-barren", "max-unpacked"}

func newMerge(e *env) *cobra.Command {
	c, o := newCopy(e)
	c.Use, c.Short = "merge [LABEL=]FILE ... -o FILE", "join traces, interval logs or profiles of one service in one"
	c.Long = `Join what was recorded of several processes, or several times of one, in one
file. Each input has a label, its file's name unless one is given, that tells it
apart afterwards. What was merged merges again and keeps its labels.

Traces become a contend trace. Threads, locks and stacks of the inputs stay
apart, whatever they are called; 'contend blame --by input' tells them apart.
All commands take several traces, with labels, themselves.

Interval logs that 'contend hist' wrote, or another user of HdrHistogram, become
one. Tags begin with the label: 'contend hist --by input,tag' tells the inputs
apart.

Profiles that 'contend pprof' wrote become one. Samples carry the label as
input: 'go tool pprof -tagfocus input=LABEL'.

All inputs are of one kind, which their content tells.`
	c.Example = `  contend merge web1=a.jfr web2=b.jfr -o all.bin && contend blame --by input all.bin
  contend merge web1=a.hlog web2=b.hlog -o all.hlog && contend hist --by input all.hlog
  contend merge web1=a.pb.gz web2=b.pb.gz -o all.pb.gz && go tool pprof -tags all.pb.gz`
	o.stored.bind(c)
	c.Flags().BoolVar(&o.text, "text", false, "write the text form of a trace")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{errors.New("no input is named"), "name what to merge: contend merge a.jfr b.jfr -o both.bin"}
		}
		if err := distinct(args); err != nil {
			return err
		}
		return runMerge(e, o, c.Flags().Changed)
	}
	return c
}

// runMerge finds out what the inputs are.
func runMerge(e *env, o *convertOptions, given func(flag string) bool) error {
	paths, _ := labelled(o.trace.paths)
	starts, err := e.firstBytes(paths)
	if err != nil {
		return err
	}
	kind := kindOf(starts[0])
	for i, start := range starts {
		if k := kindOf(start); k.name != kind.name {
			return usageError{fmt.Errorf("inputs of several kinds: %s is %s, %s is %s", paths[0], kind.article(), paths[i], k.article()),
				"merge traces, interval logs and profiles each by themselves"}
		}
	}
	for _, flag := range kind.only {
		if given(flag) {
			return usageError{fmt.Errorf("--%s: is for traces, and %s is %s", flag, paths[0], kind.article()), "leave it out"}
		}
	}
	return kind.join(e, o)
}

// joinLogs writes the intervals of all logs, as they are but for the label.
func joinLogs(e *env, o *convertOptions) error {
	h := histOptions{by: dist.InputKey + "," + tagKey, given: func(flag string) bool { return flag == "by" }}
	h.out.format, h.out.file = "hlog", o.out
	h.trace.paths, h.labels = labelsOf(o.trace.paths)
	return runHistLogs(e, &h)
}

func joinProfiles(e *env, o *convertOptions) error {
	paths, labels := labelsOf(o.trace.paths)
	e.reads(paths...)
	out, closeOut, err := e.create(o.out, true)
	if err != nil {
		return err
	}
	var j pprof.Joiner
	for i, path := range paths {
		add := func(in *bufio.Reader) error { return j.Add(in, path, labels[i]) }
		if path == decode.Stdin {
			err = add(bufio.NewReader(e.in))
		} else {
			err = withPlain(path, add)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(j.Write(out), closeOut())
}

// distinct refuses labels that would make two inputs one.
func distinct(args []string) error {
	_, labels := labelsOf(args)
	seen := map[string]bool{}
	for _, name := range labels {
		if seen[name] {
			return usageError{fmt.Errorf("two inputs are called %q", name), "label them: a=FILE b=FILE"}
		}
		seen[name] = true
	}
	return nil
}
