package durations

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

const start = int64(1_700_000_000_123_456_789)

// sample writes a log of three intervals, two tags and one of none.
func sample(t testing.TB) ([]LogLine, []byte) {
	t.Helper()
	many := &Distribution{}
	for i := range int64(3 * listMax) {
		many.Record(1000 + i*997)
	}
	list := []LogLine{
		{Tag: "Cache@a", Start: start, End: start + 1e9, Lengths: distOf(1, 20, 300, 4000, 5_000_000)},
		{Tag: "Journal", Start: start, End: start + 1e9, Lengths: many},
		{Tag: "Cache@a", Start: start + 1e9, End: start + 2e9, Lengths: distOf(7, 7, 0)},
		{Start: start + 5e9, End: start + 5e9 + 1, Lengths: distOf(86_400e9)},
	}
	var out bytes.Buffer
	w := golden.Must(NewLogWriter(&out, Head{Start: start}))(t)
	for i := range list {
		golden.OK(t, w.Write(&list[i]))
	}
	return list, out.Bytes()
}

// A written log reads back: the same instants to the nanosecond, the same tags, and equal
// histograms.
func TestLogRoundTrips(t *testing.T) {
	want, text := sample(t)
	if !IsLog(text) {
		t.Error("the log is not recognised")
	}
	r := NewLogReader(bytes.NewReader(text), "x.hlog", 1)
	for i := range want {
		got := golden.Must(r.Next())(t)
		if got.Tag != want[i].Tag || got.Start != want[i].Start || got.End != want[i].End {
			t.Errorf(
				"%q [%d, %d), want %q [%d, %d)",
				got.Tag,
				got.Start,
				got.End,
				want[i].Tag,
				want[i].Start,
				want[i].End,
			)
		}
		if !got.Lengths.histogram().Equals(want[i].Lengths.Copy().histogram()) {
			t.Errorf("interval %d differs", i)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// The library's own reader agrees on tags, times and every bucket.
func TestLibraryReadsTheLog(t *testing.T) {
	want, text := sample(t)
	r := hdr.NewHistogramLogReader(bytes.NewReader(text))
	for i := range want {
		h, err := r.NextIntervalHistogram()
		if err != nil || h == nil {
			t.Fatalf("interval %d: %v", i, err)
		}
		off := h.StartTimeMs() - want[i].Start/1e6
		if h.Tag() != want[i].Tag || max(off, -off) > 1 || !h.Equals(want[i].Lengths.Copy().histogram()) {
			t.Errorf("interval %d: tag %q at %d ms, %d lengths", i, h.Tag(), h.StartTimeMs(), h.TotalCount())
		}
	}
	if h, err := r.NextIntervalHistogram(); h != nil || err != nil {
		t.Errorf("after the end: %v, %v", h, err)
	}
}

// Logs in any order merge into one in order of time, with one line for each tag and time,
// packed or not.
func TestLogsMerge(t *testing.T) {
	_, text := sample(t)
	var list []LogLine
	for pass := range 2 {
		r := NewLogReader(bytes.NewReader(text), "x.hlog", 1)
		for iv, err := r.Next(); err != io.EOF; iv, err = r.Next() {
			golden.OK(t, err)
			if pass == 0 {
				iv.Pack()
			}
			if iv.Tag != "" || pass == 0 {
				list = append([]LogLine{*iv}, list...)
			}
		}
	}
	var out bytes.Buffer
	w := golden.Must(NewLogWriter(&out, Head{Start: start}))(t)
	golden.OK(t, w.WriteAll(list))
	var got []string
	r := NewLogReader(&out, "merged.hlog", 1)
	for iv, err := r.Next(); err != io.EOF; iv, err = r.Next() {
		golden.OK(t, err)
		got = append(got, fmt.Sprintf("%s@%d:%d", iv.Tag, (iv.Start-start)/1e9, iv.Lengths.Count()))
	}
	golden.Equal(t, fmt.Sprint(got), fmt.Sprintf("[Cache@a@0:10 Journal@0:%d Cache@a@1:6 @5:1]", 6*listMax), got)
}

// A tag cannot hold what separates fields.
func TestTagsCannotBreakALine(t *testing.T) {
	var out bytes.Buffer
	w, err := NewLogWriter(&out, Head{})
	golden.OK(t, err)
	golden.OK(t, w.Write(&LogLine{Tag: "a,b c\n#[StartTime: 9]", End: 1e9, Lengths: distOf(5)}))
	iv, err := NewLogReader(&out, "x.hlog", 1).Next()
	if err != nil || iv.Tag != "a_b_c_#[StartTime:_9]" || iv.Start != 0 {
		t.Errorf("%+v, %v", iv, err)
	}
}

// logTruth is what HdrHistogram's Java reader finds in a log.
type logTruth struct {
	StartTimeSec float64 `json:"start_time_sec"`
	PerTag       map[string]struct {
		Intervals  int
		TotalCount int64 `json:"total_count"`
		Min, Max   int64
		Mean       float64
		P50, P99   int64
		P999       int64 `json:"p99_9"`
		FirstStart int64 `json:"first_start_ms"`
		LastEnd    int64 `json:"last_end_ms"`
	} `json:"per_tag"`
}

// A log by jHiccup has the values that HdrHistogram's Java reader finds.
func TestLogOfJHiccupHasItsTruth(t *testing.T) {
	const path = "../../../shared/fixtures/public/hdr/jHiccup-2.0.7S.logV2"
	text, err := os.ReadFile(path + ".hlog")
	if err != nil {
		t.Skip("the public logs are not here: ", err)
	}
	var truth logTruth
	if js, err := os.ReadFile(path + ".truth.json"); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(js, &truth); err != nil {
		t.Fatal(err)
	}
	r, sum, intervals := NewLogReader(bytes.NewReader(text), "x.hlog", 1), &Distribution{}, 0
	first, last := int64(0), int64(0)
	for ; ; intervals++ {
		iv, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil || iv.Tag != "" {
			t.Fatalf("tag %q: %v", iv.Tag, err)
		}
		if intervals == 0 {
			first = iv.Start
		}
		last = iv.End
		sum.Merge(iv.Lengths)
	}
	got := fmt.Sprint(
		intervals,
		sum.Count(),
		sum.Min(),
		sum.Max(),
		sum.Percentile(50),
		sum.Percentile(99),
		sum.Percentile(99.9),
		sum.Mean(),
		first/1e6,
		last/1e6,
	)
	w := truth.PerTag["(none)"]
	want := fmt.Sprint(
		w.Intervals,
		w.TotalCount,
		w.Min,
		w.Max,
		w.P50,
		w.P99,
		w.P999,
		int64(w.Mean),
		w.FirstStart,
		w.LastEnd,
	)
	if got != want || !IsLog(text) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Logs of other resolutions and ranges keep every duration, at the coarser resolution.
func TestHistogramsOfOtherGeometries(t *testing.T) {
	for _, g := range []struct {
		lowest, highest int64
		digits          int
	}{{1, 1e9, 2}, {1000, 1e12, 3}, {1, 100 * Longest, 5}, {1, Longest, 4}, {1, 1e6, 1}} {
		h, want := hdr.New(g.lowest, g.highest, g.digits), &Distribution{}
		for ns := int64(1); ns <= g.highest; ns *= 3 {
			golden.OK(t, h.RecordValues(ns, 5))
			want.RecordN(min(ns, Longest), 5)
		}
		text := golden.Must(h.EncodeV2())(t)
		iv := golden.Must(NewLogReader(strings.NewReader("0,1,1,"+string(text)), "x", 1).Next())(t)
		coarse := max(math.Pow10(-min(g.digits, digits)), 1e-3) * 2
		for _, q := range []float64{10, 50, 90, 100} {
			got, exact := float64(iv.Lengths.Percentile(q)), float64(want.Percentile(q))
			golden.AtMost(t, math.Abs(got-exact), exact*coarse+float64(g.lowest), q)
			golden.Equal(t, iv.Lengths.Count(), want.Count(), q)
		}
	}
}

// Values of other units are nanoseconds once read: a log of YCSB has microseconds.
func TestUnits(t *testing.T) {
	h := hdr.New(1, 3_600_000_000, 3)
	for us := int64(100); us <= 1000; us += 100 {
		golden.OK(t, h.RecordValue(us))
	}
	text := golden.Must(h.EncodeV2())(t)
	for unit, longest := range map[int64]int64{1: 1000, 1000: 1e6, 1e6: 1e9} {
		r := NewLogReader(strings.NewReader("0,1,1,"+string(text)), "x", unit)
		iv := golden.Must(r.Next())(t)
		d := iv.Lengths
		if d.Count() != 10 || d.Min() != 100*unit || d.Max() != longest || d.Percentile(50) < 499*unit ||
			d.Percentile(50) > 501*unit {
			t.Errorf("unit %d: %d from %d to %d, half below %d", unit, d.Count(), d.Min(), d.Max(), d.Percentile(50))
		}
		iv.Pack() // the text has the other unit
		if again, err := iv.unpack(); err != nil || again.Max() != longest {
			t.Errorf("unit %d, packed: %v", unit, err)
		}
	}
}

func TestBadLines(t *testing.T) {
	_, text := sample(t)
	lines := strings.SplitAfter(string(text), "\n")
	good := lines[5]
	payload := good[strings.Index(good, "HIST"):]
	for _, c := range []struct {
		name, line, want string
		err              error
	}{
		{"words", "hello\n", "1 fields of 4", format.ErrCorrupt},
		{"stamp", "x,1,2," + payload, `"x,1" is not a start and a duration`, format.ErrCorrupt},
		{"length below zero", "1,-1,2," + payload, "is not a start and a duration", format.ErrCorrupt},
		{"stamp beyond time", "99999999999999999999,1,2," + payload, "not a start", format.ErrCorrupt},
		{"tag without an end", "Tag=abc\n", "fields of 4", format.ErrCorrupt},
		{"older encoding", "0,1,2,HISTEAAA\n", "only V2", format.ErrVersion},
		{"base64", "0,1,2,HISTF*\n", "illegal base64", format.ErrCorrupt},
		{"cut histogram", good[:len(good)-20] + "\n", "histogram", format.ErrCorrupt},
		{"start time", "#[StartTime: soon]\n", `"soon" is not a time`, format.ErrCorrupt},
	} {
		r := NewLogReader(strings.NewReader(c.line+good), "x.hlog", 1)
		_, err := r.Next()
		var fe *format.Error
		if !errors.As(err, &fe) || !errors.Is(err, c.err) || fe.Pos.Line != 1 ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if iv, err := r.Next(); err != nil || iv.Lengths.Count() != 5 {
			t.Errorf("%s: the line after it: %v", c.name, err)
		}
	}
}

// Stamps are absolute or relative; a log without a base time leaves it to
// the reader.
func TestStampsOfEveryKind(t *testing.T) {
	_, text := sample(t)
	line := string(bytes.Split(text, []byte("\n"))[7])
	payload := line[strings.Index(line, "HIST"):]
	for head, want := range map[string]int64{
		"":                       2_500_000_000,
		"#[BaseTime: 100]\n":     102_500_000_000,
		"#[StartTime: 50 (s)]\n": 2_500_000_000, // less than a year apart: absolute
		"#[StartTime: 1700000000 (seconds since epoch), now]\n":         1_700_000_002_500_000_000,
		"#[StartTime: 1700000000 (s)]\n#[BaseTime: 3 (s)]\n\"Start\"\n": 5_500_000_000,
	} {
		iv, err := NewLogReader(strings.NewReader(head+"2.5,1,0,"+payload+"\r\n"), "x", 1).Next()
		if err != nil || iv.Start != want || iv.End != want+1e9 {
			t.Errorf("%q: %+v, %v", head, iv, err)
		}
	}
}

// A log cut anywhere gives its whole lines and at most one error.
func TestEveryPrefixOfALog(t *testing.T) {
	_, text := sample(t)
	text = text[:bytes.Index(text, []byte("Tag=Journal"))+60]
	for n := range text {
		r, faults := NewLogReader(bytes.NewReader(text[:n]), "x", 1), 0
		for {
			_, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				faults++
			}
		}
		if faults > 1 {
			t.Fatalf("prefix %d: %d faults", n, faults)
		}
	}
}

// FuzzLog holds the reader to ending, to positioned errors, and to
// distributions whose numbers agree.
func FuzzLog(f *testing.F) {
	_, text := sample(f)
	f.Add(text)
	f.Add([]byte("1,2,3,HISTFAAA"))
	f.Fuzz(func(t *testing.T, data []byte) {
		IsLog(data)
		r := NewLogReader(bytes.NewReader(data), "x", 1)
		for range bytes.Count(data, []byte("\n")) + 2 {
			iv, err := r.Next()
			var fe *format.Error
			switch {
			case err == io.EOF:
				return
			case err != nil && !errors.As(err, &fe):
				t.Fatalf("%v is no positioned error", err)
			case err == nil && (iv.End < iv.Start || iv.Lengths.Min() > iv.Lengths.Max() ||
				iv.Lengths.Percentile(50) > iv.Lengths.Max()):
				t.Fatalf("%+v", iv)
			}
		}
		t.Fatal("the reader does not end")
	})
}

// The .hgrm text is the library's, in milliseconds.
func TestPercentileText(t *testing.T) {
	var out bytes.Buffer
	golden.OK(t, distOf(1e6, 2e6, 3e6, 100e6).WritePercentiles(&out))
	golden.Holds(t, out.String(), "Percentile", "2.001", "#[Max     =      100", "Total count    =            4]")
}
