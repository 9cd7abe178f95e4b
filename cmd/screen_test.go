package cmd

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/format/simulate"
	"contend/golden"
	"contend/report/document"
	"contend/report/screen"

	"github.com/clipperhouse/displaywidth"
)

// screened is the first screen of a document: the JSON carries all it shows.
func screened(t *testing.T, a *document.Analyze, width int) string {
	t.Helper()
	var out bytes.Buffer
	golden.OK(t, screen.Write(&out, a, screen.Options{Width: width}))
	return out.String()
}

// allInputs are all recordings, one run of every scenario, the dumps and the
// counts.
func allInputs(t *testing.T) []string {
	t.Helper()
	paths := recordings(t)
	for _, pattern := range []string{"../testdata/go126-*dump.txt", "../testdata/documents/*.txt",
		"../testdata/*.jfr.gz",
		"../../shared/fixtures/public/counts/*Stats.txt", "../../shared/fixtures/public/threaddump/*.txt",
		"../../shared/fixtures/public/javacore/*.txt"} {
		found, _ := filepath.Glob(pattern)
		if len(found) == 0 && !strings.Contains(pattern, "public") {
			t.Fatalf("%s: nothing there", pattern)
		}
		paths = append(paths, found...)
	}
	names, _ := simulate.Scenarios()
	for _, name := range names {
		paths = append(paths, exactly(t, name))
	}
	return slices.DeleteFunc(
		paths,
		func(p string) bool { return filepath.Base(p) == "counts.txt" || filepath.Base(p) == "damaged.bin" },
	)
}

// The screen is what most people read of contend: 25 lines, whole at 80 columns,
// that say which lock it is, where, who has it and what to do.
func TestTheFirstScreenFitsAndNamesTheBiggestLock(t *testing.T) {
	golden.ParallelUnlessShort(t)
	for _, path := range allInputs(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, code := answered(t, path)
			if code != exitOK && code != exitDamaged {
				t.Skipf("exit %d", code) // refused: no screen
			}
			for _, width := range []int{80, 100, 140} {
				text := screened(t, a, width)
				lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
				golden.AtMost(t, len(lines), screen.MaxLines, width, "columns", "lines")
				for _, l := range lines {
					golden.AtMost(t, displaywidth.String(l), width, "columns", l)
				}
				if len(a.Locks) > 0 {
					names(t, a, text)
				}
			}
			if t.Failed() {
				t.Logf("\n%s", screened(t, a, 80))
			}
		})
	}
}

// names checks that a screen names the biggest lock by class and site, an owner,
// and something to do.
func names(t *testing.T, a *document.Analyze, text string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	l := &a.Locks[0]
	last := func(name string, n int) string {
		parts := regexp.MustCompile(`[./]`).Split(name, -1)
		return strings.Join(parts[max(len(parts)-n, 0):], ".")
	}
	class := regexp.MustCompile(`\$(Nonfair|Fair)?Sync$`).ReplaceAllString(l.Class, "")
	if len(a.Deadlocks) == 0 && !strings.Contains(flat, last(class, 1)) {
		t.Errorf("the class %s is not named", l.Class)
	}
	if site := last(l.Site, 2); len(a.Deadlocks) == 0 && !strings.HasPrefix(l.Site, "[") &&
		!strings.Contains(flat, site) {
		t.Errorf("the site %s is not named", site)
	}
	golden.Holds(t, flat, "->", "held by")
}

// What the command prints is what its JSON says, and a pipe has 80 columns.
func TestTheScreenIsThatOfTheDocument(t *testing.T) {
	golden.SkipIfShort(t)
	t.Setenv("COLUMNS", "")
	for _, path := range []string{"../testdata/truth-8threads.jfr", goTrace,
		"../testdata/deadlock-monitors-and-juc-jdk17.txt"} {
		golden.Equal(t, run(t, "analyze", path), screened(t, analyzed(t, path), 80), path, "the command prints")
		golden.Equal(
			t,
			run(t, "analyze", "--width", "132", path),
			screened(t, analyzed(t, path), 132),
			path,
			"at 132 columns: the command prints",
		)
	}
}

func TestGoProgramsHaveGoroutines(t *testing.T) {
	for _, path := range []string{goTrace, "../testdata/go126-sigquit-dump.txt", "../testdata/go126-debug2-dump.txt"} {
		for _, args := range [][]string{{"analyze", path}, {"analyze", "--full", path},
			{"analyze", "--tables", path}, {"graph", "--format", "dot", path}} {
			if text := run(t, args...); regexp.MustCompile(`(?i)\bthreads?\b`).MatchString(text) ||
				!strings.Contains(text, "goroutine") {
				t.Errorf("%v speaks of threads:\n%s", args, text)
			}
		}
	}
}

// A deadlock says who holds what each thread waits for; --full gives the whole
// stacks, with the frames a reader does not need.
func TestDeadlocksSayWhoHoldsWhat(t *testing.T) {
	const path = "../testdata/deadlock-monitors-and-juc-jdk17.txt"
	text := strings.Join(strings.Fields(run(t, "analyze", path)), " ")
	golden.Holds(
		t,
		text,
		"DEADLOCK #1",
		"teller-1 took StringBuilder@69e019798 in Dead.transferAB at line 5 or before, waits at Dead.transferAB:5 "+
			"for StringBuilder@69e0197d8, held by teller-2",
		"juc-2 holds ReentrantLock@69e0199d0 (acquired at an unknown place), waits at Dead.dc:6 for "+
			"ReentrantLock@69e0199a0, held by juc-1",
		"reporter",
		"in one order everywhere",
	)
	full := run(t, "analyze", "--full", path)
	golden.Holds(
		t,
		full,
		"jdk.internal.misc.Unsafe.park",
		"java.util.concurrent.locks.ReentrantLock.lock:322",
		"java.lang.Thread.run:840",
		"reporter",
	)
}

