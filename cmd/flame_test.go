package cmd

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"contend/golden"
	"contend/report/document"

	"github.com/chromedp/chromedp"
)

// flameOf writes a flame graph and returns its path.
func flameOf(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if code := Main(append([]string{"flame", "-o", path}, args...), nil, os.Stdout, os.Stderr); code != exitOK {
		t.Fatalf("flame %v: exit %d", args, code)
	}
	return path
}

func TestFlameGraphsSumToTheAnalysis(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	for i, path := range varied(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := analyzed(t, path).Total.WaitNs
			views := []string{"blame", "blocked", "chain"}
			wellFormed(t, flameOf(t, "f.svg", "--view", views[i%3], path))
			for j, view := range views {
				f := flames[(i+j)%3] // each with each view, over the files
				if got := f.sum(t, flameOf(t, f.name, "--view", view, path)); got != want {
					t.Errorf("%s as %s: %d ns, want %d", view, f.name, got, want)
				}
			}
		})
	}
}

// flames are the files a flame graph is written to that hold the waiting to the
// nanosecond, and how to sum it.
var flames = []struct {
	name string
	sum  func(t *testing.T, path string) int64
}{
	{"f.folded", foldedSum}, {"f.json", speedscopeSum},
	{"f.html", func(t *testing.T, path string) int64 { return pageTree(t, path).Value }},
}

func speedscopeSum(t *testing.T, path string) (sum int64) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Profiles []struct{ Weights []int64 } }
	unmarshal(t, string(text), &doc)
	for _, w := range doc.Profiles[0].Weights {
		sum += w
	}
	return sum
}

func foldedSum(t *testing.T, path string) (sum int64) {
	t.Helper()
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0 // nothing waited: no first byte, no file
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		n, err := strconv.ParseInt(line[strings.LastIndexByte(line, ' ')+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// treeNode is what a page draws.
type treeNode struct {
	Name     string
	Value    int64
	Base     int64
	Role     string
	Children []*treeNode
}

func pageTree(t *testing.T, path string) *treeNode {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), `id="data">`)
	data, _, closed := strings.Cut(rest, "</script>")
	var doc struct{ Tree *treeNode }
	if !found || !closed || json.Unmarshal([]byte(data), &doc) != nil {
		t.Fatalf("%s holds no tree", path)
	}
	var check func(n *treeNode)
	check = func(n *treeNode) {
		sum := int64(0)
		for _, c := range n.Children {
			sum += c.Value
			check(c)
		}
		if sum > n.Value {
			t.Errorf("%s: children of %d ns in %d", n.Name, sum, n.Value)
		}
	}
	check(doc.Tree)
	return doc.Tree
}

func wellFormed(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for dec := xml.NewDecoder(f); ; {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
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
	if err := os.WriteFile(trace, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, flameOf(t, "evil.svg", trace))
	b := flameTab(t, flameOf(t, "evil.html", "--view", "chain", trace))
	if title := eval[string](b, "document.title"); eval[int](b, "document.images.length") != 0 || strings.Contains(title, "pwned") {
		t.Errorf("title %q, images", title)
	}
	if names := eval[string](b, `[...document.querySelectorAll("#chart g.frame")].map(g => g.getAttribute("name")).join("\n")`); !strings.Contains(names, "<img src=x") {
		t.Errorf("frames %q", names)
	}
}

// A trace compared with itself shows no change; what is only in the base is
// there with no width.
func TestDifferences(t *testing.T) {
	t.Parallel()
	golden.Unhurried(t)
	const a, b = "../testdata/truth-8threads.jfr", "../testdata/xalan-8threads.jfr"
	same := pageTree(t, flameOf(t, "d.html", "--diff", a, a))
	var check func(n *treeNode)
	check = func(n *treeNode) {
		if n.Base != n.Value {
			t.Errorf("%s: %d ns, before %d", n.Name, n.Value, n.Base)
		}
		for _, c := range n.Children {
			check(c)
		}
	}
	check(same)
	other := pageTree(t, flameOf(t, "d.html", "--diff", b, a))
	if other.Base != ask[document.Analyze](t, "analyze", b).Total.WaitNs || other.Value != same.Value {
		t.Errorf("%d ns, before %d", other.Value, other.Base)
	}
	newer := pageTree(t, flameOf(t, "d.html", "--diff", a, "../testdata/truth-8threads-jdk25.jfr")) // whose threads run through one method more
	for at, found := newer.Children, ""; !strings.HasSuffix(found, "exportReport"); {
		if len(at) == 0 || at[0].Base == 0 || at[0].Value == 0 {
			t.Fatalf("below %q the other JDK's stacks are others: %+v", found, at)
		}
		found, at = at[0].Name, at[0].Children
	}
}
