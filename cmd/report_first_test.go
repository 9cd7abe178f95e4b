//go:build !race

package cmd

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/text"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// broken are the parts of names that go on in another line, but for what no line holds.
const broken = `[...document.querySelectorAll(".name")].flatMap(n => [...n.childNodes]).filter(n => n.nodeType === 3 && (r => (r.selectNodeContents(n), new Set([...r.getClientRects()].map(b => b.top)).size > 1))(document.createRange())).map(n => n.data).filter(text => !text.includes(" ") && text.length < 30)`

// Names go on in the next line where a part of them ends, never within a word, and no
// page is wider than its window.
func TestTheReportBreaksNamesAtTheirParts(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for path, narrow := range map[string]string{"../testdata/deadlock-monitors-and-juc-jdk17.txt": "acquire:715",
		"../testdata/derby-8clients.jfr": "BasePage"} {
		r := reportIn(t, reported(t, path))
		r.do(chromedp.EmulateViewport(390, 900))
		for _, view := range []string{"", "#view=holders&tree=innermost", "#view=pivot&pivot=waiter-stack",
			"#view=longest", "#view=about"} {
			r.open(view)
			golden.AtMost(t, len(eval[[]string](r.tab, broken)), 0, path, view, "breaks")
			golden.AtMost(t, eval[int](r.tab, "document.documentElement.scrollWidth"), 390, path, view, "wide")
		}
		if text := r.text("#page"); !strings.Contains(text, narrow) {
			r.turn("#view=holders&tree=innermost")
			if text = r.text("#page"); !strings.Contains(text, narrow) {
				t.Errorf("%s: no %s: what is looked at is not there", path, narrow)
			}
		}
	}
}

// cutOff names the parts of a view whose tables are wider than they are shown, and what is wider than the window.
const cutOff = `[...document.querySelectorAll(".view .wide, .lanehead, .lead b")].filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" || e.getBoundingClientRect().right > innerWidth).map(e => e.textContent.slice(0, 60)).join("; ")`

// On a phone no column of these views is out of sight, and what a page is compared with is named by as little of
// its path as tells both apart.
func TestTheReportFitsAPhone(t *testing.T) {
	golden.ParallelUnlessShort(t)
	dir := t.TempDir() + "/a-long-path-without-any-place-to-break/as_nightly_builds_have_them/yesterday"
	golden.OK(t, os.MkdirAll(dir, 0o700))
	base := dir + "/truth-8threads.jfr"
	golden.OK(t, os.WriteFile(base, golden.Must(os.ReadFile("../testdata/truth-8threads-jdk25.jfr"))(t), 0o600))
	for page, views := range map[string][]string{
		reported(t, "../testdata/truth-8threads.jfr", "--diff", base): {"compare", "about", "threads"},
		reported(t, "../testdata/truth-series-8dumps-jdk17.txt"):      {"dumps", "about"},
		reported(t, "../testdata/derby-8clients.jfr"):                 {"about", "threads"},
	} {
		r := reportIn(t, page)
		r.do(chromedp.EmulateViewport(390, 900))
		for _, view := range views {
			r.open("#view=" + view)
			golden.Equal(t, eval[string](r.tab, cutOff), "", view, "cut off")
			golden.AtMost(t, eval[int](r.tab, "document.documentElement.scrollWidth"), 390, view, "wide")
			if view == "compare" {
				golden.Equal(t, r.text(".lead .side"), "yesterday/truth-8threads.jfr", "the base is called")
			}
		}
	}
}

// The command line closes by Escape and by a click outside of it.
func TestTheReportsCommandLineCloses(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	const open = `document.getElementById("pop").matches(":popover-open")`
	for what, end := range map[string]func(){
		"Escape":  func() { r.do(chromedp.KeyEvent(kb.Escape)) },
		"a click": func() { r.do(chromedp.MouseClickXY(40, 500)) },
	} {
		r.click("button", "As command line")
		r.until(open + ` && document.getElementById("command").value.startsWith("contend blame")`)
		if end(); eval[bool](r.tab, open) {
			t.Errorf("%s leaves it open", what)
		}
	}
}

