//go:build !race

package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contend/format"
	"contend/golden"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// pageOf runs a command that writes a page and returns its path.
func pageOf(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	run(t, append(args, "-o", path)...)
	return path
}

// box is where an element is drawn.
type box struct{ X, Y, Width, Height float64 }

// boxes returns where the elements that match are drawn.
func (b *tab) boxes(selector string) []box {
	b.Helper()
	return eval[[]box](
		b,
		fmt.Sprintf(
			`[...document.querySelectorAll(%q)].map(e => { const r = e.getBoundingClientRect(); return {x: r.x, y: r.y, width: r.width, height: r.height}; })`,
			selector,
		),
	)
}

// Names that act wherever they are not escaped act in no page, and are shown in each.
func TestHostileNamesInPages(t *testing.T) {
	golden.ParallelUnlessShort(t)
	trace := hostileTrace(t)
	for command, elements := range map[string]map[string]int{ // how many there are of each
		"csp":                {"g.lock": 1, "g.phase": 1, "svg": 1, "details": 1, "script": 0, "img": 0},
		"graph --by thread":  {"#graph g.node": 8, "#graph g.edge": 8, "#graph script": 0, "img": 0},
		"hist --by lock":     {"polyline": 1, "table tr": 2, "script": 0, "img": 0},
		"flame --view chain": {`#chart g.frame[name*="<img src=x"]`: 2, "img": 0},
	} {
		b := browser(t, pageOf(t, append(strings.Fields(command), trace)...))
		if strings.HasPrefix(command, "flame") {
			b.framesShown()
		}
		for what, n := range elements {
			golden.Equal(t, b.count(what), n, command, what)
		}
		golden.Lacks(golden.Labelled(t, command), eval[string](b, "document.title"), "hit")
		if says := map[string]string{
			"csp":               "pressure 50.0 %",
			"graph --by thread": "closed cycle 1",
		}[command]; says != "" {
			golden.Holds(golden.Labelled(t, command), b.dom(), says)
		}
	}
}

// The timeline has a band for each lock, phases under the curves with their
// causes as tooltips, and a list of causes that folds.
func TestTheTimelineInABrowser(t *testing.T) {
	t.Parallel()
	b := browser(t, pageOf(t, "csp", "--top", "3", "../testdata/phases.jfr"))
	golden.Equal(t, b.count("g.lock"), 3, "bands of 3")
	bands, phases := b.boxes("g.lock > rect"), b.boxes("g.lock:first-of-type g.phase > rect")
	if len(phases) == 0 || phases[0].X < bands[0].X || phases[0].X+phases[0].Width > bands[0].X+bands[0].Width+0.5 ||
		phases[0].Width < 20 {
		t.Errorf("phases %v of the band %v", phases, bands)
	}
	golden.Holds(t, b.text("g.phase title"), "Phases.lambda$main$3:14", "pressure 6")
	// what lies under the pointer is the phase, not the curve painted over it
	x, y := phases[0].X+phases[0].Width/2, phases[0].Y+phases[0].Height-2
	golden.Equal(
		t,
		eval[string](b, fmt.Sprintf("document.elementFromPoint(%f, %f).parentNode.getAttribute('class')", x, y)),
		"phase",
		"under the pointer is",
	)
	open := b.count("details[open]")
	b.do(chromedp.Click("details summary"))
	if n := b.count("details[open]"); open == 0 || n != open-1 {
		t.Errorf("%d lists are open, %d after a click on one", open, n)
	}
}

// fills returns the colours of the frames, by name.
func (b *tab) fills() map[string]string {
	b.Helper()
	b.framesShown()
	return eval[map[string]string](
		b,
		`Object.fromEntries([...document.querySelectorAll("#chart g.frame")].map(g => [g.getAttribute("name"), g.querySelector("rect").getAttribute("fill")]))`,
	)
}

