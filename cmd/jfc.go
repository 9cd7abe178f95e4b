package cmd

import (
	_ "embed"

	"github.com/spf13/cobra"
)

// settings makes a JVM record all contention, and a thread dump every 50 ms.
//
//go:embed contend.jfc
var settings []byte

func newJFC(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "jfc",
		Short:   "print flight recorder settings that record all contention",
		Long:    "Print settings for the JDK's flight recorder that record every wait, whatever its\nlength, what threads do while they hold locks, and a thread dump every 50 ms. A dump\nstops the program for about a millisecond: see the README for what that costs.",
		Example: "  contend jfc > contend.jfc\n  jcmd PID JFR.start name=locks settings=$PWD/contend.jfc\n  jcmd PID JFR.dump name=locks filename=locks.jfr",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := e.out.Write(settings)
			return err
		},
	}
}
