// Package table lays documents out as text, Markdown and CSV. Package text formats values
// and makes names safe.
//
// Each document has a file that turns it into a report, paragraphs and grids of cells: check.go,
// csp.go, diff.go, graph.go, hist.go, verify.go, whatif.go. Further files:
//
//	doc.go       this page
//	views.go     analyze and blame
//	sections.go  analyze: the tables that CSV has, and waits for other things than locks
//	chart.go     csp: pressure over time, as a line for each lock
//	bars.go      hist: the distribution of waits
//	matrix.go    graph: waiters by owners
//	junit.go     check: for build servers
//
// All use the following files; the last four know no documents:
//
//	coverage.go  the amount of data, the provenance of owners, the limits of the answer
//	marks.go     values that rest on samples or thresholds
//	grid.go      reports, grids and cells, and their writing
//	layout.go    the columns that fit a terminal, and their widths
//	lines.go     rows as lines of text and of Markdown, in which names are no markup; paragraphs
//	cells.go     cells of times, counts, shares and names
package table
