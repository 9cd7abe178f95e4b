package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contend/blame/waits"
	"contend/golden"
	"contend/report/document"
)

// doc is a document with rows of a thousand waits each.
func doc(names ...string) *document.Hist {
	var rows []waits.Row
	total := &waits.Lengths{}
	for i, name := range names {
		l := &waits.Lengths{}
		for n := range int64(1000) {
			l.Exact.Record(n * n * int64(i+1))
		}
		l.Corrected = *l.Exact.Corrected(100_000)
		total.Exact.Merge(&l.Exact)
		rows = append(rows, waits.Row{Keys: []string{name}, Lengths: l})
	}
	return document.NewHist([]string{"lock"}, 100_000, rows, total, nil, 0)
}

// parse reads the picture as XML: element names in order, all text, and the
// points of every curve.
func parse(t *testing.T, svg []byte) (elements map[string]int, text string, curves []string) {
	t.Helper()
	elements = map[string]int{}
	for dec := xml.NewDecoder(bytes.NewReader(svg)); ; {
		tok, err := dec.Token()
		if err == io.EOF {
			return elements, text, curves
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			elements[tok.Name.Local]++
			for _, a := range tok.Attr {
				if a.Name.Local == "points" {
					curves = append(curves, a.Value)
				}
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("attribute %s", a.Name.Local)
				}
			}
		case xml.CharData:
			text += string(tok)
		}
	}
}

func svg(t *testing.T, d *document.Hist) []byte {
	t.Helper()
	var out bytes.Buffer
	golden.OK(t, SVG(&out, d))
	return out.Bytes()
}

func TestCurvesRiseAndStayInside(t *testing.T) {
	elements, text, curves := parse(t, svg(t, doc("Cache", "Journal")))
	if len(curves) != 4 || elements["polyline"] != 4 || !strings.Contains(text, "Journal (corrected)") ||
		!strings.Contains(text, "99.9 %") {
		t.Errorf("%d curves, %v, %s", len(curves), elements, text)
	}
	for _, c := range curves {
		lastX, lastY := 0.0, float64(height)
		for pair := range strings.FieldsSeq(c) {
			xs, ys, _ := strings.Cut(pair, ",")
			x, err := strconv.ParseFloat(xs, 64)
			y, err2 := strconv.ParseFloat(ys, 64)
			if err != nil || err2 != nil || x < lastX || y > lastY || x < left || x > width-right || y < top ||
				y > height-bottom {
				t.Fatalf("%s after %v,%v: %v, %v", pair, lastX, lastY, err, err2)
			}
			lastX, lastY = x, y
		}
	}
}

// Over time there is a curve for each percentile, with a gap where no waits are, and the
// longest is above the others. Where curves coincide all are seen: each in turn.
func TestPercentilesOverTime(t *testing.T) {
	var rows []waits.Row
	total := &waits.Lengths{}
	for _, second := range []int64{0, 1, 4, 5} {
		l := &waits.Lengths{}
		for n := range int64(100) {
			l.Exact.Record((n + 1) * (second + 1) * 1000)
		}
		total.Merge(l)
		rows = append(
			rows,
			waits.Row{
				Keys:    []string{fmt.Sprint(second, " s")},
				Start:   second * 1e9,
				End:     (second + 1) * 1e9,
				Lengths: l,
			},
		)
	}
	d := document.NewHist([]string{"interval"}, 0, rows, total, nil, 0)
	out := string(svg(t, d))
	elements, text, _ := parse(t, []byte(out))
	if elements["path"] != len(timed) || !strings.Contains(text, "seconds") || !strings.Contains(text, "99.9 %") {
		t.Fatalf("%v %q", elements, text)
	}
	last, drawn := 0.0, map[string]int{}
	for i, path := range strings.Split(out, "<path d=\"")[1:] {
		path, _, _ := strings.Cut(path, "\"")
		length, lowest := 0.0, 0.0
		for line := range strings.SplitSeq(strings.TrimPrefix(path, "M"), " M") {
			var x1, y1, x2, y2 float64
			if _, err := fmt.Sscanf(line, "%f,%f L%f,%f", &x1, &y1, &x2, &y2); err != nil || x1 < left || x2 < x1 ||
				x2 > width-right ||
				y1 < top ||
				max(y1, y2) > height-bottom {
				t.Fatalf("%s of %s: %v", line, path, err)
			}
			length, lowest = length+x2-x1, max(lowest, y1)
			if y1 == y2 {
				drawn[fmt.Sprintf("%.0f %.0f", x1/4, y1)]++
			}
		}
		if lowest < last || i < 3 && length > 0.5*plotWidth*4/6 || i >= 3 && math.Abs(length-plotWidth*4/6) > 1 {
			t.Errorf("%s is %.1f long, %.1f high after %.1f", timed[i].name, length, lowest, last)
		}
		last = lowest
	}
	for at, n := range drawn {
		golden.AtMost(t, n, 1, "curves begin at", at)
	}
	for length, want := range map[float64]float64{0: 1, 8: 1, 10: 1, 15: 2, 47: 5, 95: 10, 0.3: 0.05} {
		golden.AtMost(t, math.Abs(roundStep(length)-want), 1e-9, "steps of", "in", length, want)
	}
}

