package durations

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"contend/format"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// maxLine bounds a line of a log. The largest histogram, with five digits and a count in
// every bucket, is shorter.
const maxLine = 64 << 20

// year separates absolute from relative stamps if a log does not say which it has: a stamp
// more than a year before the log's start is relative to that start.
const year = int64(365 * 24 * 3600e9)

// LogReader reads HdrHistogram interval logs with V2 compressed histograms, by any writer.
type LogReader struct {
	in       *bufio.Scanner
	pos      format.Pos
	start    int64 // format.NoTime until known
	base     int64 // format.NoTime until known
	labelled bool
	unit     int64
	finished error
}

// NewLogReader returns a reader of a log. unit is the unit of its values, in nanoseconds;
// name is its name in errors.
func NewLogReader(r io.Reader, name string, unit int64) *LogReader {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	return &LogReader{in: in, pos: format.Pos{File: name}, start: format.NoTime, base: format.NoTime, unit: unit}
}

// IsLog reports whether an input with this head is an interval log.
func IsLog(head []byte) bool {
	for line := range bytes.Lines(head) {
		switch {
		case bytes.HasPrefix(line, []byte(`"StartTimestamp"`)),
			bytes.HasPrefix(line, []byte("#[Histogram log")),
			bytes.HasPrefix(line, []byte("#[StartTime:")):
			return true
		case bytes.HasPrefix(line, []byte("#")):
			continue
		}
		fields := bytes.SplitN(bytes.TrimPrefix(line, []byte("Tag=")), []byte(","), 5)
		return len(fields) >= 4 && bytes.HasPrefix(fields[len(fields)-1], []byte("HIST"))
	}
	return false
}

// Start returns the start of the log, in nanoseconds since the epoch: from its head, else
// of its first interval; format.NoTime until one is read.
func (l *LogReader) Start() int64 { return l.start }

// Labelled reports whether the head says that tags begin with their input.
func (l *LogReader) Labelled() bool { return l.labelled }

// Next returns the next interval, or io.EOF. An unreadable line gives a *format.Error that
// wraps ErrCorrupt or ErrVersion; Next then continues with the line after it. ErrLimit, for
// a line that is too long, and ErrTruncated, for truncated compression, end the log.
func (l *LogReader) Next() (*LogLine, error) {
	for l.finished == nil {
		if !l.in.Scan() {
			l.finished = l.end()
			break
		}
		l.pos.Line++
		line := strings.TrimSuffix(l.in.Text(), "\r")
		switch {
		case line == "", strings.HasPrefix(line, `"`):
		case strings.HasPrefix(line, "#"):
			if err := l.comment(line); err != nil {
				return nil, err
			}
		default:
			return l.interval(line)
		}
	}
	return nil, l.finished
}

func (l *LogReader) end() error {
	err := l.in.Err()
	switch {
	case err == nil:
		return io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		l.pos.Line++
		return l.fail("line", format.ErrLimit, "")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return l.fail("line", format.ErrTruncated, "")
	}
	return err
}

func (l *LogReader) fail(what string, err error, hint string) error {
	return &format.Error{Pos: l.pos, What: what, Err: err, Hint: hint}
}

// comment reads the times and tags in a comment. All other comments are for people.
func (l *LogReader) comment(line string) error {
	if line == labelledHead {
		l.labelled = true
	}
	for _, c := range []struct {
		prefix string
		into   *int64
	}{{"#[StartTime: ", &l.start}, {"#[BaseTime: ", &l.base}} {
		rest, ok := strings.CutPrefix(line, c.prefix)
		if !ok {
			continue
		}
		word := rest[:strings.IndexAny(rest+"]", " ]")]
		t, ok := parseSeconds(word)
		if !ok {
			return l.fail(
				strings.Trim(c.prefix, "#[: "),
				fmt.Errorf("%w: %q is not a time", format.ErrCorrupt, word),
				"",
			)
		}
		*c.into = t
	}
	return nil
}