// A critical section that takes longer is red in the comparison, and what it
// displaces blue; frames match although ids and lengths of the runs differ.
func TestTheComparisonInABrowser(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir := t.TempDir()
	base, slow := filepath.Join(dir, "base.bin"), filepath.Join(dir, "slow.bin")
	run(t, "simulate", "--scenario", "shards", "--exact", "--seed", "4", "-o", base)
	run(
		t,
		"simulate",
		"--scenario",
		"shards",
		"--exact",
		"--seed",
		"5",
		"--duration",
		"15s",
		"--slow",
		"serve1",
		"-o",
		slow,
	)
	b := flameTab(t, pageOf(t, "flame", "--view", "chain", "--diff", base, slow))
	fills := b.fills()
	red, blue := channels(t, fills["lock Lock1"]), channels(t, fills["lock Lock2"])
	if red[0] <= max(red[1], red[2]) || blue[2] <= max(blue[0], blue[1]) {
		t.Errorf("colours %v and %v of %v", red, blue, fills)
	}
	eval[bool](
		b,
		`document.querySelector('#chart g.frame[name="lock Lock1"]').dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))`,
	)
	if details := b.text("#details"); !strings.Contains(details, "before ") || !strings.Contains(details, "change +") ||
		strings.Contains(details, "NaN") {
		t.Errorf("details %q", details)
	}
	golden.Holds(t, b.text("#summary"), "; before: ")
}

func channels(t *testing.T, fill string) (c [3]int) {
	t.Helper()
	if _, err := fmt.Sscanf(strings.ReplaceAll(fill, " ", ""), "rgb(%d,%d,%d)", &c[0], &c[1], &c[2]); err != nil {
		t.Fatalf("%q is no colour: %v", fill, err)
	}
	return c
}

