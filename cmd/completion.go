package cmd

import (
	"maps"
	"slices"
	"strings"

	"contend/blame"
	"contend/blame/stacks"
	"contend/blame/waitgraph"
	"contend/format/simulate"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is a flag of a command that takes one of a few words, or several of
// them separated by commas.
type choice struct {
	command, flag string
	list          bool
	words         []string
}

// choices are the flags that shells complete from a list. A test holds them to
// what the commands take.
func choices() []choice {
	scenarios, _ := simulate.Scenarios()
	codecNames := slices.Sorted(maps.Keys(codecs))
	with := func(more ...string) []string { return append(slices.Clone(formats), more...) }
	return []choice{
		{"analyze", "format", false, formats},
		{"analyze", "by", false, []string{"lock", "class"}},
		{"blame", "format", false, formats},
		{"blame", "by", true, blame.Keys(blame.Pivots)},
		{"chains", "format", false, formats},
		{"check", "format", false, checkFormats},
		{"convert", "codec", false, codecNames},
		{"csp", "format", false, with("svg", "html")},
		{"diff", "format", false, formats},
		{"flame", "format", false, pictureNames()},
		{"flame", "view", false, stacks.Views[:]},
		{"graph", "by", false, waitgraph.Nodes[:]},
		{"graph", "format", false, with("dot", "mermaid", "svg")},
		{"hist", "by", true, blame.Keys(blame.Lengths)},
		{"hist", "format", false, histFormats()},
		{"merge", "codec", false, codecNames},
		{"pprof", "view", false, stacks.Views[:]},
		{"simulate", "codec", false, codecNames},
		{"simulate", "scenario", false, scenarios},
	}
}

// completing reports whether a shell asks for words. Only then are they needed:
// the library keeps what it is taught for as long as the process runs.
func completing(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete teaches shells what the flags of all commands take: a word of a
// list, a file, or something nobody can guess, for which no file is offered.
func complete(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); !slices.Contains(fileWords, name) {
				must(c.RegisterFlagCompletionFunc(f.Name, wordsOf(c.Name(), f.Name)))
			}
		})
	}
}

// fileWords are the placeholders of flags that name files.
var fileWords = []string{"FILE", "BASE", "TRACES"}

// wordsOf completes one flag.
func wordsOf(command, flag string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		for _, ch := range choices() {
			if ch.command == command && ch.flag == flag {
				return ch.offer(typed), cobra.ShellCompDirectiveNoFileComp
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// offer lists the words that may go on from what is typed. In a list, those
// typed before the last comma stay, and are not offered again.
func (ch choice) offer(typed string) []string {
	if !ch.list {
		return ch.words
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	used := strings.Split(before, ",")
	var offers []string
	for _, word := range ch.words {
		if !slices.Contains(used, word) {
			offers = append(offers, before+word)
		}
	}
	return offers
}

// must stops at a mistake of this package, such as a flag registered twice.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
