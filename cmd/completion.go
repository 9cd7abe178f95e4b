package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The notes on flags that complete from a list: the words, and whether a flag
// takes several of them separated by commas.
const (
	wordsNote = "words"
	listNote  = "list"
)

// offer notes the words that a flag takes. A test holds them to what the
// command does.
func offer(c *cobra.Command, flag string, words ...string) {
	must(c.Flags().SetAnnotation(flag, wordsNote, words))
}

// offerLists notes the words of which a flag takes several.
func offerLists(c *cobra.Command, flag string, words ...string) {
	offer(c, flag, words...)
	must(c.Flags().SetAnnotation(flag, listNote, nil))
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
				must(c.RegisterFlagCompletionFunc(f.Name, wordsOf(f)))
			}
		})
	}
}

// fileWords are the placeholders of flags that name files.
var fileWords = []string{"FILE", "BASE", "TRACES"}

// wordsOf completes one flag.
func wordsOf(f *pflag.Flag) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		words := f.Annotations[wordsNote]
		if _, list := f.Annotations[listNote]; list {
			words = goOn(words, typed)
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// goOn lists how a list may go on from what is typed: the words before the last
// comma stay, and are not offered again.
func goOn(words []string, typed string) (lists []string) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	used := strings.Split(before, ",")
	for _, word := range words {
		if !slices.Contains(used, word) {
			lists = append(lists, before+word)
		}
	}
	return lists
}

// must stops at a mistake of this package, such as a flag registered twice.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