// Of a thread dump, pages and pictures count threads.
func TestPicturesOfADumpCountThreads(t *testing.T) {
	t.Parallel()
	const dump = "../testdata/deadlock-monitors-and-juc-jdk17.txt"
	b := flameTab(t, pageOf(t, "flame", "--view", "chain", dump))
	b.press("ArrowUp")
	if summary, details := b.text("#summary"), b.text("#details"); summary != "5 threads seen waiting" ||
		!strings.Contains(details, "5 threads seen waiting (100.0 %)") ||
		strings.Contains(details, " ns") {
		t.Errorf("summary %q, details %q", summary, details)
	}
	for _, args := range [][]string{
		{"flame", "--format", "svg"},
		{"graph", "--format", "html"},
		{"graph", "--format", "dot"},
		{"graph", "--format", "mermaid"},
		{"graph", "--matrix"},
		{"graph"},
		{"chains"},
	} {
		if out := run(t, append(args, dump)...); strings.Contains(out, " ns") ||
			!strings.Contains(out, "threads seen waiting") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	golden.Holds(t, tool(t, "-top", exported(t, dump, "blame")), "Type: threads\n", "100% of 5 total")
	golden.Holds(t, run(t, "flame", "--format", "speedscope", dump), `"unit":"none"`)
}

// The single pages begin and look like the page of report, in light and in dark,
// under a policy that lets their own scripts and style alone run; the graph's can
// be moved and enlarged.
func TestTheSinglePagesLookLikeThePage(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	const path = "../testdata/truth-8threads.jfr"
	b := &reportTab{tab: browser(t, pageOf(t, "hist", path))}
	golden.OK(t, chromedp.Listen(b.ctx, b.hear))
	for _, command := range []string{"flame", "csp", "hist", "graph"} {
		b.address = pageOf(t, command, path)
		text, err := os.ReadFile(b.address)
		golden.OK(t, err)
		golden.Lacks(golden.Labelled(t, command), string(text), "unsafe")
		for scheme, want := range map[string]string{
			"light": "rgb(245, 246, 248)rgb(255, 255, 255)rgb(28, 32, 36)",
			"dark":  "rgb(19, 22, 25)rgb(29, 33, 38)rgb(230, 232, 235)",
		} {
			golden.Must(
				chromedp.Call(
					b.step(),
					emulation.SetEmulatedMedia,
					emulation.SetEmulatedMediaParams{
						Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
					},
				),
			)(
				t,
			)
			b.do(chromedp.Navigate("file://" + b.address))
			if got := eval[string](b.tab, `(c => c(document.body).backgroundColor + c(document.querySelector("header.top")).backgroundColor + c(document.querySelector(".picture text, h1")).fill.replace("rgb(0, 0, 0)", c(document.body).color))(getComputedStyle)`); got != want {
				t.Errorf("%s is %s in the %s, want %s", command, got, scheme, want)
			}
			if box := eval[string](b.tab, `(c => c ? getComputedStyle(c).backgroundColor : "")(document.querySelector("#chart"))`); box != "" &&
				box != "rgba(0, 0, 0, 0)" {
				t.Errorf("the chart of %s lies on %s in the %s", command, box, scheme)
			}
		}
	}
	const scale = `new DOMMatrix(getComputedStyle(document.querySelector(".svg-pan-zoom_viewport")).transform).a`
	at := eval[float64](b.tab, scale)
	eval[any](b.tab, `document.getElementById("larger").click()`)
	b.until(fmt.Sprintf("%s > %f", scale, at))
	eval[any](b.tab, `document.getElementById("whole").click()`)
	b.until(fmt.Sprintf("Math.abs(%s - %f) < 0.01", scale, at))
	golden.Equal(t, b.text(".node.h10 text"), "Truth.exportReport:17", "the darkest node is")
	golden.Equal(t, eval[string](b.tab, crossings), "", "arrows cross")
	for _, what := range b.wrong {
		t.Error(what)
	}
}

// crossings names the boxes, and the labels of other arrows, that an arrow crosses.
const crossings = `(() => { const rects = s => [...document.querySelectorAll(s)].map(g => g.querySelector("rect")), labels = rects(".label"), nodes = rects(".node"), found = [];
	[...document.querySelectorAll(".edge path:first-of-type")].forEach((p, i) => { for (let l = 0; l < p.getTotalLength(); l += 2) { const at = p.getPointAtLength(l);
		for (const r of [...nodes, ...labels.filter((_, j) => j !== i)]) if (r) { const b = r.getBBox();
			if (at.x > b.x + 1 && at.x < b.x + b.width - 1 && at.y > b.y + 1 && at.y < b.y + b.height - 1) { found.push(i + " " + r.parentNode.textContent); return; } } } });
	return found.join("; "); })()`

// manyStacks writes a trace in which each of n waits is caused by a stack of
// its own, twelve frames deep; they are the longer the higher their number is.
func manyStacks(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "many.bin")
	f := golden.Must(os.Create(path))(t)
	w := golden.Must(format.NewWriter(f, format.WriterOptions{}))(t)
	write := func(ev format.Event) {
		golden.OK(t, w.Write(&ev))
	}
	for i := range 2 {
		write(format.Event{Kind: format.KindThread, Thread: format.ThreadID(i + 1), Name: fmt.Sprint("worker-", i)})
	}
	write(format.Event{Kind: format.KindObject, Object: 1, Class: "Lock"})
	now := int64(0)
	for i := 1; i <= n; i++ {
		frames := []format.Frame{{Class: "App", Method: fmt.Sprint("leaf", i)}}
		for d := range 11 {
			frames = append(frames, format.Frame{Class: "App", Method: fmt.Sprint("level", d, "of", i>>(d+1))})
		}
		id := format.StackID(i)
		write(format.Event{Kind: format.KindStack, Stack: id, Frames: frames})
		end := now + 1 + int64(i)*int64(i)/int64(n)*int64(i)/int64(n)
		write(format.Event{Kind: format.KindTenure, Thread: 1, Object: 1, Time: now, End: end, Stack: id})
		write(format.Event{Kind: format.KindWait, Thread: 2, Object: 1, Time: now, End: end, Stack: id})
		now = end
	}
	golden.OK(t, errors.Join(w.Close(), f.Close()))
	return path
}

// A page of 50,000 stacks stays small enough to open, finds what is wide
// enough to be drawn, zooms, and says what it leaves out.
func TestThePageOfManyStacks(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("so many stacks take seconds")
	}
	const stacks = 50_000
	path := pageOf(t, "flame", manyStacks(t, stacks))
	if info, err := os.Stat(path); err != nil || info.Size() > 16<<20 {
		t.Errorf("the page has %d bytes: %v", info.Size(), err)
	}
	b := flameTab(t, path)
	golden.Holds(t, b.text("footer"), "frames narrower than")
	whole := b.framesShown()
	b.do(chromedp.SendKeys("#search", fmt.Sprintf("leaf%d$", stacks)))
	if matched := b.text("#matched"); !strings.HasPrefix(matched, "1 frames, ") {
		t.Errorf("the widest leaf: %q", matched)
	}
	for range 4 { // the whole, and three frames up
		b.press("ArrowUp")
	}
	b.press("Enter")
	golden.Holds(t, b.text("#details"), "level")
	if zoomed := b.framesShown(); zoomed < 4 || zoomed == whole {
		t.Errorf("%d frames, %d after zooming in", whole, zoomed)
	}
}
