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
	{regexp.MustCompile(`^(\[pid +\d+\] |\d+ +)?([\d:]+(\.\d+)? )?\w+\(.*\) += -?(\d|0x|\?)`), "strace tells no stacks; 'contend perf-args PID' prints how to record the same calls with perf"},
}

// hintOf says what can be done with a text of which the first line is no dump's.
func hintOf(first string) string {
	for _, f := range foreign {
		if f.first.MatchString(first) {
			return f.hint
		}
	}
	return Hint
}
