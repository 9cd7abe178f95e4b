//go:build !race

package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/golden"

	"github.com/chromedp/chromedp"
)

// What pages do is no work of this program's: where every access is watched they are not
// looked at, and what speaks to browsers, a minute's work of the compiler, is left out.

// chromium returns the path of a browser, "" for none.
func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// chrome is one headless Chromium for all tests, which must reach nothing but
// files and this machine: to begin one takes longer than most look at a page.
var chrome = sync.OnceValues(func() (context.Context, error) {
	opts := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium()),
		chromedp.NoSandbox,
		chromedp.WindowSize(1200, 800),
		chromedp.UserDataDir(
			filepath.Join(sharedDir, "chromium"),
		),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag(
			"disable-component-update",
			true,
		),
		chromedp.Flag("disable-sync", true),
		chromedp.WSURLReadTimeout(patience),
	)
	for f := range strings.FieldsSeq(os.Getenv("CHROMEFLAGS")) {
		k, v, ok := strings.Cut(f, "=")
		if ok {
			opts = append(opts, chromedp.Flag(k, v))
		} else {
			opts = append(opts, chromedp.Flag(k, true))
		}
	}
	all, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(all)
	atTheEnd = append(atTheEnd, stop, cancel)
	return ctx, chromedp.Do(ctx)
})

// browser opens a page in a window of its own.
func browser(t *testing.T, page string) *tab {
	t.Helper()
	b := window(t)
	b.do(chromedp.Navigate("file://" + page))
	return b
}

// window opens an empty window.
func window(t *testing.T) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: what a page does is no work of this program's")
	}
	if chromium() == "" {
		t.Skip("no Chromium is installed")
	}
	all, err := chrome()
	if err != nil {
		t.Fatalf("%s: %v", chromium(), err)
	}
	ctx, cancel := chromedp.NewContext(all)
	t.Cleanup(cancel)
	golden.OK(t, chromedp.Do(ctx, chromedp.EmulateViewport(1200, 800)))
	limit := time.AfterFunc(2*patience, cancel)
	t.Cleanup(func() { limit.Stop() })
	return &tab{t, ctx, limit}
}

// tab is a page shown in a browser.
type tab struct {
	*testing.T
	ctx   context.Context
	limit *time.Timer // closes the window
}

// step is the window for one more step, which may take as long as the first: how
// many a test takes says nothing of how long one hangs.
func (b *tab) step() context.Context {
	b.limit.Reset(2 * patience)
	return b.ctx
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	golden.OK(b, chromedp.Do(b.step(), steps...))
}

// eval returns what a script in the page gives.
func eval[T any](b *tab, script string) T {
	b.Helper()
	v, err := chromedp.Run(b.step(), chromedp.Evaluate[T](script))
	if err != nil {
		b.Fatalf("%s: %v", script, err)
	}
	return v
}

// text returns the words an element shows.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// press sends a key to the page.
func (b *tab) press(key string) {
	b.Helper()
	eval[bool](
		b,
		fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`, key),
	)
}

// dom returns the document the browser made of the file.
func (b *tab) dom() string {
	b.Helper()
	return eval[string](b, "document.documentElement.outerHTML")
}

// count returns how many elements match.
func (b *tab) count(selector string) int {
	b.Helper()
	return eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

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
		before, now = now, eval[int](
			b,
			`[...document.querySelectorAll("#chart g.frame")].filter(g => !g.classList.contains("fade") && g.querySelector("rect").getBoundingClientRect().width > 2).length`,
		)
		b.do(chromedp.Sleep(150 * time.Millisecond))
	}
	return now
}

func TestThePageInABrowser(t *testing.T) {
	golden.ParallelUnlessShort(t)
	b := flameTab(t, flameOf(t, "f.html", "--view", "chain", "../testdata/truth-8threads-dumps50ms.jfr"))
	frames := b.framesShown()
	b.do(chromedp.SendKeys("#search", "exportReport"))
	matched := b.text("#matched")
	eval[bool](
		b,
		`document.querySelector('#chart g.frame[name^="lock Truth$LedgerLock"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`,
	)
	details, zoomed := b.text("#details"), b.framesShown()
	b.do(chromedp.Click("#reset"))
	whole := b.framesShown()
	for _, half := range []string{"exportReport(", "[", "a|(", "\\\\", "*"} {
		// no expressions, while they are typed or at all
		if thrown := eval[string](b, fmt.Sprintf(`(() => { let said = ""; window.onerror = m => { said = m; }; const box = document.getElementById("search");
			box.value = "%s"; box.dispatchEvent(new Event("input")); window.onerror = null; return said; })()`, half)); thrown != "" {
			t.Errorf("search for %s: %s", half, thrown)
		}
	}
	b.press("Escape")
	b.do(chromedp.SendKeys("#search", "no such frame"))
	none := b.text("#matched")
	if summary := b.text("#summary"); !strings.Contains(summary, "of waiting thread-time in") ||
		!strings.Contains(matched, "frames, ") ||
		none != "nothing found" {
		t.Errorf("summary %q, matched %q, none %q", summary, matched, none)
	}
	if !strings.HasPrefix(details, "lock Truth$LedgerLock") || !strings.Contains(details, "thread-time") ||
		!strings.Contains(details, "inferred") {
		t.Errorf("details %q", details)
	}
	if zoomed >= frames || whole != frames || frames < 10 {
		t.Errorf("%d frames, %d after zooming in, %d after going back", frames, zoomed, whole)
	}
}

func TestThePageByKeyboard(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
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
	if focused := eval[string](b, "document.activeElement.id"); first == "" || up == "" || first == up ||
		focused != "search" {
		t.Errorf("%q, then %q; focus on %q", first, up, focused)
	}
	if zoomed >= frames || whole != frames {
		t.Errorf("%d frames, %d after Enter, %d after Escape", frames, zoomed, whole)
	}
}
