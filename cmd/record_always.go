package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"contend/analysis"
	"contend/analysis/pass"
	"contend/blame/gate"
	"contend/cmd/record"
	"contend/cmd/record/attach"
	"contend/cmd/record/foreign"
	"contend/decode"
	"contend/format"

	"github.com/spf13/cobra"
)

// alwaysOptions are the options for repeated recordings, each of which is a file in a folder.
type alwaysOptions struct {
	every time.Duration
	when  string
	rules []gate.Rule   // the opposite of when
	keep  time.Duration // 0 keeps recordings without a limit

	folder *foreign.Dir // the open folder of -o, even if another has its name by now
}

func (o *alwaysOptions) bind(c *cobra.Command) {
	f := c.Flags()
	f.DurationVar(&o.every, "every", 0, "record a JVM again each `DURATION`, into the folder of -o")
	f.StringVar(
		&o.when,
		"when",
		"",
		"record a JVM into the folder of -o when `CONDITION` holds, as 'csp(*) > 5%' or 'deadlock': a rule of "+
			"check, turned round",
	)
	f.DurationVar(&o.keep, "keep", 0, "with --every or --when, remove recordings that are older than `DURATION`")
}

func (o *alwaysOptions) used() bool { return o.every != 0 || o.when != "" }

// parse checks the flags, and reads the condition.
func (o *alwaysOptions) parse(r *recordOptions) (err error) {
	switch {
	case o.keep < 0:
		return usageError{fmt.Errorf("--keep: %v is negative", o.keep), "24h keeps the recordings of a day"}
	case !o.used() && o.keep != 0:
		return usageError{
			errors.New("--keep is for --every and --when"),
			"--raw names a folder for what the recorders write",
		}
	case !o.used():
		return nil
	case r.raw != "":
		return usageError{errors.New("--raw is for one recording"), "leave it out, or --every and --when"}
	case o.every != 0 && o.when != "":
		return usageError{errors.New("--every and --when exclude each other"), "start two of them"}
	case o.when == "" && o.every < r.duration:
		return usageError{
			fmt.Errorf("--every: a recording of %v does not end in %v", r.duration, o.every),
			"--duration is how long one takes",
		}
	case r.out == "" || r.out == "-":
		return usageError{errors.New("recordings that come again need a folder"), "name it with -o"}
	case r.perf.use || address(r.target):
		return usageError{errors.New("--every and --when are for JVMs"), "leave them out"}
	}
	if o.when != "" {
		o.rules, err = opposite(o.when)
	}
	return err
}

// opposite is the rule that breaks when a condition holds.
func opposite(when string) ([]gate.Rule, error) {
	text, turned := strings.CutPrefix(strings.TrimSpace(when), "no ")
	if over := strings.Replace(text, ">", "<", 1); over != text {
		text, turned = over, turned || strings.Contains(when, "<")
	} else {
		text = "no " + text
	}
	rule, err := gate.Parse(text)
	if err == nil && rule.NeedsBaseline() {
		err = errors.New("there is no baseline")
	}
	if turned || err != nil {
		return nil, usageError{
			errors.Join(fmt.Errorf("--when: %q is not a condition", when), err),
			"write 'csp(*) > 5%', 'waiting(com.acme.*) > 0.5', 'deadlock' or 'finding(convoy)'",
		}
	}
	return []gate.Rule{rule}, nil
}

// recordAlways records into a folder until a signal or the process ends it.
func recordAlways(
	e *env,
	o *recordOptions,
	p *attach.Process,
	one func(context.Context, *recordOptions) (ended bool, err error),
) error {
	folder, err := foreign.OpenOwn(o.out) // in another user's folder, links could lead recordings elsewhere
	if err != nil {
		if shared := (*foreign.SharedError)(nil); errors.As(err, &shared) {
			err = usageError{err, "choose one that is yours alone: mkdir -m 700 FOLDER"}
		}
		return err
	}
	defer folder.Close()
	ctx, stop := e.untilEnded()
	defer stop()
	program := fmt.Sprintf("%s-%d", shortName(p.Main), p.PID)
	record := func() (ended bool, err error) {
		if !p.Alive() {
			return true, nil
		}
		again := *o
		again.always.folder = folder
		again.out = filepath.Join(o.out, recordingName(program, o.always.kept()+".bin"))
		ended, err = one(ctx, &again)
		if refused := (*attach.Error)(nil); errors.As(err, &refused) &&
			!p.Alive() { // the process ended as the recording began
			ended, err = true, nil
		}
		return ended, errors.Join(err, o.always.tidy(folder))
	}
	if o.always.when != "" {
		return o.always.watch(ctx, e, p, record)
	}
	turn := time.NewTicker(o.always.every)
	defer turn.Stop()
	for {
		if ended, err := record(); err != nil || ended || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-turn.C:
		}
	}
}

