//go:build !race

package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contend/analysis"
	"contend/format"
	"contend/golden"
	"contend/report/document"
)

// Whatever key the page sums by, under either blame, each of its sums is the one
// contend blame prints: what the page calls a lock aside.
func TestTheReportAgreesWithBlameInEveryKey(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const path = "../testdata/truth-8threads.jfr"
	r := reportIn(t, reported(t, path))
	for i, key := range eval[[]string](r.tab, `contend.pivotKeys.filter(k => k !== "owner-known")`) {
		for j, how := range []string{"direct", "root"} {
			if !golden.IsThorough() && i%2 != j {
				continue // the blames take turns over the keys
			}
			args := []string{"blame", "--format", "json", "--top", "0", "--by", key}
			if how == "root" {
				args = append(args, "--root")
			}
			want := map[string]int64{}
			for _, row := range blamed(t, append(args, path)).Rows {
				want[row.Keys[0]] += row.ThreadNs
			}
			got := eval[map[string]int64](r.tab, fmt.Sprintf(`((s, key) => {
				const name = /lock|blocked/.test(key) ? t => (s.model.locks.find(l => l.shown === t) || {name: t}).name : key === "class" ? t => s.model.classes.find(c => c.shown === t).name : t => t, out = {};
				for (const g of contend.groupBy(s, s.some, s.column(key))) if (g.ns > 0) out[name(g.text)] = g.ns;
				return out; })(contend.select(contend.model, {}, %q), %q)`, how, key))
			if len(want) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s: the page has %v, blame %v", key, how, got, want)
			}
		}
	}
}

// Averages and shares are one in page, JSON and first screen: of one recording, of two with time between them in
// which nothing was seen, of one that is cut off; of all of it, of some time, of some locks, of some threads.
func TestTheReportAveragesAsAnalyzeDoes(t *testing.T) {
	golden.ParallelUnlessShort(t)
	const truth, phases = "../testdata/truth-8threads.jfr", "../testdata/phases.jfr"
	half := filepath.Join(t.TempDir(), "half.jfr")
	data := golden.Must(os.ReadFile(truth))(t)
	golden.OK(t, os.WriteFile(half, data[:180_000], 0o644))
	pages := map[string]*reportTab{}
	for _, c := range []struct {
		paths    []string
		from, to int64 // s; a time filter of the page, and --from and --to
		flags    []string
	}{
		{paths: []string{truth}},
		{paths: []string{truth}, from: 1, to: 3},
		{paths: []string{truth, phases}},
		{paths: []string{truth, phases}, from: 1, to: 24}, // across the gap
		{paths: []string{truth, phases}, from: 6, to: 9},  // in the gap alone
		{paths: []string{truth, phases}, flags: []string{"--class", "Inventory"}},
		{paths: []string{truth, phases}, flags: []string{"--thread", "worker-[12]"}},
		{paths: []string{half}},
		{paths: []string{half}, from: 1, to: 4},
	} {
		if c.flags != nil && !golden.IsThorough() {
			continue
		}
		args, filter, near := append(slices.Clone(c.flags), c.paths...), "{}", 1e-3
		if pages[fmt.Sprint(args)] == nil {
			pages[fmt.Sprint(args)] = reportIn(t, reported(t, args...))
		}
		page := pages[fmt.Sprint(args)]
		if c.to > 0 {
			near = 0.02 // the page selects whole bins
			args = append(args, "--from", fmt.Sprint(c.from, "s"), "--to", fmt.Sprint(c.to, "s"))
			filter = fmt.Sprintf("{time: [%de9, %de9]}", c.from, c.to)
		}
		var a document.Analyze
		unmarshal(t, wholeOrNot(t, append([]string{"analyze", "--format", "json"}, args...)...), &a)
		got := eval[[]float64](page.tab, fmt.Sprintf(`(s => [s.locks / Math.max(s.span, 1), s.span,
			s.locks / Math.max(s.running, 1), s.locks])(contend.select(contend.model, %s, "direct"))`, filter))
		want := []float64{
			a.WaitingThreads,
			float64(a.ElapsedNs),
			analysis.Ratio(a.Total.WaitNs, a.Total.RunningNs),
			float64(a.Total.WaitNs),
		}
		for i, what := range []string{"threads on average", "span", "pressure", "waiting"} {
			if math.Abs(got[i]-want[i]) > near*want[i]+1e-3 {
				t.Errorf("%v: %s: the page has %v, analyze %v", args, what, got[i], want[i])
			}
		}
		if a.Total.WaitNs == 0 {
			continue
		}
		screen := wholeOrNot(t, append([]string{"analyze", "--full", "--width", "200"}, args...)...)
		shown := onAverage.FindStringSubmatch(screen)
		if shown == nil || math.Abs(golden.Must(strconv.ParseFloat(shown[1], 64))(t)-a.WaitingThreads) > 0.06 {
			t.Errorf("%v: %v threads wait: %.200s", args, a.WaitingThreads, screen)
		}
		shares := eval[map[string]float64](page.tab, fmt.Sprintf(`(s => { const of = {};
			for (const i of s.some) { const {name} = contend.model.locks[contend.model.lock[i]]; of[name] = (of[name] || 0) + s.ns[i] / s.locks; }
			return of; })(contend.select(contend.model, %s, "direct"))`, filter))
		for i := range a.Locks {
			l := &a.Locks[i]
			if share := analysis.Ratio(l.WaitNs, a.Total.WaitNs); math.Abs(shares[l.Lock]-share) > near {
				t.Errorf("%v: %s has %v of the waiting, on the page %v", args, l.Lock, share, shares[l.Lock])
			}
		}
	}
}

