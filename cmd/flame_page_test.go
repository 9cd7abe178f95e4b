//go:build !race

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contend/golden"

	"github.com/chromedp/chromedp"
)

// flameTab opens a flame graph and waits until it is drawn.
func flameTab(t *testing.T, page string) *tab {
	t.Helper()
	b := browser(t, page)
	b.framesShown()
	return b
}

// framesShown counts the frames that are drawn and not faded, when the chart
// has stopped moving.
func (b *tab) framesShown() (now int) {
	b.Helper()
	for before := -1; now == 0 || now != before; {
		before, now = now, eval[int](b, `[...document.querySelectorAll("#chart g.frame")].filter(g => !g.classList.contains("fade") && g.querySelector("rect").getBoundingClientRect().width > 2).length`)
		b.do(chromedp.Sleep(150 * time.Millisecond))
	}
	return now
}

func TestThePageInABrowser(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	b := flameTab(t, flameOf(t, "f.html", "--view", "chain", "../testdata/truth-8threads-dumps50ms.jfr"))
	frames := b.framesShown()
	b.do(chromedp.SendKeys("#search", "exportReport"))
	matched := b.text("#matched")
	eval[bool](b, `document.querySelector('#chart g.frame[name^="lock Truth$LedgerLock"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	details, zoomed := b.text("#details"), b.framesShown()
	b.do(chromedp.Click("#reset"))
	whole := b.framesShown()
	for _, half := range []string{"exportReport(", "[", "a|(", "\\\\", "*"} { // no expressions, while they are typed or at all
		if thrown := eval[string](b, fmt.Sprintf(`(() => { let said = ""; window.onerror = m => { said = m; }; const box = document.getElementById("search");
			box.value = "%s"; box.dispatchEvent(new Event("input")); window.onerror = null; return said; })()`, half)); thrown != "" {
			t.Errorf("search for %s: %s", half, thrown)
		}
	}
	b.press("Escape")
	b.do(chromedp.SendKeys("#search", "no such frame"))
	none := b.text("#matched")
	if summary := b.text("#summary"); !strings.Contains(summary, "of waiting thread-time in") || !strings.Contains(matched, "frames, ") || none != "nothing found" {
		t.Errorf("summary %q, matched %q, none %q", summary, matched, none)
	}
	if !strings.HasPrefix(details, "lock Truth$LedgerLock") || !strings.Contains(details, "thread-time") || !strings.Contains(details, "inferred") {
		t.Errorf("details %q", details)
	}
	if zoomed >= frames || whole != frames || frames < 10 {
		t.Errorf("%d frames, %d after zooming in, %d after going back", frames, zoomed, whole)
	}
}

func TestThePageByKeyboard(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	golden.Unhurried(t)
	b := flameTab(t, flameOf(t, "f.html", "../testdata/truth-8threads.jfr"))
	b.press("ArrowUp")
	first := b.text("#details")
	b.press("ArrowUp")
	up, frames := b.text("#details"), b.framesShown()
	b.press("Enter")
	zoomed := b.framesShown()
	b.press("Escape")
	whole := b.framesShown()
	b.press("/")
	if focused := eval[string](b, "document.activeElement.id"); first == "" || up == "" || first == up || focused != "search" {
		t.Errorf("%q, then %q; focus on %q", first, up, focused)
	}
	if zoomed >= frames || whole != frames {
		t.Errorf("%d frames, %d after Enter, %d after Escape", frames, zoomed, whole)
	}
}

// Names cannot leave the place they are printed in, in a page or a picture.
func TestHostileNamesInPagesAndPictures(t *testing.T) {
	t.Parallel()
	const evil = `</script><img src=x onerror=\"document.title='pwned'\">`
	trace := filepath.Join(t.TempDir(), "evil.txt")
	text := "contend 1\nthread thread=1 name=\"a\"\nthread thread=2 name=\"b\"\nobject lock=1 class=\"L\"\nstack stack=1 frames=\"" + evil + "\":\"m\\x1b[2J\u202e\":\"\":1\n" +
		"tenure time=0 end=1000 thread=1 lock=1 stack=1\nwait time=100 end=900 thread=2 lock=1 stack=1\nend count=6\n"
	golden.OK(t, os.WriteFile(trace, []byte(text), 0o644))
	wellFormed(t, flameOf(t, "evil.svg", trace))
	b := flameTab(t, flameOf(t, "evil.html", "--view", "chain", trace))
	if title := eval[string](b, "document.title"); eval[int](b, "document.images.length") != 0 || strings.Contains(title, "pwned") {
		t.Errorf("title %q, images", title)
	}
	if names := eval[string](b, `[...document.querySelectorAll("#chart g.frame")].map(g => g.getAttribute("name")).join("\n")`); !strings.Contains(names, "<img src=x") {
		t.Errorf("frames %q", names)
	}
}
