package waits

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"contend/analysis/durations"
	"contend/blame"
)

// finish counts the sampled waits that have not ended.
func (c *Collector) finish() {
	for _, w := range c.open {
		c.close(w)
	}
}

// By returns the names of the keys.
func (c *Collector) By() []string {
	names := make([]string, len(c.by))
	for i := range c.by {
		names[i] = c.by[i].String()
	}
	return names
}

// Rows returns the rows in descending order of waiting time, ties by key.
func (c *Collector) Rows() []Row {
	c.finish()
	rows := make([]Row, 0, len(c.rows))
	for i, l := range c.rows {
		rows = append(rows, Row{Keys: c.texts(i), Lengths: l})
	}
	Sort(rows)
	return rows
}

// Sort puts rows in descending order of waiting time, ties by key.
func Sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(b.Lengths.weight(), a.Lengths.weight()),
			cmp.Compare(b.Lengths.Waits(), a.Lengths.Waits()),
			slices.Compare(a.Keys, b.Keys),
		)
	})
}

// weight is the waiting time of all waits, with the upper bound of sampled ones.
func (l *Lengths) weight() float64 {
	w := 0.0
	for _, d := range []*durations.Distribution{&l.Exact, &l.AtMost} {
		w += float64(d.Mean()) * float64(d.Count())
	}
	return w
}

// Total returns the lengths of all waits.
func (c *Collector) Total() *Lengths {
	c.finish()
	return &c.total
}

func (c *Collector) texts(row int) []string {
	texts := make([]string, len(c.by))
	for i, id := range c.index.IDs(row) {
		texts[i], _ = c.keys.Text(c.by[i], id)
	}
	return texts
}

// The endings of the tags of sampled waits: a log has both bounds of their lengths.
const (
	AtLeastTag = ":at-least"
	AtMostTag  = ":at-most"
)

// tag joins a row's keys to a tag of a log. If the first key is the input, a reader of the
// log can split it off again.
func (c *Collector) tag(texts []string, ending string) string {
	if c.by[0] == blame.ByInput {
		return durations.JoinTag(texts[0], strings.Join(texts[1:], durations.TagSep)+ending)
	}
	return strings.Join(texts, durations.TagSep) + ending
}

// Start returns the begin of the first interval, ns.
func (c *Collector) Start() int64 { return c.start }

// OverTime returns the lengths of all waits by interval, in order of time; empty intervals
// have no row.
func (c *Collector) OverTime() []Row {
	c.finish()
	sums := map[int64]*Lengths{}
	for p, l := range c.byInterval {
		blame.Entry(sums, p.interval).Merge(l)
	}
	return InOrder(sums, c.start, c.interval)
}

// InOrder returns a row for each numbered interval, in order of time. Its key is the distance
// of the interval from start.
func InOrder(sums map[int64]*Lengths, start, length int64) (rows []Row) {
	for _, n := range slices.Sorted(maps.Keys(sums)) {
		key := strconv.FormatFloat(float64(n*length)/1e9, 'f', -1, 64) + " s"
		rows = append(
			rows,
			Row{Keys: []string{key}, Start: start + n*length, End: start + (n+1)*length, Lengths: sums[n]},
		)
	}
	return rows
}

// Intervals returns the lengths of each row in each interval, in no order; empty ones are
// left out. A tag is the row's keys.
func (c *Collector) Intervals() []durations.LogLine {
	c.finish()
	out := make([]durations.LogLine, 0, len(c.byInterval))
	for p, l := range c.byInterval {
		from := c.start + p.interval*c.interval
		texts := c.texts(p.row)
		for _, d := range []struct {
			ending  string
			lengths *durations.Distribution
		}{{"", &l.Exact}, {AtLeastTag, &l.AtLeast}, {AtMostTag, &l.AtMost}} {
			if d.lengths.Count() > 0 {
				out = append(
					out,
					durations.LogLine{Tag: c.tag(texts, d.ending), Start: from, End: from + c.interval,
						Lengths: d.lengths},
				)
			}
		}
	}
	return out
}
