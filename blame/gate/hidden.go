package gate

import (
	"fmt"
	"math"
	"slices"
	"time"

	"contend/analysis"
	"contend/format"
	"contend/format/human"
)

// Waits that no recording has, because they were too short for it, because it
// hides them, or because no sample shows them, may lift a value above its limit.

// tooShort returns a doubt if waits below the recording threshold could raise the share above
// the limit. Their number is unbounded but their total is not: a thread waits for one lock at a
// time, so they lie within its running time.
func tooShort(r *Rule, s *Subject, run *Run) Doubt {
	tr := run.Trace
	if tr.Coverage.Threshold == 0 || r.relative {
		return Doubt{}
	}
	most := max(tr.RunningHigh-tr.Coverage.ByProvenance.Ns(), 0)
	if !r.above(r.atMost(s.Value, most, tr), s.Limit+s.Noise) {
		return Doubt{}
	}
	return Doubt{fmt.Sprintf("waits shorter than %v were not recorded, and any number of them may be missing, for %s in all: so long threads ran and were not seen waiting", time.Duration(tr.Coverage.Threshold), human.Say("%v", time.Duration(most))),
		recordAll + ", limit max or p99 above that, or compare with a baseline"}
}

// hidden is how much waiting may be missing at most, in ns, where the reader
// can tell; says is the warning.
func (run *Run) hidden() (ns int64, says string) {
	for _, w := range slices.Concat(run.Stats.Warnings, run.Trace.Coverage.Warnings) {
		if w.Hidden > 0 {
			ns, says = ns+w.Hidden, w.Text
		}
	}
	return ns, says
}

// unbounded doubts what threads may break whose waits nothing bounds.
func unbounded(_ *Rule, _ *Subject, run *Run) Doubt {
	for _, w := range run.Stats.Warnings {
		if w.Code == format.CodeUnseenSites {
			return Doubt{w.Text, hiddenSites}
		}
		if w.Code == format.CodeVirtualThreads && w.Hidden == 0 || w.Code == format.CodeUnlistedThreads {
			return Doubt{w.Text, "start the program with -XX:StartFlightRecording=settings=contend.jfc after 'contend jfc > contend.jfc', or take dumps with 'jcmd PID Thread.dump_to_file FILE'"}
		}
	}
	return Doubt{}
}

// bounded doubts a share that what is hidden could lift above the limit.
func bounded(r *Rule, s *Subject, run *Run) Doubt {
	ns, says := run.hidden()
	if ns == 0 || !r.above(r.atMost(s.Value, ns, run.Trace), s.Limit+s.Noise) {
		return Doubt{}
	}
	return Doubt{says, hiddenHint}
}

// atMost is what a share would be if all that is hidden were waiting, and of
// intervals, if all of it lay in one.
func (r *Rule) atMost(value float64, hiddenNs int64, tr *analysis.Trace) float64 {
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

const hiddenSites = "give a recording that shows sleeping and running threads: 'contend record --with both', or thread dumps"

const hiddenHint = "samples show these waits: 'contend record PID' takes them"

// ofNone over n bounds, at 95 %, how often something happens that n samples did not
// show: the rule of three, since (1-3/n)^n is a twentieth.
const ofNone = 3

// fewSamples doubts a share so small that a thread could well wait for it and
// be missed by every sample: where n see nothing, it is below ofNone/n. Of
// intervals each has its own samples.
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
		return Doubt{"no number of samples tells that nobody ever waits", "give a recording of the waits themselves, or a limit above 0"}
	case n*s.Limit >= ofNone:
		return Doubt{}
	}
	least := fmt.Sprintf("shares below %.0f %%", 100*min(1, ofNone/n))
	if r.unit() == Threads {
		least = fmt.Sprintf("less than %.2g threads on average", ofNone/n)
	}
	return Doubt{fmt.Sprintf("%s%s cannot tell %s", human.Some(int(n), "sample", "samples"), where, least), fmt.Sprintf("take at least %.0f%s", math.Ceil(ofNone/s.Limit), where)}
}

// longThreshold doubts a limit of lengths below the threshold. All waits that a
// shorter one hides are shorter than those that are seen, and keep the limit.
func longThreshold(_ *Rule, s *Subject, run *Run) Doubt {
	if t := run.Trace.Coverage.Threshold; float64(t) > s.Limit {
		return Doubt{fmt.Sprintf("waits shorter than %v were not recorded", time.Duration(t)), recordAll + ", or raise the limit above that"}
	}
	return Doubt{}
}

// longHidden doubts a limit that a single hidden wait could break.
func longHidden(r *Rule, s *Subject, run *Run) Doubt {
	if ns, says := run.hidden(); ns > 0 && r.above(float64(ns), s.Limit+s.Noise) {
		return Doubt{says, hiddenHint}
	}
	return Doubt{}
}