func TestNothingToDraw(t *testing.T) {
	elements, text, curves := parse(t, svg(t, doc()))
	if len(curves) != 0 || elements["line"] == 0 || !strings.Contains(text, "no waits") {
		t.Errorf("%v %q", elements, text)
	}
}

// More rows than colours: the first are drawn, whole rows only, and the
// picture says so.
func TestManyRows(t *testing.T) {
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprint("lock-", i)
	}
	_, text, curves := parse(t, svg(t, doc(names...)))
	if len(curves) != maxCurves || !strings.Contains(text, "the first 4 of 30 rows") ||
		strings.Contains(text, "lock-4") {
		t.Errorf("%d curves, %q", len(curves), text)
	}
}

// Extremes have a place on the axes.
func TestExtremeLengths(t *testing.T) {
	l := &waits.Lengths{}
	l.AtMost.Record(0)
	l.AtMost.Record(1 << 62)
	l.AtLeast.Record(0)
	out := svg(t, document.NewHist([]string{"lock"}, 0, []waits.Row{{Keys: []string{"x"}, Lengths: l}}, l, nil, 0))
	if _, _, curves := parse(t, out); len(curves) != 2 || strings.Contains(string(out), "NaN") ||
		strings.Contains(string(out), "Inf") {
		t.Errorf("%v", curves)
	}
}

// document has ten intervals of a second. Lock A is under pressure in the
// first two and the sixth, which are phases; lock B a little throughout.
func exampleDocument() *document.CSP {
	d := &document.CSP{IntervalNs: 1e9}
	for i := range 10 {
		iv := document.Interval{
			StartNs:   int64(i) * 1e9,
			EndNs:     int64(i+1) * 1e9,
			RunningNs: 2e9,
			Locks:     []document.Pressure{{Class: "B", Lock: "B@1", WaitNs: 1e7}},
		}
		if i < 2 || i == 5 {
			iv.Locks = append(iv.Locks, document.Pressure{Class: "A", Lock: "A@1", WaitNs: 1e9})
		}
		d.Intervals = append(d.Intervals, iv)
	}
	d.Total = document.Total{Waiting: document.Waiting{WaitNs: 31e8}, RunningNs: 20e9}
	d.Phases = []document.Phase{
		{
			Class:   "A",
			Lock:    "A@1",
			StartNs: 0,
			EndNs:   2e9,
			WaitNs:  2e9,
			CSP:     0.5,
			Causes: []document.Cause{
				{Owner: "java.lang.Thread.sleep < Shop.report:7", WaitNs: 15e8},
				{Owner: "[handoff]", WaitNs: 5e8},
			},
		},
		{Class: "A", Lock: "A@1", StartNs: 5e9, EndNs: 6e9, WaitNs: 1e9, CSP: 0.5},
	}
	d.Coverage.Warnings = []document.Warning{{Code: "threshold", Text: "<b>short</b> waits are missing"}}
	return d
}

