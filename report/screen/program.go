package screen

import (
	"strings"

	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// words are what things of a trace are called.
type words struct {
	thread  string // "thread", or what the program has instead
	paths   bool   // names have paths instead of packages: a Go program's
	counts  bool   // nothing is known of time
	measure text.Measure

	unitIsThreads bool // a thread dump counts who waits
}

func wordsOf(a *document.Analyze) words {
	w := words{thread: "thread", measure: text.MeasureOf(a.Coverage)}
	converted := len(a.Locks) > 0 && strings.HasPrefix(a.Locks[0].Class, "sync.") // a Go trace in another format
	if document.Goroutines(a.Trace.Format) || converted {
		w.thread, w.paths = "goroutine", true
	}
	w.counts, w.unitIsThreads = w.measure.Counts(), a.Coverage.Unit == string(format.UnitThreads)
	return w
}