// What a line of a deadlock has no room for stands further to the right than the
// threads do: where it began a line, it looked like one of them.
func TestDeadlocksWrapToTheRight(t *testing.T) {
	t.Parallel()
	a, _ := answered(t, "../testdata/deadlock-monitors-and-juc-jdk17.txt")
	begins := regexp.MustCompile(
		`^(DEADLOCK #\d: 2 threads|  [a-z]+-\d (took|holds)|and 1 more|all$|  -> Take|    +\S|$)`,
	)
	lines := strings.Split(screened(t, a, 50), "\n")
	for _, line := range lines[slices.IndexFunc(lines,
		func(l string) bool { return strings.HasPrefix(l, "DEADLOCK") }):] {
		if strings.HasPrefix(line, "not counted") {
			return
		}
		if !begins.MatchString(line) || displaywidth.String(line) > 50 {
			t.Errorf("%q", line)
		}
	}
}

// Of all waits, a percentile of the recorded ones is an upper bound where a
// threshold hides the short ones. It says so where it stands.
func TestPercentilesUnderAThresholdAreMarked(t *testing.T) {
	for _, command := range []string{"analyze --tables", "hist"} {
		args := strings.Fields(command)
		hidden := run(t, append(args, "../testdata/lab-striped-jdk17-profile.jfr")...)
		if !strings.Contains(hidden, "≤ 13.7 ms") || !strings.Contains(hidden, "≤: shorter waits were not recorded") ||
			strings.Contains(hidden, "≤ 365 ms   365 ms") && !strings.Contains(hidden, "   365 ms") {
			t.Errorf("%s: percentiles under a threshold are not marked:\n%s", command, hidden)
		}
		golden.Lacks(golden.Labelled(t, command), run(t, append(args, "../testdata/truth-8threads.jfr")...), "≤")
	}
}

// TestATerminalOf80ColumnsShowsEveryTable runs every command that prints for
// people, on recordings with long names and large numbers, exact and sampled.
func TestATerminalOf80ColumnsShowsEveryTable(t *testing.T) {
	golden.SkipIfShort(t)
	t.Setenv("COLUMNS", "80")
	const (
		single = "../testdata/deadlock-monitors-and-juc-jdk17.txt"
		series = "../testdata/truth-series-8dumps-jdk17.txt"
	)
	tables := []string{
		"analyze", "analyze --by class", "blame", "blame --root --by class,owner-method,waiter-method", "csp",
		"csp --metrics", "csp --chart",
		"graph", "graph --by thread --top 0", "graph --by method --matrix", "graph --by thread --matrix --top 0",
		"chains --top 0",
	}
	lengths := []string{
		"hist",
		"hist --expected-interval 10ms",
		"hist --format bars",
		"verify",
		"check --rule csp(*)<5%",
	}
	all := slices.Concat(tables, lengths)
	type printing struct {
		path     string
		commands []string
	}
	printings := []printing{
		{
			"../testdata/xalan-8threads.jfr",
			all,
		}, {"../testdata/truth-8threads.jfr", tables}, {"../testdata/go126-truth-12goroutines.trace",
			lengths}, {hostileTrace(t), all}, {exactly(t, "deadlock"), tables},
		{
			series,
			append(all, "diff "+series),
		}, {single, append(slices.Concat([]string{"diff " + single}, tables), lengths...)},
	}
	if golden.IsThorough() {
		printings = append(
			printings,
			printing{"../testdata/derby-8clients.jfr", all},
			printing{"../testdata/hsqldb-6clients.jfr", tables},
		)
	}
	for _, c := range printings {
		for _, command := range c.commands {
			var out, msg bytes.Buffer
			code := Main(append(strings.Fields(command), c.path), nil, &out, &msg)
			if untimed := c.path == single && code == exitUsage; code != exitOK && code != exitRules && !untimed {
				t.Fatalf("%s %s: exit %d: %s", command, c.path, code, msg.String())
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				if n := displaywidth.String(line); n > 80 {
					t.Errorf("%s %s: %d columns: %q", command, c.path, n, line)
					break
				}
			}
		}
	}
}

// What there is one of is not spoken of as of many.
func TestOneIsNotMany(t *testing.T) {
	golden.ParallelUnlessShort(t)
	many := regexp.MustCompile(
		`(?:^|[^-\w.,])1 (dumps|waits|threads|locks|samples|goroutines|events|rules|edges|chains|inputs|places)\b`,
	)
	for _, path := range append(dumpPaths(t), "../testdata/virtual-jdk25.jfr") {
		for _, args := range [][]string{{"analyze", "--full"}, {"analyze", "--tables"},
			{"check", "--rule", "csp(*) < 99%"}, {"graph"}, {"chains"}, {"verify"}} {
			var out, msg strings.Builder
			Main(append(args, path), nil, &out, &msg)
			golden.Equal(t, many.FindString(out.String()+msg.String()), "", args, path, "says")
		}
	}
}

// dumpPaths are the thread dumps of testdata, of each of which a few threads wait.
func dumpPaths(t *testing.T) (paths []string) {
	t.Helper()
	for _, path := range allInputs(t) {
		if strings.HasSuffix(path, ".txt") {
			paths = append(paths, path)
		}
	}
	if len(paths) < 5 {
		t.Fatalf("%d dumps", len(paths))
	}
	return paths
}