func page(t *testing.T, d *document.CSP, top int) (svg, html string) {
	t.Helper()
	var a, b strings.Builder
	golden.OK(t, TimelineSVG(&a, d, top))
	golden.OK(t, TimelineHTML(&b, d, top))
	if err := xml.Unmarshal([]byte(a.String()), new(struct{})); err != nil {
		t.Errorf("no XML: %v", err)
	}
	return a.String(), b.String()
}

func TestPhasesAreShadedAndWritten(t *testing.T) {
	svg, html := page(t, exampleDocument(), 0)
	for _, want := range []string{
		`<rect x="64.0" y="90" width="183.2" height="60" fill="#ffdfb8"/>`, // the first two of ten seconds
		`<rect x="522.0" y="90" width="91.6"`,
		"1: 0.000 s to 2.000 s, 2.00 s waited, pressure 50.0 %; 75.0 % Shop.report:7",
		"M64,150V90.0H155.6V90.0H247.2V150.0H338.8", // full height, full height, nothing
	} {
		golden.Holds(t, svg, want)
		golden.Holds(t, html, want)
	}
	golden.Holds(t, html, "java.lang.Thread.sleep &lt; Shop.report:7", "25.0 %", "&lt;b&gt;short&lt;/b&gt; waits")
	golden.AtMost(
		t,
		strings.Index(svg, "A@1"),
		strings.Index(svg, "B@1"),
		"the lock that was waited for most does not come first",
	)
}

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	svg, _ := page(t, exampleDocument(), 1)
	golden.Holds(t, svg, "left out: 1 lock with 100 ms")
	golden.Lacks(t, svg, "B@1")
	d := exampleDocument()
	d.Phases = nil
	for range maxShaded + 7 {
		d.Phases = append(d.Phases, document.Phase{Class: "A", Lock: "A@1", EndNs: 1e9, WaitNs: 1e6})
	}
	svg, html := page(t, d, 0)
	golden.Equal(t, strings.Count(svg, `<g class="phase">`), maxShaded, "phases shaded")
	golden.Equal(t, strings.Count(svg, `<text class="cause"`), maxWritten)
	golden.Holds(t, svg, fmt.Sprintf("and %d more phases with 299 ms", maxShaded+7-maxWritten))
	golden.Equal(t, strings.Count(html, "<details"), maxShaded, "phases in the page")
}

func TestNoTimelineToDraw(t *testing.T) {
	svg, html := page(t, &document.CSP{IntervalNs: 1e9}, 5)
	golden.Holds(t, svg, "no thread waited for a lock")
	golden.Holds(t, html, "no thread waited for a lock")
}

// The page loads nothing and runs nothing.
func TestThePageStandsAlone(t *testing.T) {
	_, html := page(t, exampleDocument(), 0)
	golden.Equal(
		t,
		regexp.MustCompile(`(?i)<script|src=|href=|@import|url\(|javascript:`).FindString(html),
		"",
		"in the page",
	)
	golden.Holds(t, html, `content="default-src &#39;none&#39;; style-src &#39;sha256-`)
}

// Phases are about the locks of a class at a site, and so are bands: one for both locks, with the phase once.
func TestLocksOfAPlaceAreOneBand(t *testing.T) {
	d := exampleDocument()
	d.Intervals[3].Locks = append(d.Intervals[3].Locks, document.Pressure{Class: "A", Lock: "A@2", WaitNs: 5e8})
	at := document.Place{Class: "A", Site: "Shop.buy:3", Digits: 1}
	d.Coverage.SetPlaces(document.Places{"A@1": at, "A@2": at})
	d.Phases = []document.Phase{
		{Class: "A", Lock: "A@1", Site: at.Site, Locks: 2, StartNs: 0, EndNs: 4e9, WaitNs: 25e8, CSP: 0.3},
	}
	svg, _ := page(t, d, 0)
	golden.Holds(t, svg, "A at Shop.buy:3 (2 locks)", "3.50 s waited")
	golden.Equal(t, strings.Count(svg, `<g class="phase">`), 1)
}
