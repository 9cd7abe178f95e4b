package plot

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"
)

// document has ten intervals of a second. Lock A is under pressure in the
// first two and the sixth, which are phases; lock B a little throughout.
func exampleDocument() *document.CSP {
	d := &document.CSP{IntervalNs: 1e9}
	for i := range 10 {
		iv := document.Interval{StartNs: int64(i) * 1e9, EndNs: int64(i+1) * 1e9, RunningNs: 2e9, Locks: []document.Pressure{{Class: "B", Lock: "B@1", WaitNs: 1e7}}}
		if i < 2 || i == 5 {
			iv.Locks = append(iv.Locks, document.Pressure{Class: "A", Lock: "A@1", WaitNs: 1e9})
		}
		d.Intervals = append(d.Intervals, iv)
	}
	d.Total = document.Total{Waiting: document.Waiting{WaitNs: 31e8}, RunningNs: 20e9}
	d.Phases = []document.Phase{
		{Class: "A", Lock: "A@1", StartNs: 0, EndNs: 2e9, WaitNs: 2e9, CSP: 0.5, Causes: []document.Cause{{Owner: "java.lang.Thread.sleep < Shop.report:7", WaitNs: 15e8}, {Owner: "[handoff]", WaitNs: 5e8}}},
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
		`<rect x="20.0" y="84" width="192.0" height="60" fill="#ffdfb8"/>`, // the first two of ten seconds
		`<rect x="500.0" y="84" width="96.0"`,
		"1: 0.000 s to 2.000 s, 2.00 s waited, pressure 50.0 %; 75.0 % Shop.report:7",
		"M20,144V84.0H116.0V84.0H212.0V144.0H308.0", // full height, full height, nothing
	} {
		if !strings.Contains(svg, want) || !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
	for _, want := range []string{"java.lang.Thread.sleep &lt; Shop.report:7", "25.0 %", "&lt;b&gt;short&lt;/b&gt; waits"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	if strings.Index(svg, "A@1") > strings.Index(svg, "B@1") {
		t.Error("the lock that was waited for most does not come first")
	}
}

func TestWhatIsLeftOutIsSaid(t *testing.T) {
	svg, _ := page(t, exampleDocument(), 1)
	if !strings.Contains(svg, "left out: 1 lock with 100 ms") || strings.Contains(svg, "B@1") {
		t.Errorf("%s", svg)
	}
	d := exampleDocument()
	d.Phases = nil
	for range maxShaded + 7 {
		d.Phases = append(d.Phases, document.Phase{Class: "A", Lock: "A@1", EndNs: 1e9, WaitNs: 1e6})
	}
	svg, html := page(t, d, 0)
	if got := strings.Count(svg, `<g class="phase">`); got != maxShaded {
		t.Errorf("%d phases shaded", got)
	}
	if want := fmt.Sprintf("and %d more phases with 299 ms", maxShaded+7-maxWritten); strings.Count(svg, `<text class="cause"`) != maxWritten || !strings.Contains(svg, want) {
		t.Errorf("nothing says %q", want)
	}
	if got := strings.Count(html, "<details"); got != maxShaded {
		t.Errorf("%d phases in the page", got)
	}
}

func TestNoTimelineToDraw(t *testing.T) {
	svg, html := page(t, &document.CSP{IntervalNs: 1e9}, 5)
	if !strings.Contains(svg, "no thread waited for a lock") || !strings.Contains(html, "no thread waited for a lock") {
		t.Errorf("%s", svg)
	}
}

// The page loads nothing and runs nothing.
func TestThePageStandsAlone(t *testing.T) {
	_, html := page(t, exampleDocument(), 0)
	if found := regexp.MustCompile(`(?i)<script|src=|href=|@import|url\(|javascript:`).FindString(html); found != "" {
		t.Errorf("%s in the page", found)
	}
	if !strings.Contains(html, `content="default-src &#39;none&#39;; style-src &#39;sha256-`) {
		t.Error("no policy forbids the rest")
	}
}
