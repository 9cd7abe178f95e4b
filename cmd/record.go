package cmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"contend/cmd/atomicfile"
	"contend/cmd/record"
	"contend/cmd/record/agent"
	"contend/cmd/record/attach"
	"contend/cmd/record/foreign"
	"contend/decode"
	"contend/format/human"
	"contend/report/text"

	"github.com/spf13/cobra"
)

type recordOptions struct {
	duration time.Duration
	rate     float64
	overhead share
	with     string
	out      string
	raw      string
	list     bool
	agent    bool
	trust    bool
	exact    bool
	perf     perfOptions
	always   alwaysOptions
	target   string
}

// recorders are what --with takes.
var recorders = map[string]record.Means{
	"agent": {Agent: true},
	"jfr":   {Flight: true},
	"both":  {Agent: true, Flight: true},
}

func newRecord(e *env) *cobra.Command {
	var o recordOptions
	c := newCommand("record", func(c *cobra.Command, args []string) error {
		if len(args) == 1 {
			o.target = args[0]
		}
		if err := o.perf.checkRecord(c); err != nil {
			return err
		}
		return runRecord(e, &o)
	})
	c.Args = cobra.MaximumNArgs(1)
	f := c.Flags()
	f.DurationVar(&o.duration, "duration", 30*time.Second, "record for `DURATION`")
	f.Float64Var(
		&o.rate,
		"rate",
		20,
		"let the agent take `N` samples a second, fewer where they cost over --max-overhead",
	)
	o.overhead.percent = 1.2
	f.Var(
		&o.overhead,
		"max-overhead",
		"let samples cost at most `PERCENT` of the processors the program keeps busy, of one at least",
	)
	f.StringVar(&o.with, "with", "both", "record a JVM with `WHAT`: agent, jfr, both")
	offer(c, "with", "agent", "jfr", "both")
	f.BoolVar(
		&o.exact,
		"exact",
		false,
		"rewrite the classes that acquire the contended locks, and record who holds these; at the end the classes "+
			"are as before",
	)
	f.StringVarP(
		&o.out,
		"output",
		"o",
		"",
		"write the recording to `FILE`; - is standard output, and nothing else is printed then",
	)
	f.StringVar(&o.raw, "raw", "", "keep the unchanged files of the recorders in `DIR` as well")
	f.BoolVar(&o.list, "list", false, "list the JVMs here")
	f.BoolVar(&o.agent, "agent", false, "write the agent's jar to standard output, for -javaagent")
	f.BoolVar(
		&o.trust,
		"trust-tmp",
		false,
		"record also where other users could exchange what is in the JVM's /tmp, as a pod's emptyDir: only where "+
			"none reaches it; root has chmod +t",
	)
	o.always.bind(c)
	o.perf.bindRecord(c)
	return c
}

func runRecord(e *env, o *recordOptions) error {
	switch {
	case o.list:
		return listJVMs(e)
	case o.agent:
		return e.writeJar()
	case o.target == "":
		return usageError{
			errors.New("record what?"),
			"name a process by its number or main class, or a Go program by its address; 'contend record --list' " +
				"shows the JVMs here",
		}
	case o.duration <= 0:
		return usageError{fmt.Errorf("--duration: %v is not a time to record", o.duration), "30s is the default"}
	case o.overhead.counted || o.overhead.percent == 0:
		return usageError{
			fmt.Errorf("--max-overhead: samples cannot cost %v", &o.overhead),
			"choose a percentage above 0%, as 1.2%",
		}
	case !(o.rate > 0 && o.rate <= 1000): // NaN is out of bounds too
		return usageError{
			fmt.Errorf("--rate: %v samples a second are not possible", o.rate),
			"choose more than 0 and at most 1000",
		}
	}
	if err := o.always.parse(o); err != nil {
		return err
	}
	if o.perf.use {
		return recordPerf(e, o)
	}
	if address(o.target) {
		return recordGo(e, o)
	}
	return recordJVM(e, o)
}

func (e *env) writeJar() error {
	out, end, err := e.create("-", true)
	if err != nil {
		return err
	}
	_, err = out.Write(agent.Jar)
	return end(err)
}

