package cmd

import (
	"fmt"
	"strings"
	"time"

	"contend/cmd/record"

	"github.com/spf13/cobra"
)

type perfArgsOptions struct {
	perf     perfOptions
	duration time.Duration
	out      string
}

func newPerfArgs(e *env) *cobra.Command {
	var o perfArgsOptions
	c := newCommand("perf-args", func(_ *cobra.Command, args []string) error {
		process := anyProcess
		if len(args) == 1 {
			process = args[0]
		}
		ask, err := o.perf.ask(process, o.duration)
		if err != nil {
			return err
		}
		return e.writeText(o.out, []byte(perfScript(ask)))
	})
	c.Args = cobra.MaximumNArgs(1)
	o.perf.bind(c)
	c.Flags().DurationVar(&o.duration, "duration", 30*time.Second, "record for `DURATION`")
	c.Flags().StringVarP(&o.out, "output", "o", "", outputUsage)
	return c
}

// anyProcess stands in the commands for a process that is not known yet.
const anyProcess = "PID"

// chainsCost explains the cost of call chains, by the argument of --call-graph.
var chainsCost = map[string]string{
	"dwarf": fmt.Sprintf(
		"# Call chains: %d bytes of stack are copied at each wait and each wake-up. Right whatever\n# the program "+
			"was built with, if its libraries have unwind tables, as they do.\n",
		record.PerfStackBytes,
	),
	"fp": "# Call chains: by frame pointers. Cheap, but the function that takes a lock is missing\n# where libc was " +
		"built without them, as Debian's is; --call-graph dwarf shows it.\n",
}

// perfScript writes the commands, with comments on their arguments.
func perfScript(a *record.Perf) string {
	var b strings.Builder
	b.WriteString("# Waits for futexes, wake-ups, and when threads run. To be run as root, or with\n" +
		"# kernel.perf_event_paranoid=-1 and a /sys/kernel/tracing that may be read.\n")
	b.WriteString(chainsCost[a.Chains])
	words := record.ShellLine(a.Record("perf.data"))
	for _, flag := range []string{" -e ", " -p "} {
		words = strings.ReplaceAll(words, flag, " \\\n "+flag)
	}
	b.WriteString(words + "\n# As text, which contend reads; gzip and zstd make a fiftieth of it.\n")
	b.WriteString(
		strings.ReplaceAll(
			record.ShellLine(record.PerfScript("perf.data")),
			" --show",
			" \\\n  --show",
		) + " > perf.txt\n",
	)
	return b.String()
}
