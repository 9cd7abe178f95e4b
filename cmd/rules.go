package cmd

import (
	"contend/decode/rules"

	"github.com/spf13/cobra"
)

func newRules(e *env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:     "rules",
		Short:   "print the rules that tell locks from idleness, to edit and pass to --lock-rules",
		Long:    "Print the rules that tell waiting for locks, waiting for what others must give back, and\nidleness apart. An edited copy counts instead of them: contend ... --lock-rules FILE.",
		Example: "  contend rules > my.rules\n  contend analyze --lock-rules my.rules recording.jfr",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			return e.writeText(out, rules.Text())
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", outputUsage)
	return c
}
