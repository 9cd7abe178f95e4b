package cmd

import (
	"errors"
	"fmt"
	"slices"

	"contend/analysis/dist"

	"github.com/spf13/cobra"
)

func newMerge(e *env) *cobra.Command {
	c, o := newCopy(e)
	c.Use, c.Short = "merge [LABEL=]TRACE ... -o FILE", "join several traces of one service in one"
	c.Long = `Join the traces of several processes, or of several recordings of one, in one contend
trace. Threads, locks and stacks of the inputs stay apart, whatever they are called.
Each input has a label, its file's name unless one is given; 'contend blame --by input'
tells them apart. All commands take several traces, with labels, themselves.

Merged and converted traces merge again and keep their labels. What contend exports
otherwise has lost the events: interval logs are merged by 'contend hist a.hlog b.hlog
-o all.hlog', profiles by 'go tool pprof -proto a.pb.gz b.pb.gz'.`
	c.Example = "  contend merge web1=host1.jfr web2=host2.jfr -o service.bin\n  contend blame --by input,owner-method service.bin"
	c.Flags().StringVar(&o.codec, "codec", "zstd", codecUsage)
	c.Flags().BoolVar(&o.text, "text", false, "write the text form")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{errors.New("no trace is named"), "name what to merge: contend merge a.jfr b.jfr -o both.bin"}
		}
		if err := distinct(args); err != nil {
			return err
		}
		if paths, _ := labelled(args); slices.ContainsFunc(paths, func(path string) bool { return dist.IsLog(headOf(path)) }) {
			return usageError{errors.New("an interval log holds no events to merge"), "contend hist a.hlog b.hlog -o all.hlog merges logs"}
		}
		o.trace.paths = args
		return runConvert(e, o)
	}
	return c
}

// distinct refuses labels that would make two inputs one.
func distinct(args []string) error {
	paths, labels := labelled(args)
	seen := map[string]bool{}
	for i, name := range paths {
		if labels != nil && labels[i] != "" {
			name = labels[i]
		}
		if seen[name] {
			return usageError{fmt.Errorf("two inputs are called %q", name), "label them: a=FILE b=FILE"}
		}
		seen[name] = true
	}
	return nil
}