// interval reads Tag=NAME,START,LENGTH,MAX,HISTOGRAM; the tag is optional.
func (l *LogReader) interval(line string) (*LogLine, error) {
	iv := &LogLine{}
	if rest, ok := strings.CutPrefix(line, "Tag="); ok {
		iv.Tag, line, _ = strings.Cut(rest, ",")
	}
	fields := strings.SplitN(line, ",", 4)
	if len(fields) < 4 {
		return nil, l.fail("interval", fmt.Errorf("%w: %d fields of 4", format.ErrCorrupt, len(fields)), "")
	}
	stamp, ok := parseSeconds(fields[0])
	length, ok2 := parseSeconds(fields[1])
	if !ok || !ok2 || length < 0 {
		return nil, l.fail(
			"interval",
			fmt.Errorf("%w: %.40q is not a start and a duration", format.ErrCorrupt, fields[0]+","+fields[1]),
			"",
		)
	}
	iv.Start = l.absolute(stamp)
	iv.End = iv.Start + length
	if !strings.HasPrefix(fields[3], "HISTF") {
		return nil, l.fail(
			"histogram",
			fmt.Errorf("%w: only V2 compressed histograms are", format.ErrVersion),
			"HdrHistogram's own tools convert older logs",
		)
	}
	h, err := hdr.Decode([]byte(fields[3]))
	if err != nil {
		return nil, l.fail("histogram", fmt.Errorf("%w: %v", format.ErrCorrupt, err), "")
	}
	if l.unit > 1 {
		iv.Lengths = scaled(h, l.unit)
		return iv, nil
	}
	iv.Lengths, iv.packed = fromHistogram(h), fields[3]
	return iv, nil
}

// absolute returns the instant of a stamp. If the head does not say, the first stamp
// decides.
func (l *LogReader) absolute(stamp int64) int64 {
	if l.start == format.NoTime {
		l.start = stamp
	}
	if l.base == format.NoTime {
		l.base = 0
		if stamp < l.start-year {
			l.base = l.start
		}
	}
	return stamp + l.base
}

// maxStamp is the largest accepted distance from the epoch, in nanoseconds: the sum of a
// base, a stamp and a duration fits int64.
const maxStamp = int64(math.MaxInt64 / 4)

// parseSeconds parses decimal seconds as nanoseconds and drops further digits. ok is false
// for anything else and for times out of range.
func parseSeconds(s string) (ns int64, ok bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	if frac == "" {
		frac = "0"
	}
	frac = (frac + "00000000")[:9]
	a, err := strconv.ParseUint(whole, 10, 63)
	b, err2 := strconv.ParseUint(frac, 10, 63)
	if err != nil || err2 != nil || a >= uint64(maxStamp/1e9) {
		return 0, false
	}
	ns = int64(a)*1e9 + int64(b)
	if negative {
		ns = -ns
	}
	return ns, true
}

// fromHistogram converts a histogram of any geometry. Like HdrHistogram's log processors,
// it takes the durations of a bucket as the bucket's start. Those above a day count as a
// day.
func fromHistogram(h *hdr.Histogram) *Distribution {
	d := &Distribution{}
	if h.TotalCount() == 0 {
		return d
	}
	if h.SignificantFigures() == digits && h.LowestTrackableValue() == 1 && h.HighestTrackableValue() == Longest {
		d.full = h
	} else {
		beyond := d.histogram().Merge(h)
		_ = d.full.RecordValues(Longest, beyond)
	}
	longest := d.full.Max()
	d.count(min(h.Min(), longest), longest, d.full.TotalCount())
	return d
}

// scaled is fromHistogram for values in another unit than nanoseconds. The durations of a
// bucket count as its end, as in percentiles.
func scaled(h *hdr.Histogram, unit int64) *Distribution {
	d := &Distribution{}
	for _, bar := range h.Distribution() {
		d.RecordN(format.Times(bar.To, unit), bar.Count)
	}
	if d.n > 0 {
		d.min = format.Times(h.Min(), unit)
	}
	return d
}