// kept returns the part of a file name with the time that the recording stays. The recorder chooses
// it; the recorded program chooses the rest of the name.
func (o *alwaysOptions) kept() string {
	if o.keep == 0 {
		return ""
	}
	return fmt.Sprintf("-keep%v", o.keep)
}

// expiring matches names of recordings that expire, with their start and the time they stay.
var expiring = regexp.MustCompile(`-([0-9]{8}-[0-9]{6})-keep([0-9hmsµn.]+)(-[0-9]+)?\.bin$`)

// tidy removes recordings whose names say that they have expired, if they belong to this user and
// begin like a recording.
func (o *alwaysOptions) tidy(folder *foreign.Dir) (err error) {
	if o.keep == 0 {
		return nil
	}
	for _, f := range folder.List("*-keep*.bin") {
		of := expiring.FindStringSubmatch(f.Name())
		if of == nil {
			continue
		}
		at, bad := time.ParseInLocation(stamp, of[1], time.Local)
		keep, worse := time.ParseDuration(of[2])
		if bad == nil && worse == nil && time.Since(at) > keep && isRecording(folder, f.Name()) {
			err = errors.Join(err, folder.Remove(f.Name()))
		}
	}
	return err
}

// isRecording reports whether a file is a trace in contend's own format.
func isRecording(folder *foreign.Dir, name string) bool {
	head, err := folder.Read(name, int64(len(format.Magic)))
	return err == nil && string(head) == format.Magic
}

// A watch takes watchRate samples a second. After each, the condition is checked on those of
// the window. A sample that is more than watchLate late was taken during a recording.
const (
	watchRate = 2
	watchLate = 2 * time.Second
)

// watch samples a process at little cost, and records it once each time the condition begins
// to hold.
func (o *alwaysOptions) watch(ctx context.Context, e *env, p *attach.Process, one func() (bool, error)) error {
	trace, err := newWatch(ctx, p)
	if err != nil {
		return err
	}
	defer trace.Close()
	src, err := decode.Samples(trace)
	if err != nil {
		if errors.Is(err, format.ErrTruncated) { // the process ended at once
			return nil
		}
		return err
	}
	defer src.Close()
	e.say(fmt.Sprintf("contend: watching %d %s for %s; Ctrl-C ends it", p.PID, p.Main, o.when))
	var seen record.Window
	holds := false
	for {
		var ev format.Event
		if err := src.Read(&ev); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if !seen.AddEvent(&ev) || time.Since(time.Unix(0, ev.Time)) > watchLate {
			continue
		}
		before := holds
		if holds, err = breaks(&seen, o.rules); err != nil {
			return err
		}
		if holds && !before {
			if ended, err := one(); err != nil || ended {
				return err
			}
		}
	}
}

func newWatch(ctx context.Context, p *attach.Process) (*record.Watch, error) {
	return record.NewWatch(ctx, p, record.Config{Rate: watchRate, Overhead: 0.003})
}

// breaks reports whether the samples of a window break a rule. Samples without
// waiting break none.
func breaks(w *record.Window, rules []gate.Rule) (bool, error) {
	if w.Waiters() == 0 {
		return false, nil
	}
	run := gate.NewRun(rules...)
	src := decode.Small(&format.List{Events: w.Events()}) // virtual threads have large ids
	tr, err := pass.Run(src, analysis.Filter{From: format.NoTime, To: format.NoTime}, run.Visitors()...)
	if err != nil {
		return false, err
	}
	run.Trace = tr
	run.Stats = format.Stats{Format: "contend", DeadlockDumps: 1}
	run.Trigger = true
	return gate.Worst(gate.Check(rules, []*gate.Run{run}, nil)) == gate.Fail, nil
}
