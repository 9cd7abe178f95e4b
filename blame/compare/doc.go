// Package compare compares two runs: the locks, owner call chains and chains of waits whose
// waiting differs, on average over time or for each operation, and which of the differences
// exceed noise. Rows have the same name in both runs, so addresses, ids, line numbers and names
// of single threads are no part of a name.
package compare
