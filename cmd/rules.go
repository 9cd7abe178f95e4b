package cmd

import (
	"contend/decode/rules"

	"github.com/spf13/cobra"
)

func newRules(e *env) *cobra.Command {
	var out string
	c := newCommand("rules", func(*cobra.Command, []string) error {
		return e.writeText(out, rules.Text())
	})
	c.Args = noArgs
	c.Flags().StringVarP(&out, "output", "o", "", outputUsage)
	return c
}
