package table

import (
	"fmt"
	"strconv"
	"strings"

	"contend/report/document"
	"contend/report/text"
)

// Name is a cell that holds a name from the trace.
func Name(s string) Cell { return Cell{s, s} }

// none is an absent value.
var none = Cell{"-", ""}

// qualified is a cell that holds a class.
func qualified(name string) Cell { return Cell{text.Class(name), name} }

// siteCell is a cell that holds a method, or a line of it.
func siteCell(site string) Cell { return Cell{text.Method(site), site} }

// inCSV makes a value safe to open in a spreadsheet, which would run a name as a formula.
func inCSV(s string) string {
	s = text.Sanitize(s)
	if _, err := strconv.ParseFloat(s, 64); err != nil && s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

// Count is a cell that holds a number of things.
func Count(n int64) Cell { return Cell{text.Number(n), strconv.FormatInt(n, 10)} }

// moreRows writes the number of omitted rows.
func moreRows(n int) string { return text.Amount(int64(n), "more row") }

// Time is a cell that holds a duration in nanoseconds.
func Time(ns int64) Cell { return Cell{text.Duration(ns), strconv.FormatInt(ns, 10)} }

// Length is a cell that holds the duration of waits; sampled waits have none.
func Length(ns int64) Cell {
	if ns == 0 {
		return none
	}
	return Time(ns)
}

// Share is a cell that holds part as a percentage of whole.
func Share(part, whole int64) Cell {
	if whole == 0 {
		return Cell{"-", "0"}
	}
	return Percent(float64(part) / float64(whole))
}

// Percent is a cell that holds a ratio.
func Percent(v float64) Cell {
	return Cell{text.Percent(v), strconv.FormatFloat(v, 'f', 6, 64)}
}

// measure writes the weights of a trace in cells.
type measure struct {
	text.Measure
	places   document.Places
	coverage *document.Coverage
}

func measureOf(c document.Coverage) measure { return measure{text.MeasureOf(c), c.Places(), &c} }

// lock is a cell that holds a lock.
func (m measure) lock(name string) Cell { return Cell{text.Lock(name, m.places), name} }

// key is a cell that holds the value of a key of blame.
func (m measure) key(by, key string) Cell {
	switch document.NamedBy(by) {
	case document.NamedLock:
		return m.lock(key)
	case document.NamedClass:
		return qualified(key)
	case document.NamedCallers:
		if shown := text.Chain(key); document.Placed(shown) {
			return Cell{"< " + shown, key}
		}
	case document.NamedPlace:
		return siteCell(key)
	case document.NamedDoing:
		if key == document.DoingUnknown {
			return Cell{none.Text, key}
		}
	}
	return Name(key)
}

// cell is a cell that holds an amount of waiting.
func (m measure) cell(ns int64) Cell {
	if m.Counts() && !m.Lasts() {
		return Count(ns)
	}
	return Time(ns)
}

// wall is a cell that holds wall-time; counts have none.
func (m measure) wall(ns int64) Cell {
	if m.Counts() {
		return none
	}
	return Time(ns)
}

// waits is a cell that holds a number of waits; not all sums of waiting have one.
func (m measure) waits(n int64) Cell {
	if m.Sums() && n == 0 {
		return none
	}
	return Count(n)
}

// rate is a cell that holds a number per second.
func rate(n, durationNs int64) Cell {
	if durationNs <= 0 {
		return none
	}
	v := float64(n) * 1e9 / float64(durationNs)
	return Cell{fmt.Sprintf("%.1f", v), fmt.Sprintf("%.6f", v)}
}
