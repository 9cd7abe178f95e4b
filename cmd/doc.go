// Package cmd is the command line: flags become options, options become
// calls. It is the only room that sees every other.
//
// Files:
//
//	doc.go             this page
//	main.go            the root command, exit codes, errors
//	trace.go           flags that name and select traces; reading them
//	output.go          flags of outputs; writing them
//	values.go          values of flags
//	threads.go         thread dumps in ten lines
//	sniff.go           inputs that are no traces
//	interrupt.go       an interrupted reading
//	progress.go        progress on a terminal
//	terminal.go        whether and how wide
//	pipe_other.go      a closed pipe
//	pipe_windows.go    the same on Windows
//	gc.go              the heap of large inputs
//	help.go            help texts
//	help_fill.go       help in lines of a terminal's width
//	nearest.go         names near one that is not found
//	completion.go      completion of flags and values
//	completion_bash.go its script for bash
//	man.go             manual pages
//	version.go         the version
//	rules.go           the rules that separate locks from idle waits
//	analyze.go         the overview
//	blame.go           owners by waiting
//	csp.go             pressure over time
//	chains.go          chains of waits
//	graph.go           who blocked whom
//	hist.go            distributions of waits
//	histlog.go         the same as logs of HdrHistogram
//	flame.go           flame graphs
//	pprof.go           profiles
//	diff.go            what changed
//	check.go           gates
//	whatif.go          what a change would bring
//	why.go             the evidence for one wait
//	verify.go          the damage of an input
//	report.go          the page
//	serve.go           the page from a server
//	export.go          tables of many recordings
//	export_each.go     one of them
//	export_labels.go   labels from paths
//	export_names.go    which files are exported
//	convert.go         other forms of a trace
//	simulate.go        traces of made-up programs
//	jfc.go             settings for flight recordings
//	perfargs.go        arguments for perf
//	record.go          recording a JVM
//	record_file.go     the file that a recording goes to
//	record_always.go   recording when a condition holds
//	record_exact.go    recording holds by rewritten classes
//	record_go.go       recording a Go program
//	record_perf.go     recording a native program
package cmd