var onAverage = regexp.MustCompile(`([\d.]+) waiting for a lock on average`)

// wholeOrNot returns the answer of a command, also if its input is damaged.
func wholeOrNot(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if code := Main(args, nil, &out, io.Discard); code != exitOK && code != exitDamaged {
		t.Errorf("contend %v: exit %d", args, code)
	}
	return out.String()
}

// blamed returns what blame says for those arguments.
func blamed(t *testing.T, args []string) (doc document.Blame) {
	t.Helper()
	unmarshal(t, run(t, args...), &doc)
	return doc
}

// The page calls the places of locks what the first screen calls them, and numbers
// locks of one place, which the screen joins; the address is in the title.
func TestTheReportNamesLocksAsTheFirstScreen(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	const path = "../testdata/truth-8threads.jfr"
	r := reportIn(t, reported(t, path))
	screen := run(t, "analyze", "--full", "--width", "200", path)
	const joined = "ReentrantLock at Truth.auditScan:21"
	names := eval[[]string](r.tab, `contend.model.locks.map(l => l.shown)`)
	if len(names) != 5 || !slices.Contains(names, joined+" #1") || !slices.Contains(names, joined+" #2") ||
		!strings.Contains(screen, joined+" (2 locks") {
		t.Errorf("locks are called %q", names)
	}
	places := eval[[]string](r.tab, `contend.model.places`)
	golden.Equal(t, len(places), 4, "places are called", places)
	for _, name := range places {
		golden.Holds(t, screen, name)
	}
	for _, view := range []string{"holders", "flame&flame=chain", "pivot&pivot=lock,root-lock,owner-blocked-on",
		"who", "longest", "about"} {
		r.turn("#by=lock&view=" + view)
		if text := r.text("main"); strings.Contains(text, "@") ||
			view != "about" && !strings.Contains(text, "Truth$InventoryLock at Truth.exportReport:17") {
			t.Errorf("%s: locks have addresses: %.600s", view, text)
		}
	}
	if title := eval[string](r.tab, `document.querySelector(".locks .name bdi").title`); !strings.HasPrefix(
		title,
		"Truth$InventoryLock@",
	) {
		t.Errorf("the title is %q", title)
	}
	r.turn("#view=holders")
	r.click(".tag.blocked", "") // the first: it is blocked on the lock that most wait for
	r.until(`contend.state.filter.blockedOn`)
	golden.Equal(t, r.total(), blockedOn(t, path, "Truth$InventoryLock@"))
}

func blockedOn(t *testing.T, path, lock string) (ns int64) {
	t.Helper()
	for _, row := range ask[document.Blame](t, "blame", "--by", "owner-blocked-on", path).Rows {
		if strings.HasPrefix(row.Keys[0], lock) {
			ns += row.ThreadNs
		}
	}
	return ns
}

