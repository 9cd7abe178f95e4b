package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"contend/analysis/dist"
	"contend/analysis/hist"
	"contend/decode"
	"contend/format"
	"contend/report/schema"
)

// headBytes is how much of an input tells an interval log from a trace.
const headBytes = 4096

// areLogs tells whether the inputs are interval logs. They must all be, or
// none. The environment it returns still holds all of standard input.
func (e *env) areLogs(paths []string) (bool, *env, error) {
	logs := 0
	for _, path := range paths {
		var head []byte
		if path == decode.Stdin && e.in != nil {
			in, _, err := decode.Unwrap(e.in, path)
			if err != nil {
				return false, e, err
			}
			head, _ = in.Peek(headBytes)
			e = &env{in: in, out: e.out, msg: e.msg, reading: e.reading}
		} else {
			head = headOf(path)
		}
		if dist.IsLog(head) {
			logs++
		}
	}
	if logs > 0 && logs < len(paths) {
		return false, e, usageError{errors.New("interval logs and traces cannot be read together"), "write the trace as a log first: contend hist TRACE -o waits.hlog"}
	}
	return logs > 0, e, nil
}

// headOf returns the first bytes of a file, decompressed. It leaves pipes
// alone, of which they could not be read again; whoever reads a file says what
// is wrong with it.
func headOf(path string) (head []byte) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	_ = withPlain(path, func(in *bufio.Reader) error {
		head, _ = in.Peek(headBytes)
		head = slices.Clone(head)
		return nil
	})
	return head
}

// withPlain opens a file, decompressed, for as long as use takes.
func withPlain(path string, use func(*bufio.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in, release, err := decode.Unwrap(f, path)
	if err != nil {
		return err
	}
	if release != nil {
		defer release()
	}
	return use(in)
}

// traceFlags select in traces what interval logs do not know.
var traceFlags = []string{"by", "class", "lock", "thread", "min-wait", "rules"}

// noTag is the row of intervals without a tag.
const noTag = "[no tag]"

// logTable sums interval logs by tag.
type logTable struct {
	tag      *regexp.Regexp // nil means all
	from, to int64          // NoTime means open
	rel      [2]bool        // from and to count from the start of each log
	keep     bool           // the intervals, too

	rows      map[string]*hist.Lengths
	start     int64
	intervals []dist.Interval
	faults    []error // of lines that cannot be read
}

func runHistLogs(e *env, o *histOptions) error {
	for _, flag := range traceFlags {
		if o.given(flag) {
			return usageError{fmt.Errorf("--%s: an interval log knows tags only", flag), "select with --tag"}
		}
	}
	filter, err := o.trace.filter()
	if err != nil {
		return err
	}
	t := &logTable{from: filter.From, to: filter.To, rel: [2]bool{filter.FromRel, filter.ToRel}, keep: o.out.format == "hlog",
		rows: map[string]*hist.Lengths{}, start: format.NoTime}
	if o.tag != "" {
		if t.tag, err = regexp.Compile(o.tag); err != nil {
			return usageError{fmt.Errorf("--tag: %w", err), ""}
		}
	}
	if o.given("interval") {
		return usageError{errors.New("--interval: the intervals of a log are given"), ""}
	}
	for _, path := range o.trace.paths {
		if err := t.readFile(e, path); err != nil {
			return err
		}
	}
	for _, err := range t.faults {
		e.warn(err.Error())
	}
	a := t.answer(o)
	if err := o.write(e, a); err != nil {
		return err
	}
	if len(t.faults) > 0 {
		return errDamaged
	}
	return nil
}

func (t *logTable) readFile(e *env, path string) error {
	if path == decode.Stdin {
		return t.read(e.in, "standard input")
	}
	e.reads(path)
	return withPlain(path, func(in *bufio.Reader) error { return t.read(in, path) })
}

// read takes one log. Lines that cannot be read are kept as faults; the error
// is the first fault of a log that has nothing else, or the reader's.
func (t *logTable) read(in io.Reader, name string) error {
	r, good, before := dist.NewLogReader(in, name), 0, len(t.faults)
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
		if t.wants(iv, r.Start()) {
			t.add(iv)
		}
	}
}

// wants tells whether an interval begins within the cut and has a tag asked
// for.
func (t *logTable) wants(iv *dist.Interval, start int64) bool {
	from, to := t.from, t.to
	if t.rel[0] {
		from += start
	}
	if t.rel[1] {
		to += start
	}
	return iv.Start >= from && (t.to == format.NoTime || iv.Start < to) && (t.tag == nil || t.tag.MatchString(iv.Tag))
}

// add gives an interval to its row. Tags that contend wrote for the bounds of
// sampled waits become bounds again.
func (t *logTable) add(iv *dist.Interval) {
	tag, lower := strings.CutSuffix(iv.Tag, hist.AtLeastTag)
	tag, upper := strings.CutSuffix(tag, hist.AtMostTag)
	if tag == "" {
		tag = noTag
	}
	row := t.rows[tag]
	if row == nil {
		row = &hist.Lengths{}
		t.rows[tag] = row
	}
	switch {
	case lower:
		row.AtLeast.Merge(iv.Lengths)
	case upper:
		row.AtMost.Merge(iv.Lengths)
	default:
		row.Exact.Merge(iv.Lengths)
	}
	if t.start == format.NoTime || iv.Start < t.start {
		t.start = iv.Start
	}
	if t.keep {
		iv.Pack()
		t.intervals = append(t.intervals, *iv)
	}
}

// answer corrects for coordinated omission, at the histograms' resolution,
// sums the rows and puts them in order.
func (t *logTable) answer(o *histOptions) *histAnswer {
	var rows []hist.Row
	total := &hist.Lengths{}
	for tag, l := range t.rows {
		l.Corrected = *l.Exact.Corrected(o.expected.Nanoseconds())
		total.Merge(l)
		rows = append(rows, hist.Row{Keys: []string{tag}, Lengths: l})
	}
	hist.Sort(rows)
	a := &histAnswer{total: total, start: max(t.start, 0), intervals: t.intervals}
	a.doc = schema.NewHist([]string{"tag"}, o.expected.Nanoseconds(), rows, total, nil, o.out.top)
	return a
}
