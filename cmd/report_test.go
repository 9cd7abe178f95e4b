package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/format"
	"contend/report/document"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// reported writes the page of a trace and returns its path.
func reported(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	if code := Main(append([]string{"report", "-o", path}, args...), nil, os.Stdout, os.Stderr); code != exitOK && code != exitDamaged {
		t.Fatalf("report %v: exit %d", args, code)
	}
	return path
}

// reportTab is a page in a browser, with all it complained of or asked for.
type reportTab struct {
	*tab
	address string
	mu      sync.Mutex
	wrong   []string
}

// reportIn opens a report and waits until it is drawn.
func reportIn(t *testing.T, address string) *reportTab {
	t.Helper()
	blank := filepath.Join(t.TempDir(), "blank.html")
	if err := os.WriteFile(blank, []byte("<html></html>"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := &reportTab{tab: browser(t, blank), address: address}
	if err := chromedp.Listen(r.ctx, r.hear); err != nil {
		t.Fatal(err)
	}
	r.open("")
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, what := range r.wrong {
			t.Errorf("%s: %s", address, what)
		}
	})
	return r
}

// hear notes errors in the page, and requests that leave it.
func (r *reportTab) hear(ev any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		r.wrong = append(r.wrong, fmt.Sprintf("console %s", e.Type))
	case *runtime.EventExceptionThrown:
		r.wrong = append(r.wrong, "exception "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		r.wrong = append(r.wrong, "log "+e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, r.address) && !strings.HasPrefix(url, "file://"+r.address) && url != "about:blank" {
			r.wrong = append(r.wrong, "request of "+url)
		}
	}
}

// open shows the page with that hash, from the start.
func (r *reportTab) open(hash string) {
	r.Helper()
	address := r.address
	if !strings.Contains(address, "://") {
		address = "file://" + address
	}
	r.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address+hash))
	r.until(`document.getElementById("page").dataset.ready === "true"`)
}

// turn changes the hash of the page that is shown, as links in it do.
func (r *reportTab) turn(hash string) {
	r.Helper()
	quoted, _ := json.Marshal(hash)
	eval[any](r.tab, fmt.Sprintf(`(h => { contend.turned = false; location.hash = h; setTimeout(() => requestAnimationFrame(() => setTimeout(() => { contend.turned = true; }))); })(%s)`, quoted))
	r.until(`contend.turned`)
}

