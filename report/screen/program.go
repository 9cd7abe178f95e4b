package screen

import (
	"contend/format"
	"contend/report/document"
	"contend/report/text"
)

// words are what things of a trace are called.
type words struct {
	thread  string // "thread", or what the program has instead
	names   text.Plain
	counts  bool // nothing is known of time
	measure text.Measure

	unitIsThreads bool // a thread dump counts who waits
}

func wordsOf(a *document.Analyze) words {
	w := words{thread: "thread", names: text.PlainOf(a), measure: text.MeasureOf(a.Coverage)}
	if w.names.Paths {
		w.thread = "goroutine"
	}
	w.counts, w.unitIsThreads = w.measure.Counts(), a.Coverage.Unit == string(format.UnitThreads)
	return w
}
