package gate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"contend/analysis"
	"contend/blame"
	"contend/format"
	"contend/format/human"
)

// Doubt is the reason why a trace cannot decide a rule, with a remedy. It is empty if the
// trace can.
type Doubt struct{ Reason, Hint string }

// doubter returns the reason why a run cannot decide that a subject keeps a rule.
type doubter func(r *Rule, s *Subject, run *Run) Doubt

// The reasons that may hide a broken rule, by what the rule measures, in the order in which
// they are tried. A value above its limit needs none: waiting that is not recorded only adds
// to it.
var (
	shareDoubts = []doubter{
		nothingLeft,
		unrecorded,
		timeless,
		nearLimit,
		unknownRunning,
		damaged,
		unread,
		pending,
		tooShort,
		unbounded,
		bounded,
		estimated,
		fewSamples,
	}
	blameDoubts  = append([]doubter{unknownOwners}, shareDoubts...)
	lengthDoubts = []doubter{
		nothingLeft,
		unrecorded,
		withoutLengths,
		damaged,
		unread,
		pending,
		longThreshold,
		unbounded,
		longHidden,
	}
	deadlockDoubts = []doubter{nothingLeft, cutOff, unseenOwners, damaged, unread, unnamedOwners}
)

const recordAll = "record with 'contend record PID', or start the program with " +
	"-XX:StartFlightRecording=settings=contend.jfc after 'contend jfc > contend.jfc'"

// giveTimes is the remedy where the input has no times.
const giveTimes = "give a recording, or several thread dumps with their times in one file or folder"

// decide returns Undecided, with the reason in the result, if a run or its baseline cannot
// decide that the rule holds; else Pass.
func (r *Rule) decide(res *Result, s *Subject, runs, baseline []*Run) Status {
	d := r.named(runs, baseline)
	for _, run := range slices.Concat(runs, baseline) {
		for _, doubt := range r.metric.doubts {
			if d.Reason == "" {
				d = doubt(r, s, run)
			}
		}
	}
	if d.Reason == "" && r.relative {
		d = incomparable(s, runs, baseline)
	}
	if d.Reason == "" && s.unknown {
		d = Doubt{"the variation of the value is unknown", "give longer traces, or three baseline traces"}
	}
	if d.Reason == "" {
		return Pass
	}
	if res.Doubt.Reason == "" {
		res.Doubt = d
	}
	return Undecided
}

// named returns a doubt if no name in any trace matches the rule: the lock may be uncontended,
// or the pattern misspelled.
func (r *Rule) named(runs, baseline []*Run) Doubt {
	if r.metric.names == nil || r.subject == Total {
		return Doubt{}
	}
	var all []string
	for _, run := range slices.Concat(runs, baseline) {
		names := r.metric.names(run)
		if r.subject == "*" || slices.ContainsFunc(names, r.pattern.MatchString) {
			return Doubt{}
		}
		all = append(all, names...)
	}
	what := "no lock in the trace has such a class"
	if r.metric.unit == Ratio && r.metric.name == "blame" {
		what = "no call chain in the trace has such a frame"
	}
	return Doubt{what, cmp.Or(blame.TheNearest(r.subject, all, 3), "check the spelling, or limit '*' or 'total'")}
}

// classNames returns the classes of all locks of the trace, contended or not.
func classNames(run *Run) (names []string) {
	known := run.Trace.Symbols.Classes()
	for id := range known.Len() {
		names = append(names, known.Value(uint32(id)))
	}
	return names
}

// frameNames returns the frames of all call chains.
func frameNames(run *Run) (names []string) {
	seen := map[string]bool{}
	run.Trace.Symbols.EachFrame(func(f format.Frame) {
		if name := f.Class + "." + f.Method; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	})
	return names
}

// warnings are those of the reading and of the analysis.
func (run *Run) warnings() []format.Warning {
	return slices.Concat(run.Stats.Warnings, run.Trace.Coverage.Warnings)
}

// warned returns the first warning that has one of some codes, in order of these.
func (run *Run) warned(codes ...string) (first format.Warning, ok bool) {
	return format.FindWarning(run.warnings(), codes...)
}

