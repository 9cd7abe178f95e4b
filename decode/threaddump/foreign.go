package threaddump

import "regexp"

// Hint says what can be read.
const Hint = "contend reads JFR recordings, thread dumps, Go traces, the text of perf script and contend traces, plain or in gzip, zstd or s2"

// foreign are texts that other tools write of the same programs, by their first lines, and
// where what contend needs comes from.
var foreign = []struct {
	first *regexp.Regexp
	hint  string
}{
	{regexp.MustCompile(`(?i)^\s*<(!doctype )?html`), "a page is drawn of a recording: contend reads that; async-profiler writes one with -e lock -o jfr"},
	{regexp.MustCompile(`^(\[pid +\d+\] |\d+ +)?([\d:]+(\.\d+)? )?\w+\(.*\) += -?(\d|0x|\?)`), "strace tells no stacks; " + byPerf},
	{regexp.MustCompile(`^(# tracer: \w|cpus=\d+$)`), "ftrace's text has no stacks of the waits; " + byPerf + ", with --kernel-locks for those of the kernel"},
	{regexp.MustCompile(`^ *contended +total wait +max wait`), "'perf lock contention' prints sums; give contend the text of 'perf script' of the same recording"},
	{regexp.MustCompile(`^(Thread \d+ \((Thread 0x|LWP )|\[New LWP |PID \d+ - |TID \d+:|#0 +0x[0-9a-f]+ |Process \d+: )`), "a debugger's stacks do not tell who holds a native lock; " + byPerf},
	{regexp.MustCompile(`^(Attaching \d+ probe|@\w*\[)`), "bpftrace prints stacks on several lines; contend reads them folded, on one: 'outer;inner 12'"},
	{regexp.MustCompile(`^(\* |  )Goroutine \d+ - `), "Delve's list does not tell what goroutines wait for; take a dump: kill -QUIT PID, or /debug/pprof/goroutine?debug=2"},
	{regexp.MustCompile(`^jdk\.\w+ \{$`), "this is the text of 'jfr print'; contend reads the recording itself"},
	{regexp.MustCompile(`^--- Execution profile ---`), "async-profiler's text; contend reads what -e lock -o jfr, or -o collapsed, writes"},
	{regexp.MustCompile(`^ *(Value +Percentile|Running .* test @ http)`), "percentiles without their times; 'contend hist' reads interval logs"},
}

const byPerf = "'contend perf-args PID' prints how to record the same with perf"

// hintOf says what can be done with a text of which the first line is no dump's.
func hintOf(first string) string {
	for _, f := range foreign {
		if f.first.MatchString(first) {
			return f.hint
		}
	}
	return Hint
}
