package gate

import (
	"fmt"
	"math"
	"time"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// The doubts about waits that no recording shows, because they were too short, are hidden by
// the source, or fell between samples. They may raise a value above its limit.

// tooShort returns a doubt if waits below the recording threshold could raise the share above
// the limit. Their number is unbounded but their total is not: a thread waits for one lock at
// a time, so they lie within its running time.
func tooShort(r *Rule, s *Subject, run *Run) Doubt {
	missing := run.shortNs()
	if missing == 0 || r.relative || !r.above(r.upperBound(s.Value, missing, run.Trace), s.Limit+s.Noise) {
		return Doubt{}
	}
	return Doubt{run.shortText(missing), recordAll + ", limit max or p99 above that, or compare with a baseline"}
}

// shortNs returns the upper bound of the waits below the recording threshold, in ns; 0 if there is none.
func (run *Run) shortNs() int64 {
	tr := run.Trace
	if tr.Coverage.Threshold == 0 {
		return 0
	}
	return max(tr.RunningHigh-tr.Coverage.ByProvenance.Ns(), 0)
}

// shortText says what may be missing below the recording threshold.
func (run *Run) shortText(ns int64) string {
	return fmt.Sprintf(
		"waits shorter than %v were not recorded; at most %s of waiting is missing (the time threads ran "+
			"without a recorded wait)",
		time.Duration(run.Trace.Coverage.Threshold),
		human.Say("%v", time.Duration(ns)),
	)
}

// hidden returns the upper bound of the missing waiting, in ns, if the reader knows one, and
// the text of the warning.
func (run *Run) hidden() (ns int64, text string) {
	for _, w := range run.warnings() {
		if w.Hidden > 0 {
			ns, text = ns+w.Hidden, w.Text
		}
	}
	return ns, text
}

// unbounded returns a doubt if the missing waiting has no bound.
func unbounded(_ *Rule, _ *Subject, run *Run) Doubt {
	for _, w := range run.Stats.Warnings {
		if w.Code == format.CodeUnseenSites {
			return Doubt{w.Text, run.pollingHint()}
		}
		if w.Code == format.CodeVirtualThreads && w.Hidden == 0 || w.Code == format.CodeUnlistedThreads {
			return Doubt{
				w.Text,
				"start the program with -XX:StartFlightRecording=settings=contend.jfc after 'contend jfc > " +
					"contend.jfc', or take dumps with 'jcmd " +
					"PID Thread.dump_to_file FILE'",
			}
		}
	}
	return Doubt{}
}

// bounded returns a doubt if the hidden waiting could raise a share above the limit.
func bounded(r *Rule, s *Subject, run *Run) Doubt {
	ns, text := run.hidden()
	if ns == 0 || !r.above(r.upperBound(s.Value, ns, run.Trace), s.Limit+s.Noise) {
		return Doubt{}
	}
	return Doubt{text, hiddenHint}
}

// estimated returns a doubt if waits that the recording knows in part could raise the average above the limit.
func estimated(r *Rule, s *Subject, run *Run) Doubt {
	ns := run.Trace.KnownInPart()
	if ns <= 0 || r.relative || r.interval > 0 || !r.above(r.upperBound(s.Value, ns, run.Trace), s.Limit) {
		return Doubt{}
	}
	return Doubt{
		human.Say(
			"up to %v of waiting is known in part: waits that the recording's start or end cut off, or whose "+
				"beginnings are estimated",
			time.Duration(ns),
		),
		"record for longer: such waits weigh less then",
	}
}

// upperBound returns the value if all hidden time were waiting, and all of it in one interval.
func (r *Rule) upperBound(value float64, hiddenNs int64, tr *analysis.Trace) float64 {
	whole := tr.RunningNs
	switch {
	case r.unit() == Ratio && r.interval > 0:
		return 1
	case r.interval > 0:
		whole = r.interval
	case r.unit() == Threads:
		whole = tr.ElapsedNs
	}
	if whole <= 0 {
		return math.Inf(1)
	}
	most := value + float64(hiddenNs)/float64(whole)
	if r.unit() == Ratio {
		most = min(most, 1)
	}
	return most
}

const hiddenHint = "samples show these waits: 'contend record PID' takes them"

// ruleOfThree over n bounds, at 95 %, the frequency of an event that n samples did not show:
// (1-3/n)^n is a twentieth.
const ruleOfThree = 3

// fewSamples returns a doubt about a share so small that all samples could miss it: below
// ruleOfThree/n with n samples. Each interval has its own samples.
func fewSamples(r *Rule, s *Subject, run *Run) Doubt {
	n, where := float64(run.Trace.Coverage.Samples), ""
	if n == 0 || r.relative {
		return Doubt{}
	}
	if elapsed := run.Trace.ElapsedNs; r.interval > 0 && elapsed > r.interval {
		n, where = n*float64(r.interval)/float64(elapsed), " in each interval"
	}
	switch {
	case s.Limit <= 0:
		return Doubt{
			"no number of samples shows that no thread ever waits",
			"give a recording of the waits themselves, or a limit above 0",
		}
	case n*s.Limit >= ruleOfThree:
		return Doubt{}
	}
	unseen := fmt.Sprintf("shares below %.0f %%", 100*min(1, ruleOfThree/n))
	if r.unit() == Threads {
		unseen = fmt.Sprintf("less than %.2g threads on average", ruleOfThree/n)
	}
	return Doubt{
		fmt.Sprintf("%s%s cannot show %s", human.Some(int(n), "sample", "samples"), where, unseen),
		fmt.Sprintf("take at least %.0f%s", math.Ceil(ruleOfThree/s.Limit), where),
	}
}

// longThreshold returns a doubt about a limit of lengths below the threshold. Above it,
// unrecorded waits keep the limit.
func longThreshold(_ *Rule, s *Subject, run *Run) Doubt {
	if t := run.Trace.Coverage.Threshold; float64(t) > s.Limit {
		return Doubt{
			fmt.Sprintf("waits shorter than %v were not recorded", time.Duration(t)),
			recordAll + ", or raise the limit above that",
		}
	}
	return Doubt{}
}

// longHidden returns a doubt if a single hidden wait could exceed the limit.
func longHidden(r *Rule, s *Subject, run *Run) Doubt {
	if ns, text := run.hidden(); ns > 0 && r.above(float64(ns), s.Limit+s.Noise) {
		return Doubt{text, hiddenHint}
	}
	return Doubt{}
}