// nothingLeft returns a doubt if the filter leaves nothing of the trace: a misspelled filter
// would pass every gate.
func nothingLeft(_ *Rule, _ *Subject, run *Run) Doubt {
	switch {
	case run.Unmatched != "":
		return Doubt{run.Unmatched, "correct or remove the filter"}
	case run.Cut && len(run.Trace.Recorded) == 0 && run.Trace.RunningNs == 0:
		return Doubt{"nothing of the trace lies between --from and --to", "'contend analyze' says how long it is"}
	}
	return Doubt{}
}

// cutOff returns a doubt about deadlocks in a part of a trace: the dump that shows one may lie
// outside.
func cutOff(_ *Rule, _ *Subject, run *Run) Doubt {
	if run.Cut {
		return Doubt{
			"--from and --to may leave out the thread dump that shows one",
			"hold this rule against the whole trace",
		}
	}
	return Doubt{}
}

// unrecorded returns a doubt if the recording leaves out a kind of wait.
func unrecorded(_ *Rule, _ *Subject, run *Run) Doubt {
	if w, ok := run.warned(format.CodeNotRecorded); ok {
		return Doubt{w.Text, recordAll}
	}
	return Doubt{}
}

// unnamedOwners returns a doubt if thread dumps do not show who holds a lock that a thread waits for,
// whatever the reason: it may be a thread that waits for the first.
func unnamedOwners(_ *Rule, _ *Subject, run *Run) Doubt {
	known := run.Trace.Coverage.ByProvenance
	if run.Stats.Unit != format.UnitThreads || known[analysis.ByNothing] == 0 {
		return Doubt{}
	}
	n := known[analysis.ByNothing]
	return Doubt{
		human.Some(int(n), "thread waits", "threads wait") + " for locks whose owners the text does not show",
		run.dumpsHint(),
	}
}

// timeless returns a doubt about shares of the time of an input without times.
func timeless(_ *Rule, _ *Subject, run *Run) Doubt {
	switch run.Stats.Unit {
	case format.UnitDelays:
		return Doubt{"a profile sums waiting without instants, and pressure needs times", "give a recording"}
	case format.UnitAcquisitions:
		return Doubt{
			"the input counts acquisitions, and pressure needs times",
			giveTimes,
		}
	case format.UnitThreads:
		return Doubt{
			"threads seen at an instant do not show for what share of the time they wait",
			giveTimes,
		}
	}
	return Doubt{}
}

// nearLimit returns a doubt about an estimate whose interval has the limit in it.
func nearLimit(_ *Rule, s *Subject, _ *Run) Doubt {
	if !s.near {
		return Doubt{}
	}
	return Doubt{
		"the limit lies within the ± of what the samples show",
		"take more samples: record for longer, or sample more often",
	}
}

// unknownRunning returns a doubt if the running time is known too inaccurately for the limit.
func unknownRunning(r *Rule, s *Subject, run *Run) Doubt {
	if r.relative || !r.above(s.Value, s.Limit) || s.unknown {
		return Doubt{}
	}
	return Doubt{human.Say("the running time of threads is only known to be %v to %v, and the value is a share of it",
		time.Duration(run.Trace.RunningNs), time.Duration(run.Trace.RunningHigh)),
		cmp.Or(unlessComplete(run), "record for longer, or limit waiting(...), which is no share of the running time")}
}

// unlessComplete returns the advice to record all waits if a run has only those from a threshold on,
// else "": the recorder's settings were those that it would name.
func unlessComplete(run *Run) string {
	if run.Trace.Coverage.Threshold > 0 {
		return recordAll
	}
	return ""
}

func damaged(_ *Rule, _ *Subject, run *Run) Doubt {
	if _, ok := run.warned(format.CodeDamagedSource); !ok && run.Stats.Damage.Whole() {
		return Doubt{}
	}
	return Doubt{
		"the input is damaged: the missing part may break the rule",
		"'contend verify' says what is missing; record again",
	}
}

