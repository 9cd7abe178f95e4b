package cmd

import (
	"contend/decode/rules"

	"github.com/spf13/cobra"
)

func newRules(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "rules",
		Short:   "print the rules that tell locks from idleness, to edit and pass to --rules",
		Example: "  contend rules > my.rules\n  contend analyze --rules my.rules recording.jfr",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := e.out.Write(rules.Text())
			return err
		},
	}
}