// Pauses are shown, whether or not somebody waited for a lock meanwhile.
func TestTheReportShowsAllPauses(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	path := textTrace(t, []format.Event{
		{Kind: format.KindRecording, Time: 0, End: 4e9},
		{
			Kind:   format.KindThread,
			Thread: 1,
			Name:   "a",
		}, {Kind: format.KindThread, Thread: 2, Name: "b"}, {Kind: format.KindObject, Object: 1, Class: "Lock"},
		{
			Kind: format.KindPause,
			Time: 100e6,
			End:  130e6,
			Name: "gc young",
		}, {Kind: format.KindPause, Time: 2e9, End: 2_002e6, Name: "safepoint Cleanup"}, {Kind: format.KindPause,
			Time: 3e9, End: 3_010e6, Name: "gc young"},
		{
			Kind:   format.KindTenure,
			Thread: 1,
			Object: 1,
			Time:   1e9,
			End:    1_500e6,
		}, {Kind: format.KindWait, Thread: 2, Object: 1, Time: 1e9, End: 1_500e6},
	}...)
	r := reportIn(t, reported(t, path))
	golden.Holds(
		t,
		r.text(".time .legend"),
		"2 garbage collections stopped all threads: 40.0 ms, longest 30.0 ms",
		"1 safepoint stopped all threads: 2.00 ms",
	)
	golden.Same(
		t,
		eval[[]int64](r.tab, `contend.model.pauses.map(p => p.binNs.reduce((a, b) => a + b))`),
		[]int64{40e6, 2e6},
		"the chart has pauses of",
	)
	red := eval[int](
		r.tab,
		`(c => { const {data} = c.getContext("2d").getImageData(0, 0, c.width, c.height); let n = 0; for (let i = 0; i < data.length; i += 4) if (data[i] > 150 && data[i + 1] < 80 && data[i + 2] < 80 && data[i + 3] > 90) n++; return n; })(document.querySelector(".u-wrap canvas"))`,
	)
	golden.AtLeast(t, red, 10, "points of the chart are of the colour of pauses")
}

// What the page offers to copy prints what is seen: the sums of its views, under
// filters, also where flags had selected before.
func TestTheReportsCommandsPrintWhatIsSeen(t *testing.T) {
	golden.Thorough(t)
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "my.rules") // those that are in force anyway
	golden.OK(t, os.WriteFile(rules, []byte(run(t, "rules")), 0o644))
	r := reportIn(
		t,
		reported(
			t,
			"--lock-rules",
			rules,
			"--class",
			"Truth.*|Reentrant",
			"--thread",
			"worker",
			"--from",
			"200ms",
			"../testdata/truth-8threads.jfr",
		),
	)
	const sum = `contend.select(contend.model, contend.state.filter).total`
	for _, hash := range []string{"#view=pivot", "#view=pivot&blame=root&pivot=owner-group,root-lock",
		"#view=pivot&pivot=owner-blocked-on,owner-doing&class=ReentrantLock",
		"#view=holders&place=Truth$InventoryLock+at+Truth.exportReport:17&time=1000000000-2000000000",
		"#view=who&nodes=method&by=lock&lock=ReentrantLock+at+Truth.auditScan:21", "#view=who&blame=root",
		"#view=longest", "#view=about&class=Truth$LedgerLock"} {
		r.turn(hash)
		words := eval[[]string](r.tab, `contend.command(contend.model, contend.state).words`)
		if !slices.Contains(words, "--lock-rules") || slices.Contains(words, "--rules") {
			t.Errorf("%s: %q does not name the rules", hash, words)
		}
		var doc struct{ Total document.Total }
		args := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool { return w == "--matrix" })
		unmarshal(t, run(t, append(args, "--format", "json")...), &doc)
		if want := eval[int64](r.tab, sum); words[1] != "hist" && doc.Total.WaitNs != want || want == 0 {
			t.Errorf("%s: %q has %d ns, the page %d", hash, words, doc.Total.WaitNs, want)
		}
	}
	r.turn("#view=pivot&pivot=owner-site,class&waiter=worker-") // groups within --thread have no flag
	golden.Same(
		t,
		eval[[]string](r.tab, `contend.command(contend.model, contend.state).missing`),
		[]string{"waiting group"},
		"missing are",
	)
	r.turn("#view=pivot&pivot=owner-site,class")
	words := eval[[]string](r.tab, `contend.command(contend.model, contend.state).words`)
	for _, row := range blamed(t, append(append([]string{}, words[1:]...), "--format", "json")).Rows {
		// the lines of the tree
		got := eval[int64](
			r.tab,
			fmt.Sprintf(
				`((s, [site, kind]) => s.some.reduce((a, i) => s.column("owner-site").text(s.side.site[i]).replace(/^in /, "") === site && s.model.classes[s.column("class").of[i]].name === kind ? a + s.ns[i] : a, 0))(contend.select(contend.model, {}), %s)`,
				inJSONText(t, row.Keys),
			),
		)
		golden.Equal(t, got, row.ThreadNs, row.Keys, "the page has")
	}
}

func inJSONText(t *testing.T, v any) string {
	t.Helper()
	text := golden.Must(json.Marshal(v))(t)
	return string(text)
}