// Cards and headline are of what is selected, and phases are a bar that tints nothing.
func TestTheReportsHeadlineFollowsTheSelection(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	cards := func() []string {
		return eval[[]string](r.tab, `[...document.querySelectorAll(".verdict")].map(v => v.textContent)`)
	}
	about := func(what string) int {
		return len(slices.DeleteFunc(cards(), func(card string) bool { return !strings.Contains(card, what) }))
	}
	tinted := eval[float64](
		r.tab,
		`(c => { const {data} = c.getContext("2d").getImageData(0, 0, c.width, c.height); let n = 0; for (let i = 3; i < data.length; i += 4) n += data[i] > 15 && data[i] < 45; return n / c.width / c.height; })(document.querySelector(".u-wrap canvas"))`,
	)
	golden.Equal(t, r.count(".swatch.phase"), 1)
	golden.AtMost(t, tinted, 0.01)
	if about("Truth.auditScan:21") == 0 || about("Truth$LedgerLock") == 0 {
		t.Errorf("cards of all: %q", cards())
	}
	whole := r.total()
	r.turn("#place=Truth$LedgerLock+at+Truth.nestedTransfer:19")
	if lead, want := r.text(".lead"), fmt.Sprintf("Selected: %.1f %% of all waiting",
		100*float64(r.total())/float64(whole)); !strings.HasPrefix(
		lead,
		want,
	) {
		t.Errorf("the headline says %q, want %q", lead, want)
	}
	golden.Equal(t, about("Truth.auditScan:21"), 0)
	golden.Equal(t, about("Truth$LedgerLock at Truth.nestedTransfer:19 has 100 %"), 1)
}

// Trees begin where the lock was taken, and their innermost frames stay to be had.
func TestTheReportsTreesBeginWhereTheLockIsTaken(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	first := func() string { return r.text(".tree.owner [role=treeitem] .label") }
	golden.Equal(t, first(), "Truth.exportReport:17took the lockasleep", "the tree begins with")
	for _, waits := range eval[[]string](r.tab,
		`[...document.querySelectorAll(".tree.waiter [aria-level='1'] .name")].map(n => n.title)`) {
		if !strings.HasPrefix(waits, "Truth.") {
			t.Errorf("a waiter's tree begins with %q", waits)
		}
	}
	r.turn("#tree=innermost")
	golden.Equal(t, first(), "Thread.sleepasleep", "the tree begins with")
	r = reportIn(
		t,
		reported(t, "../decode/profile/testdata/mutex.pprof"),
	) // its owners were in frames behind the acquisition
	golden.Holds(t, r.text(".tree.owner"), "held the lock")
	golden.Lacks(t, r.text(".tree.owner"), "took the lock")
	golden.Holds(t, r.text(".lead"), "1.79 s of waiting for locks in 248 waits, summed by stack")
	golden.Holds(t, r.text(".locks tbody"), "1.73 s96.8 %199––")
}

// A page with deadlocks opens on them: for each thread the line at which it took the lock
// that it holds, and the one at which it waits.
func TestTheReportOpensOnDeadlocks(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := reportIn(t, reported(t, "../testdata/deadlock-monitors-and-juc-jdk17.txt"))
	card := r.text(".verdict.bad")
	golden.Holds(
		t,
		card,
		"teller-1 and teller-2 wait for each other",
		"teller-1 took StringBuilder at Dead.transferAB:5 in Dead.transferAB at line 5 or before, waits at "+
			"Dead.transferAB:5 for StringBuilder at "+
			"Dead.transferBA:5",
		"juc-2 took ReentrantLock at Dead.dc:6, waits at Dead.dc:6 for ReentrantLock at Dead.cd:6",
	)
	golden.Equal(t, r.text("[role=tab][aria-selected=true]"), "Deadlocks", "the page opens on")
	golden.Equal(
		t,
		reportIn(t, reported(t, "../testdata/truth-8threads.jfr")).text("[role=tab][aria-selected=true]"),
		"Holders and waiters",
		"a page without deadlocks opens elsewhere",
	)
}

