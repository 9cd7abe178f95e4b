package cmd

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"contend/analysis"
	"contend/analysis/durations"
	"contend/blame/waits"
	"contend/decode"
	"contend/format"
	"contend/report/document"
)

// traceFlags are the flags that have no meaning for interval logs.
var traceFlags = []string{"class", "lock", "thread", "min-wait", "lock-rules", "app"}

// noTag is the row of intervals without a tag.
const noTag = "[no tag]"

// tagKey is the key that separates the waits of a log, besides the input.
const tagKey = "tag"

// logKeys reads a list of the keys that logs have.
func logKeys(list string) ([]string, error) {
	keys := strings.Split(list, ",")
	for i, k := range keys {
		if k = strings.TrimSpace(k); k != tagKey && k != durations.InputKey {
			return nil, usageError{
				fmt.Errorf("--by: an interval log has no key %q", k),
				"choose from " + durations.InputKey + ", " + tagKey,
			}
		}
		if slices.Contains(keys[:i], k) {
			return nil, usageError{fmt.Errorf("--by: key %q is given twice", k), ""}
		}
		keys[i] = k
	}
	return keys, nil
}

// logTable sums interval logs by tag, by input or by both.
type logTable struct {
	by       []string
	tag      *regexp.Regexp // nil means all
	from, to int64          // NoTime means open
	rel      [2]bool        // from and to count from the start of each log
	keep     bool           // keep the intervals, too
	unit     int64          // of lengths, ns
	interval int64          // width of a row in ns, from the start of the first log; 0 for no intervals

	rows      map[[2]string]*waits.Lengths
	parts     map[int64]*waits.Lengths // by interval
	base      int64                    // the intervals count from here
	start     int64
	intervals []durations.LogLine
	tags      map[string]bool
	faults    []error // of lines that cannot be read
}

func runHistLogs(e *env, o *histOptions) error {
	for _, flag := range traceFlags {
		if o.given(flag) {
			return usageError{fmt.Errorf("--%s: an interval log knows tags only", flag), "select with --tag"}
		}
	}
	by := []string{tagKey}
	if o.given("by") {
		var err error
		if by, err = logKeys(o.by); err != nil {
			return err
		}
	}
	filter, err := o.trace.filter()
	if err != nil {
		return err
	}
	t := &logTable{
		tag:   o.tag.re,
		unit:  units[o.unit],
		parts: map[int64]*waits.Lengths{},
		base:  format.NoTime,
		by:    by,
		from:  filter.From,
		to:    filter.To,
		rel:   [2]bool{filter.FromRel, filter.ToRel},
		keep:  o.out.format == "hlog",
		rows:  map[[2]string]*waits.Lengths{},
		tags:  map[string]bool{},
		start: format.NoTime,
	}
	if o.overTime() {
		t.interval = o.interval.Nanoseconds()
	} else if o.given("interval") {
		return usageError{errors.New("--interval: the intervals of a log that is written again are given"),
			"leave it out"}
	}
	for i, path := range o.trace.paths {
		if err := t.readFile(e, path, o.labels[i]); err != nil {
			return err
		}
	}
	for _, err := range t.faults {
		e.warn(err.Error())
	}
	e.noMatch(&o.tag, func() []string { return slices.Collect(maps.Keys(t.tags)) })
	a := t.answer(o)
	if err := write(e, &o.out, histOutputs, a); err != nil {
		return err
	}
	if len(t.faults) > 0 {
		return errDamaged
	}
	return nil
}

func (t *logTable) readFile(e *env, path, label string) error {
	if path == decode.Stdin {
		return t.read(e.in, "standard input", label)
	}
	e.reads(path)
	return withPlain(path, func(in *bufio.Reader) error { return t.read(in, path, label) })
}

