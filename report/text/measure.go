package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contend/format"
	"contend/format/human"
	"contend/report/document"
)

// Measure says how the weights of a trace are written: as durations or, where the source
// counts, as numbers of its unit.
type Measure struct {
	Waiting string // what rows are ordered by
	Head    string // of the column with it
	many    string // behind a number, "" for time
	one     string // behind 1
	Thread  string // what waits: a thread, or a goroutine
	lasts   bool   // the weights are durations
}

var measures = map[string]Measure{
	document.UnitNs: {
		"waiting time (thread-time; wall-time is the time at least one thread waited)",
		"WAIT",
		"",
		"",
		"thread",
		true,
	},
	string(format.UnitThreads): {
		"threads seen waiting",
		"THREADS",
		"threads seen waiting",
		"thread seen waiting",
		"thread",
		false,
	},
	string(format.UnitAcquisitions): {
		"contended acquisitions",
		"CONTENDED",
		"contended acquisitions",
		"contended acquisition",
		"thread",
		false,
	},
	string(format.UnitDelays): {"waiting time", "WAIT", "of waiting", "", "thread", true},
}

// MeasureOf returns the measure of a document's trace.
func MeasureOf(c document.Coverage) Measure {
	m, ok := measures[c.Unit]
	if !ok {
		m = measures[document.UnitNs]
	}
	if c.Goroutines() {
		for _, words := range []*string{&m.Waiting, &m.Head, &m.many, &m.one, &m.Thread} {
			*words = goroutines.Replace(*words)
		}
	}
	return m
}

// goroutines says of goroutines what else is said of threads.
var goroutines = strings.NewReplacer("thread", "goroutine", "THREAD", "GOROUTINE")

// Counts reports whether weights are written with a unit's name: the source counted, or
// summed durations without instants.
func (m Measure) Counts() bool { return m.many != "" }

// Lasts reports whether the weights are durations.
func (m Measure) Lasts() bool { return m.lasts }

// Counted names what is counted, "" for time.
func (m Measure) Counted() string { return m.many }

// Sums reports whether the source summed durations without instants. It may not know the number of waits.
func (m Measure) Sums() bool { return m.Counts() && m.lasts }

// What names the measure in a title.
func (m Measure) What() string { return cmp.Or(m.many, m.Thread+"-time") }

// Text writes an amount in a sentence.
func (m Measure) Text(ns int64) string {
	switch {
	case m.Sums():
		return Duration(ns) + " " + m.many
	case m.Counts() && ns == 1:
		return "1 " + m.one
	case m.Counts():
		return Number(ns) + " " + m.many
	}
	return Duration(ns)
}

// Amount writes an amount behind a word that says it is waiting.
func (m Measure) Amount(ns int64) string {
	if m.lasts {
		return Duration(ns)
	}
	return m.Text(ns)
}

// Short writes an amount where there is room for a number only.
func (m Measure) Short(ns int64) string {
	if !m.lasts {
		return Number(ns)
	}
	return Duration(ns)
}

// Total is the last line of a table.
func (m Measure) Total(t document.Waiting) string {
	switch {
	case m.Sums() && t.Waits > 0:
		return fmt.Sprintf("total: %s in %s", m.Text(t.WaitNs), Amount(t.Waits, "wait"))
	case m.Counts():
		return "total: " + m.Text(t.WaitNs)
	}
	return fmt.Sprintf("total: %s in %s, wall-time %s", Duration(t.WaitNs), Amount(t.Waits, "wait"), Duration(t.WallNs))
}

// Percentiles are the lengths of waits that tables and pictures show.
var Percentiles = [...]struct {
	Head string
	Of   func(*document.Lengths) int64
}{
	{"P50", func(l *document.Lengths) int64 { return l.P50Ns }},
	{"P90", func(l *document.Lengths) int64 { return l.P90Ns }},
	{"P99", func(l *document.Lengths) int64 { return l.P99Ns }},
	{"P99.9", func(l *document.Lengths) int64 { return l.P999Ns }},
	{"P99.99", func(l *document.Lengths) int64 { return l.P4Ns }},
	{"MAX", func(l *document.Lengths) int64 { return l.MaxNs }},
}

// InOther says how much is in rows, or on edges, whose key is [other], "" when
// nothing.
func InOther(o document.Other, c document.Coverage, rows string) string {
	if o.Ns == 0 {
		return ""
	}
	m := MeasureOf(c)
	return fmt.Sprintf("too many %s to keep all: %s in those of [other]; any other is complete", rows, m.Text(o.Ns))
}

// LeftOut says what the limit left out of a graph, "" when nothing.
func LeftOut(d *document.Graph) string {
	if d.Omitted.Edges == 0 {
		return ""
	}
	return fmt.Sprintf(
		"left out: %s with %s and %s (--top 0 shows all)",
		Amount(int64(d.Omitted.Edges), "edge"),
		MeasureOf(d.Coverage).Text(d.Omitted.ThreadNs),
		Amount(int64(d.Omitted.Nodes), "node"),
	)
}

// LocksLeftOut says what the limit left out of lines of locks, and how long
// threads waited for those in all.
func LocksLeftOut(rest []document.Line) (note string, ns int64) {
	n := 0
	for i := range rest {
		ns += rest[i].WaitNs
		n += rest[i].Locks
	}
	return fmt.Sprintf("left out: %s with %s (--top 0 shows all)", Amount(int64(n), "lock"), Duration(ns)), ns
}

// Known writes how the owners of some waiting are known, the most first: "inferred
// 83 %, unknown 17 %". A narrow column cuts off the least.
func Known(p document.Provenance) string {
	known, total := p.Parts(), int64(0)
	slices.SortStableFunc(known, func(a, b document.ProvenancePart) int { return cmp.Compare(b.Ns, a.Ns) })
	for _, q := range known {
		total += q.Ns
	}
	var parts []string
	for _, q := range known {
		if q.Ns > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", q.Name, 100*float64(q.Ns)/float64(total)))
		}
	}
	return strings.Join(parts, ", ")
}

// Duration writes nanoseconds with three digits: 12.1 s, 310 ms.
func Duration(ns int64) string { return human.Duration(ns) }

// Seconds writes nanoseconds as seconds with three decimals: 0.310 s.
func Seconds(ns int64) string { return fmt.Sprintf("%.3f s", float64(ns)/1e9) }

// Percent writes a ratio: 12.5 %.
func Percent(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

// Number writes a count with a comma between thousands.
func Number(n int64) string { return human.Number(n) }

// Amount writes how many there are of something: 1 edge, 2 edges.
func Amount(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + one + "s"
}

// units are what stands behind a number.
var units = []string{"h", "min", "s", "ms", "µs", "ns", "%", "kB", "MB", "GB"}

// Words splits a sentence where a line may end: not between a number and its unit.
func Words(sentence string) (words []string) {
	number := false
	for word := range strings.FieldsSeq(sentence) {
		if number && slices.Contains(units, strings.TrimRight(word, ",;:.)")) {
			words[len(words)-1] += " " + word
			number = false
			continue
		}
		words = append(words, word)
		last := word[len(word)-1]
		number = '0' <= last && last <= '9'
	}
	return words
}
