package threaddump

import (
	"regexp"
	"strings"

	"contend/decode/unwrap"
)

// parser builds one dump from its lines.
type parser interface {
	// line takes the next line, without its end. It returns false if the dump ended before
	// it.
	line(text string) bool
	// finish returns the dump. cut says that the input ended, or another dump began, before
	// line returned false.
	finish(cut bool) *Dump
}

// threadParser is a parser whose threads can be counted.
type threadParser interface {
	parser
	threadsBegun() int
}

// dialect is one way of writing a thread dump as lines of text.
type dialect struct {
	name   string
	header func(line string) bool // a dump begins here, even within another
	thread func(line string) bool // a dump without header begins here; nil if there are none
	opens  func(line string) bool // a thread begins here, whose name may go on in the next line; nil if none does

	// before are the lines before the first one, the last one last.
	open func(n *names, before []string, line string) parser
}

// dialects are the ways of writing a dump, the unmistakable first.
var dialects = []dialect{
	hotspotDialect,
	androidDialect,
	{name: "JRockit", header: jrockitHeader, opens: quoted, open: newJRockit},
	{name: "javacore", header: javacoreHeader, thread: javacoreThread, open: newJavacore},
	{name: "Thread.dump_to_file", header: never, thread: fileThread, opens: fileOpens, open: newFile},
	{name: "ThreadInfo", header: never, thread: infoThread, opens: quoted, open: newInfo},
}

var hotspotDialect = dialect{
	name:   "HotSpot",
	header: hotspotHeader,
	thread: hotspotThread,
	opens:  quoted,
	open:   newHotSpot,
}

func never(string) bool { return false }

func quoted(line string) bool { return strings.HasPrefix(line, `"`) }

// begin returns the parser of a dump that begins at a line.
func (d *dialect) begin(n *names, before []string, line string) parser {
	p := d.open(n, before, line)
	if d.opens != nil {
		p = &nameJoiner{parser: p.(threadParser), opens: d.opens}
	}
	if d.name == hotspotDialect.name && anchors(line) {
		for _, one := range lead(before, line) {
			p.line(one)
		}
	}
	if monitorLine(line) {
		for _, one := range before {
			p.line(one)
		}
	}
	if !d.header(line) { // it is a thread's, or a report's
		p.line(line)
	}
	return p
}

// Begins returns what begins with a line: a dump, or a thread of a dump without a header. A
// line that may also be a sentence of a log counts as a thread's.
func Begins(line string) unwrap.Mark {
	switch d := begins(line, false); {
	case d == nil:
		return unwrap.None
	case d.name == hotspotDialect.name && anchors(line) && line[0] != '-' && line[0] != ' ' && line[0] != '\t':
		return unwrap.Header
	case quoted(line) && strings.Contains(line, `" `+stateMark):
		return unwrap.Header
	case quoted(line) || line[0] == '#' || d.name == hotspotDialect.name && !strings.HasSuffix(line, ":"):
		return unwrap.Thread
	}
	return unwrap.Header
}

// Firsts are the bytes that dumps begin with.
const Firsts = "\"F=0#-DT3JC"

// begins finds the dialect of a dump that begins at a line, nil if there is none. Within a
// dump, only a header begins another one.
func begins(line string, within bool) *dialect {
	if line == "" || strings.IndexByte(Firsts, line[0]) < 0 && (within || !anchors(line) && !looksLikeHead(line)) {
		return nil
	}
	for i := range dialects {
		d := &dialects[i]
		if d.header(line) || !within && d.thread != nil && d.thread(line) {
			return d
		}
	}
	return nil
}

// Hint lists the inputs that contend reads.
const Hint = "contend reads JFR recordings, thread dumps, Go traces, the text of perf script and contend traces, " +
	"plain or in gzip, zstd or s2"

// foreign are outputs of other tools for the same programs, by their first lines, and the
// commands that give contend what it needs.
var foreign = []struct {
	first *regexp.Regexp
	hint  string
}{
	{
		regexp.MustCompile(`(?i)^\s*<(!doctype )?html`),
		"a page is drawn of a recording: contend reads that; async-profiler writes one with -e lock -o jfr",
	},
	{
		regexp.MustCompile(`^(\[pid +\d+\] |\d+ +)?([\d:]+(\.\d+)? )?\w+\(.*\) += -?(\d|0x|\?)`),
		"strace shows no stacks; " + byPerf,
	},
	{
		regexp.MustCompile(`^(# tracer: \w|cpus=\d+$)`),
		"ftrace's text has no stacks of the waits; " + byPerf + ", with --kernel-locks for those of the kernel",
	},
	{
		regexp.MustCompile(
			`^(Thread \d+ \((Thread 0x|LWP )|\[New LWP |PID \d+ - |TID \d+:|#0 +0x[0-9a-f]+ |Process \d+: )`,
		),
		"a debugger's stacks do not show the owner of a native lock; " + byPerf,
	},
	{
		regexp.MustCompile(`^(Attaching \d+ probe|@\w*\[)`),
		"bpftrace prints stacks on several lines; contend reads them folded, on one: 'outer;inner 12'",
	},
	{
		regexp.MustCompile(`^(\* |  )Goroutine \d+ - `),
		"Delve's list does not show what goroutines wait for; " +
			"take a dump: kill -QUIT PID, or /debug/pprof/goroutine?debug=2",
	},
	{
		regexp.MustCompile(`^(::: \{|\s*Hot threads at )`),
		"hot_threads shows stacks and no locks: take thread dumps of the node (jstack -l PID)",
	},
	{
		regexp.MustCompile(`^--- Execution profile ---`),
		"async-profiler's text; contend reads what -e lock -o jfr, or -o collapsed, writes",
	},
	{
		regexp.MustCompile(`^ *(Value +Percentile|Running .* test @ http)`),
		"percentiles without their times; 'contend hist' reads interval logs",
	},
}

const byPerf = "'contend perf-args PID' prints how to record the same with perf"

// hintOf returns a hint for a text whose first line begins no dump.
func hintOf(first string) string {
	for _, f := range foreign {
		if f.first.MatchString(first) {
			return f.hint
		}
	}
	return Hint
}