// The page shows what contend why does: the waits, their lanes and suspects.
func TestTheReportSaysWhy(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := reportIn(t, reported(t, "../testdata/truth-8threads.jfr"))
	r.turn("#view=why&place=Truth$InventoryLock+at+Truth.exportReport:17")
	r.until(`document.querySelectorAll(".lanes .l-waits").length > 5 && document.querySelector(".lanes .l-holds")`)
	words := eval[[]string](r.tab, `contend.command(contend.model, contend.state).words`)
	told := askWhy(t, words[2:]...)
	if lead := r.text(".why .total"); !strings.HasPrefix(lead, told.Thread+" waited "+text.Duration(told.WaitNs)) ||
		!strings.Contains(lead, "Its owners are "+told.Known) {
		t.Errorf("%v tells of %s and %d ns, the page: %s", words, told.Thread, told.WaitNs, lead)
	}
	for i, s := range told.Suspects {
		row := eval[[]string](
			r.tab,
			fmt.Sprintf(
				`[...document.querySelectorAll(".why .below tbody tr")[%d].children].map(c => c.textContent)`,
				i,
			),
		)
		next := fmt.Sprintf("%+.1f", s.Evidence.Next)
		if math.Abs(s.Evidence.Next) < 0.05 {
			next = "·" // as the page writes next to nothing
		}
		if want := fmt.Sprintf("%.1f %%", 100*s.Chance); !strings.HasPrefix(row[0], s.Site) || row[1] != want ||
			row[2] != s.Thread ||
			strings.ReplaceAll(row[4], "−", "-") != next {
			t.Errorf("suspect %d is %q, want %s %s %+v", i, row, s.Site, want, s.Evidence)
		}
	}
	if wide := r.boxes(".strip.lane"); len(wide) < 8 || wide[0].Width < 600 {
		t.Errorf("lanes are drawn at %v", wide)
	}
}

// Latches, pools and queues stand with the locks: in the list by waiting, in the chart, in
// the pivot and among what is found, with what analyze says of them.
func TestTheReportRanksWhateverIsWaitedFor(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for path, first := range map[string]string{"../testdata/hsqldb-6clients.jfr": "CountUpDownLatch.await latch",
		"../testdata/pools/pools-jdk17.jfr": "ArrayBlockingQueue.take at Pools.timed:21 pool"} {
		r, doc := reportIn(t, reported(t, path)), analyzed(t, path)
		golden.Equal(t, r.text(".locks tbody th"), first, path, "the list begins with")
		name := first[:strings.LastIndex(first, " ")]
		golden.Holds(golden.Labelled(t, path), r.text(".lead"), "waited at "+name)
		if legend := r.text(".time .legend"); !strings.HasPrefix(legend, name) {
			t.Errorf("%s: the chart shows %q", path, legend)
		}
		for _, w := range doc.Ranked {
			if w.What == "" {
				continue
			}
			sum := fmt.Sprintf(
				`(s => s.some.reduce((a, i) => s.model.locks[s.model.lock[i]].name === %q ? a + s.ns[i] : a, 0))(contend.select(contend.model, {}))`,
				w.What+" at "+w.Site,
			)
			golden.Equal(t, eval[int64](r.tab, sum), w.WaitNs, path, "at", w.Site, "analyze says")
		}
		golden.Equal(t, r.total(), doc.Total.WaitNs, path)
		found := eval[[]string](
			r.tab,
			fmt.Sprintf(`contend.find(contend.select(contend.model, {}), %q).map(f => f.name)`, name),
		)
		if !slices.Contains(found, name) {
			t.Errorf("%s: the search finds %q", path, found)
		}
		r.turn("#view=pivot&pivot=lock")
		golden.Equal(t, r.text(".tree.sum [role=treeitem] .name"), name, path, "the pivot begins with")
	}
	if r := reportIn(t, reported(t, "../testdata/derby-8clients.jfr")); !strings.Contains(
		r.text(".headline"),
		"Released byclient- threads 100 %, derby.rawStoreDaemon threads <0.1 %: they end the waits at Object.wait "+
			"at BasePage.setExclusive",
	) {
		t.Errorf("what ends the waits is not told: %s", r.text(".headline"))
	}
}

// A page has less than 1 MB, also where nearly all threads wait for many reasons at all times.
func TestAPageCanBeMailed(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	dir := t.TempDir()
	run(t, "simulate", "--scenario", "random", "--threads", "32", "--duration", "60s", "--exact", "-o", dir+"/t.bin")
	run(t, "report", "-o", dir+"/t.html", dir+"/t.bin")
	if size := golden.Must(os.Stat(dir + "/t.html"))(t).Size(); size > 1e6 || size < 5e5 {
		t.Errorf("a page of %d bytes", size)
	}
}
