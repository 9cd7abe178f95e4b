package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"contend/cmd/atomicfile"
	"contend/cmd/record"
	"contend/cmd/record/attach"
	"contend/decode"
	"contend/format"
	"contend/format/human"
	"contend/report/text"

	"github.com/spf13/cobra"
)

// perfOptions are the flags of recordings of native programs.
type perfOptions struct {
	use    bool
	chains string
	kernel bool
}

func (o *perfOptions) bind(c *cobra.Command) {
	c.Flags().StringVar(&o.chains, "call-graph", "dwarf", "let perf make call chains by `WHAT`: dwarf, fp")
	offer(c, "call-graph", record.PerfChains...)
	c.Flags().BoolVar(&o.kernel, "kernel-locks", false, "let perf record waits for the kernel's own locks as well")
}

// bindRecord adds --perf to the command that records.
func (o *perfOptions) bindRecord(c *cobra.Command) {
	c.Flags().
		BoolVar(&o.use, "perf", false, "record a native program, with Linux's perf; what it runs 'contend "+
			"perf-args' prints")
	o.bind(c)
}

// checkRecord refuses flags of the other ways to record, which would have no effect.
func (o *perfOptions) checkRecord(c *cobra.Command) error {
	wrong := []string{"call-graph", "kernel-locks"}
	why := "is for perf"
	hint := "add --perf"
	if o.use {
		wrong = []string{
			"with",
			"rate",
			"max-overhead",
			"trust-tmp",
		}
		why = "is for JVMs"
		hint = "leave it out: --perf records every wait of any program"
	}
	for _, flag := range wrong {
		if c.Flags().Changed(flag) {
			return usageError{fmt.Errorf("--%s %s", flag, why), hint}
		}
	}
	return nil
}

// processes matches the argument of perf's -p.
var processes = regexp.MustCompile(`^[0-9]+(,[0-9]+)*$`)

// ask returns the options of perf for a process.
func (o *perfOptions) ask(process string, d time.Duration) (*record.Perf, error) {
	switch {
	case process != anyProcess && !processes.MatchString(process):
		return nil, usageError{fmt.Errorf("%s is not the number of a process", process), "'ps -e' lists them"}
	case d <= 0:
		return nil, usageError{fmt.Errorf("--duration: %v is not a time to record", d), "30s is the default"}
	case !slices.Contains(record.PerfChains, o.chains):
		return nil, usageError{
			fmt.Errorf("--call-graph: there is no way %q", o.chains),
			"choose " + strings.Join(record.PerfChains, " or "),
		}
	}
	return &record.Perf{Process: process, Duration: d, Chains: o.chains, Kernel: o.kernel, CPUs: runtime.NumCPU()}, nil
}

// recordPerf records a native program, and analyses the recording.
func recordPerf(e *env, o *recordOptions) error {
	ask, err := o.perf.ask(o.target, o.duration)
	if err != nil {
		return err
	}
	name := command(o.target)
	if better := seenBetter(o.target); better != "" { // a signal ends this check as usual
		e.warn(o.target + better)
	}
	ctx, stop := e.untilEnded()
	defer stop()
	var raw *os.Root // stays open, even if another folder gets its name
	if o.raw != "" {
		if raw, err = atomicfile.Open(o.raw); err != nil {
			return err
		}
		defer raw.Close()
	}
	made, err := atomicfile.Scratch()
	if err != nil {
		return err
	}
	defer made.Close()
	out, err := o.openFile(ctx, e, shortName(name)+"-"+o.target, ".bin")
	if err != nil {
		return err
	}
	defer out.discard() // unless the recording succeeds
	r, err := e.runPerf(ctx, ask, name, made)
	if err != nil {
		return err
	}
	out.removeAtEnd(e)
	stop() // from here a signal ends the program as usual
	if raw != nil {
		if err := atomicfile.Write(raw, filepath.Join(o.raw, "perf.data"), made); err != nil {
			return err
		}
	}
	if err := writePerf(e, r, out); err != nil {
		return err
	}
	return out.analyze(e)
}

// seenBetter returns the kind of a process with locks that perf sees badly, and a better way to
// record it; "" for other processes.
func seenBetter(process string) string {
	if isGo(process) {
		return " is a Go program, whose goroutines wait where perf sees nothing: " + goHint
	}
	if pid, err := strconv.Atoi(process); err == nil {
		if _, err := attach.Find(pid); err == nil {
			return " is a JVM, whose locks perf sees as waits for conditions: 'contend record " + process +
				"' records them"
		}
	}
	return ""
}

func (e *env) runPerf(
	ctx context.Context,
	ask *record.Perf,
	name string,
	into *os.File,
) (*record.PerfRecording, error) {
	r, err := record.RecordPerf(ctx, ask, into, func() {
		e.say(
			fmt.Sprintf(
				"contend: recording %s %s for %v with perf; Ctrl-C ends it early",
				ask.Process,
				name,
				ask.Duration,
			),
		)
	}, e.timeLeft())
	switch {
	case err != nil:
	case r.Ended:
		e.warn(human.Say("the process ended after %v: what was recorded is kept", r.Length))
	case r.Full:
		e.warn(
			human.Say(
				"ended after %v, because perf's recording took all the space it may: the data received so far is "+
					"kept; --call-graph fp takes less",
				r.Length,
			),
		)
	case r.Early:
		e.warn("ended early: the data received so far is kept")
	}
	return r, err
}

// writePerf converts the text of perf to a contend trace while perf writes it.
func writePerf(e *env, r *record.PerfRecording, out *recordingFile) error {
	script, err := r.Text()
	if err != nil {
		return err
	}
	src, err := decode.Open([]string{decode.Stdin}, script, decode.Options{})
	if err != nil {
		if why := script.Close(); why != nil {
			return why
		}
		if errors.Is(err, format.ErrNotMine) || errors.Is(err, format.ErrTruncated) {
			return &record.Error{
				What: "nothing was recorded: no thread of the process waited or ran",
				Hint: "a longer --duration may see some",
			}
		}
		return err
	}
	return out.writeEvents(e, src, script)
}

// command returns the kernel's name of a process, "" if not known.
func command(process string) string {
	comm, err := os.ReadFile("/proc/" + filepath.Base(process) + "/comm")
	if err != nil {
		return ""
	}
	return text.Sanitize(strings.TrimSpace(string(comm)))
}
