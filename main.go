// Command contend reads lock-contention traces offline and says who blocked
// whom.
package main

import (
	"os"

	"contend/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
