//go:build !race

package cmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contend/format"
	"contend/golden"
	"contend/report/document"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// reported returns the path of the page of a trace, which is written once.
func reported(t *testing.T, args ...string) string {
	t.Helper()
	once, _ := reports.LoadOrStore(strings.Join(args, " "), sync.OnceValues(func() (string, error) {
		dir, err := os.MkdirTemp(sharedDir, "report")
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, "report.html")
		if code := Main(append([]string{"report", "-o", path}, args...), nil, os.Stdout, os.Stderr); code != exitOK &&
			code != exitDamaged {
			return "", fmt.Errorf("report %v: exit %d", args, code)
		}
		return path, nil
	}))
	return golden.Must(once.(func() (string, error))())(t)
}

// reportTab is a page in a browser, with all it complained of or asked for.
type reportTab struct {
	*tab
	address string
	opened  int
	mu      sync.Mutex
	wrong   []string
}

// reportIn opens a report and waits until it is drawn.
func reportIn(t *testing.T, address string) *reportTab {
	t.Helper()
	r := &reportTab{tab: window(t), address: address}
	golden.OK(t, chromedp.Listen(r.ctx, r.hear))
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
		url, err := url.PathUnescape(e.Request.URL)
		own := strings.HasPrefix(url, r.address) || strings.HasPrefix(url, "file://"+r.address) || url == "about:blank"
		if err != nil || !own {
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
	r.opened++ // another query is another document: the hash alone would be a turn
	r.do(chromedp.Navigate(fmt.Sprintf("%s?%d%s", address, r.opened, hash)))
	r.until(`document.getElementById("page").dataset.ready === "true"`)
}

// turn changes the hash of the page that is shown, as links in it do.
func (r *reportTab) turn(hash string) {
	r.Helper()
	quoted, _ := json.Marshal(hash)
	r.await(fmt.Sprintf(`location.hash = %s; setTimeout(() => requestAnimationFrame(() => setTimeout(done)))`, quoted))
}

// await runs a script in the page until it calls done. The page is not asked meanwhile,
// which would be work for it, the more the longer a busy machine takes.
func (r *reportTab) await(script string) {
	r.Helper()
	r.do(chromedp.Evaluate[chromedp.Void]("new Promise(done => { "+script+" })", chromedp.EvalAwaitPromise))
}

// until waits for something to become true in the page.
func (r *reportTab) until(script string) {
	r.Helper()
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(10 * time.Millisecond) {
		if eval[bool](r.tab, "!!("+script+")") {
			return
		}
	}
	r.Fatalf("never true: %s; the page says %.300s", script, r.text("#page"))
}

// click presses the element of a selector whose text begins so.
func (r *reportTab) click(selector, text string) {
	r.Helper()
	if !eval[bool](
		r.tab,
		fmt.Sprintf(
			`(e => e ? (e.click(), true) : false)([...document.querySelectorAll(%q)].find(e => e.textContent.trim().startsWith(%q)))`,
			selector,
			text,
		),
	) {
		r.Fatalf("no %s with %q", selector, text)
	}
}

// total is the waiting the page sums up under its filter.
func (r *reportTab) total() int64 {
	r.Helper()
	return eval[int64](r.tab, `contend.select(contend.model, contend.state.filter).locks`)
}

// command is the command line the page offers, as words.
func (r *reportTab) command() []string {
	r.Helper()
	return eval[[]string](
		r.tab,
		`contend.command(contend.model, {...contend.state, view: "about", blame: "direct"}).words`,
	)
}

// Whatever is selected, the page sums up what analyze does when it is told to
// select the same, in the words the page gives.
func TestTheReportSumsToTheAnalysis(t *testing.T) {
	golden.ParallelUnlessShort(t)
	paths, tries := []string{
		"../testdata/truth-8threads.jfr",
		"../testdata/go126-truth-12goroutines.trace",
		"../testdata/truth-series-8dumps-jdk17.txt",
	}, 2
	if golden.IsThorough() {
		paths, tries = append(
			paths,
			"../testdata/derby-8clients.jfr",
			"../testdata/documents/sampled-1.txt",
			"../testdata/lab-rw-jdk25-d1s.jfr",
		), 10
	}
	for _, path := range paths {
		r := reportIn(t, reported(t, path))
		golden.Equal(t, r.total(), analyzed(t, path).Total.WaitNs, path)
		rng := rand.New(rand.NewPCG(17, 1))
		for range tries {
			hash := eval[string](r.tab, fmt.Sprintf(`(pick => {
				const m = contend.model, f = {}, locks = m.locks.filter(l => !l.resource), of = list => list[Math.floor(pick() * list.length)];
				if (pick() < 0.5) f.lock = [of(locks).shown, of(locks).shown]; else if (pick() < 0.5) f.place = [m.places[of(locks).place]]; else if (pick() < 0.5) f.class = [m.classes[of(locks).class].shown];
				if (pick() < 0.4 && m.analyze.trace.format.startsWith("jfr")) f.waiter = [m.groups[of(m.waiterGroup)]];
				if (pick() < 0.7) { const a = Math.floor(pick() * (m.bins - 1)), b = a + 1 + Math.floor(pick() * (m.bins - a)); f.time = [a * m.bin, b * m.bin]; }
				return contend.write({...contend.state, filter: f});
			})((n => () => (n = n * 48271 %% 2147483647) / 2147483647)(%d))`, rng.IntN(2e9)+1))
			r.turn(hash)
			words := r.command()
			golden.Equal(t, r.total(), ask[document.Analyze](t, words[1:]...).Total.WaitNs, hash, "but", words)
		}
	}
}

// Every view of every kind of trace can be opened, under a filter and without.
func TestTheReportShowsEveryKindOfTrace(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.txt")
	golden.OK(t, os.WriteFile(empty, []byte("contend 1\n"), 0o644))
	kinds := map[string]string{ // a trace, and what its page has to say, between |
		"../testdata/xalan-8threads.jfr":            "of all running time",
		"../testdata/truth-series-8dumps-jdk17.txt": "of all running time",
		"../testdata/deadlock-monitors-and-juc-jdk17.txt": "2 Deadlocks|teller-1 and teller-2 wait for each " +
			"other|juc-1 and juc-2 wait for each other|mostly blocked on StringBuilder",
		"../testdata/go126-truth-12goroutines.trace": "main.reconcile",
		"../testdata/go126-debug2-dump.txt":          "measures no time",
		"../testdata/documents/sampled-1.txt":        "owners recorded 100 %",
		"../testdata/documents/counts.txt":           "1,551 acquisitions",
		"../testdata/virtual-jdk25.jfr":              "contend jfc --exact > contend.jfc",
		"../testdata/findings/one-jdk17.jfr.gz":      "of waiting for pools, permits and queues",
		textTrace(t, format.Event{
			Kind:   format.KindThread,
			Thread: 1,
			Name:   "main",
		}, format.Event{
			Kind:   format.KindThreadStart,
			Thread: 1,
		}, format.Event{Kind: format.KindThreadEnd, Thread: 1, Time: 1e9}): "No thread waited for a lock",
		empty: "No thread waited for a lock|contend record PID|the trace was cut off",
	}
	for i, path := range slices.Sorted(maps.Keys(kinds)) {
		says, r := kinds[path], reportIn(t, reported(t, path))
		for one := range strings.SplitSeq(says, "|") {
			golden.Holds(golden.Labelled(t, path), r.text("#page"), one)
		}
		for _, view := range eval[[]string](r.tab, `[...document.querySelectorAll(".tabs button")].map(b => b.id.slice(4))`) {
			for j, rest := range []string{"", "&blame=root", "&lock=nothing+is+called+so", "&time=0-1"} {
				if j > 0 && j%3 != i%3 {
					continue // filters take turns over the traces
				}
				r.turn("#view=" + view + rest)
				if r.count("#panel > *") == 0 || r.count(`[role=tab][aria-selected=true]#tab-`+view) != 1 {
					t.Errorf("%s: view %s%s is empty", path, view, rest)
				}
			}
		}
	}
}

// Where nobody waits for a lock, but something else is wrong, the page says so
// instead of how to record.
func TestTheReportOfFindingsWithoutLocks(t *testing.T) {
	golden.ParallelUnlessShort(t)
	r := reportIn(t, reported(t, "../testdata/findings/storm-jdk17.jfr.gz"))
	if text := r.text("#page"); !strings.Contains(text, "mostly in vain") ||
		!strings.Contains(text, "waited for at Cases.fetch:180") ||
		strings.Contains(text, "JFR.start") {
		t.Errorf("the page says %.700s", text)
	}
	r.click(".verdict.found", "waking all")
	r.until(
		`location.hash.includes("view=about") || document.querySelector("[role=tab][aria-selected=true]#tab-about")`,
	)
}
