package cmd

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contend/golden"
	"contend/report/text"
)

// What people come for takes one command each, whose first ten lines at 80 columns answer it.
func TestTenLinesAnswerEachTask(t *testing.T) {
	golden.SkipIfShort(t)
	t.Setenv("COLUMNS", "80")
	const truth = "../testdata/truth-8threads.jfr"
	for _, task := range []struct {
		what string
		args []string
		says string
	}{
		{"which lock, and whose fault", []string{"analyze", truth},
			`50 % Truth\.exportReport:17 is asleep while holding Truth\$InventoryLock -> Release the lock`},
		{"did my change help", []string{"diff", truth, "../testdata/truth-light-8threads.jfr"},
			`^waiting fell from 5\.83 to \S+ threads \(-\d+ %, P < 0\.001\)`},
		{"gate a build", []string{"check", "--rule", "csp(*) < 20%", "--rule", "no deadlock", truth},
			`1 of 2 rules does not hold.* FAIL 52\.7 % 20\.0 % csp\(\*\) < 20% Truth\$InventoryLock at Truth\.exportReport:17`},
		{"deadlock", []string{"analyze", "../testdata/deadlock-monitors-and-juc-jdk17.txt"},
			`teller-1 took StringBuilder@\w+ in Dead\.transferAB .* waits at Dead\.transferAB:5 .*teller-2 took .* -> Take these locks in one order`},
		{"Go", []string{"analyze", "../testdata/go126-truth-12goroutines.trace"},
			`55 % main\.reconcile:17 is asleep while holding sync\.Mutex`},
		{"native", []string{"analyze", "../testdata/perf-truth-seed1.perf.txt.zst"},
			`37 % doExportReport is asleep while holding std::mutex`},
		{"pool exhausted", []string{"analyze", "../testdata/pools/pools-jdk17.jfr"},
			`9\.3 pool \S+ at Pools\.timed:21 .*held by \S+ threads: Pools\.checkout:44, asleep .*Return objects sooner there`},
		{"what a fix would bring", []string{"whatif", truth},
			`sections 50 % shorter .* x 1\.33 \(1\.04 to 1\.71\) .* Truth\.exportReport, Truth\$InventoryLock`},
		{"why do you say so", []string{"why", "Truth.InventoryLock", truth},
			`worker-2 waited 89\.0 ms .* 92 % Truth\.exportReport:17 .* by worker-6`},
	} {
		var out, msg bytes.Buffer
		if code := Main(task.args, nil, &out, &msg); code != exitOK && code != exitRules {
			t.Fatalf("%s: %d: %s", task.what, code, &msg)
		}
		lines := strings.SplitN(out.String(), "\n", 11)
		lines = lines[:min(len(lines), 10)]
		said := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		if slices.ContainsFunc(lines, func(l string) bool { return text.Columns(l) > 80 }) ||
			!regexp.MustCompile(task.says).MatchString(said) {
			t.Errorf("%s: no %s in\n%s", task.what, task.says, strings.Join(lines, "\n"))
		}
	}
}