func listJVMs(e *env) error {
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	all, err := attach.List()
	for _, p := range all {
		fmt.Fprintf(w, "%d\t%s\n", p.PID, text.Sanitize(p.Main))
	}
	return errors.Join(err, w.Flush())
}

// process finds the one JVM a target names.
func process(target string) (*attach.Process, error) {
	if pid, err := strconv.Atoi(target); err == nil {
		p, err := attach.Find(pid)
		if err != nil && isGo(target) {
			return nil, &attach.Error{PID: pid, What: "is a Go program, which records itself", Hint: goHint}
		}
		return p, err
	}
	all, err := attach.List()
	if err != nil {
		return nil, err
	}
	return named(target, all)
}

// named returns the one JVM that runs a main class, which may be given without its
// package.
func named(main string, all []*attach.Process) (*attach.Process, error) {
	var found []*attach.Process
	for _, p := range all {
		if p.Main == main || strings.HasSuffix(p.Main, "."+main) {
			found = append(found, p)
		}
	}
	list := func(some []*attach.Process) string {
		var names []string
		for _, p := range some {
			names = append(names, fmt.Sprintf("%d %s", p.PID, p.Main))
		}
		return strings.Join(names, ", ")
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, usageError{
			fmt.Errorf("%d JVMs here run %s", len(found), main),
			"name one by its number: " + list(found),
		}
	case len(all) == 0:
		return nil, usageError{fmt.Errorf("no JVM here runs %s", main), "those of other users show to root only"}
	}
	return nil, usageError{fmt.Errorf("no JVM here runs %s", main), "there are: " + list(all)}
}

func recordJVM(e *env, o *recordOptions) error {
	means, ok := recorders[o.with]
	if !ok {
		return usageError{fmt.Errorf("--with: there is no recorder %q", o.with), "choose agent, jfr or both"}
	}
	if err := o.checkExact(means); err != nil {
		return err
	}
	p, err := process(o.target)
	if err != nil {
		return err
	}
	if o.trust {
		if shared := p.Trust(); shared != nil {
			e.warn(shared.Error() + ": trusted all the same")
		}
	}
	if o.always.used() {
		return recordAlways(e, o, p, func(ctx context.Context, o *recordOptions) (bool, error) {
			return recordOnce(ctx, func() {}, e, o, p, means)
		})
	}
	ctx, stop := e.untilEnded()
	defer stop()
	_, err = recordOnce(ctx, stop, e, o, p, means)
	return err
}

// recordOnce records a JVM until its time is over or ctx ends; it reports whether the
// process ended before. Signals end ctx until stop is called.
func recordOnce(
	ctx context.Context,
	stop func(),
	e *env,
	o *recordOptions,
	p *attach.Process,
	means record.Means,
) (ended bool, err error) {
	out, err := o.openFile(ctx, e, fmt.Sprintf("%s-%d", shortName(p.Main), p.PID), ".bin")
	if err != nil {
		return false, err
	}
	defer out.discard() // unless the recording succeeds
	period := dumpPeriod
	if means.Agent {
		period = 0 // samples of the agent show more and cost less
	}
	flightSettings, err := dumpsEvery(settings, period)
	if err != nil {
		return false, err
	}
	var raw *os.Root // stays open, even if another folder gets its name
	if o.raw != "" {
		if raw, err = atomicfile.Open(o.raw); err != nil {
			return false, err
		}
		defer raw.Close()
	}
	e.say(fmt.Sprintf("contend: recording %d %s for %v; Ctrl-C ends it early", p.PID, p.Main, o.duration))
	if o.exact {
		e.say("contend: exact: looking for contended locks for 2s, then rewriting the classes that may acquire " +
			"them until the recording ends; the program stops for it, and is slower until it has been compiled " +
			"again; locks that become contended later follow")
	}
	r, err := record.JVM(
		ctx,
		p,
		means,
		record.Config{
			Duration: o.duration,
			Rate:     o.rate,
			Overhead: o.overhead.percent / 100,
			Settings: flightSettings,
			Exact:    o.exact,
			Progress: e.timeLeft(),
			Follow:   e.reportRewritten,
		},
	)
	out.removeAtEnd(e)
	stop() // from here a signal ends the program as usual
	if err != nil {
		return false, err
	}
	defer r.Close()
	if r.Ended {
		e.warn(human.Say("the process ended after %v: what was recorded is kept", r.Length))
	}
	if r.Chunks != "" {
		e.warn("files of its flight recorder stay in " + r.Chunks + ": the program may have recorded itself")
	}
	if r.Scarce {
		e.warn(
			human.Say(
				"ended after %v: the disk of the JVM's flight recorder is nearly full, and a full one ends the JVM",
				r.Length,
			),
		)
	}
	err = e.finishRecording(o, r, raw, out)
	if err == nil && o.exact {
		err = e.reportExact(r)
	}
	return r.Ended, err
}

