// Package screen writes the answer that people read first: how many threads wait, what is
// wrong, and for each of the top locks its owners and waiters, in 25 lines of 80 columns unless
// the reader asks for more.
// Package table writes tables and all numbers.
//
// Its files, each of which uses only what comes after it:
//
//	doc.go       this page
//	screen.go    the sections, their room, and the head
//	finding.go   findings and deadlocks; whole stacks, for --full
//	threads.go   the threads of dumps
//	tail.go      uncounted waits, accuracy, and the next command; waits for resources
//	block.go     one lock or place, with its owners and waiters
//	advice.go    advice about a lock without a finding
//	why.go       one wait: its lanes and its suspects
//	parts.go     the state and helpers of all parts
//	words.go     names of owners and units, and numbers
//	lines.go     lines of a width
//	limits.go    limits of lines and rows, and thresholds
package screen
