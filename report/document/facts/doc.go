// Package facts holds what a fleet's recordings are reduced to: five tables of
// flat rows, the same in Parquet files and in lines of JSON. cmd/fleet/README.md
// specifies them. Each recording has rows of its own; engines add them up.
//
//	doc.go     this page
//	tables.go  the rows, and as lines of JSON
//	rows.go    the rows of one recording
//	waits.go   the rows of waiters and owners, as they are asked for
//	sql.go     the questions, and the statements that give each engine the tables
package facts