// until waits for something to become true in the page.
func (r *reportTab) until(script string) {
	r.Helper()
	for range 400 {
		if eval[bool](r.tab, "!!("+script+")") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.Fatalf("never true: %s; the page says %.300s", script, r.text("#page"))
}

// click presses the element of a selector whose text begins so.
func (r *reportTab) click(selector, text string) {
	r.Helper()
	if !eval[bool](r.tab, fmt.Sprintf(`(e => e ? (e.click(), true) : false)([...document.querySelectorAll(%q)].find(e => e.textContent.trim().startsWith(%q)))`, selector, text)) {
		r.Fatalf("no %s with %q", selector, text)
	}
}

// total is the waiting the page sums up under its filter.
func (r *reportTab) total() int64 {
	r.Helper()
	return eval[int64](r.tab, `contend.select(contend.model, contend.state.filter).total`)
}

// command is the command line the page offers, as words.
func (r *reportTab) command() []string {
	r.Helper()
	return eval[[]string](r.tab, `contend.command(contend.model, {...contend.state, view: "about", blame: "direct"}).words`)
}

// Whatever is selected, the page sums up what analyze does when it is told to
// select the same, in the words the page gives.
func TestTheReportSumsToTheAnalysis(t *testing.T) {
	unhurried(t)
	for _, path := range []string{"../testdata/truth-8threads.jfr", "../testdata/derby-8clients.jfr", "../testdata/go126-truth-12goroutines.trace", "../testdata/truth-series-8dumps-jdk17.txt", "../testdata/documents/sampled-1.txt", "../testdata/lab-rw-jdk25-d1s.jfr"} {
		r := reportIn(t, reported(t, path))
		if got, want := r.total(), analyzed(t, path).Total.WaitNs; got != want {
			t.Errorf("%s: %d ns, want %d", path, got, want)
		}
		rng := rand.New(rand.NewPCG(17, 1))
		for range 10 {
			hash := eval[string](r.tab, fmt.Sprintf(`(pick => {
				const m = contend.model, f = {}, of = list => list[Math.floor(pick() * list.length)];
				if (pick() < 0.5) f.lock = [of(m.locks).name, of(m.locks).name]; else if (pick() < 0.5) f.class = [of(m.locks).class];
				if (pick() < 0.4 && m.analyze.trace.format.startsWith("jfr")) f.waiter = [of(m.groups)];
				if (pick() < 0.7) { const a = Math.floor(pick() * (m.bins - 1)), b = a + 1 + Math.floor(pick() * (m.bins - a)); f.time = [a * m.bin, b * m.bin]; }
				return contend.write({...contend.state, filter: f});
			})((n => () => (n = n * 48271 %% 2147483647) / 2147483647)(%d))`, rng.IntN(2e9)+1))
			r.turn(hash)
			words := r.command()
			if got, want := r.total(), selected(t, words[2:]).Total.WaitNs; got != want {
				t.Errorf("%s: %d ns, but %q has %d", hash, got, words, want)
			}
		}
	}
}

// selected returns what analyze says of those arguments.
func selected(t *testing.T, args []string) (doc document.Analyze) {
	t.Helper()
	if err := json.Unmarshal([]byte(run(t, append([]string{"analyze", "--format", "json"}, args...)...)), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// Every view of every kind of trace can be opened, under a filter and without.
func TestTheReportShowsEveryKindOfTrace(t *testing.T) {
	unhurried(t)
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, []byte("contend 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{ // a trace, and what its page has to say
		"../testdata/xalan-8threads.jfr":                  "of all running time",
		"../testdata/truth-series-8dumps-jdk17.txt":       "of all running time",
		"../testdata/deadlock-monitors-and-juc-jdk17.txt": "2 cycles of threads",
		"../testdata/go126-truth-12goroutines.trace":      "main.reconcile",
		"../testdata/go126-debug2-dump.txt":               "measures no time",
		"../testdata/documents/sampled-1.txt":             "mostly sampled",
		"../testdata/documents/counts.txt":                "1,551 acquisitions",
		quietTrace(t):                                     "No thread waited for a lock",
	}
	for path, says := range kinds {
		r := reportIn(t, reported(t, path))
		if text := r.text("#page"); !strings.Contains(text, says) {
			t.Errorf("%s: the page does not say %q: %.400s", path, says, text)
		}
		for _, view := range eval[[]string](r.tab, `[...document.querySelectorAll(".tabs button")].map(b => b.id.slice(4))`) {
			for _, rest := range []string{"", "&blame=root", "&lock=nothing+is+called+so", "&time=0-1"} {
				r.turn("#view=" + view + rest)
				if r.count("#panel > *") == 0 || r.count(`[role=tab][aria-selected=true]#tab-`+view) != 1 {
					t.Errorf("%s: view %s%s is empty", path, view, rest)
				}
			}
		}
	}
}

// quietTrace writes a trace in which nobody waits.
func quietTrace(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quiet.txt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := format.NewTextWriter(f)
	for _, ev := range []format.Event{{Kind: format.KindThread, Thread: 1, Name: "main"}, {Kind: format.KindThreadStart, Thread: 1, Time: 0}, {Kind: format.KindThreadEnd, Thread: 1, Time: 1e9}} {
		if err := w.Write(&ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheReportsPartsWorkTogether(t *testing.T) {
	unhurried(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	whole := r.total()

	r.click(".verdict", "asleep while holding") // a finding sets the filter
	r.until(`location.hash.includes("ownerSite=Truth.exportReport")`)
	caused := r.total()
	if finding := eval[int64](r.tab, `contend.model.analyze.findings[0].waitNs`); caused != finding || caused == 0 || r.count(".chip.on") != 3 {
		t.Errorf("the finding is of %d ns, its link selects %d of %d, with %d chips", finding, caused, whole, r.count(".chip.on"))
	}
	r.click(".tree.waiter .frame", "Truth.checkout") // a frame narrows it
	r.until(`document.querySelectorAll(".chip.on").length === 4`)
	if got := r.total(); got == 0 || got >= caused {
		t.Errorf("%d ns, want less than %d", got, caused)
	}
	eval[any](r.tab, `history.back()`)
	r.until(`document.querySelectorAll(".chip.on").length === 3`)
	if got := r.total(); got != caused {
		t.Errorf("back leads to %d ns, want %d", got, caused)
	}
	hash := eval[string](r.tab, `location.hash`)
	r.open(hash)
	if got := r.total(); got != caused {
		t.Errorf("a link shows %d ns, want %d", got, caused)
	}
	r.click(".chip.on", "taken at")
	r.until(`document.querySelectorAll(".chip.on").length === 2`)
	for _, view := range []string{"holders", "flame", "pivot", "who", "longest", "about"} { // what is seen has a command that prints it
		for _, rest := range []string{"", `filter: {lock: [contend.model.locks[0].name], time: [0, 1e9]}, blame: "root", nodes: "method"`} {
			words := eval[[]string](r.tab, fmt.Sprintf(`contend.command(contend.model, {...contend.state, filter: {}, view: %q, %s}).words`, view, rest))
			if i := slices.Index(words, "flame.html"); i >= 0 {
				words[i] = filepath.Join(t.TempDir(), words[i])
			}
			var out, msg bytes.Buffer
			if code := Main(words[1:], nil, &out, &msg); code != exitOK {
				t.Errorf("%v: exit %d, %s", words, code, &msg)
			}
		}
	}
	r.click(".chips button", "show all")
	r.until(`document.querySelectorAll(".chip.on").length === 0`)

	eval[any](r.tab, `document.querySelector(".u-over").scrollIntoView({block: "center"})`)
	over := r.boxes(".u-over")[0] // brushing
	for _, ev := range []struct {
		kind input.DispatchMouseEventType
		at   float64
	}{{"mouseMoved", 0.25}, {"mousePressed", 0.25}, {"mouseMoved", 0.4}, {"mouseMoved", 0.5}, {"mouseReleased", 0.5}} {
		r.do(chromedp.MouseEvent(ev.kind, over.X+ev.at*over.Width, over.Y+20, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	}
	r.until(`contend.state.filter.time`)
	if got := r.total(); got < whole/8 || got > whole/2 {
		t.Errorf("a quarter of the time has %d of %d ns", got, whole)
	}
	r.click(".time button", "all time")
	r.until(`!contend.state.filter.time`)

	r.click(".locks thead button", "longest") // lists sort
	r.until(`document.querySelector(".locks tbody .name").textContent.startsWith("Truth$LedgerLock")`)
	r.click(".locks .choice button", "class")
	r.until(`document.querySelector(".locks thead").textContent.startsWith("class")`)
	r.click(".theme", "")
	r.until(`document.documentElement.dataset.theme === "dark"`)
}

func TestTheReportsTreesPivotAndFlameGraph(t *testing.T) {
	unhurried(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	if got := r.text(".tree.owner"); !strings.Contains(got, "exportReport:17took the lock") || !strings.Contains(got, "asleep") || !strings.Contains(got, "itself blocked") {
		t.Errorf("the holders do not say what they do: %.400s", got)
	}
	before := r.count(".tree.waiter [role=treeitem]")
	eval[any](r.tab, `document.querySelector(".tree.waiter [aria-expanded=false]").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))`)
	r.until(fmt.Sprintf(`document.querySelectorAll(".tree.waiter [role=treeitem]").length > %d`, before))

	r.open("#view=pivot")
	r.until(`document.querySelector(".tree.sum")`)
	eval[any](r.tab, `(() => { const [a, b] = document.querySelectorAll(".chip.key"), data = new DataTransfer();
		b.dispatchEvent(new DragEvent("dragstart", {dataTransfer: data, bubbles: true})); window.dragging = [a, b, data]; })()`)
	r.until(`document.querySelector(".chip.key.dragged")`)
	eval[any](r.tab, `dragging[0].dispatchEvent(new DragEvent("drop", {dataTransfer: dragging[2], bubbles: true, cancelable: true}))`)
	r.until(`contend.state.pivot.join() === "owner-site,class,waiter-site"`)
	eval[any](r.tab, `(s => { s.value = "waiter-group"; s.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector(".pivot select"))`)
	r.until(`contend.state.pivot.length === 4`)
	if !eval[bool](r.tab, `(s => { const sum = l => l.reduce((a, n) => a + n.ns, 0), ok = n => n.leaf || sum(n.children) === n.ns && n.children.every(ok); return ok(contend.tree(s, contend.pivotPaths(s, contend.state.pivot))); })(contend.select(contend.model, {}))`) {
		t.Error("subtotals do not add up")
	}

	r.open("#view=flame")
	if r.count(".f.lock") == 0 || r.count(".f.owner") == 0 || r.count(".f.waiter") != 0 {
		t.Error("the default flame graph shows no lock with its owners")
	}
	r.click(".choice button", "chain")
	r.until(`document.querySelector(".f.waiter") && document.querySelector(".f.owner")`)
	top := eval[float64](r.tab, `document.querySelector(".f.all").getBoundingClientRect().top`)
	r.click(".choice button", "up")
	r.until(fmt.Sprintf(`document.querySelector(".f.all").getBoundingClientRect().top > %f`, top))
	eval[any](r.tab, `[..."f".repeat(1)].forEach(() => document.querySelector(".f.lock rect").parentNode.dispatchEvent(new MouseEvent("click", {bubbles: true})))`)
	r.until(`document.querySelectorAll(".f.all").length === 0`)
	eval[any](r.tab, `document.querySelector(".flamegraph").dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}))`)
	r.until(`document.querySelectorAll(".f.all").length === 1`)
}

func TestTheReportsGraphMatrixAndLongestWaits(t *testing.T) {
	unhurried(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	r.open("#view=who&nodes=method")
	r.until(`document.querySelectorAll(".graphbox .node").length > 3`)
	if !eval[bool](r.tab, `(labels => labels.every((a, i) => labels.every((b, j) => i >= j || a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top)))([...document.querySelectorAll(".graphbox .edge text")].map(e => e.getBoundingClientRect()))`) {
		t.Error("labels of the graph overlap")
	}
	if !eval[bool](r.tab, `(box => [...document.querySelectorAll(".node")].some(n => n.textContent.includes("Truth.sleep") && n.getBoundingClientRect().right <= box.right && n.getBoundingClientRect().left >= box.left))(document.querySelector(".graphbox").getBoundingClientRect())`) {
		t.Error("the culprit is out of sight")
	}
	scale := `new DOMMatrix(getComputedStyle(document.querySelector(".svg-pan-zoom_viewport")).transform).a`
	at := eval[float64](r.tab, scale)
	eval[any](r.tab, `document.querySelector("[aria-label=larger]").click()`)
	r.until(fmt.Sprintf("%s > %f", scale, at))
	r.click(".matrix td button", "30.9 %")
	r.until(`contend.state.filter.waiterFrame[0] === "Truth.checkout" && contend.state.filter.ownerFrame[0] === "Truth.sleep"`)

	r.open("#view=longest")
	eval[any](r.tab, `document.querySelector(".stripbutton").click()`)
	r.until(`document.querySelectorAll(".parts li").length > 1`)
	if !eval[bool](r.tab, `contend.model.longest.length === 100 && contend.model.longest.every(w => w.parts.reduce((a, p) => a + p.ns, w.leftNs || 0) === w.ns)`) {
		t.Error("owners do not sum to their waits")
	}
}

func TestTheReportsSearchTakesAnything(t *testing.T) {
	unhurried(t)
	r := reportIn(t, reported(t, "../testdata/go126-truth-12goroutines.trace"))
	for _, text := range []string{"(*T).Lock(", "[", "\\", "*+?", "(?i", strings.Repeat("((((", 500), "</script>", "\u202e"} {
		quoted, _ := json.Marshal(text)
		eval[any](r.tab, fmt.Sprintf(`(s => { s.value = %s; s.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("search"))`, quoted))
		r.until(`document.getElementById("found")`)
	}
	eval[any](r.tab, `(s => { s.value = "reconc"; s.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("search"))`)
	r.until(`document.querySelector("#found [aria-selected=true]") && document.querySelector("#found").textContent.includes("main.reconcile")`)
	eval[any](r.tab, `document.getElementById("search").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}))`)
	r.until(`location.hash.includes("main.reconcile")`)
	for _, hash := range []string{"#%", "#time=9-1&view=nothing&pivot=,,x,class,class&lock", "#time=0-99999999999999999999", "#lock=%00%ff"} {
		r.open(hash)
	}
}

func TestHostileNamesAreInertInTheReport(t *testing.T) {
	unhurried(t)
	r := reportIn(t, reported(t, hostileTrace(t)))
	for _, view := range []string{"holders", "flame&flame=chain", "pivot", "who", "who&nodes=method", "longest", "about"} {
		r.open("#view=" + view)
		if r.count("#page img, #page script") > 0 || strings.Contains(eval[string](r.tab, "document.title"), "hit") {
			t.Errorf("%s: a name acts", view)
		}
		if text := r.text("#page"); !strings.Contains(text, "=cmd()") && view != "about" || strings.ContainsRune(text, '\u202e') {
			t.Errorf("%s: the name is not shown as it is: %.200s", view, text)
		}
	}
	r.click(".verdict", "Most contended")
	r.until(`document.querySelectorAll(".chip.on").length === 1`)
	if r.total() == 0 {
		t.Error("nothing is selected")
	}
}

func TestTheReportComparesTwoRecordings(t *testing.T) {
	unhurried(t)
	r := reportIn(t, reported(t, "--diff", "../testdata/truth-8threads.jfr", "../testdata/phases.jfr"))
	if text := r.text(".headline"); !strings.Contains(text, "Shrank") || !strings.Contains(text, "Grew") {
		t.Errorf("the headline does not say what changed: %s", text)
	}
	r.click(".tabs button", "Compared")
	r.until(`document.querySelector(".compared")`)
	var want document.Diff
	if err := json.Unmarshal([]byte(run(t, "diff", "--top", "0", "--format", "json", "../testdata/truth-8threads.jfr", "../testdata/phases.jfr")), &want); err != nil {
		t.Fatal(err)
	}
	r.click(".compare section:nth-of-type(3) > button", "all")
	r.until(fmt.Sprintf(`document.querySelectorAll(".compare section:nth-of-type(3) tbody tr").length === %d`, len(want.Owners)))
	for _, row := range append(want.Locks, want.Owners...) {
		if row.Status == "same" && !strings.Contains(r.text(".compare"), "may be noise") {
			t.Errorf("%s: noise is not called so", row.Name)
		}
	}
	r2 := reportIn(t, reported(t, "--diff", "../testdata/truth-8threads.jfr", "../testdata/truth-8threads.jfr"))
	if text := r2.text(".headline"); !strings.Contains(text, "nothing changed by more than what may be noise") {
		t.Errorf("of equal recordings the headline says: %s", text)
	}
}

// The page works by keyboard, and prints what it shows.
func TestTheReportByKeyboardAndOnPaper(t *testing.T) {
	unhurried(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	r.press("2")
	r.until(`contend.state.view === "flame"`)
	eval[any](r.tab, `document.querySelector(".flamegraph").focus(), ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "Enter"].forEach(key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}))), 0`)
	r.until(`document.querySelector(".flame .details").textContent.length > 10`)
	r.press("/")
	r.until(`document.activeElement.id === "search"`)
	eval[any](r.tab, `document.activeElement.blur(), 0`)
	r.press("1")
	r.until(`document.querySelector(".tree.owner [tabindex='0']")`)
	eval[any](r.tab, `document.querySelector(".tree.owner [tabindex='0']").focus(), document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true})), 0`)
	r.until(`document.activeElement.matches("[role=treeitem]:nth-child(2)")`)

	eval[any](r.tab, `document.querySelector(".theme").click(), 0`) // paper is white in the dark, too
	if _, err := chromedp.Call(r.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](r.tab, `getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector(".search")).display`); got != "rgb(0, 0, 0)rgb(255, 255, 255)none" {
		t.Errorf("on paper the page is %s", got)
	}
}

// A page of very many stacks is small enough to be sent, opens, and answers at
// once; what did not fit shows as what it is.
func TestTheReportTakesManyStacks(t *testing.T) {
	unhurried(t)
	path := manyStacks(t, 100_000)
	page := reported(t, path)
	info, err := os.Stat(page)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 10<<20 {
		t.Errorf("the page has %d bytes", info.Size())
	}
	r := reportIn(t, page)
	if got, want := r.total(), analyzed(t, path).Total.WaitNs; got != want {
		t.Errorf("%d ns, want %d", got, want)
	}
	if text := r.text("#page"); !strings.Contains(text, "[other]") {
		t.Error("what was merged is not said")
	}
	for _, view := range []string{"holders", "flame", "flame&flame=chain", "pivot", "who&nodes=method", "about"} {
		r.turn("#view=" + view + "&time=0-4000000")
		eval[any](r.tab, `(() => { delete window.took; const from = performance.now(); addEventListener("hashchange", () => setTimeout(() => { window.took = performance.now() - from; }), {once: true}); contend.narrow({time: undefined}); })()`)
		r.until("window.took")
		ms := eval[float64](r.tab, "window.took")
		t.Logf("%s: a filter change takes %.0f ms", view, ms)
	}
}
