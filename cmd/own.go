package cmd

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
)

// ownOption is the flag of commands that name places in the program.
type ownOption struct{ text string }

func (o *ownOption) bind(c *cobra.Command) {
	c.Flags().StringVar(&o.text, "app", "", "name the frames of the program's own code, Class.method that matches `REGEXP` (default: what is no known library)")
}

// get returns the expression, nil where none is given.
func (o *ownOption) get() (*regexp.Regexp, error) {
	if o.text == "" {
		return nil, nil
	}
	re, err := regexp.Compile(o.text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--app: %w", err), "a package is written '^com\\.example\\.'"}
	}
	return re, nil
}