// pending returns a doubt if thread dumps show waits that are missing in the recording.
func pending(_ *Rule, _ *Subject, run *Run) Doubt {
	if w, ok := run.warned(format.CodeUnlinked); ok {
		return Doubt{
			w.Text + ": they had not ended",
			"record for longer, or look at the thread dumps for what is stuck",
		}
	}
	return Doubt{}
}

// unknownOwners returns a doubt if waiting for unknown owners could raise the share above the
// limit.
func unknownOwners(r *Rule, s *Subject, run *Run) Doubt {
	unknown := func(frame string) bool {
		return frame == analysis.PseudoOwner(analysis.OwnerUnknown, 0) || frame == analysis.UnknownStack
	}
	if s.unknown || r.subject == Total || r.pattern.MatchString(analysis.UnknownStack) {
		return Doubt{}
	}
	hidden := r.share(group([]*Run{run}).Owners(unknown)).Value
	if hidden == 0 || !r.above(s.Value+hidden, s.Limit+s.Noise) {
		return Doubt{}
	}
	how := fmt.Sprintf("waiting that is %.2g %% of the running time", 100*hidden)
	if r.unit() == Threads {
		how = fmt.Sprintf("%.2g threads that wait on average", hidden)
	}
	return Doubt{
		"the owners are unknown for " + how,
		run.ownersHint(),
	}
}

// withoutLengths returns a doubt about lengths if waits were only sampled or counted.
func withoutLengths(_ *Rule, _ *Subject, run *Run) Doubt {
	switch {
	case run.Stats.Unit == format.UnitDelays:
		return Doubt{"a profile sums waits: the duration of each is unknown", "give a recording"}
	case run.Stats.Unit != format.UnitTime:
		return Doubt{"the input has counts and no times: its waits have no duration", "give a recording"}
	case run.Trace.Coverage.Samples > 0:
		return Doubt{"samples do not show how long a wait was", "give a recording of the waits themselves"}
	}
	return Doubt{}
}

// unseenOwners returns a doubt about deadlocks if the trace would not show them: a wait is
// recorded when it ends, and in a deadlock it never does.
func unseenOwners(_ *Rule, _ *Subject, run *Run) Doubt {
	switch {
	case run.Stats.Blind != "":
		return Doubt{run.Stats.Blind, run.dumpsHint()}
	case run.Stats.DeadlockDumps > 0 || run.Trace.Coverage.Owned:
		return Doubt{}
	}
	return Doubt{"the trace shows an owner only when the next one acquires the lock", run.dumpsHint()}
}

// incomparable returns a doubt about a change between traces that hide different waits, or if
// neither shows a wait that the rule names.
func incomparable(s *Subject, runs, baseline []*Run) Doubt {
	low, high := int64(math.MaxInt64), int64(0)
	for _, run := range slices.Concat(runs, baseline) {
		low, high = min(low, run.Trace.Coverage.Threshold), max(high, run.Trace.Coverage.Threshold)
	}
	switch {
	case disjoint(runs, baseline):
		return Doubt{
			"the traces do not compare: no class of locks is on both sides",
			"give a baseline of the same program, recorded the same way",
		}
	case high > 0 && low != high:
		return Doubt{
			human.Say(
				"the traces do not compare: one has all waits from %v on, another from %v on",
				time.Duration(low),
				time.Duration(high),
			),
			"record both with the same settings",
		}
	case high > 0 && s.Value == 0 && s.Base == 0:
		return Doubt{
			human.Say(
				"neither side shows such a wait, and those shorter than %v were not recorded",
				time.Duration(high),
			),
			recordAll,
		}
	}
	return Doubt{}
}

// disjoint reports whether both sides have locks, and no class in common.
func disjoint(runs, baseline []*Run) bool {
	classesOf := func(side []*Run) map[string]bool {
		names := map[string]bool{}
		for _, run := range side {
			for _, name := range classNames(run) {
				if name != "" && name[0] != '[' { // a name for the lack of one
					names[name] = true
				}
			}
		}
		return names
	}
	now, before := classesOf(runs), classesOf(baseline)
	for name := range now {
		if before[name] {
			return false
		}
	}
	return len(now) > 0 && len(before) > 0
}
