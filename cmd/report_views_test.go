//go:build !race

package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/document"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

func TestTheReportsPartsWorkTogether(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	whole := r.total()

	r.click(".verdict", "asleep while holding") // a finding sets the filter
	r.until(`location.hash.includes("ownerSite=Truth.exportReport")`)
	caused := r.total()
	if finding := eval[int64](r.tab, `contend.model.analyze.findings[0].waitNs`); caused != finding || caused == 0 ||
		r.count(".chip.on") != 3 {
		t.Errorf(
			"the finding is of %d ns, its link selects %d of %d, with %d chips",
			finding,
			caused,
			whole,
			r.count(".chip.on"),
		)
	}
	r.click(".tree.waiter .frame", "Truth.checkout") // a frame narrows it
	r.until(`document.querySelectorAll(".chip.on").length === 4`)
	if got := r.total(); got == 0 || got >= caused {
		t.Errorf("%d ns, want less than %d", got, caused)
	}
	eval[any](r.tab, `history.back()`)
	r.until(`document.querySelectorAll(".chip.on").length === 3`)
	golden.Equal(t, r.total(), caused, "back leads to")
	hash := eval[string](r.tab, `location.hash`)
	r.open(hash)
	golden.Equal(t, r.total(), caused, "a link shows")
	r.click(".chip.on", "taken at")
	r.until(`document.querySelectorAll(".chip.on").length === 2`)
	for _, view := range []string{
		"holders",
		"flame",
		"pivot",
		"who",
		"longest",
		"about",
	} { // what is seen has a command that prints it
		for _, rest := range []string{"", `filter: {lock: [contend.model.locks[0].shown], time: [0, 1e9]}, blame: "root", nodes: "method"`} {
			words := eval[[]string](
				r.tab,
				fmt.Sprintf(
					`contend.command(contend.model, {...contend.state, filter: {}, view: %q, %s}).words`,
					view,
					rest,
				),
			)
			if i := slices.Index(words, "flame.html"); i >= 0 {
				words[i] = filepath.Join(t.TempDir(), words[i])
			}
			var out, msg bytes.Buffer
			golden.Equal(t, Main(words[1:], nil, &out, &msg), exitOK, words, &msg)
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
		r.do(
			chromedp.MouseEvent(
				ev.kind,
				over.X+ev.at*over.Width,
				over.Y+20,
				chromedp.ButtonLeft,
				chromedp.ClickCount(1),
			),
		)
	}
	r.until(`contend.state.filter.time`)
	golden.Within(t, r.total(), whole/8, whole/2)
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
	golden.Thorough(t)
	t.Parallel()
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	golden.Holds(
		t,
		r.text(".tree.owner"),
		"exportReport:17took the lock",
		"asleep",
		" % blocked on Truth$InventoryLock at Truth.exportReport:17",
	)
	before := r.count(".tree.waiter [role=treeitem]")
	eval[any](
		r.tab,
		`document.querySelector(".tree.waiter [aria-expanded=false]").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))`,
	)
	r.until(fmt.Sprintf(`document.querySelectorAll(".tree.waiter [role=treeitem]").length > %d`, before))

	r.open("#view=pivot")
	r.until(`document.querySelector(".tree.sum")`)
	eval[any](r.tab, `(() => { const [a, b] = document.querySelectorAll(".chip.key"), data = new DataTransfer();
		b.dispatchEvent(new DragEvent("dragstart", {dataTransfer: data, bubbles: true})); window.dragging = [a, b, data]; })()`)
	r.until(`document.querySelector(".chip.key.dragged")`)
	eval[any](
		r.tab,
		`dragging[0].dispatchEvent(new DragEvent("drop", {dataTransfer: dragging[2], bubbles: true, cancelable: true}))`,
	)
	r.until(`contend.state.pivot.join() === "owner-site,class,waiter-site"`)
	eval[any](
		r.tab,
		`(s => { s.value = "waiter-group"; s.dispatchEvent(new Event("change", {bubbles: true})); })(document.querySelector(".pivot select"))`,
	)
	r.until(`contend.state.pivot.length === 4`)
	if !eval[bool](
		r.tab,
		`(s => { const sum = l => l.reduce((a, n) => a + n.ns, 0), ok = n => n.leaf || sum(n.children) === n.ns && n.children.every(ok); return ok(contend.pivotTree(s, contend.state.pivot)); })(contend.select(contend.model, {}))`,
	) {
		t.Error("subtotals do not add up")
	}

	r.open("#view=flame")
	r.until(`document.querySelector("g.frame")`)
	role := func(name string) string { return "g.frame[data-role=" + name + "]" }
	if r.count(role("lock")) == 0 || r.count(role("owner")) == 0 || r.count(role("waiter")) != 0 {
		t.Error("the default flame graph shows no lock with its owners")
	}
	r.click(".choice button", "chain")
	r.until(`document.querySelector("g.frame[data-role=waiter]") && document.querySelector("g.frame[data-role=owner]")`)
	const all = `document.querySelector("g.frame[data-role=all]")`
	top := eval[float64](r.tab, all+`.getBoundingClientRect().top`)
	r.click(".choice button", "up")
	r.until(fmt.Sprintf(all+`.getBoundingClientRect().top > %f`, top))
	whole := r.count("g.frame")
	eval[any](
		r.tab,
		`document.querySelector("g.frame[data-role=lock]").dispatchEvent(new MouseEvent("click", {bubbles: true}))`,
	)
	r.until(fmt.Sprintf(`document.querySelectorAll("g.frame").length < %d`, whole))
	if r.count("g.frame.fade[data-role=waiter]") == 0 || r.count("g.frame.fade[data-role=all]") != 1 {
		t.Error("zooming in drops what the frame stands on")
	}
	eval[any](
		r.tab,
		`document.querySelector(".flamegraph").dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}))`,
	)
	r.until(fmt.Sprintf(`document.querySelectorAll("g.frame").length === %d`, whole))
}

func TestTheReportsGraphMatrixAndLongestWaits(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	r.open("#view=who&nodes=method")
	r.until(`document.querySelectorAll(".graphbox .node").length > 3`)
	if !eval[bool](
		r.tab,
		`(labels => labels.every((a, i) => labels.every((b, j) => i >= j || a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top)))([...document.querySelectorAll(".graphbox .edge text")].map(e => e.getBoundingClientRect()))`,
	) {
		t.Error("labels of the graph overlap")
	}
	if !eval[bool](
		r.tab,
		`(box => [...document.querySelectorAll(".node")].some(n => n.textContent.includes("Truth.sleep") && n.getBoundingClientRect().right <= box.right && n.getBoundingClientRect().left >= box.left))(document.querySelector(".graphbox").getBoundingClientRect())`,
	) {
		t.Error("the culprit is out of sight")
	}
	scale := `new DOMMatrix(getComputedStyle(document.querySelector(".svg-pan-zoom_viewport")).transform).a`
	at := eval[float64](r.tab, scale)
	eval[any](r.tab, `document.querySelector("[aria-label=larger]").click()`)
	r.until(fmt.Sprintf("%s > %f", scale, at))
	told := ask[document.Blame](t, "blame", "--by", "waiter-method,owner-method", "../testdata/truth-8threads.jfr")
	r.click(".matrix td button", fmt.Sprintf("%.1f %%", 100*float64(told.Rows[0].ThreadNs)/float64(told.Total.WaitNs)))
	r.until(
		`contend.state.filter.waiterFrame[0] === "Truth.checkout" && contend.state.filter.ownerFrame[0] === "Truth.sleep"`,
	)

	r.open("#view=longest")
	eval[any](r.tab, `document.querySelector(".stripbutton").click()`)
	r.until(`document.querySelectorAll(".parts li").length > 1`)
	if !eval[bool](
		r.tab,
		`contend.model.longest.length === 100 && contend.model.longest.every(w => w.parts.reduce((a, p) => a + p.ns, w.leftNs || 0) === w.ns)`,
	) {
		t.Error("owners do not sum to their waits")
	}
}

func TestTheReportsSearchTakesAnything(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	r := reportIn(t, reported(t, "../testdata/go126-truth-12goroutines.trace"))
	for _, text := range []string{
		"(*T).Lock(",
		"[",
		"\\",
		"*+?",
		"(?i",
		strings.Repeat("((((", 500),
		"</script>",
		"\u202e",
	} {
		quoted, _ := json.Marshal(text)
		eval[any](
			r.tab,
			fmt.Sprintf(
				`(s => { s.value = %s; s.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("search"))`,
				quoted,
			),
		)
		r.until(`document.getElementById("found")`)
	}
	eval[any](
		r.tab,
		`(s => { s.value = "reconc"; s.dispatchEvent(new Event("input", {bubbles: true})); })(document.getElementById("search"))`,
	)
	r.until(
		`document.querySelector("#found [aria-selected=true]") && document.querySelector("#found").textContent.includes("main.reconcile")`,
	)
	eval[any](
		r.tab,
		`document.getElementById("search").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}))`,
	)
	r.until(`location.hash.includes("main.reconcile")`)
	for _, hash := range []string{
		"#%",
		"#time=9-1&view=nothing&pivot=,,x,class,class&lock",
		"#time=0-99999999999999999999",
		"#lock=%00%ff",
	} {
		r.open(hash)
	}
}

func TestHostileNamesAreInertInTheReport(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := reportIn(t, reported(t, hostileTrace(t)))
	for _, view := range []string{
		"holders",
		"flame&flame=chain",
		"pivot",
		"who",
		"who&nodes=method",
		"longest",
		"about",
	} {
		r.open("#view=" + view)
		if r.count("#page img, #page script") > 0 || strings.Contains(eval[string](r.tab, "document.title"), "hit") {
			t.Errorf("%s: a name acts", view)
		}
		if text := r.text("#page"); !strings.Contains(text, "=cmd()") && view != "about" ||
			strings.ContainsRune(text, '\u202e') {
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
	golden.Thorough(t)
	t.Parallel()
	r := reportIn(t, reported(t, "--diff", "../testdata/truth-8threads.jfr", "../testdata/phases.jfr"))
	golden.Holds(t, r.text(".headline"), "Shrank")
	other := reportIn(t, reported(t, "--diff", "../testdata/phases.jfr", "../testdata/truth-8threads.jfr"))
	golden.Holds(t, other.text(".headline"), "Grew")
	r.click(".tabs button", "Compared")
	r.until(`document.querySelector(".compared")`)
	var want document.Diff
	unmarshal(
		t,
		run(t, "diff", "--top", "0", "--format", "json", "../testdata/truth-8threads.jfr", "../testdata/phases.jfr"),
		&want,
	)
	r.click(".compare section:nth-of-type(3) > button", "all")
	r.until(
		fmt.Sprintf(
			`document.querySelectorAll(".compare section:nth-of-type(3) tbody tr").length === %d`,
			len(want.Owners),
		),
	)
	noise := strings.Contains(r.text(".compare"), "may be noise")
	for _, row := range append(want.Locks, want.Owners...) {
		if row.Status == "same" && !noise {
			t.Errorf("%s: noise is not called so", row.Name)
		}
	}
	r2 := reportIn(t, reported(t, "--diff", "../testdata/truth-8threads.jfr", "../testdata/truth-8threads.jfr"))
	golden.Holds(t, r2.text(".headline"), "no change is larger than noise may be")
}

// The page works by keyboard, and prints what it shows.
func TestTheReportByKeyboardAndOnPaper(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	r.press("3") // the third view
	r.until(`contend.state.view === "flame"`)
	eval[any](
		r.tab,
		`document.querySelector(".flamegraph").focus(), ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "Enter"].forEach(key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}))), 0`,
	)
	r.until(`document.querySelector(".flame .details").textContent.length > 10`)
	r.press("/")
	r.until(`document.activeElement.id === "search"`)
	eval[any](r.tab, `document.activeElement.blur(), 0`)
	r.press("1")
	r.until(`document.querySelector(".tree.owner [tabindex='0']")`)
	eval[any](
		r.tab,
		`document.querySelector(".tree.owner [tabindex='0']").focus(), document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true})), 0`,
	)
	r.until(`document.activeElement.matches("[role=treeitem]:nth-child(2)")`)

	eval[any](r.tab, `document.querySelector(".theme").click(), 0`) // paper is white in the dark, too
	golden.Must(
		chromedp.Call(r.step(), emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}),
	)(
		t,
	)
	if got := eval[string](r.tab, `getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor + getComputedStyle(document.querySelector(".search")).display`); got != "rgb(0, 0, 0)rgb(255, 255, 255)none" {
		t.Errorf("on paper the page is %s", got)
	}
}

// A page of very many stacks is small enough to be sent, opens, and draws a bounded part of
// them at once; what did not fit shows as what it is.
func TestTheReportTakesManyStacks(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	path := manyStacks(t, 70_000)
	page := reported(t, path)
	info := golden.Must(os.Stat(page))(t)
	golden.AtMost(t, info.Size(), 10<<20, "the page has", "bytes")
	var doc document.Analyze // before a window waits for it; with all stacks it is larger than the page
	unmarshal(t, run(t, "analyze", "--top", "1", "--format", "json", path), &doc)
	r := reportIn(t, page)
	golden.Equal(t, r.total(), doc.Total.WaitNs)
	golden.Holds(t, r.text("#page"), "[other]")
	for _, view := range []string{
		"holders",
		"flame",
		"flame&flame=chain",
		"pivot",
		"who&nodes=method",
		"longest",
		"about",
	} {
		r.turn("#view=" + view + "&time=0-4000000")
		r.turn("#view=" + view)
		drawn := eval[int](r.tab, `document.querySelectorAll("*").length`)
		golden.AtMost(t, drawn, 10_000, view, "of 70,000 stacks are drawn", "elements")
	}
}

// The view of thread dumps shows the stacks that threads share, with those that open, and the groups.
func TestTheReportsThreadDumps(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	const path = "../testdata/truth-series-8dumps-jdk17.txt"
	dumps := ask[document.Analyze](t, "analyze", path).Dumps
	r := reportIn(t, reported(t, path))
	r.open("#view=dumps")
	r.until(`document.querySelectorAll(".view.dumps table").length === 2`)
	rows := eval[int](r.tab, `document.querySelectorAll(".view.dumps table")[0].querySelectorAll("tbody tr").length`)
	golden.Equal(t, rows, min(len(dumps.Stacks), 100), "stacks")
	threads := eval[int](r.tab, `[...document.querySelectorAll(".view.dumps table")[0].querySelectorAll("tbody tr")]
		.reduce((n, row) => n + Number(row.cells[0].textContent), 0)`)
	want := 0
	for _, s := range dumps.Stacks {
		want += s.Threads
	}
	golden.Equal(t, threads, want, "threads in the stacks")
	golden.Holds(t, eval[string](r.tab, `document.querySelector(".view.dumps p").textContent`),
		fmt.Sprintf("%d dumps", len(dumps.Taken)))
	eval[any](r.tab, `document.querySelector(".view.dumps summary").click()`)
	golden.Equal(t, eval[int](r.tab, `document.querySelectorAll(".view.dumps details[open] li").length`),
		len(dumps.Stacks[0].Stack), "frames of the first stack")
}
