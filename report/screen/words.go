package screen

import (
	"fmt"
	"strings"

	"contend/analysis"
	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// words are the names and units of a trace.
type words struct {
	thread  string // "thread", or the word for it of the program
	names   text.Plain
	counts  bool // the input has no times
	measure text.Measure

	unitIsThreads bool // a thread dump counts the waiters
}

func wordsOf(a *document.Analyze) words {
	w := words{thread: "thread", names: text.PlainOf(a), measure: text.MeasureOf(a.Coverage)}
	if w.names.Paths {
		w.thread = "goroutine"
	}
	w.counts, w.unitIsThreads = w.measure.Counts(), a.Coverage.Unit == string(format.UnitThreads)
	return w
}

func (w *words) threads(n int64) string { return text.Amount(n, w.thread) }

// percent writes a share without decimals, except shares that would read as 0 or 100 %.
func percent(part, whole int64) string {
	v := 100 * float64(part) / float64(max(whole, 1))
	switch {
	case part > 0 && v < 0.5:
		return "<1 %"
	case part < whole && v >= 99.5:
		return ">99 %"
	}
	return fmt.Sprintf("%.0f %%", v)
}

// average writes an average number of waiting threads with its significant digits.
func average(v float64) string {
	switch {
	case v >= 99.5:
		return text.Number(int64(v + 0.5))
	case v >= 9.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 0.095:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.0095:
		return fmt.Sprintf("%.2f", v)
	case v > 0:
		return "<0.01"
	}
	return "0"
}

// amount writes an amount of waiting.
func (w *words) amount(ns int64) string {
	switch {
	case w.unitIsThreads:
		return w.threads(ns)
	case w.counts:
		return w.measure.Text(ns)
	}
	return text.Duration(ns)
}

// The two pseudo owners that the screen treats specially.
var handoff, unknownOwner = analysis.PseudoOwner(
	analysis.OwnerHandoff,
	0,
), analysis.PseudoOwner(
	analysis.OwnerUnknown,
	0,
)

// pseudo explains the pseudo owners.
var pseudo = map[string]string{
	handoff:               "hand-off: free, its next owner not yet running",
	unknownOwner:          "not known from the trace",
	analysis.UnknownStack: "a %s whose stack is not known",
	analysis.PseudoOwner(analysis.OwnerExternal, 0): "a %s that ended holding it",
}

// owner names the owner of a lock.
func (w *words) owner(site string) string {
	if what, ok := pseudo[site]; ok {
		if strings.Contains(what, "%s") {
			what = fmt.Sprintf(what, w.thread)
		}
		return what
	}
	return w.names.Name(strings.Trim(site, "[]"))
}

// known returns the provenance of most owners of some waiting. Inferred owners have their
// probability.
func known(p document.Provenance) string {
	var best document.ProvenancePart
	total := int64(0)
	for _, q := range p.Parts() {
		total += q.Ns
		if q.Ns > best.Ns {
			best = q
		}
	}
	how := best.Name
	if right, ok := p.Right(); ok && best.Ns == p.InferredNs {
		how = fmt.Sprintf("%s, %.0f %%", how, 100*right)
	}
	switch {
	case total == 0:
		return ""
	case best.Ns*2 <= total:
		return "partly " + how
	case below(best.Ns, nearlyAll, total):
		return "mostly " + how
	}
	return how
}
