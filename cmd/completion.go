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

// offer sets the words that shells complete for a flag. A test checks them against the
// command.
func offer(c *cobra.Command, flag string, words ...string) {
	must(c.Flags().SetAnnotation(flag, wordsNote, words))
}

// offerLists is offer for a flag that takes a list of words.
func offerLists(c *cobra.Command, flag string, words ...string) {
	offer(c, flag, words...)
	must(c.Flags().SetAnnotation(flag, listNote, nil))
}

// completing reports whether a shell asks for completions. They are set only then, because
// the library keeps them for the life of the process.
func completing(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// complete sets the completions of the flags of all commands: words, lists of words, or
// files. A value that cannot be guessed has none.
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

// goOn completes the last word of a list. The words before the last comma are kept and not offered
// again.
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