// read takes one log. Lines that cannot be read are kept as faults; the error
// is the first fault of a log that has nothing else, or the reader's.
func (t *logTable) read(in io.Reader, name, label string) error {
	r := durations.NewLogReader(in, name, t.unit)
	good := 0
	before := len(t.faults)
	for {
		iv, err := r.Next()
		var fault *format.Error
		switch {
		case errors.Is(err, io.EOF) && good == 0 && len(t.faults) > before:
			return t.faults[before]
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, format.ErrTruncated) && good > 0:
			t.faults = append(t.faults, err)
			return nil
		case errors.Is(err, format.ErrTruncated):
			return err
		case errors.Is(err, format.ErrLimit), err != nil && !errors.As(err, &fault):
			return err
		case err != nil:
			t.faults = append(t.faults, err)
			continue
		}
		good++
		if t.base == format.NoTime {
			t.base = r.Start()
		}
		t.tags[iv.Tag] = true
		if t.wants(iv, r.Start()) {
			input, tag := label, iv.Tag
			if r.Labelled() {
				input, tag = durations.SplitTag(tag)
			}
			t.addInterval(iv, input, tag)
		}
	}
}

// wants reports whether an interval begins within the cut, including its end, and has a
// requested tag.
func (t *logTable) wants(iv *durations.LogLine, start int64) bool {
	from, to := analysis.Instant(t.from, t.rel[0], start), analysis.Instant(t.to, t.rel[1], start)
	return iv.Start >= from && (t.to == format.NoTime || iv.Start <= to) && (t.tag == nil || t.tag.MatchString(iv.Tag))
}

// addInterval gives an interval to its row, or keeps it under the row's tag. Tags that
// contend wrote for the bounds of sampled waits become bounds again.
func (t *logTable) addInterval(iv *durations.LogLine, input, tag string) {
	if t.start == format.NoTime || iv.Start < t.start {
		t.start = iv.Start
	}
	name, lower := strings.CutSuffix(tag, waits.AtLeastTag)
	name, upper := strings.CutSuffix(name, waits.AtMostTag)
	if t.keep {
		if iv.Tag = tag; !slices.Contains(t.by, tagKey) {
			iv.Tag = tag[len(name):]
		}
		if slices.Contains(t.by, durations.InputKey) {
			iv.Tag = durations.JoinTag(input, iv.Tag)
		}
		iv.Pack()
		t.intervals = append(t.intervals, *iv)
		return
	}
	l := t.row(input, cmp.Or(name, noTag), iv.Start)
	switch {
	case lower:
		l.AtLeast.Merge(iv.Lengths)
	case upper:
		l.AtMost.Merge(iv.Lengths)
	default:
		l.Exact.Merge(iv.Lengths)
	}
}

// row returns the distributions of a combination of keys, or of an interval.
func (t *logTable) row(input, tag string, start int64) *waits.Lengths {
	if t.interval > 0 {
		n := (start - t.base) / t.interval
		if start < t.base && (start-t.base)%t.interval != 0 {
			n-- // a later log may begin earlier
		}
		if t.parts[n] == nil {
			t.parts[n] = &waits.Lengths{}
		}
		return t.parts[n]
	}
	var k [2]string
	for i, by := range t.by {
		k[i] = tag
		if by == durations.InputKey {
			k[i] = input
		}
	}
	if t.rows[k] == nil {
		t.rows[k] = &waits.Lengths{}
	}
	return t.rows[k]
}

// answer corrects for coordinated omission, at the histograms' resolution,
// sums the rows and puts them in order.
func (t *logTable) answer(o *histOptions) *histAnswer {
	var rows []waits.Row
	by, total := t.by, &waits.Lengths{}
	for k, l := range t.rows {
		rows = append(rows, waits.Row{Keys: k[:len(t.by)], Lengths: l})
	}
	if t.interval > 0 {
		by, rows = []string{intervalKey}, waits.InOrder(t.parts, t.base, t.interval)
	} else {
		waits.Sort(rows)
	}
	for _, r := range rows {
		r.Lengths.Corrected = *r.Lengths.Exact.Corrected(o.expected.Nanoseconds())
		total.Merge(r.Lengths)
	}
	a := &histAnswer{
		total:     total,
		head:      durations.Head{Start: max(t.start, 0), Labelled: slices.Contains(t.by, durations.InputKey)},
		intervals: t.intervals,
	}
	a.Hist = document.NewHist(by, o.expected.Nanoseconds(), rows, total, nil, o.top())
	return a
}