// untilEnded returns a context that is cancelled by a signal, or when the reader of the output is
// gone. Until stop is called, neither ends the program, so that it can keep the recording.
func (e *env) untilEnded() (ctx context.Context, stop func()) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop = signal.NotifyContext(context.Background(), endings()...)
	ctx, e.onReaderGone = context.WithCancel(ctx)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// endings are the signals that end a recording early, without those that are ignored: the end of a
// terminal after nohup, and its Ctrl-C in the background.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// finishRecording writes the recording as one trace and analyses it. If it cannot be written, it is
// rescued elsewhere.
func (e *env) finishRecording(o *recordOptions, r *record.Recording, raw *os.Root, out *recordingFile) (err error) {
	kept := o.raw
	if raw != nil {
		err = writeRaw(r, raw, kept)
	}
	if err != nil {
		kept = ""
	} else {
		err = e.writeRecording(r, out)
	}
	if err != nil {
		return e.rescue(r, kept, out, err)
	}
	if o.always.used() {
		e.say("contend: the recording is in " + out.path)
		return nil
	}
	return out.analyze(e) // it prints the warnings of the reader
}

// rescue keeps the recorded data unchanged, unless it is kept already.
func (e *env) rescue(r *record.Recording, kept string, out *recordingFile, why error) error {
	out.discard()
	var failed error
	for _, in := range []string{os.TempDir(), "."} { // other users may change the first folder, or it is full
		if kept == "" {
			dir, err := rescueIn(r, in)
			kept, failed = dir, errors.Join(failed, err)
		}
	}
	if kept == "" {
		return errors.Join(why, failed)
	}
	e.warn("what was recorded is kept in " + kept)
	return why
}

// rescueIn writes the data to a new folder and returns its path.
func rescueIn(r *record.Recording, path string) (string, error) {
	in, err := foreign.OpenOwn(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	name := "contend-recording-" + rand.Text()[:8]
	made, err := in.Mkdir(name)
	if err != nil {
		return "", err
	}
	path = filepath.Join(path, name)
	if err := errors.Join(writeRaw(r, made.Root(), path), made.Close()); err != nil {
		return "", errors.Join(err, in.Root().RemoveAll(name))
	}
	return path, nil
}

func (e *env) writeRecording(r *record.Recording, out *recordingFile) error {
	src, err := decode.Recording(r.Flight, r.Samples, decode.Options{})
	if err != nil {
		return err
	}
	return out.writeEvents(e, src)
}

// shortName is the last part of a program's name.
func shortName(main string) string { return main[strings.LastIndexAny(main, "./")+1:] }

// writeRaw writes the unchanged data to an open folder; dir is its path. A closed decoder may still
// read ahead, and move the offset of its reader.
func writeRaw(r *record.Recording, in *os.Root, dir string) error {
	for name, f := range map[string]*io.SectionReader{"flight.jfr": r.Flight, "samples.bin": r.Samples} {
		if f == nil {
			continue
		}
		if err := atomicfile.Write(in, filepath.Join(dir, name), io.NewSectionReader(f, 0, f.Size())); err != nil {
			return err
		}
	}
	return nil
}

// timeLeft returns a callback that shows the remaining time on a terminal.
func (e *env) timeLeft() func(time.Duration) {
	if !isTerminal(e.msg) {
		return nil
	}
	return func(left time.Duration) {
		fmt.Fprint(e.msg, "\r\x1b[K")
		if left > 0 {
			fmt.Fprintf(e.msg, "%v left", left.Round(time.Second))
		}
	}
}
