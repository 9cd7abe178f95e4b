//go:build !race

package cmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"contend/golden"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// simulatedPage is the page of a simulated program.
func simulatedPage(t *testing.T, scenario string, threads int) string {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace.bin")
	run(t, "simulate", "--exact", "--duration", "200ms", "--scenario", scenario, "--threads", fmt.Sprint(threads), "-o",
		trace)
	page := filepath.Join(t.TempDir(), "page.html")
	run(t, "report", trace, "-o", page)
	return page
}

// lanes opens the view of threads over time.
func lanes(t *testing.T, page string) *reportTab {
	t.Helper()
	r := reportIn(t, page)
	r.turn("#view=threads")
	r.until(`document.querySelector(".lanebox canvas")`)
	return r
}

// laneKey sends a key to the lanes and returns what is said of the span that is selected.
func (r *reportTab) laneKey(key string) string {
	r.Helper()
	r.await(fmt.Sprintf(`const box = document.querySelector(".lanebox"); box.focus(); box.dispatchEvent(
		new KeyboardEvent("keydown", { key: %q, bubbles: true })); setTimeout(() => requestAnimationFrame(() => setTimeout(done)))`, key))
	return r.text("#span")
}

// painted counts the pixels of the canvas that have a colour, in a part of its rows.
func (r *reportTab) painted() int {
	r.Helper()
	return eval[int](r.tab, `(c => {
		const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", { willReadFrequently: true });
		copy.drawImage(c, 0, 0);
		return new Uint32Array(copy.getImageData(0, 30, c.width, c.height - 30).data.buffer).filter(p => p >>> 24).length;
	})(document.querySelector(".lanebox canvas"))`)
}

// Of two threads that exclude each other a wait leads to the hold it waits for, and back.
func TestTheLanesOfTwoThreads(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := lanes(t, simulatedPage(t, "ping-pong", 2))
	if r.painted() < 1000 {
		t.Errorf("%d pixels are painted", r.painted())
	}
	golden.Equal(t, r.count(".lanename:not(.group)"), 2)
	wait := ""
	for range 4 { // a hold may come first
		if wait = r.laneKey("ArrowDown"); strings.Contains(wait, " waits ") {
			break
		}
		wait = r.laneKey("ArrowRight")
	}
	hold := r.laneKey("Enter")
	if !strings.Contains(wait, " waits ") || !strings.Contains(wait, "held by ") ||
		!strings.Contains(hold, " holds ") ||
		!strings.Contains(hold, "waited for by ") {
		t.Errorf("%q, then %q", wait, hold)
	}
	if a, b, _ := strings.Cut(wait, " "); strings.HasPrefix(hold, a+" ") {
		t.Errorf("%s waits for itself: %s", a, b)
	}
	r.laneKey("+")
	in := eval[bool](r.tab, `[...document.querySelectorAll(".threads button")].find(b => b.textContent === "whole").disabled`)
	r.laneKey("Escape")
	out := eval[bool](r.tab, `[...document.querySelectorAll(".threads button")].find(b => b.textContent === "whole").disabled`)
	if in || !out {
		t.Errorf("whole is disabled: zoomed in %v, zoomed out %v", in, out)
	}
}

// Whatever else is seen follows the filter, and so do lanes: the sums of what they show are
// those of the page, and a brush zooms and selects time for all views.
func TestTheLanesFollowTheFilter(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := lanes(t, reported(t, "../testdata/truth-8threads.jfr"))
	sum := func() float64 {
		return eval[float64](r.tab, `(l => l.rows(contend.state.filter, l.select(contend.state.filter), new Set())
			.filter(r => r.t).reduce((a, r) => a + r.wait, 0))(contend.model.lanes)`)
	}
	for _, hash := range []string{"", "&class=Truth%24LedgerLock", "&waiter=worker-", "&time=1000000000-2000000000",
		"&class=Truth%24InventoryLock&time=500000000-900000000", "&waiterFrame=Truth.checkout",
		"&waiterSite=Truth.checkout%3A15"} {
		r.turn("#view=threads" + hash)
		want := float64(r.total())
		if got := sum(); want == 0 || got < 0.999*want || got > 1.001*want {
			t.Errorf("%s: the lanes show %.0f ns, the page %.0f", hash, got, want)
		}
	}
	r.turn("#view=threads&ownerSite=Truth.exportReport%3A17") // waits of which a part is charged to it
	if got, all := sum(), float64(r.total()); got < all || got > 2*all {
		t.Errorf("of one owner the lanes show %.0f ns, %.0f are charged to it", got, all)
	}
	r.turn("#view=threads")
	drag := func(kind input.DispatchMouseEventType, x float64) {
		r.do(chromedp.MouseEvent(kind, x, eval[float64](r.tab,
			`(r => r.top + 60)(document.querySelector(".lanebox canvas").getBoundingClientRect())`),
			chromedp.ButtonLeft))
	}
	eval[any](r.tab, `document.querySelector(".lanebox").scrollIntoView()`)
	drag("mousePressed", 500)
	drag("mouseMoved", 700)
	drag("mouseReleased", 700)
	r.until(`[...document.querySelectorAll(".threads button")].some(b => b.textContent === "select this time" && !b.disabled)`)
	r.click(".threads button", "select this time")
	r.until(`/time=\d+-\d+/.test(location.hash)`)
	if span := eval[[]int64](r.tab, `contend.state.filter.time`); span[1]-span[0] < 1e8 || span[1]-span[0] > 2e9 {
		t.Errorf("time selected is %v", span)
	}
}

// Two thousand lanes scroll: only those in sight are in the document.
func TestTheLanesOfTwoThousandThreads(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := lanes(t, simulatedPage(t, "shards", 2000))
	if lanes := eval[int](r.tab, `contend.model.lanes.threads.length`); lanes < 2000 {
		t.Errorf("%d threads have lanes", lanes)
	}
	if shown := r.count(".lanename"); shown < 5 || shown > 100 {
		t.Errorf("%d lanes are in the document", shown)
	}
	first, pixels := r.text(".lanename bdi"), r.painted()
	r.await(`document.querySelector(".lanebox").scrollTop = 20000; setTimeout(() => requestAnimationFrame(() => setTimeout(done)), 50)`)
	if r.text(".lanename bdi") == first || pixels < 1000 || r.painted() < 1000 {
		t.Errorf("%d pixels, after scrolling %d; the first lane is %s", pixels, r.painted(), first)
	}
}
