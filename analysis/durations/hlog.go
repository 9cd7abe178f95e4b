package durations

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// LogLine is one line of an interval log: the durations of one tag in [Start, End), in
// nanoseconds since the Unix epoch.
type LogLine struct {
	Tag        string // "" for none
	Start, End int64
	Lengths    *Distribution // nil while packed

	packed string // the encoded histogram
	max    int64  // of a packed interval
}

// Pack drops the durations of an interval that was read from a log and keeps their text: a
// histogram takes 300 KB, its text a few hundred bytes.
func (iv *LogLine) Pack() {
	if iv.packed != "" && iv.Lengths != nil {
		iv.max, iv.Lengths = iv.Lengths.Max(), nil
	}
}

// unpack returns the durations of an interval, packed or not.
func (iv *LogLine) unpack() (*Distribution, error) {
	if iv.Lengths != nil {
		return iv.Lengths, nil
	}
	h, err := hdr.Decode([]byte(iv.packed))
	if err != nil {
		return nil, err
	}
	return fromHistogram(h), nil
}

// InputKey is the key by which several inputs are distinguished. The tags of a labelled log
// begin with it.
const InputKey = "input"

// TagSep separates the keys of a tag.
const TagSep = ";"

// JoinTag returns a tag that begins with its input.
func JoinTag(input, rest string) string {
	input = strings.ReplaceAll(input, TagSep, "_")
	if rest == "" {
		return input
	}
	return input + TagSep + rest
}

// SplitTag reverses JoinTag.
func SplitTag(tag string) (input, rest string) {
	input, rest, _ = strings.Cut(tag, TagSep)
	return input, rest
}

// Head is the head of a log.
type Head struct {
	Start    int64 // the instant intervals count from
	Labelled bool  // tags begin with their input
}

// labelledHead marks a labelled log. Other readers skip it as a comment.
const labelledHead = "#[Tags: " + InputKey + TagSep + "...]"

// LogWriter writes an interval log in HdrHistogram's format 1.3 with V2
// compressed histograms of nanoseconds, as its log processors read it.
type LogWriter struct {
	w    io.Writer
	base int64
}

// NewLogWriter writes the head of a log. The error is the writer's.
func NewLogWriter(w io.Writer, head Head) (*LogWriter, error) {
	const ms = 1_000_000
	l := &LogWriter{w: w, base: head.Start - ((head.Start%ms)+ms)%ms}
	tags := ""
	if head.Labelled {
		tags = labelledHead + "\n"
	}
	base := strings.TrimSuffix(seconds(l.base), "000000") // the format has milliseconds here
	_, err := fmt.Fprintf(
		w,
		"#[Logged by contend: waiting times in nanoseconds]\n#[Histogram log format version %s]\n%s"+
			"#[StartTime: %s (seconds since epoch), %s]\n#[BaseTime: %s (seconds since epoch)]\n"+
			"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		hdr.HISTOGRAM_LOG_FORMAT_VERSION,
		tags,
		base,
		time.Unix(0, l.base).UTC().Format(time.RFC3339Nano),
		base,
	)
	return l, err
}

// WriteAll writes intervals in order of their start, as readers expect. It merges intervals
// of one tag and time.
func (l *LogWriter) WriteAll(list []LogLine) error {
	slices.SortStableFunc(list, func(a, b LogLine) int { return a.compare(&b) })
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].compare(&list[from]) == 0 {
			to++
		}
		iv, err := merged(list[from:to])
		if err == nil {
			err = l.Write(iv)
		}
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (iv *LogLine) compare(o *LogLine) int {
	return cmp.Or(cmp.Compare(iv.Start, o.Start), strings.Compare(iv.Tag, o.Tag), cmp.Compare(iv.End, o.End))
}

// merged merges intervals of one tag and time.
func merged(list []LogLine) (*LogLine, error) {
	if len(list) == 1 {
		return &list[0], nil
	}
	out := &LogLine{Tag: list[0].Tag, Start: list[0].Start, End: list[0].End, Lengths: &Distribution{}}
	for i := range list {
		d, err := list[i].unpack()
		if err != nil {
			return nil, err
		}
		out.Lengths.Merge(d)
	}
	return out, nil
}

// Write writes a line.
func (l *LogWriter) Write(iv *LogLine) error {
	payload, longest := []byte(iv.packed), iv.max
	if iv.Lengths != nil {
		var err error
		if payload, err = iv.Lengths.encode(); err != nil {
			return fmt.Errorf("histogram of tag %q: %w", iv.Tag, err)
		}
		longest = iv.Lengths.Max()
	}
	tag := ""
	if iv.Tag != "" {
		tag = "Tag=" + LogTag(iv.Tag) + ","
	}
	_, err := fmt.Fprintf(
		l.w,
		"%s%s,%s,%.3f,%s\n",
		tag,
		seconds(iv.Start-l.base),
		seconds(iv.End-iv.Start),
		float64(longest)/1e6,
		payload,
	)
	return err
}

// encode returns the V2 compressed form. A short list does not become a full histogram.
func (d *Distribution) encode() ([]byte, error) {
	if d.full != nil {
		if d.full.HighestTrackableValue() != Longest {
			d = d.Copy()
		}
		return d.histogram().EncodeV2()
	}
	h := hdr.NewPacked(1, Longest, digits)
	for _, ns := range d.raw {
		_ = h.RecordValue(min(ns, Longest))
	}
	return h.Encode()
}

// LogTag returns a tag that the format can hold: commas, spaces and unprintable characters
// become underscores.
func LogTag(tag string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || r == ' ' || r == utf8.RuneError || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, tag)
}

// seconds writes nanoseconds as decimal seconds, exactly.
func seconds(ns int64) string {
	sign := ""
	s, frac := ns/1e9, ns%1e9
	if ns < 0 {
		sign = "-"
		s = -s
		frac = -frac
	}
	return fmt.Sprintf("%s%d.%09d", sign, s, frac)
}

// WritePercentiles writes the distribution as .hgrm text: value in milliseconds,
// percentile, count and 1/(1-percentile), in five steps for each halving of the distance to
// 100 %.
func (d *Distribution) WritePercentiles(w io.Writer) error {
	_, err := d.Copy().histogram().PercentilesPrint(w, 5, 1e6)
	return err
}

// Copy returns an independent copy.
func (d *Distribution) Copy() *Distribution {
	out := &Distribution{}
	out.Merge(d)
	return out
}
